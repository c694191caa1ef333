"""The formats of a stream of insertions and deletions. The overview of the commands imports these names alone."""

from __future__ import annotations

from enum import StrEnum


class EntryFormat(StrEnum):
    """Formats of a stream."""

    AUTO = "auto"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"
