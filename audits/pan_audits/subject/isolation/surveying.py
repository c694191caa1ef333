"""In the judged process: the conduct of the judged code, whose lines are followed, as plain data for the judge."""

from __future__ import annotations

import contextlib
import copy
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from os.path import isfile
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from coverage import Coverage
from coverage.exceptions import CoverageException

from pan_audits.subject.isolation.conduct import Conduct, OneWay, Unran
from pan_audits.subject.isolation.errors_seen import ErrorsSeen
from pan_audits.subject.isolation.memory import Memory
from pan_audits.subject.isolation.messages import Follow
from pan_audits.subject.isolation.own_code import OwnCode, lines_of, nested
from pan_audits.subject.isolation.sources import SEEN
from pan_audits.subject.isolation.synthesizers import SEEDS, fixed_seeds
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_MOST_CALLS = 4096
"""Calls that are followed, at most."""


def new_coverage(*files: str) -> Coverage:
    """A measurement of these files; without them, of all files that are not installed."""
    made = Coverage(data_file=None, branch=True, include=files or None, config_file=False, messages=False)
    # A comment in the judged code excludes nothing.
    made.clear_exclude("exclude")
    made.clear_exclude("partial")
    return made


class FollowedLines:
    """Follows calls of one judged code.

    Attributes
    ----------
    calls
        The calls that were followed.
    """

    def __init__(self, own: OwnCode, made: Coverage | None = None) -> None:
        self.calls, self._made = 0, made
        self._by_file: dict[str, list[FunctionType]] = {}
        for code, function in own.functions.items():
            if code not in own.compiled and isfile(code.co_filename):
                self._by_file.setdefault(code.co_filename, []).append(function)

    @cached_property
    def _coverage(self) -> Coverage:
        return new_coverage(*self._by_file)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Follow what is called inside."""
        if self.calls >= _MOST_CALLS or not self._by_file:
            yield
            return
        self.calls += 1
        self._coverage.start()
        try:
            yield
        finally:
            self._coverage.stop()

    def told(self) -> Conduct:
        """The number of lines, the lines that never ran, and the branches of which one way was always taken."""
        unran, one_way, count = set[Unran](), set[OneWay](), 0
        for file, functions in self._by_file.items():
            ran, missing, single = self._in_file(file)
            for function in functions:
                name, lines = function.__qualname__, lines_of(nested(function.__code__))
                count += len(lines)
                if lines & missing:
                    unran.add(Unran(file, name, tuple(sorted(lines & missing)), bool(lines & ran)))
                if lines != {function.__code__.co_firstlineno}:  # a definition in one line is no branch
                    one_way |= {OneWay(file, name, line, to) for line, to in single if line in lines}
        return Conduct(unran=tuple(sorted(unran)), lines=count, calls=self.calls, one_way=tuple(sorted(one_way)))

    def _in_file(self, file: str) -> tuple[set[int], set[int], set[tuple[int, int]]]:
        """The lines of a file that ran, those that did not, and each branch with its one way."""
        try:
            _, _, _, missing, _ = self._coverage.analysis2(file)
            ways = self._coverage.branch_stats(file)
        except (CoverageException, SyntaxError):
            # The text of the file is not that of the code.
            return set(), set(), set()
        data = self._coverage.get_data()
        single = {line for line, (_, taken) in ways.items() if taken == 1}
        before = [self._made.get_data()] if self._made else []
        ran = {line for one in (data, *before) for line in one.lines(file) or ()}
        arcs = {(line, to) for one in (data, *before) for line, to in one.arcs(file) or () if line in single}
        counts = Counter(line for line, _ in arcs)
        left = set(missing) - ran
        # A branch that leads to a line that never ran needs no words of its own.
        went = {(line, max(to, 0)) for line, to in arcs if counts[line] == 1 and not {*range(line, to)} & left}
        return ran, left, went


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

    def told(self) -> Conduct:
        """The places that changed, the acts, and the lines that never ran."""
        now, lines = self._memory.digests(), self.lines.told()
        idle = {(each.file, each.function) for each in lines.unran if not each.entered}
        return replace(
            lines,
            changed={name: now.get(name, "") for name in sorted(self._differing(now) | self._changed)},
            acts=tuple(sorted({*self._of_seeds(idle)})),
            unreadable=tuple(f"{name} ({kinds})" for name, kinds in sorted(self._memory.unreadable.items())),
        )

    def _of_seeds(self, idle: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Draws from the global generators, and, of code that is given no randomness, fixed seeds."""
        yield from SEEN
        if getattr(self._estimator, "handed", "") is not None and not getattr(self._estimator, "plain", False):
            return
        for code, function in self.own.functions.items():
            if (code.co_filename, function.__qualname__) not in idle:
                yield from ((SEEDS, f"{words} of {Path(code.co_filename).name}") for words in fixed_seeds(function))


def surveyed(survey: Survey, estimator: Any, question: Follow) -> Conduct:
    """Run an estimator on some streams, and tell what was seen."""
    from pan_audits.problems.inputs.streams.family import SegmentEnd
    from pan_audits.subject.running.course import Course, run_course

    source = NumpyRandomness(np.random.SeedSequence(question.seed))
    began, ends = time.process_time(), time.monotonic() + question.seconds

    def has_time() -> bool:
        return time.process_time() - began < _MOST_SECONDS and time.monotonic() < ends

    def run(course: Course, runner: Callable[..., Any]) -> None:
        with survey.on():
            runner(course, source, states_seen=False)

    for _ in range(question.runs):
        for course in question.courses:
            if has_time():
                run(copy.deepcopy(course), ErrorsSeen(estimator).run)
    before = survey.told()
    # Ids that it may refuse come last: an error may leave something behind.
    accepted: list[Any] = []
    ids = question.ids if has_time() else []
    for each in ids:
        with contextlib.suppress(Exception, SystemExit):
            run([(np.array([each]), None, SegmentEnd.RELEASE)], partial(run_course, estimator))
            accepted.append(each)
    told = survey.told()
    changed = told.changed if len(accepted) == len(ids) else before.changed
    return replace(told, changed=changed, accepted=tuple(accepted))
