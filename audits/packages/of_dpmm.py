"""PrivBayes of dpmm: the structure that it selects, and sampled rows."""

from __future__ import annotations

import contextlib
import io
from functools import cache, partial

import numpy as np
from dpmm.models import priv_bayes
from dpmm.models.base.mbi import Dataset, Domain
from dpmm.models.base.mechanisms import mechanism
from dpmm.models.priv_bayes import PrivBayes, PrivBayesGM

from packages.tables import COLUMNS, DOMAIN, ROWS, framed, of, seeded

MANY, SAMPLED = 1000, 50_000
FEW_ITERATIONS, ITERATIONS = 20, 50

# A number that depends on epsilon and delta alone takes a second, and is computed once.
priv_bayes.cdp_rho = mechanism.cdp_rho = cache(mechanism.cdp_rho)


class Model:
    """PrivBayes of dpmm behind ``fit`` and ``sample``."""

    def __init__(self, rng, iterations=ITERATIONS):
        # The number of iterations of the inference has no part in the promise.
        state = np.random.RandomState(seeded(rng))
        self.model = PrivBayesGM(epsilon=1, delta=1e-5, n_iters=iterations, domain=DOMAIN, random_state=state, n_jobs=1)

    def fit(self, df):
        self.model.fit(df)

    def sample(self, rows):
        return self.model.generate(rows)


def privbayes(data, rng):
    return of(partial(Model, rng), data, rng)


def unselected(data, rng):
    """The pair of columns that PrivBayes did not select, read from sampled rows; -1 if they do not show it.

    The correlation of that pair is the product of the other two.
    """
    model = Model(rng, FEW_ITERATIONS)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(framed([row for row, times in data for _ in range(times)]))
        rows = model.sample(SAMPLED)[list(COLUMNS)].to_numpy(dtype=float)
    with np.errstate(invalid="ignore"):
        one, other, third = np.nan_to_num(np.corrcoef(rows, rowvar=False))[[0, 0, 1], [1, 2, 2]]
    beside = np.abs([one - other * third, other - one * third, third - one * other])
    least, second, _ = np.sort(beside)
    return int(np.argmin(beside)) if least < 0.01 and second > 0.03 else -1


def structure(data, rng):
    """The parent sets that PrivBayes selects, in order, as numbers of columns."""
    state = np.random.RandomState(seeded(rng))
    model = PrivBayes(epsilon=1, delta=1e-5, prng=state, n_jobs=1, domain=DOMAIN)
    rows = framed([row for row, times in data for _ in range(times)])
    cliques = model.select(Dataset(rows, Domain(list(COLUMNS), np.array([2] * len(COLUMNS)))))
    return [sum(1 << COLUMNS.index(name) for name in clique) for clique in cliques]


def rare():
    """Two attributes are 1 in one row of 1,000 alone: the same row has other values. Rows come with their number."""
    zeros = [[0, 0, 0], MANY - 1]
    yield [zeros, [[1, 1, 0], 1]], [zeros, [[1, 0, 1], 1]]


def few():
    """A value that occurs once, or in no row."""
    yield [[0, 0, 0]] * ROWS, [[0, 0, 0]] * (ROWS - 1) + [[1, 1, 1]]
