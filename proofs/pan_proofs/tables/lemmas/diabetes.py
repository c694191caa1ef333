"""The columns of the Diabetes data set: numbers of values and of missing entries, and the command that counts them.

Source: Clore, Cios, DeShazo, Strack (2014), Diabetes 130-US Hospitals for Years 1999-2008, UCI Machine Learning
Repository, doi 10.24432/C5230J, licence CC BY 4.0. ``python -m pan_proofs.tables.lemmas.diabetes FILE.zip`` prints the
table again from the file as it is distributed.
"""

from __future__ import annotations

import csv
import io
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

Column = tuple[str, int, int, int]
"""Name, number of values, number of missing entries, and number of values in the first records of the patients.

A missing entry, ``?``, is a value.
"""

Range = tuple[str, int, int]
"""Name, least and largest value."""
_DIAGNOSES = ("diag_1", "diag_2", "diag_3")
_FILE, _PATIENT, _MISSING = "diabetic_data.csv", "patient_nbr", "?"


def _rows(path: Path) -> list[dict[str, str]]:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(_FILE)]
        if not names:
            raise KeyError(f"{path} holds no {_FILE}")
        return list(csv.DictReader(io.StringIO(archive.read(names[0]).decode())))


def ranges_of(path: Path) -> Iterator[Range]:
    """The least and the largest value of the columns to which a criterion of inclusion refers.

    Parameters
    ----------
    path
        The zip file as it is distributed.

    Yields
    ------
    tuple
        A column, its least and its largest value.
    """
    rows = _rows(path)
    for name, _, _ in RANGES:
        values = [int(row[name]) for row in rows]
        yield name, min(values), max(values)


def without_diabetes(path: Path) -> tuple[int, int]:
    """The number of records that show no diagnosis of diabetes, and of those among them that show all of theirs.

    A code of diabetes begins with 250.

    Parameters
    ----------
    path
        The zip file as it is distributed.
    """
    shown = [
        ([row[name] for name in _DIAGNOSES if row[name] != _MISSING], int(row["number_diagnoses"]))
        for row in _rows(path)
    ]
    without = [(codes, number) for codes, number in shown if not any(code.startswith("250") for code in codes)]
    return len(without), sum(number <= len(codes) for codes, number in without)


def columns_of(path: Path) -> Iterator[Column]:
    """Count the columns of the data set.

    Parameters
    ----------
    path
        The zip file as it is distributed.

    Yields
    ------
    tuple
        A column.

    Raises
    ------
    KeyError
        If the archive has no such table.
    """
    rows = _rows(path)
    first = {row[_PATIENT]: row for row in reversed(rows)}.values()
    for name in rows[0]:
        every, missing = {row[name] for row in rows}, sum(row[name] == _MISSING for row in rows)
        yield name, len(every), missing, len({row[name] for row in first})


def most_records(path: Path) -> int:
    """The largest number of records of one patient.

    Parameters
    ----------
    path
        The zip file as it is distributed.
    """
    return max(Counter(row[_PATIENT] for row in _rows(path)).values())


COLUMNS: tuple[Column, ...] = (
    ("encounter_id", 101766, 0, 71518),
    ("patient_nbr", 71518, 0, 71518),
    ("race", 6, 2273, 6),
    ("gender", 3, 0, 3),
    ("age", 10, 0, 10),
    ("weight", 10, 98569, 10),
    ("admission_type_id", 8, 0, 8),
    ("discharge_disposition_id", 26, 0, 26),
    ("admission_source_id", 17, 0, 17),
    ("time_in_hospital", 14, 0, 14),
    ("payer_code", 18, 40256, 18),
    ("medical_specialty", 73, 49949, 71),
    ("num_lab_procedures", 118, 0, 116),
    ("num_procedures", 7, 0, 7),
    ("num_medications", 75, 0, 75),
    ("number_outpatient", 39, 0, 33),
    ("number_emergency", 33, 0, 18),
    ("number_inpatient", 21, 0, 13),
    ("diag_1", 717, 21, 697),
    ("diag_2", 749, 358, 726),
    ("diag_3", 790, 1423, 759),
    ("number_diagnoses", 16, 0, 16),
    ("max_glu_serum", 4, 0, 4),
    ("A1Cresult", 4, 0, 4),
    ("metformin", 4, 0, 4),
    ("repaglinide", 4, 0, 4),
    ("nateglinide", 4, 0, 4),
    ("chlorpropamide", 4, 0, 4),
    ("glimepiride", 4, 0, 4),
    ("acetohexamide", 2, 0, 2),
    ("glipizide", 4, 0, 4),
    ("glyburide", 4, 0, 4),
    ("tolbutamide", 2, 0, 2),
    ("pioglitazone", 4, 0, 4),
    ("rosiglitazone", 4, 0, 4),
    ("acarbose", 4, 0, 3),
    ("miglitol", 4, 0, 4),
    ("troglitazone", 2, 0, 2),
    ("tolazamide", 3, 0, 2),
    ("examide", 1, 0, 1),
    ("citoglipton", 1, 0, 1),
    ("insulin", 4, 0, 4),
    ("glyburide-metformin", 4, 0, 4),
    ("glipizide-metformin", 2, 0, 2),
    ("glimepiride-pioglitazone", 2, 0, 1),
    ("metformin-rosiglitazone", 2, 0, 2),
    ("metformin-pioglitazone", 2, 0, 2),
    ("change", 2, 0, 2),
    ("diabetesMed", 2, 0, 2),
    ("readmitted", 3, 0, 3),
)
"""The columns in the order of the file. The number of values of an identifier is that of its records, or patients."""

RANGES: tuple[Range, ...] = (
    ("time_in_hospital", 1, 14),
    ("num_lab_procedures", 1, 132),
    ("num_medications", 1, 81),
)
"""Days in hospital, laboratory tests and medications of a record."""

WITHOUT_DIABETES = (63742, 0)
"""Records that show no diagnosis of diabetes, and those of them that show all of their diagnoses."""

MOST_RECORDS = 40
"""The largest number of records of one patient."""

if __name__ == "__main__":
    print(*(f"    {column!r}," for column in columns_of(Path(sys.argv[1]))), sep="\n")
    print(*(f"    {one!r}," for one in ranges_of(Path(sys.argv[1]))), without_diabetes(Path(sys.argv[1])), sep="\n")
    print(most_records(Path(sys.argv[1])))
