"""Adaptive marginals that break their promise: each has one defect."""

from __future__ import annotations

from dataclasses import dataclass

from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.budgets import NoisyCounts


@dataclass(frozen=True)
class NoiseOfOneCount(AdaptiveMarginals):
    """The noise of all counts is that of the whole budget: the accounting over the steps is left out."""

    def _noisy(self, table, places, deviation, epsilon, randomness):
        drawn = randomness.gaussian(table.counts(places).ravel(), self._rho**-0.5)
        return NoisyCounts(places, deviation, epsilon, drawn.tolist())
