"""The judge's side of a survey: the report of a judged process about its code, read with distrust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pan_audits.isolation.data import DataError, from_data
from pan_audits.isolation.sites import NO_SOURCE

_MOST = 512
_LONGEST = 160
_MOST_SHOWN = 6


@dataclass(frozen=True)
class Unran:
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
        return {
            "file": Path(self.file).name,
            "function": self.function,
            "lines": list(self.lines),
            "called": self.entered,
        }


@dataclass(frozen=True, order=True)
class Unvaried:
    """A condition or a value inside a line that was the same in all runs.

    Attributes
    ----------
    file, function, line
        The place.
    words
        The part of the line, and its value.
    """

    file: str
    function: str
    line: int
    words: str

    def describe(self) -> str:
        """The place and the value in words."""
        return f"{Path(self.file).name} {self.line} ({self.function}): {self.words}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"file": Path(self.file).name, "function": self.function, "line": self.line, "words": self.words}


@dataclass(frozen=True)
class Conduct:
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
    unvaried
        Conditions and values inside lines that were the same in all runs.
    parts
        Whether the parts of the lines were followed.
    unreadable
        Places with objects whose contents cannot be read.
    told_apart
        Whether results differ between the classes of randomness, for the same draws.
    """

    changed: Mapping[str, str] = field(default_factory=dict)
    acts: tuple[tuple[str, str], ...] = ()
    unran: tuple[Unran, ...] = ()
    lines: int = 0
    calls: int = 0
    accepted: tuple[Any, ...] = ()
    kept: tuple[str, ...] = ()
    unvaried: tuple[Unvaried, ...] = ()
    parts: bool = False
    unreadable: tuple[str, ...] = ()
    told_apart: bool = False

    @classmethod
    def read(cls, sent: Any) -> Conduct:
        """Read what was sent.

        Raises
        ------
        DataError
            If it is nothing of the kind.
        """
        try:
            accepted = from_data(sent["accepted"]) if "accepted" in sent else []
            return cls(
                changed={_text(name): str(digest)[:_LONGEST] for name, digest in list(sent["changed"].items())[:_MOST]},
                acts=_acts(sent["acts"]),
                unran=tuple(
                    Unran(_text(file), _text(function), tuple(int(line) for line in lines[:_MOST]), entered is True)
                    for file, function, lines, entered in sent["unran"][:_MOST]
                ),
                lines=max(0, int(sent["lines"])),
                calls=max(0, int(sent["calls"])),
                accepted=tuple(each for each in accepted if isinstance(each, (int, str))),
                unvaried=_unvaried(sent.get("unvaried", [])),
                parts="unvaried" in sent,
                told_apart=sent.get("apart") is True,
                unreadable=tuple(_text(each) for each in sent.get("unreadable", [])[:_MOST]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError("it told about its conduct in an unknown form") from None

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
            unvaried=self.unvaried if self.parts else other.unvaried,
            parts=self.parts or other.parts,
            unreadable=tuple(dict.fromkeys((*self.unreadable, *other.unreadable))),
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

    def describe_parts(self, *, without_source: bool = True) -> str:
        """The conditions and values that never varied, in a sentence; empty if all did.

        Parameters
        ----------
        without_source
            Whether functions are named of which the text is not known.
        """
        if self.calls and not self.parts:
            return "not recorded, because the code is slow or failed. The verdict says nothing about parts of lines"
        unvaried = [each for each in self.unvaried if without_source or each.words != NO_SOURCE]
        if not unvaried:
            return ""
        shown = "; ".join(each.describe() for each in unvaried[:_MOST_SHOWN])
        left = len(unvaried) - _MOST_SHOWN
        more = f"; and {left} more, which the report in JSON names" * (left > 0)
        return f"{shown}{more}. The verdict says nothing about other cases"

    def describe_unseen(self) -> str:
        """The memory that no look shows, in a sentence."""
        kept = f", and the contents of {places_in_words(self.unreadable)}" if self.unreadable else ""
        return f"memory that Python has freed{kept}; docs/threat-model.md lists more that code can hide"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "lines": self.lines,
            "calls": self.calls,
            "never_ran": [each.to_dict() for each in self.unran],
            "never_varied": [each.to_dict() for each in self.unvaried],
            "acts": [words for _, words in self.acts],
            "kept_outside_the_state": list(self.kept),
            "unreadable": list(self.unreadable),
        }


def read_parts(sent: Any) -> tuple[tuple[Unvaried, ...], tuple[tuple[str, str], ...]]:
    """The parts of lines that never varied, and acts, as a judged process tells them.

    Raises
    ------
    DataError
        If they are nothing of the kind.
    """
    try:
        return _unvaried(sent["unvaried"]), _acts(sent["acts"])
    except (KeyError, TypeError, ValueError):
        raise DataError("it told about the parts of its lines in an unknown form") from None


def _unvaried(sent: Any) -> tuple[Unvaried, ...]:
    return tuple(
        Unvaried(_text(file), _text(name), int(line), _text(words)) for file, name, line, words in sent[:_MOST]
    )


def _acts(sent: Any) -> tuple[tuple[str, str], ...]:
    return tuple((_text(kind), _text(words)) for kind, words, _ in sent[:_MOST])


KEEPS = "the code keeps data outside of the state that depend on the stream, or differ between equal runs: "


def places_in_words(names: Iterable[str]) -> str:
    """Names of places, at most a few."""
    named = list(names)
    more = f" and {len(named) - _MOST_SHOWN} more" if len(named) > _MOST_SHOWN else ""
    return ", ".join(named[:_MOST_SHOWN]) + more


def dependent_places(changed: Mapping[str, str], told: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The places whose contents depend on the stream, or differ between equal runs.

    Parameters
    ----------
    changed
        The places that changed in any run.
    told
        The places that changed in new processes, each on another stream. A place that changed in none of them
        depends on the stream too.
    """
    return tuple(
        name for name in changed if len({each.get(name) for each in told}) > 1 or all(name not in each for each in told)
    )


def _text(value: Any) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in str(value)[:_LONGEST])


def _ranges(lines: Sequence[int]) -> str:
    """Line numbers in words: ``3-5, 9``."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
