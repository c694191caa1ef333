"""Options that say how ids are read."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from pan_audits.cli.names import choice
from pan_estimators.reading.options import IdKind, MissingPolicy, Reading


class InputFormat(StrEnum):
    """Formats of the input."""

    AUTO = "auto"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    ARROW = "arrow"
    JSONL = "jsonl"
    TEXT = "text"


Column = Annotated[
    str | None,
    typer.Option("--column", "-c", help="Column with the ids: its name, or with --no-header its number."),
]
Format = Annotated[
    InputFormat,
    choice(
        "--format",
        InputFormat,
        "Format of the input. auto: by the suffix of the file, .csv, .tsv, .jsonl, .parquet or .arrow, also followed "
        "by .gz or .zst (except Parquet); any other file is text with one id per line.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first row of a CSV file holds names; default: yes."),
]
Ids = Annotated[
    IdKind | None,
    choice(
        "--ids",
        IdKind,
        "Kind of the ids. text: as written, so that 007 and 7 are two ids. integer: plain decimal digits, and "
        "007 is an error. Default: integer with --universe and for integer columns of Parquet, else text.",
    ),
]
Missing = Annotated[
    MissingPolicy,
    choice(
        "--missing",
        MissingPolicy,
        "Missing ids (null, NaN, an empty or blank field, quoted or not, a blank line). fail: an error. skip: "
        "leave them out, and print their exact number, which no promise covers. count: take all of them as one id.",
    ),
]
MissingText = Annotated[
    list[str] | None,
    typer.Option("--missing-text", help="Text that stands for a missing id, such as NA; can be repeated."),
]


def reading_of(
    column: str | None,
    kind: InputFormat,
    header: bool | None,
    ids: IdKind | None,
    missing: MissingPolicy,
    missing_texts: list[str] | None,
) -> Reading:
    """The reading of ids, by the options."""
    return Reading(
        column=column,
        kind=str(kind),
        header=header,
        ids=ids,
        missing=missing,
        missing_texts=tuple(missing_texts or ()),
    )


def print_skipped(skipped: int) -> None:
    """Say on standard error how many missing ids were left out."""
    if skipped:
        ids_were = "missing id was" if skipped == 1 else "missing ids were"
        print(f"panproof: {skipped} {ids_were} left out (no promise covers this exact number)", file=sys.stderr)
