"""Two families with estimands of their own: a count of rows of a table, and all outputs of a count of updates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pan_audits.accuracy.result import InputLabel, MeasuredInput
from pan_audits.problems.inputs.streams.family import Family as Streams
from pan_audits.problems.inputs.streams.family import SegmentEnd, Updates
from pan_estimators import AccuracyStatement, Quantity, Relation, ValueOfInput
from pan_promises.adjacency import Adjacency
from pan_promises.families import Family
from pan_promises.problem import Problem
from pan_promises.promise import Promise
from tests.public.families.noisy_tables import SMOKERS, promised


def smokers(table: Any) -> float:
    return float(sum(row[0] for row in table))


def worst_error(outputs: Any, segments: Any) -> float:
    return float(np.abs(np.array(outputs) - running_counts(segments)).max())


def mean_error(outputs: Any, segments: Any) -> float:
    return float(np.sqrt(((np.array(outputs) - running_counts(segments)) ** 2).mean()))


def running_counts(segments: Any) -> Any:
    """The insertions minus the deletions before each output."""
    steps = [len(ids) - 2 * (0 if deletions is None else int(deletions.sum())) for ids, deletions in segments]
    return np.cumsum(steps)


def nothing(segments: Any) -> float:
    return 0.0


COUNT = ValueOfInput("SMOKERS", "the number of smokers", smokers)
WORST = ValueOfInput("WORST_OUTPUT", "the largest error of all outputs", nothing, worst_error)
MEAN = ValueOfInput("ALL_OUTPUTS", "the root mean squared error of all outputs", nothing, mean_error)


def variance(ratio: float) -> float:
    return 2 * ratio / (1 - ratio) ** 2


def stated(share: float, ratio: float, truth: float) -> float:
    return share * variance(ratio)


@dataclass(frozen=True)
class StatedCount:
    """A noisy number of smokers, with a share of its variance as the stated one, and a stated bias."""

    epsilon: float = 1.0
    share: float = 1.0
    bias: float = 0.0
    target: Any = COUNT
    problem: ClassVar[Problem] = SMOKERS

    @property
    def promise(self) -> Promise:
        return promised(epsilon=self.epsilon)

    @property
    def statements(self) -> tuple[AccuracyStatement, ...]:
        about = partial(AccuracyStatement, claim="toy.count", relation=Relation.EQUALS, target=self.target)
        value = partial(stated, self.share, math.exp(-self.epsilon))
        return (
            about(quantity=Quantity.BIAS, value=partial(self.stated_bias)),
            about(quantity=Quantity.VARIANCE, value=value),
        )

    def stated_bias(self, truth: float) -> float:
        return self.bias

    def release(self, table: Any, randomness: Any) -> int:
        ratio = math.exp(-self.epsilon)
        return int(smokers(table)) + randomness.two_sided_geometric(ratio, ratio, 1)[0]


@dataclass(frozen=True)
class NamedCount(StatedCount):
    """The same count, which knows the estimand by its name alone."""

    target: Any = "SMOKERS"


@dataclass(frozen=True)
class MisspeltCount(StatedCount):
    """An estimand that no family brings."""

    target: Any = "SMOKRES"


@dataclass(frozen=True)
class Turnstile:
    """The number of insertions minus that of deletions, with noise of its own in every output."""

    share: float = 1.0
    worst: float = 0.01
    ratio: float = 0.5

    @property
    def statements(self) -> tuple[AccuracyStatement, ...]:
        return (
            AccuracyStatement(
                claim="toy.all_outputs",
                quantity=Quantity.MEAN_SQUARED_ERROR,
                relation=Relation.AT_MOST,
                target=MEAN,
                value=partial(stated, self.share, self.ratio),
            ),
            AccuracyStatement(
                claim="toy.worst_output",
                quantity=Quantity.ERROR_PROBABILITY,
                relation=Relation.AT_MOST,
                target=WORST,
                value=partial(self.stated_chance),
                alpha=4.0,
            ),
        )

    def stated_chance(self, truth: float) -> float:
        return self.worst

    def create(self, randomness: Any) -> int:
        return 0

    def update(self, state: int, ids: Any, randomness: Any, deletions: Any = None) -> int:
        return state + len(ids) - 2 * (0 if deletions is None else int(deletions.sum()))

    def release(self, state: int, randomness: Any) -> int:
        return state + int(randomness.two_sided_geometric(self.ratio, self.ratio, 1)[0])


def outputs_after_every_step(estimator: Any, estimands: Any) -> list[MeasuredInput] | None:
    """A stream of insertions and deletions with an output after every step."""
    if not {WORST.name, MEAN.name} & {one.name for one in estimands}:
        return None
    steps = (False, False, True, False, True, True)
    group = Streams(
        "six steps",
        0,
        (SegmentEnd.RELEASE,) * len(steps),
        tuple((Updates((0,), 1, (deletes,)),) for deletes in steps),
        ((0,) * len(steps), (1,) * len(steps)),
        Adjacency.EVENT_LEVEL,
    )
    return [MeasuredInput(InputLabel("input", group.name), group)]


ESTIMANDS = (COUNT, WORST, MEAN)
HERE = "tests.public.families.stated_errors"
ESTIMATORS = Family("stated_errors", {"members": f"{HERE}:MEMBERS", "estimands": f"{HERE}:ESTIMANDS"})
AUDITS = Family("stated_errors", {"measured_inputs": f"{HERE}:outputs_after_every_step"})
MEMBERS = {"stated-count": StatedCount}
