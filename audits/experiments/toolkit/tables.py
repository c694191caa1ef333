"""The data of the figures and the verdicts, as files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from experiments.toolkit.experiment import COLUMNS, Row
from experiments.toolkit.sentence import Judgement
from pan_promises.errors import InputError


def write_rows(folder: Path, name: str, rows: Sequence[Row]) -> Path:
    """Write the data of a figure. A missing value is empty."""
    return write_table(folder, name, COLUMNS, map(astuple, rows))


def write_table(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Write a table. ``None`` is empty."""
    path = folder / f"{name}.csv"
    with _writing(path), path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def write_judgements(
    folder: Path, name: str, about: Mapping[str, Any], judgements: Sequence[Judgement], seed: int
) -> Path:
    """Write the verdicts of an experiment as JSON, after its description."""
    path = folder / f"{name}.json"
    sentences = [judgement.to_dict() for judgement in judgements]
    content = {"panproof": 1, **about, "seed": seed, "sentences": sentences}
    with _writing(path):
        path.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n")
    return path


def write_verdicts(folder: Path, judgements: Sequence[Judgement]) -> Path:
    """Write all verdicts as one table."""
    rows = [judgement.to_dict() for judgement in judgements]
    return write_table(folder, "verdicts", tuple(rows[0]), (tuple(row.values()) for row in rows))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Report a file that cannot be written, in one sentence."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror or problem}") from None
