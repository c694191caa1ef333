"""What a source states about the error of an estimator, as data that an audit can test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Quantity(StrEnum):
    """A property of the error ``output - target``."""

    BIAS = "bias"
    VARIANCE = "variance"
    MEAN_SQUARED_ERROR = "mean squared error"
    ERROR_PROBABILITY = "probability of error"


class Relation(StrEnum):
    """Whether the source states an equality or a bound."""

    EQUALS = "="
    AT_MOST = "<="


class Target(StrEnum):
    """Which density the error is measured from."""

    SAMPLED_DENSITY = "density of the sampled users, d(S_M)"
    DENSITY = "density of the stream, d(S)"


@dataclass(frozen=True, kw_only=True)
class AccuracyStatement:
    """One quantitative sentence of a source about an estimator's error.

    Parameters
    ----------
    claim
        Its id in the list of claims.
    quantity, relation, target
        What is stated: for example the variance around d(S_M) *equals* a value. A bias has a sign:
        that it is *at most* a value says nothing about negative ones.
    value
        The stated value, as a function of the target density d in [0, 1] and of the number of
        sampled users m. It is stated of the error *given* these two; a variance is around the mean
        given them, so that a bias is no part of it.
    alpha
        For a probability of error: the deviation ``abs(output - target) >= alpha`` meant.
    """

    claim: str
    quantity: Quantity
    relation: Relation
    target: Target
    value: Callable[[float, float], float]
    alpha: float | None = None


def no_bias(density: float, sampled: float) -> float:
    """The stated value of an estimator that is called unbiased."""
    return 0.0


def constant(value: float, density: float, sampled: float) -> float:
    """A stated value that depends on nothing."""
    return value
