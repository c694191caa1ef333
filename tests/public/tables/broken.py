"""Mechanisms on tables with one error each, the schema of two bits, and the exact check as the tests call it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.budgets import NoisyCounts
from pan_estimators.tables.calibrated_tree import CalibratedTree, TreeTranscript
from pan_estimators.tables.schema import binary
from pan_estimators.tables.structure import GreedyStructure, NoisyJoints
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import Candidates, choose_pairs
from pan_promises.families import Family, register, withdraw

TWO = json.dumps(binary(2).to_dict())


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


@dataclass(frozen=True)
class NoiseOfOneCount(AdaptiveMarginals):
    """The noise of all counts is that of the whole budget: the accounting over the steps is left out."""

    def _noisy(self, table, places, deviation, epsilon, randomness):
        drawn = randomness.gaussian(table.counts(places).ravel(), self._rho**-0.5)
        return NoisyCounts(places, deviation, epsilon, drawn.tolist())


def scaled(right, of_singles, of_pairs):
    """A budget whose noise is divided by a number for the counts of one attribute, and by one for those of two."""
    choices, singles, pairs = right.parts
    return replace(
        right,
        singles=tuple(scale / of_singles for scale in right.singles),
        parts=(choices, singles, pairs * of_pairs ** (2 if right.gaussian else 1)),
    )


@dataclass(frozen=True)
class PairsForOneTable(CalibratedTree):
    """The noise of its edges is that of one edge: the budget is not divided among them."""

    @property
    def budget(self):
        return scaled(super().budget, 1, len(self.schema.attributes) - 1)


@dataclass(frozen=True)
class NoiseForAnAddedRow(CalibratedTree):
    """Its noise has the sensitivity of an added row, and its promise is about a replaced row."""

    @property
    def budget(self):
        return scaled(super().budget, 2, 2)


@dataclass(frozen=True)
class NoiseOfShares(CalibratedTree):
    """Its noise has the scale for shares of the rows, and is added to numbers of rows."""

    @property
    def budget(self):
        return scaled(super().budget, self.rows, self.rows)


@dataclass(frozen=True)
class TreeWithoutNoise(CalibratedTree):
    """Its tree is that of the largest scores."""

    def release(self, table, randomness):
        read = Table.of(table, self.schema)
        edges = choose_pairs(read, self.budget, Largest(), 2, Candidates(self.schema.sizes, 1, 1))
        scale, _ = self.budget.pairs([4, 4])
        pairs = [self._noisy(read.counts(edge), scale, randomness) for edge in edges]
        return TreeTranscript(read.rows, edges, [], pairs)


class Largest:
    """A source that chooses the largest score."""

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        return scores.index(max(scores))


MEMBERS = {}
"""The class that is checked now, by its name."""


@contextmanager
def a_member(mechanism):
    """The name of a class as a member of a family: the check then runs its code in this process, in a tenth of time."""
    if isinstance(mechanism, str):
        yield mechanism
        return
    MEMBERS[mechanism.__name__] = mechanism
    register("pan_estimators", Family("checked_here", {"members": f"{__name__}:MEMBERS"}))
    try:
        yield mechanism.__name__
    finally:
        withdraw("pan_estimators", "checked_here")
        MEMBERS.clear()


def checked(mechanism, rows, promise=None, **parameters):
    """The result for a shipped mechanism by its name, or for a class."""
    given = {name: value for name, value in {"epsilon": 1.0, **parameters}.items() if value is not None}
    with a_member(mechanism) as name:
        return run_check(
            SmallInstances.of(find_mechanism(name, parameters=given, promise=promise)),
            CheckSettings(users=rows, length=1, seconds=100),
        )
