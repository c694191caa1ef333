"""MWEM of smartnoise-synth: sampled rows of tables of three bits."""

from __future__ import annotations

import warnings
from functools import partial

from snsynth.mwem import MWEMSynthesizer
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer

from packages.tables import COLUMNS, framed, of

warnings.filterwarnings("ignore")


class Model:
    """MWEM behind ``fit`` and ``sample``.

    Parameters
    ----------
    public
        Whether it gets all categories, or takes those that occur in the frame.
    """

    def __init__(self, public):
        # The number of steps between two choices has no part in the promise.
        self.synthesizer = MWEMSynthesizer(epsilon=1.0, mult_weights_iterations=1)
        self.transformer = TableTransformer([LabelTransformer(nullable=False) for _ in COLUMNS]) if public else None

    def fit(self, df):
        if self.transformer:
            self.transformer.fit(framed([[0, 0, 0], [1, 1, 1]]))
            self.synthesizer.fit(df, transformer=self.transformer)
        else:
            self.synthesizer.fit(df, categorical_columns=list(COLUMNS))

    def sample(self, rows):
        return self.synthesizer.sample(rows)


def mwem_of_values(data, rng):
    return of(partial(Model, False), data, rng)


def mwem(data, rng):
    return of(partial(Model, True), data, rng)


def both_values():
    """One row of 8 has other values; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 3 + [[1, 1, 1]] * 5
    yield [[0, 0, 0]] * 7 + [[1, 1, 1]], [[0, 0, 0]] * 6 + [[1, 1, 1]] * 2


def one_more():
    """One row more than 7; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 3, [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4
