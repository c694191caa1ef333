"""The inputs on which errors are measured.

A family brings inputs for its estimands under the kind ``measured_inputs``: a function of an estimator and of the
estimands of its statements, which answers ``None`` for estimands of which it knows nothing. Otherwise the kind of the
problem decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.inputs.numbered.family import LabelledInputs
from pan_audits.inputs.streams.family import Family
from pan_audits.inputs.streams.side import Id, SegmentEnd, Updates
from pan_audits.inputs.tables.catalogue import audited_tables
from pan_audits.inputs.turnstile.audited import audited_streams
from pan_estimators.common.estimand import Estimand
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.families import family_parts
from pan_promises.problem import Kind, Problem

_MOST_MARKED, _MOST_USERS = 10**6, 512
_SHARES = (0.5, 1.0)


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
    if problem.kind is Kind.STREAM:
        users = users_of(estimator)
        groups: list[Any] = [each_appears_once(users, round(share * len(users))) for share in _SHARES]
        return tuple(MeasuredInput(InputLabel("input", group.name), group) for group in groups)
    if problem.kind is Kind.TABLE:
        return _numbered("table", audited_tables(problem, Adjacency.REPLACE_ROW, 0))
    if problem.kind is Kind.TURNSTILE:
        return _numbered("stream", audited_streams(problem, Adjacency.ITEM_LEVEL, 0))
    return ()


def _numbered(noun: str, groups: Sequence[LabelledInputs]) -> tuple[MeasuredInput, ...]:
    return tuple(
        MeasuredInput(InputLabel("input", f"{noun} {number}, {group.name}"), group)
        for number, group in enumerate(groups, 1)
    )


def users_of(estimator: Any) -> tuple[Id, ...]:
    """All ids of the estimator's universe, or some of a universe that is too large."""
    universe = getattr(estimator, "universe", None)
    if universe is None:
        raise InputError("the estimator states its accuracy, but has no universe of users to make streams of")
    return tuple(universe.example_ids(universe.size if universe.size <= _MOST_MARKED else _MOST_USERS))


def each_appears_once(population: Sequence[Id], present: int) -> Family:
    """A stream in which the first ``present`` of the population appear once each, then an output."""
    ids = tuple(population[:present])
    return Family(
        f"{present} users appear once each",
        population[0],
        (SegmentEnd.RELEASE,),
        ((Updates(ids),) if ids else (),),
        ((0,), (1,)),
        Adjacency.USER_LEVEL,
    )
