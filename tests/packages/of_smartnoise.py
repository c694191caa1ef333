"""The synthesizers of smartnoise-synth that need no neural network: sampled rows of tables of three bits."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from snsynth import Synthesizer
from snsynth.mst import mst as mst_of_package
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer

from tests.packages.tables import COLUMNS, framed, of

warnings.filterwarnings("ignore")
_STEPS = 20
_descent = mst_of_package.estimation.mirror_descent


def _few_steps(*given: Any, **named: Any) -> Any:
    return _descent(*given, **{**named, "iters": _STEPS})


# The number of steps of an inference has no part in the promise.
mst_of_package.estimation.mirror_descent = _few_steps
_FAST = {"mwem": {"mult_weights_iterations": 1}, "mst": {}}


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
        self.synthesizer = Synthesizer.create(name, epsilon=1.0, **_FAST[name])
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
    return of(partial(Model, "mwem", False), data, rng)


def mwem(data, rng):
    return of(partial(Model, "mwem", True), data, rng)


def mst(data, rng):
    return of(partial(Model, "mst", True), data, rng)


def both_values():
    """One row of 8 has other values; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 3 + [[1, 1, 1]] * 5
    yield [[0, 0, 0]] * 7 + [[1, 1, 1]], [[0, 0, 0]] * 6 + [[1, 1, 1]] * 2


def one_more():
    """One row more than 7; each value occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 3, [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4
