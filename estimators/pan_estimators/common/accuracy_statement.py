"""Accuracy statements: quantitative sentences of a source about an error, as data that an audit can test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pan_estimators.common.estimand import Estimand


class Quantity(StrEnum):
    """A property of the error ``output - target``."""

    BIAS = "bias"
    VARIANCE = "variance"
    MEAN_SQUARED_ERROR = "mean squared error"
    ERROR_PROBABILITY = "probability of error"


class Relation(StrEnum):
    """The relation that the source states: an equality or a bound."""

    EQUALS = "="
    AT_MOST = "<="


@dataclass(frozen=True, kw_only=True)
class AccuracyStatement:
    """One quantitative sentence of a source about the error of an estimator.

    Parameters
    ----------
    claim
        Id of the statement in the list of claims.
    quantity, relation, target
        The stated property: for example, the variance around the target *equals* a value. The target is the
        estimand, whose true value the error is measured from. A bias has a sign: an upper bound on a bias says
        nothing about negative ones.
    value
        The stated value, as a function of the numbers that the estimand names in ``columns.given``. It holds *given*
        these numbers. A variance is around the mean given them, and does not include a bias.
    alpha
        For a probability of error: the event is ``abs(output - target) >= alpha``.
    """

    claim: str
    quantity: Quantity
    relation: Relation
    target: Estimand
    value: Callable[..., float]
    alpha: float | None = None


def no_bias(*given: float) -> float:
    """The stated value for an unbiased estimator: 0."""
    return 0.0


def constant(value: float, *given: float) -> float:
    """A stated value that depends on nothing."""
    return value
