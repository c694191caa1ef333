"""In the judged process: which lines and branches of the judged code run, as the library ``coverage`` sees them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from os.path import isfile
from types import FunctionType
from typing import Any

from coverage import Coverage
from coverage.exceptions import CoverageException

from pan_audits.isolation.own_code import OwnCode, lines_of, nested

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

    def told(self) -> dict[str, Any]:
        """The number of lines, the lines that never ran, and the branches of which one way was always taken.

        A line that never ran has its file, its function, and whether the function ran at all. A branch has the line
        that always follows it, or 0 for the end of the function.
        """
        unran, one_way, count = set(), set(), 0
        for file, functions in self._by_file.items():
            ran, missing, single = self._in_file(file)
            for function in functions:
                name, lines = function.__qualname__, lines_of(nested(function.__code__))
                count += len(lines)
                if lines & missing:
                    unran.add((file, name, tuple(sorted(lines & missing)), bool(lines & ran)))
                if lines != {function.__code__.co_firstlineno}:  # a definition in one line is no branch
                    one_way |= {(file, name, line, to) for line, to in single if line in lines}
        return {
            "lines": count,
            "calls": self.calls,
            "unran": [[file, name, [*lines], entered] for file, name, lines, entered in sorted(unran)],
            "one way": [list(each) for each in sorted(one_way)],
        }

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
