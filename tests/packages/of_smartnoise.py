"""The synthesizers of smartnoise-synth that need no neural network: sampled rows of tables of three bits."""

from __future__ import annotations

import warnings
from functools import partial

from snsynth import Synthesizer
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer

from tests.packages.tables import COLUMNS, framed, of

warnings.filterwarnings("ignore")


class Model:
    """A synthesizer behind ``fit`` and ``sample``.

    Parameters
    ----------
    name
        As the package names it.
    public
        Whether it gets all categories, or takes those that occur in the frame.
    """

    def __init__(self, name, public):
        self.synthesizer = Synthesizer.create(name, epsilon=1.0)
        self.transformer = TableTransformer([LabelTransformer(nullable=False) for _ in COLUMNS]) if public else None

    def fit(self, df):
        if self.transformer:
            self.transformer.fit(framed([[0, 0, 0], [1, 1, 1]]))
            self.synthesizer.fit(df, transformer=self.transformer)
        else:
            self.synthesizer.fit(df, categorical_columns=list(COLUMNS))

    def sample(self, rows):
        return self.synthesizer.sample(rows)


class AsManyRows(Model):
    """A synthesizer that is not told how many rows to sample."""

    def sample(self, rows):
        return self.synthesizer.sample()


def mwem_of_values(data, rng):
    return of(partial(Model, "mwem", False), data, rng)


def mwem(data, rng):
    return of(partial(Model, "mwem", True), data, rng)


def mst_of_values(data, rng):
    return of(partial(Model, "mst", False), data, rng)


def mst(data, rng):
    return of(partial(Model, "mst", True), data, rng)


def mst_rows(data, rng):
    return of(partial(AsManyRows, "mst", True), data, rng)


def both_values():
    """One row of 8 has other values; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 3 + [[1, 1, 1]] * 5
    yield [[0, 0, 0]] * 7 + [[1, 1, 1]], [[0, 0, 0]] * 6 + [[1, 1, 1]] * 2


def one_more():
    """One row more than 7; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 3, [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4
