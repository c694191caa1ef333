"""The place in an input at which an interrupted run stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pan_audits.sources.reading import Reading
from pan_promises.errors import InputError


@dataclass(frozen=True)
class Place:
    """The place in an input at which an interrupted run stopped.

    Attributes
    ----------
    files
        The files of the input, in order.
    ids
        The number of ids that are counted.
    reading
        The options that decide which ids the input has.
    """

    files: tuple[str, ...]
    ids: int
    reading: Mapping[str, Any]

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
        return cls(tuple(file if file == "-" else os.path.realpath(file) for file in files), 0, options)

    @classmethod
    def of(cls, stored: Mapping[str, Any], state: Path) -> Place:
        """The place that a state file holds; :class:`InputError` if that is no place."""
        files, ids, reading = stored.get("file"), stored.get("ids"), stored.get("reading")
        named = [files] if isinstance(files, str) else files if isinstance(files, list) else []
        known = bool(named) and all(isinstance(file, str) for file in named)
        if not known or type(ids) is not int or ids < 0 or not isinstance(reading, dict):
            raise InputError(f"the state file {state} holds no place in an input")
        return cls(tuple(named), ids, reading)

    def to_dict(self, ids: int) -> dict[str, Any]:
        """JSON-ready, with the number of ids that are counted by now.

        Parameters
        ----------
        ids
            The number.
        """
        files = list(self.files)
        return {"file": files[0] if len(files) == 1 else files, "ids": ids, "reading": dict(self.reading)}

    @property
    def name(self) -> str:
        """The input, for messages."""
        return ", ".join("standard input" if file == "-" else file for file in self.files)
