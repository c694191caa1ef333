"""Mechanisms on tables with one error each, whose exact loss is known or infinite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pan_estimators.tables.structure import GreedyStructure, NoisyJoints


@dataclass(frozen=True)
class HalfTheScale(NoisyJoints):
    """Its noise has the sensitivity 1 of an added row, and its promise is about a replaced row: the loss is doubled."""

    @property
    def scale(self):
        return len(self.structure) / self.epsilon


@dataclass(frozen=True)
class OneBudgetForEachChoice(GreedyStructure):
    """Each of its choices uses the whole budget, with a sensitivity that is a tenth of the true one."""

    factor: ClassVar[float] = 0.1

    def _choose(self, candidates, scores, sensitivity, randomness):
        return candidates[int(randomness.exponential_mechanism(scores, self.epsilon, sensitivity * self.factor))]


@dataclass(frozen=True)
class LargestScore(GreedyStructure):
    """It takes a candidate with the largest score, without any noise."""

    def _choose(self, candidates, scores, sensitivity, randomness):
        return candidates[scores.index(max(scores))]
