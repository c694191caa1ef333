"""The place in an input at which an interrupted run stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
    file
        The input.
    ids
        The number of ids that are counted.
    reading
        The options that decide which ids the input has.
    """

    file: str
    ids: int
    reading: Mapping[str, Any]

    @classmethod
    def beginning(cls, file: str, reading: Reading) -> Place:
        """The beginning of an input."""
        options = {
            "column": reading.column,
            "format": reading.kind,
            "header": reading.header,
            "ids": None if reading.ids is None else str(reading.ids),
            "missing": str(reading.missing),
            "missing_text": list(reading.missing_texts),
        }
        return cls(file if file == "-" else os.path.realpath(file), 0, options)

    @classmethod
    def of(cls, stored: Mapping[str, Any], state: Path) -> Place:
        """The place that a state file holds; :class:`InputError` if that is no place."""
        file, ids, reading = stored.get("file"), stored.get("ids"), stored.get("reading")
        if not isinstance(file, str) or type(ids) is not int or ids < 0 or not isinstance(reading, dict):
            raise InputError(f"the state file {state} holds no place in an input")
        return cls(file, ids, reading)

    @property
    def name(self) -> str:
        """The input, for messages."""
        return "standard input" if self.file == "-" else self.file
