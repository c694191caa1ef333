"""Options that say how ids are read."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pan_audits.sources import Reading


class IdKind(StrEnum):
    """Kinds of ids; as in the package that reads them, which an overview of the commands does not need."""

    TEXT = "text"
    INTEGER = "integer"


class MissingPolicy(StrEnum):
    """How missing ids are treated; as there."""

    FAIL = "fail"
    SKIP = "skip"
    COUNT = "count"


class Kind(StrEnum):
    """Formats of the input."""

    AUTO = "auto"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    TEXT = "text"


Column = Annotated[
    str | None,
    typer.Option("--column", "-c", help="Column with the ids: its name, or with --no-header its number."),
]
Format = Annotated[
    Kind,
    typer.Option(
        "--format",
        help="Format of the input; auto goes by the suffix of the file: .csv, .tsv, .parquet, with .gz or .zst behind "
        "it; any other is text, one id to a line.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first row of a CSV file holds names; by default it does."),
]
Ids = Annotated[
    IdKind | None,
    typer.Option(
        "--ids",
        help="Text, as it is written: 007 and 7 are two ids; or integers, in plain decimal digits: 007 is refused. By "
        "default integers with --universe and in columns of integers in Parquet, else text.",
    ),
]
Missing = Annotated[
    MissingPolicy,
    typer.Option(
        "--missing",
        help="Missing ids (null, NaN, an empty or blank field, quoted or not, a blank line): fail; skip leaves them "
        "out and tells their exact number, which no promise covers; count takes all of them as one id.",
    ),
]
MissingText = Annotated[
    list[str] | None,
    typer.Option("--missing-text", help="Text that stands for a missing id, such as NA; can be repeated."),
]


def reading_of(
    column: str | None,
    kind: Kind,
    header: bool | None,
    ids: IdKind | None,
    missing: MissingPolicy,
    missing_texts: list[str] | None,
) -> Reading:
    """How ids are read, by the options."""
    from pan_audits import sources

    return sources.Reading(
        column=column,
        kind=str(kind),
        header=header,
        ids=None if ids is None else sources.IdKind(str(ids)),
        missing=sources.MissingPolicy(str(missing)),
        missing_texts=tuple(missing_texts or ()),
    )
