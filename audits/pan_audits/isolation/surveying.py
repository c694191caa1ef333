"""In the judged process: the conduct of the judged code, as plain data for the judge."""

from __future__ import annotations

import contextlib
import importlib.metadata
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.isolation.classes_told_apart import are_told_apart
from pan_audits.isolation.conditions import Conditions
from pan_audits.isolation.data import from_data, to_data
from pan_audits.isolation.description import is_plain_object
from pan_audits.isolation.errors_seen import ErrorsSeen
from pan_audits.isolation.following import Following, unran, wanted
from pan_audits.isolation.looks import READS, WRITES
from pan_audits.isolation.own_code import OwnCode
from pan_audits.isolation.places import OTHERS, Places, digest_of
from pan_audits.isolation.reachable import Reachable
from pan_audits.isolation.seeding import LEFT, PLACES, SEEDS, SEEN, fixed_seeds, followed
from pan_audits.running.randomness_class import SECURE, SEEDED, seeded
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_MOST_LINES = 512
_MOST_SECONDS = 12.0
"""Time of the processor after which no further run begins; usual code takes a small part of it."""

_MOST_SECONDS_OF_PARTS = 6.0
"""The same for the runs in which the parts of lines are recorded."""

_MOST_SECONDS_BESIDE = 60.0
"""The same by the clock."""

_LOOKED_AT = frozenset({1, 2, 4, 16, 64})
"""The calls after which the memory is compared, beside the last one."""


