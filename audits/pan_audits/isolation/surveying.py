"""In the judged process: the conduct of the judged code, as plain data for the judge."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from coverage import Coverage

from pan_audits.isolation.data import to_data
from pan_audits.isolation.errors_seen import ErrorsSeen
from pan_audits.isolation.followed_lines import FollowedLines
from pan_audits.isolation.memory import Memory
from pan_audits.isolation.messages import Follow
from pan_audits.isolation.own_code import OwnCode
from pan_audits.isolation.seeding import SEEDS, SEEN, fixed_seeds
from pan_audits.running.randomness_class import SECURE, SEEDED, seeded
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_MOST_SECONDS = 12.0
"""Time of the processor after which no further run begins; usual code takes a small part of it."""

_LOOKED_AT = frozenset({1, 2, 4, 16, 64})
"""The calls after which the memory is compared, beside the last one."""


class Survey:
    """Follows one estimator, and compares its memory with that when it was made."""

    def __init__(self, estimator: Any, own: OwnCode, folder: str = "", made: Coverage | None = None) -> None:
        self.own, self.lines = own, FollowedLines(own, made)
        self._estimator = estimator
        self._memory = Memory(estimator, own, folder)
        self._before = self._memory.digests()
        self._count, self._changed = 0, set[str]()

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Follow the calls inside, and compare the memory."""
        with self.lines.on():
            yield
        self._count += 1
        if self._count in _LOOKED_AT:
            # A place may have its first contents again at the end.
            self._changed |= self._differing(self._memory.digests())

    def _differing(self, now: Mapping[str, str]) -> set[str]:
        return {name for name in {*self._before, *now} if self._before.get(name) != now.get(name)}

    def told(self) -> dict[str, Any]:
        """The places that changed, the acts, and the lines that never ran."""
        now, lines = self._memory.digests(), self.lines.told()
        idle = {(file, name) for file, name, _, entered in lines["unran"] if not entered}
        return {
            "changed": {name: now.get(name, "") for name in sorted(self._differing(now) | self._changed)},
            "unreadable": [f"{name} ({kinds})" for name, kinds in sorted(self._memory.unreadable.items())],
            "acts": sorted({*self._of_seeds(idle)}),
            **lines,
        }

    def _of_seeds(self, idle: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Draws of a synthesizer from the global generators, and fixed seeds in its functions that ran."""
        if not getattr(self._estimator, "plain", False):
            return
        yield from SEEN
        for code, function in self.own.functions.items():
            if (code.co_filename, function.__qualname__) not in idle:
                yield from ((SEEDS, f"{words} of {Path(code.co_filename).name}") for words in fixed_seeds(function))


def surveyed(survey: Survey, estimator: Any, question: Follow) -> dict[str, Any]:
    """Run an estimator on some streams, and tell what was seen."""
    from pan_audits.inputs.streams.side import SegmentEnd
    from pan_audits.running.course import Course, run_course

    source = NumpyRandomness(np.random.SeedSequence(question.seed))
    guises = (seeded(SEEDED, source), seeded(SECURE, source))
    began, ends = time.process_time(), time.monotonic() + question.seconds

    def has_time() -> bool:
        return time.process_time() - began < _MOST_SECONDS and time.monotonic() < ends

    def run(course: Course, number: int, runner: Callable[..., Any]) -> None:
        with survey.on():
            runner(course, guises[number % 2], states_seen=False)

    for number in range(question.runs):
        for course in question.courses:
            if has_time():
                run(copy.deepcopy(course), number, ErrorsSeen(estimator).run)
    before = survey.told()
    # Ids that it may refuse come last: an error may leave something behind.
    accepted: list[Any] = []
    ids = question.ids if has_time() else []
    for each in ids:
        with contextlib.suppress(Exception, SystemExit):
            run([(np.array([each]), None, SegmentEnd.RELEASE)], 0, partial(run_course, estimator))
            accepted.append(each)
    told = survey.told()
    if len(accepted) < len(ids):
        told["changed"] = before["changed"]
    return {**told, "accepted": to_data(accepted)}
