"""The Diabetes records that the package contains, and the steps that make them from the file as it is distributed.

``python -m pan_estimators.tables.diabetes FILE.zip`` makes the shipped files again.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown

ATTRIBUTION = (
    "Clore, Cios, DeShazo, Strack (2014), Diabetes 130-US Hospitals for Years 1999-2008, UCI Machine Learning "
    "Repository, doi 10.24432/C5230J, CC BY 4.0. Identifiers, three attributes with many missing values and two "
    "constant attributes were dropped; diagnoses were reduced to nine groups; the first record of each patient is kept."
)
"""Authors, source, changes and licence."""

_FOLDER = files("pan_estimators.tables") / "data"
_ROWS, _SCHEMA = "diabetes.npz", "diabetes.schema.json"
_FILE, _PATIENT = "diabetic_data.csv", "patient_nbr"
_DIAGNOSES = ("diag_1", "diag_2", "diag_3")
_MANY_MISSING = 0.3
"""The share of missing values from which on an attribute is dropped. No attribute has a share between .03 and .39."""

_GROUPS = (
    ("circulatory", 390, 459, 785),
    ("respiratory", 460, 519, 786),
    ("digestive", 520, 579, 787),
    ("genitourinary", 580, 629, 788),
    ("neoplasms", 140, 239, None),
    ("musculoskeletal", 710, 739, None),
    ("injury", 800, 999, None),
)
"""Groups of ICD-9 codes: a range, and a code of a symptom. Diabetes and all others make nine."""

_ORDERED = ("age",)


@cache
def load_diabetes() -> Table:
    """One record of each of 71,518 patients in US hospitals, 1999 to 2008, with 43 attributes.

    The domains are the values that occur in all 101,766 records of the file.
    """
    schema = Schema.of(json.loads((_FOLDER / _SCHEMA).read_text(encoding="utf-8")))
    with (_FOLDER / _ROWS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        codes = stored["codes"].T.astype(np.int64)
    codes.setflags(write=False)
    return Table(schema, codes)


def records_of(path: Path) -> list[dict[str, str]]:
    """The records of the distributed file, as texts."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                name = next((one for one in archive.namelist() if one.endswith(_FILE)), None)
                content = archive.read(name) if name else b""
        else:
            content = path.read_bytes()
        records = list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError, csv.Error) as problem:
        reason = getattr(problem, "strerror", None) or "it is no zip file and no CSV file in UTF-8"
        raise InputError(f"cannot read {shown(str(path))}: {reason}") from None
    if not records or any(name not in records[0] for name in (_PATIENT, *_DIAGNOSES)):
        raise InputError(f"{shown(str(path))} holds no records of {_FILE}")
    return records


def prepared(records: Sequence[Mapping[str, str]]) -> Table:
    """The steps of the thesis: attributes are dropped, diagnoses are grouped, one record of each patient is kept."""
    columns = {name: [record[name] for record in records] for name in records[0]}
    columns |= {name: [group_of(code) for code in columns[name]] for name in _DIAGNOSES}
    kept = {
        name: column
        for name, column in columns.items()
        if not name.endswith(("_nbr", "encounter_id"))
        and column.count("?") <= _MANY_MISSING * len(column)
        and len(set(column)) > 1
    }
    schema = Schema(tuple(_attribute(name, column) for name, column in kept.items()))
    patients: dict[str, int] = {}
    for place, patient in enumerate(columns[_PATIENT]):
        patients.setdefault(patient, place)
    numbers = {one.name for one in schema.attributes if isinstance(one.values[0], int)}
    first = {
        name: [int(column[place]) if name in numbers else column[place] for place in patients.values()]
        for name, column in kept.items()
    }
    return Table.of(first, schema)


def group_of(code: str) -> str:
    """The group of an ICD-9 code; a missing code is in the group of all others."""
    if not code[:1].isdigit():
        return "other"
    number = int(float(code))
    if number == 250:
        return "diabetes"
    found = (name for name, low, high, symptom in _GROUPS if low <= number <= high or number == symptom)
    return next(found, "other")


def _attribute(name: str, column: Sequence[str]) -> Attribute:
    values: list[Any] = sorted(set(column))
    numbers = all(value.isdigit() for value in values)
    if numbers:
        values = sorted(map(int, values))
    return Attribute(name, tuple(values), ordered=(numbers and not name.endswith("_id")) or name in _ORDERED)


def write(table: Table, folder: Path) -> None:
    """Write the files that :func:`load_diabetes` reads."""
    np.savez_compressed(folder / _ROWS, codes=table.codes.T.astype(np.uint8))
    (folder / _SCHEMA).write_text(json.dumps(table.schema.to_dict(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the file: python -m pan_estimators.tables.diabetes dataset_diabetes.zip")
    try:
        write(prepared(records_of(Path(sys.argv[1]))), Path(str(_FOLDER)))
    except InputError as problem:
        sys.exit(str(problem))
