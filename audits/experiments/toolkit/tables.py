"""The data of the figures and the verdicts, as files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from enum import StrEnum
from pathlib import Path
from typing import Any

from experiments.toolkit.experiment import COLUMNS, Row
from experiments.toolkit.sentence import Judgement
from pan_promises.errors import InputError, MissingExtraError


class Format(StrEnum):
    """Formats of the data."""

    CSV = "csv"
    PARQUET = "parquet"

    def require(self) -> None:
        """Raise :class:`MissingExtraError` if the format needs a library that is not installed."""
        if self is Format.PARQUET:
            _arrow()


def write_rows(folder: Path, name: str, rows: Sequence[Row], file_format: Format) -> Path:
    """Write the data of a figure. A missing value is empty, or null in Parquet."""
    return write_table(folder, name, COLUMNS, map(astuple, rows), file_format)


def write_table(
    folder: Path, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], file_format: Format
) -> Path:
    """Write a table. ``None`` is empty, or null in Parquet."""
    path = folder / f"{name}.{file_format}"
    if file_format is Format.CSV:
        return _write_csv(path, columns, rows)
    arrow, parquet = _arrow()
    values = zip(columns, zip(*rows, strict=True), strict=True)
    with _writing(path):
        parquet.write_table(arrow.table({column: _typed(arrow, column, found) for column, found in values}), path)
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
    return _write_csv(folder / "verdicts.csv", tuple(rows[0]), (tuple(row.values()) for row in rows))


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with _writing(path), path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Report a file that cannot be written, in one sentence."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror or problem}") from None


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "files") from None
    return arrow, parquet


def _typed(arrow: Any, column: str, values: Sequence[Any]) -> Any:
    """A column. Some columns have a fixed type, since all their values may be null."""
    kinds = {"stream": arrow.string(), "repetitions": arrow.int64(), "sample_size": arrow.int64()}
    kinds |= dict.fromkeys(("epsilon", "x", "value", "low", "high"), arrow.float64())
    return arrow.array(values, type=kinds.get(column))
