"""Capabilities of some estimators. Every family is asked for them.

A capability is a function of an estimator, from a family. It returns ``None`` for an estimator that the family
does not know. This module never tests for the class of an estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement, Estimand
from pan_promises.families import family_parts

PACKAGE = "pan_audits"

Floats: TypeAlias = NDArray[np.float64]
Stretches: TypeAlias = tuple[NDArray[np.int8], NDArray[np.int8]]


@dataclass(frozen=True)
class ClosedLoss:
    """The privacy loss of an estimator as configured, by a proof for every size.

    Attributes
    ----------
    ratio
        ``exp`` of the loss, exactly.
    claim
        Id of the claim that proves the formula.
    compared
        Whether the code has the distribution of the Coq semantics on all small streams, as ``tests/coq`` finds.
    """

    ratio: Fraction
    claim: str
    compared: bool = False


@dataclass(frozen=True)
class ClosedRho:
    """The rho of a counter by the structure of its noise, for streams of many entries.

    Attributes
    ----------
    of_streams
        The largest rho over all pairs of neighbouring streams with a number of entries.
    longest
        The largest number of entries for which it is computed.
    claim
        Id of the claim that proves the promise for every number of entries; empty if there is none.
    least
        The number of entries from which on streams reach every part of the code, such as the truncation.
    rounding
        The largest relative difference from the rho of the code, by rounding.
    """

    of_streams: Callable[[int], Fraction]
    longest: int
    claim: str
    least: int = 1
    rounding: float = 1e-9


class ErrorTail(Protocol):
    """A bound on the tail of a squared error."""

    def __call__(self, mean_square: float, cap: float, target: Estimand) -> float:
        """A bound on ``E[(Z - cap)+]`` for ``Z = error^2 / mean_square``."""
        ...


class Likelihood(Protocol):
    """The exact density of an adversary's observations: a state, and one output after it."""

    def of_runs(self, states: Sequence[Any], outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        """Log-density of each observation under each of several streams with one intrusion."""
        ...

    def of_many(self, states: Any, outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        """The same for many runs at once."""
        ...


class IntervalOf(Protocol):
    """A confidence interval for the quantity that an output estimates."""

    def __call__(self, released: float, *, level: float) -> Any:
        """An interval that covers the truth with probability ``level``, given one release."""
        ...


def closed_loss(estimator: Any) -> ClosedLoss | None:
    """The proved loss, or ``None`` if there is none."""
    return next((found for found in _asked("closed_loss", estimator) if isinstance(found, ClosedLoss)), None)


def closed_rho(estimator: Any) -> ClosedRho | None:
    """The rho by the structure of the noise, or ``None`` if the structure is not known."""
    return next((found for found in _asked("closed_rho", estimator) if isinstance(found, ClosedRho)), None)


def derived_accuracy(estimator: Any) -> tuple[AccuracyStatement, ...]:
    """Statements about the error that follow from the definition of the mechanism alone."""
    return tuple(statement for found in _asked("derived_accuracy", estimator) for statement in found)


def error_tail(estimator: Any) -> ErrorTail | None:
    """A bound on the tail of the error, if the estimator draws as its source states; ``None`` if none is known."""
    tail: ErrorTail | None = next(_asked("error_tail", estimator), None)
    return tail


def likelihood(estimator: Any) -> Likelihood | None:
    """The density of observations, or ``None`` where it is not known."""
    known: Likelihood | None = next(_asked("likelihood", estimator), None)
    return known


def interval_of(estimator: Any) -> IntervalOf | None:
    """Confidence intervals, or ``None`` for an output without a known distribution."""
    known: IntervalOf | None = next(_asked("interval", estimator), None)
    return known


def _asked(kind: str, estimator: Any) -> Iterator[Any]:
    if getattr(type(estimator), "lives_apart", False):
        # No family knows code in a process of its own, and to ask them imports them all.
        return iter(())
    return (found for ask in family_parts(PACKAGE, kind) if (found := ask(estimator)) is not None)
