"""Capabilities that only some estimators have; every family is asked for them.

A capability is a function of an estimator that a family brings. It answers ``None`` for an estimator of which it
knows nothing. Nothing here asks of which class an estimator is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement
from pan_estimators.common.estimand import Estimand
from pan_promises.families import brought

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
    """

    ratio: Fraction
    claim: str


class ErrorTail(Protocol):
    """A bound on how much of a squared error can lie far out."""

    def __call__(self, mean_square: float, cap: float, target: Estimand) -> float:
        """A bound on ``E[(Z - cap)+]`` for ``Z = error^2 / mean_square``."""
        ...


class Likelihood(Protocol):
    """The exact density of what an intruder sees of an estimator: a state, and one output after it."""

    def of_runs(self, states: Sequence[Any], outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        """Log-density of each observation under each of several streams with one intrusion.

        Parameters
        ----------
        states
            The states that were seen, one for each run.
        outputs
            The outputs of the same runs, shape ``(runs,)``, or ``None`` when only states are seen.
        streams
            Each stream before and after the intrusion: what the last update of each user does.

        Returns
        -------
        Shape ``(runs, streams)``, in nats, up to a number for each run; ``None`` where it is not computed.
        """
        ...

    def of_many(self, states: Any, outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        """The same of runs that were made at once."""
        ...


class IntervalOf(Protocol):
    """A confidence interval for what an output estimates."""

    def __call__(self, released: float, *, level: float) -> Any:
        """An interval that covers the truth with probability ``level``, given one release."""
        ...


def closed_loss(estimator: Any) -> ClosedLoss | None:
    """The loss by a proof, or ``None`` where there is none."""
    return next((found for found in _asked("closed_loss", estimator) if isinstance(found, ClosedLoss)), None)


def derived_accuracy(estimator: Any) -> tuple[AccuracyStatement, ...]:
    """Statements about the error that follow from the definition of the mechanism, whatever a source says."""
    return tuple(statement for found in _asked("derived_accuracy", estimator) for statement in found)


def error_tail(estimator: Any) -> ErrorTail | None:
    """A bound on the tail of the error, if the estimator draws what its source says; ``None`` if none is known."""
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
    return (found for ask in brought(PACKAGE, kind) if (found := ask(estimator)) is not None)
