"""MST and AIM of dpmm: sampled rows of tables of three bits."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from dpmm import models
from dpmm.models import aim, mst
from dpmm.models.base.mechanisms import mechanism

from packages.tables import DOMAIN, of, seeded

assert models
ITERATIONS = 20

# A number that depends on epsilon and delta alone takes a second, and is computed once.
mst.cdp_rho = mechanism.cdp_rho = cache(mechanism.cdp_rho)


class FewIterations(mst.FactoredInference):
    """The inference before the choice of the tree, from noisy counts: its iterations have no part in the promise."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named | {"iters": ITERATIONS})


mst.FactoredInference = FewIterations


class Model:
    """A model of dpmm behind ``fit`` and ``sample``."""

    def __init__(self, model, rng):
        state = np.random.RandomState(seeded(rng))
        self.model = model(epsilon=1, delta=1e-5, n_iters=ITERATIONS, domain=DOMAIN, random_state=state, n_jobs=1)

    def fit(self, df):
        self.model.fit(df)

    def sample(self, rows):
        return self.model.generate(rows)


def tree(data, rng):
    return of(partial(Model, mst.MSTGM, rng), data, rng)


def adaptive(data, rng):
    return of(partial(Model, aim.AIMGM, rng), data, rng)
