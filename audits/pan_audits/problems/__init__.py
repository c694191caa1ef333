"""The kinds of input that the judge knows, one file each."""

from pan_audits.problems.given import OfGivenInputs
from pan_audits.problems.problem import JudgedProblem, WholeInputs
from pan_audits.problems.stream import OfStreams
from pan_audits.problems.table import OfTables
from pan_audits.problems.turnstile import OfTurnstileStreams
from pan_promises.problem import Problem

__all__ = ["JudgedProblem", "WholeInputs", "judged", "whole_inputs"]

_KINDS = {one.kind: one for one in (OfStreams, OfTables, OfTurnstileStreams, OfGivenInputs)}


def judged(problem: Problem) -> JudgedProblem:
    """The methods of the judge for a problem."""
    return _KINDS[problem.kind](problem)


def whole_inputs(problem: Problem) -> WholeInputs:
    """The methods of the judge for a problem whose inputs are whole; :class:`TypeError` for streams of ids."""
    found = judged(problem)
    if not isinstance(found, WholeInputs):
        raise TypeError(f"a {found.noun} is not given as a whole")
    return found
