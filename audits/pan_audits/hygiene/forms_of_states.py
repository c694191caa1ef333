"""Whether the form of a state tells more of a user than the promise permits.

The audit reads the numbers and the texts of a state. A dump of the memory shows more: types, orders, the layout of
arrays (:mod:`pan_audits.observing.forms`). The exact check compares it. Where the exact check decides nothing, runs on
two neighbouring streams are compared by the forms of their states.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.inputs.streams.side import Id
from pan_audits.isolation.estimator import IsolatedEstimator
from pan_audits.notions import notion_of
from pan_audits.observing.forms import form_of
from pan_audits.problems import judged
from pan_audits.running.course import Course, course_of
from pan_promises.errors import InputError
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

FORM = "form of the state"
"""Name of the check."""

_PAIRS = 3
_FIRST_RUNS = 20
_FEWEST, _MOST = 100, 600

_Forms = tuple[str, ...]
"""The forms of the states that one run shows."""


def compared_forms(
    estimator: Any,
    population: Sequence[Id],
    promise: Promise,
    *,
    error: float,
    seed: int,
    problem: Problem = STREAM,
) -> list[Finding]:
    """Compare the forms of states on neighbouring streams."""
    if not isinstance(estimator, IsolatedEstimator) or not promise.sees_state or not notion_of(promise).bets:
        return []
    deletions = bool(getattr(estimator, "deletions", False))
    try:
        pairs = judged(problem).catalogue(promise, population, deletions=deletions, seed=seed).pairs
    except InputError:
        return []
    needed = math.ceil(30 * math.exp(min(float(promise.epsilon), 10.0)))
    runs = min(_MOST, max(_FEWEST, needed))
    for number, pair in enumerate(pairs[:_PAIRS]):
        courses = [course_of(pair.family, place) for place in (pair.left, pair.right)]
        first = [_forms(estimator, course, _FIRST_RUNS, (seed, number, 0)) for course in courses]
        if first[0] == first[1]:
            continue
        more = [_forms(estimator, course, runs, (seed, number, 1 + side)) for side, course in enumerate(courses)]
        # The forms are chosen by other runs than those that are counted.
        forms = list(first[0] | first[1])
        if _differ(forms, more[0], more[1], runs, promise, error / _PAIRS):
            told = (
                "the states differ in memory by more than their numbers, and by more than the promise permits: in "
                "types, in an order, in the layout of arrays, in shared parts, in the sign of a zero, or in the bits "
                f"of a NaN (on the pair: {pair.describe()})"
            )
            return [Finding(FORM, Severity.DEFECT, told)]
    return []


def _forms(estimator: IsolatedEstimator, course: Course, runs: int, seed: Sequence[int]) -> Counter[_Forms]:
    stacks = estimator.runs_apart(course, runs, seed, states_seen=True)
    return Counter(tuple(map(form_of, one.states)) for stack in stacks for one in stack)


def _differ(
    forms: Sequence[_Forms], one: Counter[_Forms], other: Counter[_Forms], runs: int, promise: Promise, error: float
) -> bool:
    """Whether a form is more frequent on one side than the promise permits."""
    from scipy.stats import beta

    share = error / (4 * len(forms))
    factor = math.exp(float(promise.epsilon))
    for form in forms:
        for many, few in ((one[form], other[form]), (other[form], one[form])):
            least = beta.ppf(share, many, runs - many + 1) if many else 0.0
            greatest = beta.ppf(1 - share, few + 1, runs - few) if few < runs else 1.0
            if least > factor * greatest + promise.delta:
                return True
    return False
