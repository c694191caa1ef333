"""Results on disk: one file for each package in audits/packages/results, from which the page is written.

A row that was measured for another pin or another promise is no result of the row today.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from packages.definitions import Package, Row

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


def _write(file: Path, document: object) -> None:
    """Whole or not at all, since a command can be stopped at any time."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps(document, indent=1) + "\n")
    new.replace(file)
