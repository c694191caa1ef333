"""The input in whose middle a run stopped.

It names the input without a word about its users: a digest of the ids would tell an intruder which stream was read, and
the number of ids how long it was. All ids of an input are therefore counted again: repeated ids change nothing. Panes
alone hold a number, because their outputs are out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.sources.byte_stream import standard_input
from pan_audits.sources.reading import Reading
from pan_promises.errors import InputError

Version = tuple[int, int]
"""Two numbers that change when a file is written to or replaced."""

WAYS = "give --input whole if it begins with the ids that were counted, or --input rest if it does not"


@dataclass(frozen=True)
class Place:
    """The input in whose middle a run stopped.

    Attributes
    ----------
    files
        The files of the input, in order.
    versions
        The version of each file; ``None`` for a pipe, which has none.
    reading
        The options that decide which ids the input has.
    ids
        The number of ids that are counted, for panes.
    """

    files: tuple[str, ...]
    versions: tuple[Version | None, ...]
    reading: Mapping[str, Any]
    ids: int = 0

    @classmethod
    def beginning(cls, files: Sequence[str], reading: Reading) -> Place:
        """The beginning of an input."""
        options = {
            "column": reading.column,
            "format": reading.kind,
            "header": reading.header,
            "ids": None if reading.ids is None else str(reading.ids),
            "missing": str(reading.missing),
            "missing_text": list(reading.missing_texts),
        }
        names = tuple(file if file == "-" else os.path.realpath(file) for file in files)
        return cls(names, tuple(_version(file) for file in files), options)

    @classmethod
    def of(cls, stored: Mapping[str, Any], state: Any) -> Place:
        """The place that a state file holds; :class:`InputError` if that is no place."""
        files, ids, reading = stored.get("file"), stored.get("ids", 0), stored.get("reading")
        named = [files] if isinstance(files, str) else files if isinstance(files, list) else []
        known = bool(named) and all(isinstance(file, str) for file in named)
        if not known or type(ids) is not int or ids < 0 or not isinstance(reading, dict):
            raise InputError(f"the state file {state} holds no place in an input")
        # States of earlier versions name no version of their input.
        versions = stored.get("versions", [None] * len(named))
        if not isinstance(versions, list) or len(versions) != len(named) or not all(map(_is_version, versions)):
            raise InputError(f"the state file {state} holds no place in an input")
        return cls(tuple(named), tuple(one and (one[0], one[1]) for one in versions), reading, ids)

    def to_dict(self, ids: int | None) -> dict[str, Any]:
        """JSON-ready."""
        files = list(self.files)
        return {
            "file": files[0] if len(files) == 1 else files,
            "versions": [None if one is None else list(one) for one in self.versions],
            "reading": dict(self.reading),
            **({} if ids is None else {"ids": ids}),
        }

    @property
    def name(self) -> str:
        """The input, for messages."""
        return ", ".join("standard input" if file == "-" else file for file in self.files)

    def require_same(self, now: Place, state: Any) -> None:
        """Refuse an input that need not be this one."""
        stopped = f"{state} stopped in the middle of {self.name}"
        if self.files != now.files:
            raise InputError(f"{stopped}, and not of {now.name}: count the former first, or {WAYS}")
        if dict(self.reading) != dict(now.reading):
            raise InputError(
                f"{stopped}, which was read with other options: give the same ones, or --input rest to count it anew"
            )
        if None in now.versions:
            raise InputError(f"{stopped}, and a pipe may begin with other ids than before: {WAYS}")
        if self.versions != now.versions:
            raise InputError(f"{stopped}, which was written to or replaced since then: {WAYS}")


def _version(file: str) -> Version | None:
    try:
        status = os.fstat(standard_input().fileno()) if file == "-" else os.stat(file)
    except (OSError, ValueError):
        return None  # The reader says what is wrong with it.
    return (status.st_ino, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _is_version(one: Any) -> bool:
    return one is None or (isinstance(one, list) and len(one) == 2 and all(type(part) is int for part in one))
