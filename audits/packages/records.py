"""Results on disk: one file for each package in audits/packages/results, from which the page is written.

A row that was measured for another pin or another promise is no result of the row today.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES
from packages.environments import FOLDER
from packages.judged import replay
from packages.rows import Package, Row


def replays(package: Package) -> dict[str, bool]:
    """By row, whether its witness refutes again: with the same counts, unless the package draws from the system."""
    found = {}
    for row in package.rows:
        file, unseeded = witness_of(package, row), row.of_the_system or package.of_the_system
        if file.is_file():
            told = replay(json.loads(file.read_text()), row)
            found[row.slug] = told["replayed"] == "REFUTED" and (told["identical"] or unseeded)
    return found


if __name__ == "__main__":
    print(json.dumps(replays(next(each for each in PACKAGES if each.name == sys.argv[1]))))


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


RESULTS = Path(__file__).with_name("results")
WITNESSES = Path(__file__).with_name("witnesses")

Result = dict[str, Any]


def about(package: Package, row: Row) -> str:
    """A digest of the pins and of everything that the measurement of a row depends on in the table."""
    told = [package.pins, package.version, row.estimator, row.inputs, row.parameters, row.promise, row.runs]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def results_of(package: Package) -> dict[str, Result]:
    """The results of the rows of a package that are about the table as it is now."""
    kept, now = _read(package), {row.slug: about(package, row) for row in package.rows}
    return {slug: found for slug, found in kept.items() if found["about"] == now.get(slug)}


def keep(package: Package, row: Row, found: Result, witness: Result | None = None) -> None:
    """Write the result of a row, and its witness or none."""
    kept = _read(package) | {row.slug: found | {"about": about(package, row)}}
    ordered = {each.slug: kept[each.slug] for each in package.rows if each.slug in kept}
    RESULTS.mkdir(exist_ok=True)
    _write(RESULTS / f"{package.name}.json", ordered)
    file = WITNESSES / package.name / f"{row.slug}.json"
    if witness is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(file, witness)


def witness_of(package: Package, row: Row) -> Path:
    """The file of a row's witness, which is there if the row is refuted."""
    return WITNESSES / package.name / f"{row.slug}.json"


def _read(package: Package) -> dict[str, Result]:
    file = RESULTS / f"{package.name}.json"
    return json.loads(file.read_text()) if file.is_file() else {}


_LONG = 50_000


def _write(file: Path, document: object) -> None:
    """Whole or not at all, since a command can be stopped at any time."""
    new = file.with_suffix(".new")
    text = json.dumps(document, indent=1)
    # A learned score has thousands of numbers, which nobody reads line by line.
    new.write_text((text if len(text) < _LONG else json.dumps(document)) + "\n")
    new.replace(file)
