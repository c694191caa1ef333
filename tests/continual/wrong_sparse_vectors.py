"""Sparse vectors that are broken, and adaptive counters whose parts are broken, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from pan_estimators.continual.adaptive import TurnstileAdaptive
from pan_estimators.continual.best_of_both import TurnstileBestOfBoth
from pan_estimators.continual.doubling_copies import DoublingCopies
from pan_estimators.continual.sparse_vector import SparseVector, SparseVectorTechnique
from pan_promises.families import Family


@dataclass(frozen=True)
class LessQueryNoise(SparseVectorTechnique):
    """The noise of the queries does not grow with the cutoff."""

    @property
    def query_scale(self):
        return 1 / self.epsilon


@dataclass(frozen=True)
class LessThresholdNoise(SparseVectorTechnique):
    """An eighth of the noise of the threshold."""

    @property
    def threshold_scale(self):
        return 0.25 / self.epsilon


@dataclass(frozen=True)
class FreshThreshold(SparseVectorTechnique):
    """The noise of the threshold is drawn anew for each query."""

    def below(self, state, counts, offset, randomness):
        for place in range(counts.size):
            state.threshold = randomness.laplace(0.0, self.threshold_scale)
            if super().below(state, counts[place : place + 1], offset, randomness) == 0:
                return place
        return int(counts.size)


@dataclass(frozen=True)
class WithoutCutoff(SparseVectorTechnique):
    """Any number of answers is above."""

    def below(self, state, counts, offset, randomness):
        state.above = 0
        return super().below(state, counts, offset, randomness)


@dataclass(frozen=True)
class WithoutQueryNoise(SparseVectorTechnique):
    """The queries have no noise."""

    def below(self, state, counts, offset, randomness):
        if state.above >= self.cutoff:
            return int(counts.size)
        for place, count in enumerate(counts.tolist()):
            if count - state.threshold >= offset:
                state.above += 1
                return place
        return int(counts.size)


def broken(kind):
    """The sparse vector with a broken technique."""

    @dataclass(frozen=True)
    class Broken(SparseVector):
        @property
        def technique(self):
            return kind(sqrt(2 * self.rho), self.cutoff)

    return Broken


@dataclass(frozen=True)
class SmallNoiseOfCopies(DoublingCopies):
    """The noise of a copy is a thirtieth of what it should be."""

    def node_noise(self, copy):
        return super().node_noise(copy) / 30


@dataclass(frozen=True)
class FreshNodes(DoublingCopies):
    """The noise of all nodes is drawn again at each step."""

    def _put_out(self, state, part, place, randomness):
        begun, first, last = place
        parts = []
        for step in range(first, last):
            self._begin_copy(state, begun + step, randomness)
            parts.append(super()._put_out(state, part, (begun, step, step + 1), randomness))
        return np.concatenate(parts)


def with_copies(kind, base):
    """An adaptive counter with broken copies."""

    @dataclass(frozen=True)
    class Broken(base):
        def __post_init__(self):
            super().__post_init__()
            copies = self._copies
            object.__setattr__(self, "_copies", kind(copies.settings, copies.copies, copies.period))

    return Broken


MEMBERS = {
    "sparse-vector": SparseVector,
    "less-query-noise": broken(LessQueryNoise),
    "less-threshold-noise": broken(LessThresholdNoise),
    "fresh-threshold": broken(FreshThreshold),
    "without-cutoff": broken(WithoutCutoff),
    "without-query-noise": broken(WithoutQueryNoise),
    "turnstile-adaptive": TurnstileAdaptive,
    "turnstile-best-of-both": TurnstileBestOfBoth,
    "small-noise-of-copies": with_copies(SmallNoiseOfCopies, TurnstileAdaptive),
    "fresh-nodes": with_copies(FreshNodes, TurnstileAdaptive),
}
FAMILY = Family("sparse-vectors", {"members": "tests.continual.wrong_sparse_vectors:MEMBERS"})
