"""The inputs on which errors are measured, and the result of the runs for one statement.

A family brings inputs for its estimands under the kind ``measured_inputs``: a function of an estimator and of the
estimands of its statements, which answers ``None`` for estimands of which it knows nothing. Otherwise the problem
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pan_audits.judging.documents import document
from pan_audits.judging.verdict import Verdict
from pan_audits.problems import judged
from pan_estimators.common.accuracy_statement import AccuracyStatement, Estimand
from pan_promises.families import family_parts
from pan_promises.problem import Problem


@dataclass(frozen=True)
class InputLabel:
    """The label of an input in results.

    Attributes
    ----------
    key
        The name of the label, which is its key in a document: ``input``, or a name that the family publishes.
    value
        A number, or a description.
    """

    key: str
    value: float | str

    def __str__(self) -> str:
        return self.value if isinstance(self.value, str) else f"{self.value:g}"

    def describe(self) -> str:
        """The label with its name."""
        return f"{self.key} {self}"


@dataclass(frozen=True)
class MeasuredInput:
    """An input on which errors are measured.

    Attributes
    ----------
    label
        Its label.
    group
        The group of streams or labelled inputs to which it belongs. Its schedule consists of outputs only.
    place
        Its position in the group.
    """

    label: InputLabel
    group: Any
    place: int = 0


def measured_inputs(estimator: Any, problem: Problem, estimands: Sequence[Estimand]) -> tuple[MeasuredInput, ...]:
    """The inputs on which the errors about some estimands are measured."""
    for bring in family_parts("pan_audits", "measured_inputs"):
        if (found := bring(estimator, estimands)) is not None:
            return tuple(found)
    return tuple(
        MeasuredInput(InputLabel("input", words), group) for words, group in judged(problem).measured(estimator)
    )


DERIVED = "derived"
"""Claim id of what follows from the definition of the mechanism, whatever a source says."""


@dataclass(frozen=True)
class AccuracyResult:
    """The result of the runs for one statement, on one input.

    Attributes
    ----------
    statement
        The statement.
    label
        The label of the input.
    stated
        The stated value, averaged over the runs.
    measured
        The measured value; ``None`` if it is not a finite number.
    verdict
        ``REFUTED``, ``NOT_REFUTED`` or ``INCONCLUSIVE``.
    runs
        Number of runs.
    detectable
        The smallest deviation from the stated value that would have been caught with 95% power, to
        second order, in the unit of the value; ``None`` if it is unknown.
    missing
        Why the verdict is inconclusive.
    """

    statement: AccuracyStatement
    label: InputLabel
    stated: float
    measured: float | None
    verdict: Verdict
    runs: int
    detectable: float | None = None
    missing: str = ""

    def __post_init__(self) -> None:
        for name in ("measured", "detectable"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None or not isfinite(value) else float(value))

    def describe(self) -> str:
        """The result in one line."""
        statement = self.statement
        where = f"on {self.label}" if isinstance(self.label.value, str) else f"{self.label}"
        what = f"{statement.quantity} from {statement.target.name.lower().replace('_', ' ')} {where}"
        if statement.alpha is not None:
            what += f" (alpha {statement.alpha:g})"
        found = "not a finite number" if self.measured is None else f"{self.measured:.4g}"
        told = f"{what} {statement.relation} {self.stated:.4g} [{statement.claim}]: measured {found}"
        if self.verdict is Verdict.REFUTED:
            return f"{told}: REFUTED"
        if self.verdict is Verdict.INCONCLUSIVE:
            return f"{told}: inconclusive, {self.missing}"
        caught = "" if self.detectable is None else f", a deviation of {self.detectable:.2g} would have been caught"
        return f"{told}: not refuted{caught}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: what is not a finite number is ``None``."""
        described = document(self.statement, "claim quantity relation")
        described |= {"target": str(self.statement.target), "alpha": self.statement.alpha}
        described[self.label.key] = self.label.value
        return described | document(self, "stated measured verdict runs detectable missing")
