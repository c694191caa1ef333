"""The synthesizers of synthetic-data-generation, from the values of a frame, or with public categories."""

from __future__ import annotations

from functools import partial

import pandas as pd
from synthesis.synthesizers.marginal import MarginalSynthesizer

from packages.tables import COLUMNS, of


class PublicCategories:
    """A synthesizer that gets columns with all categories."""

    def __init__(self, synthesizer):
        self.synthesizer = synthesizer

    def fit(self, df):
        self.synthesizer.fit(df.astype(pd.CategoricalDtype([0, 1])))

    def sample(self, rows):
        return self.synthesizer.sample(rows).set_axis(list(COLUMNS), axis=1)


def marginal_of_values(data, rng):
    return of(partial(MarginalSynthesizer, epsilon=1.0, verbose=False), data, rng)


def marginal(data, rng):
    return of(lambda: PublicCategories(MarginalSynthesizer(epsilon=1.0, verbose=False)), data, rng)
