"""The kinds of input that the judge knows, one file each."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from pan_promises.problem import Kind, Problem

if TYPE_CHECKING:
    from pan_audits.problems.problem import JudgedProblem, WholeInputs

_HOMES = {
    Kind.STREAM: "stream:OfStreams",
    Kind.TABLE: "table:OfTables",
    Kind.TURNSTILE: "turnstile:OfTurnstileStreams",
    Kind.GIVEN: "given:OfGivenInputs",
    Kind.SPACE: "space:OfSpace",
}


@cache
def _class_of(kind: Kind) -> type[JudgedProblem]:
    # Each judged process imports this file, and most of them need none of the classes.
    home, _, name = _HOMES[kind].partition(":")
    found: type[JudgedProblem] = getattr(import_module(f"{__name__}.{home}"), name)
    return found


def judged(problem: Problem) -> JudgedProblem:
    """The methods of the judge for a problem."""
    return _class_of(problem.kind)(problem)


def whole_inputs(problem: Problem) -> WholeInputs:
    """The methods of the judge for a problem whose inputs are whole; :class:`TypeError` for streams of ids."""
    from pan_audits.problems.problem import WholeInputs

    found = judged(problem)
    if not isinstance(found, WholeInputs):
        raise TypeError(f"a {found.noun} is not given as a whole")
    return found
