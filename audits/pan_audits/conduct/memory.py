"""The conduct of the judged code: data outside the state, fixed seeds, lines that never run.

The runs are made in a process of their own and followed line by line: each stream of the audit, and streams with the
constants of the code as ids, as batch sizes and as numbers of updates.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pan_audits.conduct.finding import Finding, defect, warning
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import CodeConstants
from pan_audits.problems.inputs.streams.family import Id, Pair, SegmentEnd
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.conduct import KEEPS, Conduct, places_in_words
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.isolation.orders import courses_of, depends_on_earlier_runs, remembers
from pan_audits.subject.isolation.sources import GLOBALS
from pan_audits.subject.isolation.synthesizers import SEEDS
from pan_audits.subject.running.course import Course, course_of
from pan_audits.workers.limits import Limits
from pan_promises.errors import InputError
from pan_promises.promise import Promise

MEMORY, HIDDEN = "memory outside the state", "hidden state"
FIXED, GLOBAL = "fixed seed", "global generator"
"""Names of the checks."""

_RUNS = 2
_MOST_STREAMS = 96
_MOST_UPDATES = 2**16
_MOST_SINGLE = 256
_MOST_SHOWN = 6


@dataclass(frozen=True)
class Surveyed:
    """The findings, the conduct, and the constants for the audit."""

    findings: tuple[Finding, ...] = ()
    conduct: Conduct | None = None
    mined: CodeConstants | None = None


def survey(mechanism: Mechanism, *, seed: int, limits: Limits | None = None) -> Surveyed:
    """Follow the code on the streams of an audit."""
    estimator, population = mechanism.estimator, mechanism.population
    if not isinstance(estimator, IsolatedEstimator):
        return Surveyed()
    told = estimator.description
    constants: list[Id] = [*told.numbers_in_code, *told.texts_in_code]
    tried = [each for each in constants if each not in population] if told.open_universe else []
    mined = CodeConstants(tuple(each for each in constants if each in population), told.numbers_in_code)
    courses = list(_courses(mechanism, mined, seed))
    conduct = estimator.surveyed(courses, _RUNS, seed, limits, () if judged(mechanism.problem).whole else tried)
    conduct = replace(conduct, kept=estimator.places_that_depend(conduct, population, seed, limits))
    known = CodeConstants((*(each for each in conduct.accepted if each in tried), *mined.ids), mined.numbers)
    depends = bool(conduct.changed) and any(
        depends_on_earlier_runs(estimator, each, seed, limits) for each in (courses_of(estimator, population), courses)
    )
    return Surveyed(tuple(_findings(conduct, mechanism.promise, depends=depends)), conduct, known)


def _courses(mechanism: Mechanism, mined: CodeConstants, seed: int) -> Iterator[Course]:
    """The streams of the audit, and for streams of ids also those with a constant as a number of updates."""
    population, whole = mechanism.population, judged(mechanism.problem).whole
    pairs: Sequence[Pair] = ()
    with contextlib.suppress(InputError):
        pairs = mechanism.pairs(seed, mined)
    left = _MOST_UPDATES
    if not whole:
        # Also for a promise of states alone: the code has a release.
        yield [(np.array([each]), None, SegmentEnd.RELEASE) for each in population[:2]]
    sides = dict.fromkeys((pair.family, place) for pair in pairs for place in (pair.left, pair.right))
    for family, place in list(sides)[:_MOST_STREAMS]:
        course = course_of(family, place)
        left -= sum(len(ids) for ids, *_ in course)
        if left < 0:
            return
        yield course
    if whole or bool(getattr(mechanism.estimator, "deletions", False)):
        return
    for number in mined.lengths:
        ids = np.array([population[place % len(population)] for place in range(number + 1)])
        left -= 4 * number
        if left < 0:
            return
        yield [(ids[:number], None, SegmentEnd.RELEASE)]
        yield [(ids, None, SegmentEnd.RELEASE)]
        if number <= _MOST_SINGLE:
            yield [
                (ids[place : place + 1], None, SegmentEnd.RELEASE if place == number else SegmentEnd.INTRUSION)
                for place in range(number + 1)
            ]


def _findings(conduct: Conduct, promise: Promise, *, depends: bool) -> Iterator[Finding]:
    if depends:
        yield defect(HIDDEN, remembers(conduct.changed))
    if conduct.kept:
        seen = promise.sees_state
        who = (
            "an adversary who sees the memory of the process sees them"
            if seen
            else "the adversary of this promise sees outputs alone"
        )
        yield (defect if seen else warning)(MEMORY, f"{KEEPS}{places_in_words(conduct.kept)}; {who}")
    if seeds := conduct.of_kind(SEEDS):
        yield warning(
            FIXED,
            f"the code makes random numbers from a fixed seed ({'; '.join(seeds[:_MOST_SHOWN])}): each run has the "
            "same noise there, so that the noise of one release is known from another one",
        )
    if generators := conduct.of_kind(GLOBALS):
        yield warning(
            GLOBAL,
            f"the code uses the global generators of the process ({' and '.join(generators)}): other code that seeds "
            "them repeats the noise, and code that reads their state knows it",
        )
