"""The options of ``panproof count`` about panes, several releases and several machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.names import choice, one_of
from pan_audits.command_line.values import option, whole_option
from pan_audits.density.pane_use import Late

_MOST_RELEASES = 8

EveryText = Annotated[
    str | None,
    option(
        "--every",
        parse=lambda text, _: _distance(text),
        help="Panes with an output after each: a number of ids, or a time such as 15min, 1h, 1d. "
        "Times are those of --time-column, or of the clock for a pipe. Needs --releases or --fresh-panes.",
        metavar="N|TIME",
    ),
]
Releases = Annotated[
    int | None,
    whole_option(
        "--releases",
        most=_MOST_RELEASES,
        help="Number of releases of one counter, from 1 to 8; by default 1. Each counts all users so far, and one "
        "promise covers all. The last one ends the count.",
    ),
]
FreshPanes = Annotated[
    bool,
    typer.Option(
        "--fresh-panes",
        help="A new counter with a new key for each pane. The promise is for each pane: a user in k panes loses at "
        "most k times as much.",
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option("--time-column", help="Column of the times: ISO 8601, whole seconds since 1970, or times of Parquet."),
]
LatePolicy = Annotated[
    Late,
    choice(
        "--late",
        Late,
        "Ids whose time lies in a pane that has ended. fail: an error. count: count them in the present pane.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write the outputs of panes to this file; with --state each one once."),
]


Engine = Annotated[
    str | None,
    option(
        "--engine",
        parse=one_of(("dask",)),
        help="dask: divide the cells among the workers of a Dask cluster. Each file is read by one of them.",
        metavar="dask",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="Address of the Dask cluster; by default a new one on this machine."),
]
Jobs = Annotated[
    int | None,
    whole_option("--jobs", "-j", most=4096, help="Processes of a new cluster; by default the number of cores."),
]


def _distance(text: str) -> str:
    """The value of an option that was read without an error."""
    from pan_audits.sources.every import Every

    Every.parse(text)
    return text
