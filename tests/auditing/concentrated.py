"""Mechanisms on two inputs whose rho is known exactly, and whole audits of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import integrate, special, stats

from pan_audits.audit.by_bound import audit_by_bound
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.settings import Settings
from pan_audits.events import Table
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.labelled import LabelledInputs, catalogue_of
from pan_audits.statistics import ErrorBudget
from pan_audits.workers.limits import one_thread
from pan_promises.adjacency import Adjacency
from pan_promises.looks import Observed
from pan_promises.promise import Promise

ORDERS = (1.0, *(1 + np.geomspace(0.01, 200, 400)))


@dataclass(frozen=True)
class Normal:
    """A number that differs by one, with normal noise of deviation ``1/sqrt(2 rho)``, times ``factor``."""

    rho: float
    factor: float = 1.0

    @property
    def true_rho(self):
        return self.rho / self.factor**2

    def observe(self, family, place, runs, seed):
        generator = np.random.default_rng(seed)
        noise = generator.normal(0, self.factor / math.sqrt(2 * self.rho), runs)
        return Table(("output",), (float(family.labels[place] == "left") + noise)[:, None])


@dataclass(frozen=True)
class Path:
    """Many outputs with correlated normal noise, each a mixture of all noise so far; all outputs differ a little.

    Attributes
    ----------
    rho
        As promised.
    steps
        The number of outputs.
    factor
        Of the noise.
    """

    rho: float
    steps: int = 24
    factor: float = 1.0

    @property
    def _mixture(self):
        return np.tril(np.full((self.steps, self.steps), 0.5)) + 0.5 * np.eye(self.steps)

    @property
    def _difference(self):
        """Scaled such that the divergence of the two normal distributions is rho."""
        difference = np.linspace(1.0, 0.5, self.steps)
        whitened = np.linalg.solve(self._mixture, difference)
        return difference * math.sqrt(2 * self.rho / (whitened @ whitened))

    @property
    def true_rho(self):
        return self.rho / self.factor**2

    def observe(self, family, place, runs, seed):
        noise = np.random.default_rng(seed).normal(0, self.factor, (runs, self.steps)) @ self._mixture.T
        shift = float(family.labels[place] == "left") * self._difference
        return Table(tuple(f"output[{step}]" for step in range(self.steps)), noise + shift)


@dataclass(frozen=True)
class SparseVector:
    """The first of some queries above a noisy threshold. All queries differ by one, the last one the other way."""

    epsilon: float = 2.0
    queries: int = 5

    def _answers(self, left):
        answers = np.full(self.queries, float(left))
        answers[-1] = float(not left)
        return answers

    def observe(self, family, place, runs, seed):
        generator = np.random.default_rng(seed)
        threshold = 1 + generator.laplace(0, 2 / self.epsilon, runs)
        noise = generator.laplace(0, 4 / self.epsilon, (runs, self.queries))
        above = self._answers(family.labels[place] == "left") + noise >= threshold[:, None]
        first = np.where(above.any(axis=1), above.argmax(axis=1), self.queries)
        return Table(("output",), first.astype(float)[:, None])

    def distribution(self, left):
        """The probability of each output, by integration over the threshold."""
        answers = self._answers(left)

        def weight(noise, place):
            below = stats.laplace.cdf(1 + noise - answers, scale=4 / self.epsilon)
            chance = np.prod(below[:place]) * (1 - below[place] if place < self.queries else 1.0)
            return stats.laplace.pdf(noise, scale=2 / self.epsilon) * chance

        return np.array(
            [
                integrate.quad(weight, -60, 60, (place,), points=(-2, -1, 0, 1, 2), limit=400)[0]
                for place in range(self.queries + 1)
            ]
        )

    @property
    def true_rho(self):
        """The largest divergence over its order, in either direction."""
        p, q = self.distribution(True), self.distribution(False)
        assert abs(p.sum() - 1) < 1e-7
        return max(renyi(*distributions, order) / order for order in ORDERS for distributions in ((p, q), (q, p)))


@dataclass(frozen=True)
class Leak:
    """A bit with randomised response, which is told as it is in one run of some."""

    chance: float
    kept: float = 0.6

    @property
    def true_rho(self):
        return math.inf

    def observe(self, family, place, runs, seed):
        generator = np.random.default_rng(seed)
        bit = family.labels[place] == "left"
        told = np.where(generator.random(runs) < self.kept, bit, not bit).astype(float)
        return Table(("output",), np.where(generator.random(runs) < self.chance, 2.0 + bit, told)[:, None])


def renyi(p, q, order):
    """The divergence of two distributions of a few outcomes."""
    if order == 1:
        return float(stats.entropy(p, q))
    return float(special.logsumexp(order * np.log(p) + (1 - order) * np.log(q)) / (order - 1))


def promised(rho, adjacency=Adjacency.GIVEN):
    """A promise about given inputs."""
    return Promise(rho=rho, adjacency=adjacency, observed=Observed.OUTPUT, intrusions=0)


@one_thread()
def audited(mechanism, rho, *, seed, runs, confirmation_runs, error=1e-6, labels=("left", "right"), pairs=((0, 1),)):
    """A whole audit of a promise."""
    inputs = LabelledInputs("given", labels, pairs, Adjacency.GIVEN)
    return audit_by_bound(
        Sampler(mechanism),
        notion_of(promised(rho)),
        [catalogue_of([inputs])],
        ErrorBudget(error),
        Settings(runs=runs, confirmation_runs=confirmation_runs),
        entropy=seed,
        configuration={"estimator": "simulated"},
    )
