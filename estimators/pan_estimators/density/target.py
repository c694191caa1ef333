"""The estimands of the density family: the density of the stream, and that of the sampled users."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import (
    AccuracyStatement,
    Columns,
    Floats,
    Measure,
    Quantity,
    Relation,
    constant,
    no_bias,
)
from pan_estimators.streams.generators import last_update_of_each

OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY = "output", "sampled density", "sampled users", "density"


class Target(StrEnum):
    """The density from which the error is measured."""

    SAMPLED_DENSITY = "density of the sampled users, d(S_M)"
    DENSITY = "density of the stream, d(S)"

    @property
    def columns(self) -> Columns:
        """A stated value is a function of this density d in [0, 1] and of the number of sampled users m."""
        truth = SAMPLED_DENSITY if self is Target.SAMPLED_DENSITY else DENSITY
        return Columns(OUTPUT, truth, (truth, SAMPLED_USERS))

    @property
    def undefined(self) -> str:
        """Without a sampled user there is no d(S_M)."""
        return "no run has sampled any user"

    @property
    def measure(self) -> Callable[[Any, Any], Measure]:
        """Both densities are measured together."""
        return densities_on


def errors_of_sample(
    claim: str,
    *,
    variance: Callable[..., float] | None = None,
    squared_error: Callable[..., float] | None = None,
    relation: Relation = Relation.AT_MOST,
) -> tuple[AccuracyStatement, ...]:
    """The statements that a release is unbiased for d(S_M), and about its variance and its mean squared error."""
    about = partial(AccuracyStatement, claim=claim, target=Target.SAMPLED_DENSITY)
    found = [about(quantity=Quantity.BIAS, relation=Relation.EQUALS, value=no_bias)]
    if variance is not None:
        found.append(about(quantity=Quantity.VARIANCE, relation=Relation.EQUALS, value=variance))
    if squared_error is not None:
        found.append(about(quantity=Quantity.MEAN_SQUARED_ERROR, relation=relation, value=squared_error))
    return tuple(found)


def error_probability(claim: str, alpha: float, beta: float) -> AccuracyStatement:
    """The statement that an error of alpha has at most beta as its probability."""
    return AccuracyStatement(
        claim=claim,
        quantity=Quantity.ERROR_PROBABILITY,
        relation=Relation.AT_MOST,
        target=Target.DENSITY,
        value=partial(constant, beta),
        alpha=alpha,
    )


def densities_on(estimator: Any, segments: Sequence[tuple[Any, Any]]) -> DensitiesOnStream:
    """A stream, prepared for the measurement of densities."""
    universe = estimator.universe
    last = np.zeros(universe.size, dtype=np.int8)
    for ids, deletions in segments:
        if len(ids):
            own = last_update_of_each(universe.encode(ids), deletions, universe.size)
            last = np.where(own == 0, last, own)
    return DensitiesOnStream(last > 0)


@dataclass(frozen=True, eq=False)
class DensitiesOnStream:
    """The last output of each run, d(S_M), the number of sampled users, and d(S).

    Attributes
    ----------
    present
        For each user of the universe whether it is present at the end, shape ``(U,)``.
    """

    present: NDArray[np.bool_]

    def of_run(self, outputs: Sequence[Any], samples: Sequence[Any]) -> Mapping[str, float]:
        """The numbers of one run. Without ``samples`` every user is sampled."""
        sampled = self.present[samples[-1]] if samples else self.present
        return {
            OUTPUT: float(outputs[-1]),
            SAMPLED_DENSITY: float(sampled.mean()) if sampled.size else float("nan"),
            SAMPLED_USERS: sampled.size,
            DENSITY: float(self.present.mean()),
        }

    def seen_in(self, states: Any) -> tuple[Floats, Floats]:
        """The density d(S_M) of each run, and the number of its sampled users."""
        found: tuple[Floats, Floats] = states.sampled_density(self.present)
        return found

    def of_many(self, outputs: Sequence[NDArray[Any]], seen: Sequence[Any]) -> Mapping[str, Floats]:
        """The numbers of all runs."""
        released, (sampled_density, sizes) = np.asarray(outputs[-1], dtype=np.float64), seen[-1]
        return {
            OUTPUT: released,
            SAMPLED_DENSITY: sampled_density,
            SAMPLED_USERS: sizes,
            DENSITY: np.full(released.shape, self.present.mean()),
        }
