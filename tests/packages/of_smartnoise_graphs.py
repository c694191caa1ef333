"""MST and AIM of smartnoise-synth: sampled rows of tables of three bits, with public categories."""

from __future__ import annotations

import warnings
from functools import cache, partial

import snsynth.aim.aim
import snsynth.mst.mst
from mbi import estimation
from snsynth import utils
from snsynth.transform import LabelTransformer
from snsynth.transform.table import TableTransformer

from tests.packages.tables import COLUMNS, framed, of

warnings.filterwarnings("ignore")
ITERATIONS = 5

# A number that depends on epsilon and delta alone, and is computed once.
snsynth.aim.aim.cdp_rho = snsynth.mst.mst.cdp_rho = cache(utils.cdp_rho)
_descent = estimation.mirror_descent


def short(*given, **named):
    """The inference from noisy counts: its iterations have no part in the promise."""
    return _descent(*given, **named | {"iters": ITERATIONS})


estimation.mirror_descent = short


class Model:
    """A synthesizer behind ``fit`` and ``sample``."""

    def __init__(self, made):
        self.made = made(epsilon=1.0, delta=1e-5)
        self.transformer = TableTransformer([LabelTransformer(nullable=False) for _ in COLUMNS])
        self.transformer.fit(framed([[0, 0, 0], [1, 1, 1]]))

    def fit(self, df):
        self.made.fit(df, transformer=self.transformer)

    def sample(self, rows):
        return self.made.sample(rows)


def tree(data, rng):
    return of(partial(Model, snsynth.mst.mst.MSTSynthesizer), data, rng)


def adaptive(data, rng):
    return of(partial(Model, snsynth.aim.aim.AIMSynthesizer), data, rng)
