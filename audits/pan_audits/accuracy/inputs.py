"""The inputs on which errors are measured.

A family brings inputs for its estimands under the kind ``measured_inputs``: a function of an estimator and of the
estimands of its statements, which answers ``None`` for estimands of which it knows nothing. Otherwise the kind of the
problem decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.problems import judged
from pan_estimators.common.estimand import Estimand
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
