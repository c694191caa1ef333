"""A family of one's own: counts of the rows of a table, some private and some not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from pan_promises.adjacency import Adjacency
from pan_promises.families import Family
from pan_promises.problem import Problem
from pan_promises.promise import Observed, Promise

SMOKERS = Problem.of_table({"smoker": [0, 1]}, rows=4)


def promised(**bound: Any) -> Promise:
    return Promise(
        **bound, adjacency=Adjacency.REPLACE_ROW, observed=Observed.OUTPUT, intrusions=0, public=("rows", "schema")
    )


@dataclass(frozen=True)
class NoisyCount:
    """The number of smokers plus two-sided geometric noise: pure epsilon, replace-row."""

    epsilon: float = 1.0
    factor: float = 1.0
    problem: ClassVar[Problem] = SMOKERS

    @property
    def promise(self) -> Promise:
        return promised(epsilon=self.epsilon)

    def release(self, table: Any, randomness: Any) -> int:
        ratio = math.exp(-self.epsilon * self.factor)
        return sum(row[0] for row in table) + randomness.two_sided_geometric(ratio, ratio, 1)[0]


def weak_count(epsilon: float = 1.0) -> NoisyCount:
    """A quarter of the noise that the promise needs."""
    return NoisyCount(epsilon, factor=4.0)


@dataclass(frozen=True)
class ConcentratedCount:
    """The number of smokers plus normal noise: rho-zCDP, replace-row, with ``rho = 1/(2 scale^2)`` exactly."""

    rho: float = 0.5
    scale: float = 1.0
    problem: ClassVar[Problem] = SMOKERS

    @property
    def promise(self) -> Promise:
        return promised(rho=self.rho)

    def release(self, table: Any, randomness: Any) -> float:
        return randomness.gaussian(float(sum(row[0] for row in table)), self.scale)


def halved_count(rho: float = 0.5) -> ConcentratedCount:
    """A half of the noise that the promise needs: the true rho is four times as large."""
    return ConcentratedCount(rho, scale=0.5)


MEMBERS = {
    "noisy-count": NoisyCount,
    "weak-count": weak_count,
    "concentrated-count": ConcentratedCount,
    "halved-count": halved_count,
}
ESTIMATORS = Family("noisy_tables", {"members": "tests.public.families.noisy_tables:MEMBERS"})
COMMANDS = {"smokers": ("tests.public.families.noisy_tables:weak_count", "Count smokers.")}
AUDITS = Family("noisy_tables", {"commands": "tests.public.families.noisy_tables:COMMANDS"})
