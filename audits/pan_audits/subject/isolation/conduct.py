"""The judge's side of a survey: the report of a judged process about its code, read with distrust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pan_audits.judging.documents import document
from pan_audits.subject.isolation.messages import Record

_MOST_SHOWN = 6


@dataclass(frozen=True, order=True)
class Unran(Record):
    """Lines of one function that never ran.

    Attributes
    ----------
    file, function, lines
        The place.
    entered
        Whether the function ran at all.
    """

    file: str
    function: str
    lines: tuple[int, ...]
    entered: bool

    def describe(self) -> str:
        """The place in words: ``counter.py 12-14 (update)``."""
        state = self.function if self.entered else f"{self.function}, which no run called"
        return f"{Path(self.file).name} {_ranges(self.lines)} ({state})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"file": Path(self.file).name, **document(self, "function lines called=entered")}


@dataclass(frozen=True, order=True)
class OneWay(Record):
    """A branch of which one way was always taken.

    Attributes
    ----------
    file, function, line
        The place.
    to
        The line that always followed; 0 for the end of the function.
    """

    file: str
    function: str
    line: int
    to: int

    def describe(self) -> str:
        """The branch in words: ``counter.py 12 always goes on to 14 (update)``."""
        to = self.to or "the end"
        return f"{Path(self.file).name} {self.line} always goes on to {to} ({self.function})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"file": Path(self.file).name, **document(self, "function line always_to=to")}


@dataclass(frozen=True)
class Conduct(Record):
    """The conduct of judged code, as its process told it.

    Attributes
    ----------
    changed
        The places outside the state whose contents changed, with digests of them.
    acts
        Acts of the code beside computing: the kind, and words.
    unran
        Lines that never ran.
    lines
        Number of all lines of the judged code.
    calls
        Number of calls, or of whole runs, that were followed.
    accepted
        Ids that the code takes.
    kept
        The changed places whose contents depend on the stream, or differ between equal runs.
    one_way
        Branches of which one way was always taken.
    unreadable
        Places with objects whose contents cannot be read.
    """

    changed: Mapping[str, str] = field(default_factory=dict)
    acts: tuple[tuple[str, str], ...] = ()
    unran: tuple[Unran, ...] = ()
    lines: int = 0
    calls: int = 0
    accepted: tuple[int | str, ...] = ()
    kept: tuple[str, ...] = ()
    one_way: tuple[OneWay, ...] = ()
    unreadable: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """The words of all acts of a kind."""
        return tuple(words for each, words in self.acts if each == kind)

    def and_also(self, other: Conduct) -> Conduct:
        """The same conduct, without the lines that ran in the other survey; the calls of both."""
        missing = {(each.file, each.function): set(each.lines) for each in other.unran}
        entered = {(each.file, each.function) for each in other.unran if not each.entered}
        left = []
        for each in self.unran:
            place = (each.file, each.function)
            lines = tuple(line for line in each.lines if line in missing.get(place, ()))
            if lines:
                left.append(Unran(each.file, each.function, lines, each.entered or place not in entered))
        acts = tuple(dict.fromkeys((*self.acts, *other.acts)))
        return replace(
            self,
            acts=acts,
            unran=tuple(left),
            lines=max(self.lines, other.lines),
            calls=self.calls + other.calls,
            kept=tuple(dict.fromkeys((*self.kept, *other.kept))),
            one_way=self._one_way_in_both(other),
            unreadable=tuple(dict.fromkeys((*self.unreadable, *other.unreadable))),
        )

    def _one_way_in_both(self, other: Conduct) -> tuple[OneWay, ...]:
        """The branches that went one way here, without those that went, or may have gone, another way there."""
        went = {(each.file, each.line): each.to for each in other.one_way}
        never = {(each.file, line) for each in other.unran for line in each.lines}
        return tuple(
            each
            for each in self.one_way
            if (each.file, each.line) in never or went.get((each.file, each.line)) == each.to
        )

    def describe_lines(self) -> str:
        """The lines that never ran, in a sentence; empty if all ran."""
        if not self.unran:
            return ""
        count = sum(len(each.lines) for each in self.unran)
        shown = "; ".join(each.describe() for each in self.unran[:_MOST_SHOWN])
        more = f"; and lines of {len(self.unran) - _MOST_SHOWN} more functions" * (len(self.unran) > _MOST_SHOWN)
        return (
            f"{count} of {self.lines} lines of the judged code, in the {self.calls} calls that were followed: "
            f"{shown}{more}. The verdict says nothing about them"
        )

    def describe_branches(self) -> str:
        """The branches of which one way was always taken, in a sentence; empty if there are none."""
        if not self.one_way:
            return ""
        shown = "; ".join(each.describe() for each in self.one_way[:_MOST_SHOWN])
        left = len(self.one_way) - _MOST_SHOWN
        more = f"; and {left} more, which the report in JSON names" * (left > 0)
        return f"{shown}{more}. The verdict says nothing about the other way"

    def describe_unseen(self) -> str:
        """The memory that no look shows, in a sentence."""
        kept = f", and the contents of {places_in_words(self.unreadable)}" if self.unreadable else ""
        return f"memory that Python has freed{kept}; docs/threat-model.md lists more that code can hide"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "lines calls never_ran=unran one_way")
        described["acts"] = [words for _, words in self.acts]
        return described | document(self, "kept_outside_the_state=kept unreadable")


KEEPS = "the code keeps data outside of the state that depend on the stream, or differ between equal runs: "


def places_in_words(names: Iterable[str]) -> str:
    """Names of places, at most a few."""
    named = list(names)
    more = f" and {len(named) - _MOST_SHOWN} more" if len(named) > _MOST_SHOWN else ""
    return ", ".join(named[:_MOST_SHOWN]) + more


def dependent_places(changed: Mapping[str, str], told: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The places whose contents depend on the stream, or differ between equal runs."""
    return tuple(
        name for name in changed if len({each.get(name) for each in told}) > 1 or all(name not in each for each in told)
    )


def _ranges(lines: Sequence[int]) -> str:
    """Line numbers in words: ``3-5, 9``."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
