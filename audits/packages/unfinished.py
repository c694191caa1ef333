"""The rows that a command has done, until it has done all: the next command goes on after them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from packages.environments import FOLDER

FILE = FOLDER / "unfinished.json"


class Done:
    """The rows that are done, kept on disk after each row.

    Parameters
    ----------
    file
        Where they are kept.
    """

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._rows = {tuple(row) for row in json.loads(file.read_text())} if file.is_file() else set()

    def __contains__(self, row: object) -> bool:
        return row in self._rows

    def add(self, package: str, slug: str) -> None:
        """Keep one more row."""
        self._rows.add((package, slug))
        self._write()

    def forget(self, packages: Collection[str]) -> None:
        """Begin these packages again."""
        self._rows = {row for row in self._rows if row[0] not in packages}
        if self._rows:
            self._write()
        else:
            self._file.unlink(missing_ok=True)

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(sorted(self._rows)))