class Survey:
    """Follows one estimator, and compares its memory with that when it was made.

    Parameters
    ----------
    estimator
        The estimator, with its code in this process.
    following
        The lines and acts of this process.
    folder
        The private folder of the process.
    own
        Its code, if it is known.

    Attributes
    ----------
    at_the_import
        The code objects that ran before.
    """

    def __init__(self, estimator: Any, following: Following, folder: str = "", own: OwnCode | None = None) -> None:
        self.own = OwnCode.of(estimator) if own is None else own
        self.following = following
        following.add(self.own)
        self._estimator = estimator
        _look_for_packages()
        self._places = Places(estimator, self.own, folder)
        self._before = self._places.digests()
        self._reachable: Reachable | None = None
        self._count, self._changed = 0, set[str]()
        self.at_the_import = frozenset(following.entered)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Follow the calls inside, and compare the memory."""
        with self.compared(), self.following.on():
            yield

    @contextlib.contextmanager
    def compared(self) -> Iterator[None]:
        """Compare the memory around the calls inside, which :attr:`following` does not follow yet."""
        if self._reachable is None:
            # The judge's own code may import a part of a library before the first call.
            now = self._places.digests()
            self._before |= {name: digest for name, digest in now.items() if name.startswith(OTHERS)}
            self._reachable = Reachable(digest_of)
        with followed():
            yield
        self._count += 1
        if self._count in _LOOKED_AT:
            # A place may have its first contents again at the end.
            now = self._places.digests()
            self._changed |= {name for name in {*self._before, *now} if self._before.get(name) != now.get(name)}

    def told(self) -> dict[str, Any]:
        """The places that changed, the acts, and the lines that never ran."""
        self.own.add_what_ran(self.following.entered)
        now, before = self._places.digests(), self._before
        differ = {name for name in {*before, *now} if before.get(name) != now.get(name)}
        changed = {name: now.get(name, "") for name in differ | self._changed}
        if self._reachable is not None:
            # The judge itself seeds the global generators in each run of an object that is no estimator.
            seeded = frozenset(PLACES.values()) if is_plain_object(self._estimator) else frozenset()
            for name, digest in self._reachable.changes().items():
                if name not in seeded:
                    changed[name] = changed.get(name, "") + digest
            changed |= {name: " ".join(sorted(digests)) for name, digests in LEFT.items() if name in seeded}
        acts = dict(self.following.acts)
        if written := sum(count for (kind, _), count in acts.items() if kind == WRITES):
            changed["files and connections"] = str(written)
        for act in self.following.looks(self.own):
            acts.setdefault(act, 1)
        for act in self._of_seeds():
            acts.setdefault(act, 1)
        return {
            "changed": dict(sorted(changed.items())),
            "unreadable": [f"{name} ({kinds})" for name, kinds in sorted(self._places.unreadable.items())][
                :_MOST_LINES
            ],
            "acts": [[kind, words, count] for (kind, words), count in sorted(acts.items())],
            "unran": [[file, name, lines[:_MOST_LINES], entered] for file, name, lines, entered in self._unran()],
            "lines": len(wanted(self.own)),
            "calls": self.following.calls,
        }

    def _of_seeds(self) -> Iterator[tuple[str, str]]:
        """Draws of a synthesizer from the global generators, and fixed seeds in its functions that ran."""
        if not getattr(self._estimator, "plain", False):
            return
        yield from sorted(SEEN)
        for code, function in self.own.functions.items():
            if code in self.following.entered:
                yield from ((SEEDS, f"{words} of {Path(code.co_filename).name}") for words in fixed_seeds(function))

    def _unran(self) -> list[tuple[str, str, list[int], bool]]:
        return unran(self.own, self.following)[:_MOST_LINES]


def _of_courses(question: Mapping[str, Any]) -> list[Any]:
    from pan_audits.inputs.streams.side import SegmentEnd

    return [
        [(from_data(ids), None if d is None else from_data(d), SegmentEnd(step)) for ids, d, step in fed]
        for fed in question["courses"]
    ]


def parts_of_lines(
    survey: Survey, estimator: Any, question: Mapping[str, Any], ends: float | None = None
) -> dict[str, Any]:
    """Run an estimator on some streams, and tell which conditions and values inside its lines never varied.

    Acts that only such a run shows are told too.

    The code that runs has the same source, with calls of a recorder.

    Parameters
    ----------
    survey, estimator, question
        As for :func:`surveyed`.
    ends
        The monotonic time after which no further run begins; by default that of the question.
    """
    from pan_audits.inputs.streams.side import SegmentEnd
    from pan_audits.running.course import run_course

    # A live object that was made again has a class with other functions.
    own = OwnCode.of(estimator)
    own.add_what_ran(survey.following.entered)
    conditions = Conditions(own)
    source = NumpyRandomness(np.random.SeedSequence(from_data(question["seed"])))
    guises = (seeded(SEEDED, source), seeded(SECURE, source))
    courses = _of_courses(question)
    tried = [[(np.array([each]), None, SegmentEnd.RELEASE)] for each in from_data(question["ids"])]
    began, ends = time.process_time(), ends or time.monotonic() + min(question["seconds"], _MOST_SECONDS_BESIDE)
    with conditions.on():
        for number in range(question["runs"]):
            for course in (*courses, *tried):
                if time.process_time() - began > _MOST_SECONDS_OF_PARTS or time.monotonic() > ends:
                    break
                with contextlib.suppress(Exception, SystemExit):
                    run_course(estimator, course, guises[number % 2], states_seen=False)
    # The code of modules and classes has no function.
    entered = survey.following.entered
    found = conditions.constant(survey.following.ran, entered, entered - survey.at_the_import)
    acts = [[READS, words, 1] for words in conditions.looks]
    return {"unvaried": [list(each) for each in found[:_MOST_LINES]], "acts": acts}


def _look_for_packages() -> None:
    """Let Python keep the folders of the packages, for which libraries ask at their import, perhaps during a call."""
    for name in ("numpy", "a-package-in-no-folder"):
        # The second search ends in the last of the folders.
        with contextlib.suppress(Exception):
            importlib.metadata.distribution(name)
    entrypoints = sys.modules.get("numba.core.entrypoints")
    if entrypoints is not None:
        with contextlib.suppress(Exception):
            entrypoints.init_all()


def surveyed(survey: Survey, estimator: Any, question: Mapping[str, Any]) -> dict[str, Any]:
    """Run an estimator on some streams, and tell what was seen.

    Parameters
    ----------
    survey
        Of this estimator.
    estimator
        The estimator, with its code in this process.
    question
        The courses, the number of runs on each, their seed, ids to try, and the time for all.
    """
    from pan_audits.inputs.streams.side import SegmentEnd
    from pan_audits.running.course import Course, run_course

    source = NumpyRandomness(np.random.SeedSequence(from_data(question["seed"])))
    guises = (seeded(SEEDED, source), seeded(SECURE, source))

    longest = 0.0

    def run(course: Course, number: int, runner: Callable[..., Any]) -> None:
        nonlocal longest
        with survey.on():
            before = time.monotonic()
            runner(course, guises[number % 2], states_seen=False)
            longest = max(longest, time.monotonic() - before)

    began, started = time.process_time(), time.monotonic()
    ends = started + question["seconds"]

    def has_time() -> bool:
        return time.process_time() - began < _MOST_SECONDS and time.monotonic() < ends

    courses = _of_courses(question)
    for number in range(question["runs"]):
        for course in courses:
            if has_time():
                run(course, number, ErrorsSeen(estimator).run)
    before = survey.told()
    # Ids that it may refuse come last: an error may leave something behind.
    accepted: list[Any] = []
    ids = from_data(question["ids"]) if has_time() else []
    for each in ids:
        with contextlib.suppress(Exception, SystemExit):
            run([(np.array([each]), None, SegmentEnd.RELEASE)], 0, partial(run_course, estimator))
            accepted.append(each)
    told = survey.told()
    if len(accepted) < len(ids):
        told["changed"] = before["changed"]
    told["accepted"] = to_data(accepted)
    # Last: these runs are not followed, and the code of some of them is another one. Slow code has no time for them.
    last = min(time.monotonic() + _MOST_SECONDS_BESIDE, started + 1.6 * question["seconds"] - 3 * longest)
    if not question["parts"] or time.monotonic() > last:
        return told
    apart = are_told_apart(estimator, courses, from_data(question["seed"]), last - 4 * longest)
    parts = parts_of_lines(survey, estimator, question, last)
    return {**told, **parts, "acts": [*told["acts"], *parts["acts"]], "apart": apart}
