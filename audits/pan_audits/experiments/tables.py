"""The data of the figures and the verdicts, as files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from enum import StrEnum
from pathlib import Path
from typing import Any

from pan_audits.experiments.experiment import COLUMNS, Experiment, Row
from pan_audits.experiments.sentence import Judgement
from pan_estimators import MissingExtraError


class Format(StrEnum):
    """Formats of the data."""

    CSV = "csv"
    PARQUET = "parquet"

    def require(self) -> None:
        """Raise :class:`MissingExtraError` if the format needs a library that is not installed."""
        if self is Format.PARQUET:
            _arrow()


def write_rows(folder: Path, name: str, rows: Sequence[Row], file_format: Format) -> Path:
    """Write the data of a figure; what does not apply is left empty, or is null in Parquet."""
    path = folder / f"{name}.{file_format}"
    if file_format is Format.PARQUET:
        arrow, parquet = _arrow()
        table = arrow.table(
            {column: [getattr(row, column) for row in rows] for column in COLUMNS}, schema=_schema(arrow)
        )
        parquet.write_table(table, path)
        return path
    return _write_csv(path, COLUMNS, map(astuple, rows))


def write_judgements(folder: Path, experiment: Experiment, judgements: Sequence[Judgement], seed: int) -> Path:
    """Write the verdicts of a figure as JSON."""
    path = folder / f"{experiment.name}.json"
    content = {
        "panproof": 1,
        "figure": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "claims": list(experiment.claims),
        "seed": seed,
        "sentences": [judgement.to_dict() for judgement in judgements],
    }
    path.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n")
    return path


def write_verdicts(folder: Path, judgements: Sequence[Judgement]) -> Path:
    """Write all verdicts as one table."""
    rows = [judgement.to_dict() for judgement in judgements]
    return _write_csv(folder / "verdicts.csv", tuple(rows[0]), (tuple(row.values()) for row in rows))


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "files") from None
    return arrow, parquet


def _schema(arrow: Any) -> Any:
    texts, counts = {"panel", "series", "kind", "stream"}, {"repetitions", "sample_size"}
    return arrow.schema(
        [
            (column, arrow.string() if column in texts else arrow.int64() if column in counts else arrow.float64())
            for column in COLUMNS
        ]
    )
