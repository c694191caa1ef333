"""Accuracy statements: quantitative sentences of a source about an error, as data that an audit can test.

An estimand is the quantity that outputs estimate. A family brings its estimands under the kind ``estimands``; a
statement may hold any other object that offers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, shown, suggestion
from pan_promises.families import FamilyParts, family_parts

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """The names of the numbers of a run that a test of a stated error reads.

    Attributes
    ----------
    estimate
        The estimate that the outputs give.
    truth
        The true value. It is NaN in a run in which the estimand has no value.
    given
        The arguments of the stated value, in order.
    """

    estimate: str
    truth: str
    given: tuple[str, ...]


class Measure(Protocol):
    """One input, prepared for the measurement of runs on it."""

    def of_run(self, outputs: Sequence[Any], samples: Sequence[Any]) -> Mapping[str, float]:
        """The numbers of one run, by their names."""
        ...


@runtime_checkable
class ManyMeasure(Protocol):
    """A measure of many runs that are made at once."""

    def seen_in(self, states: Any) -> Any:
        """The part of the states that :meth:`of_many` needs. It is taken before a release, which may erase states."""
        ...

    def of_many(self, outputs: Sequence[NDArray[Any]], seen: Sequence[Any]) -> Mapping[str, Floats]:
        """The numbers of all runs, each of shape ``(runs,)``."""
        ...


class Estimand(Protocol):
    """The quantity that an output estimates. As a text it is a phrase for readers."""

    @property
    def name(self) -> str:
        """The name under which a statement about it is sent between processes, for example ``DENSITY``."""
        ...

    @property
    def columns(self) -> Columns:
        """The numbers of a run that a test of a stated error reads."""
        ...

    @property
    def undefined(self) -> str:
        """The reason, as a clause, if the estimand has a value in no run."""
        ...

    @property
    def measure(self) -> Callable[[Any, Any], Measure]:
        """A function of an estimator and an input, which prepares the input.

        The input of a stream is a tuple with ids and deletions before each output. The input of a table is its rows.
        Estimands with an equal function share its numbers.
        """
        ...


def last_output(outputs: Sequence[Any], given: Any) -> float:
    """The last output as a number."""
    return float(outputs[-1])


@dataclass(frozen=True)
class ValueOfInput:
    """An estimand that is a function of the input alone. The stated value is a function of its true value.

    Attributes
    ----------
    name
        The name of the estimand, for example ``"SMOKERS"``.
    meaning
        The estimand in words.
    value
        The true value, as a function of the input.
    estimate
        The estimate, as a function of all outputs and of the input. The default is the last output. For a stated
        error of all outputs it is that error, and the true value is 0.
    undefined
        The reason, as a clause, if the true value is NaN on an input.
    """

    name: str
    meaning: str
    value: Callable[[Any], float]
    estimate: Callable[[Sequence[Any], Any], float] = last_output
    undefined: str = "the estimand has no value on this input"

    def __str__(self) -> str:
        return self.meaning

    @property
    def columns(self) -> Columns:
        """The estimate and the true value, under names that hold the name of the estimand."""
        return Columns(f"{self.name} estimated", self.name, (self.name,))

    @property
    def measure(self) -> Callable[[Any, Any], Measure]:
        """A function that computes the true value on an input."""
        return self._on

    def _on(self, estimator: Any, given: Any) -> Measure:
        return _ValueOnInput(self, given, float(self.value(given)))


@dataclass(frozen=True, eq=False)
class _ValueOnInput:
    estimand: ValueOfInput
    given: Any
    truth: float

    def of_run(self, outputs: Sequence[Any], samples: Sequence[Any]) -> Mapping[str, float]:
        names = self.estimand.columns
        return {names.estimate: self.estimand.estimate(outputs, self.given), names.truth: self.truth}


ESTIMANDS: Mapping[str, Estimand] = FamilyParts(
    lambda: {one.name: one for part in family_parts("pan_estimators", "estimands") for one in part}
)
"""The estimands of all families, by name."""


def estimand_named(name: str, owner: str) -> Estimand:
    """The estimand of a family with a name."""
    if name not in ESTIMANDS:
        raise InputError(
            f"{owner} states an error about an unknown estimand {shown(name)}; {suggestion(name, ESTIMANDS)}"
        )
    return ESTIMANDS[name]


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
