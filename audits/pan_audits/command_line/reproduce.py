"""``panproof reproduce``: reproduce the experiments of the sources."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line import names
from pan_audits.command_line.options import Jobs, Json, print_json
from pan_audits.command_line.values import argument, option, probability, seed_option

UNDECIDED = 3
"""Exit code if a sentence could not be decided."""


class DataFormat(StrEnum):
    """Formats of the data."""

    CSV = "csv"
    PARQUET = "parquet"


def reproduce(
    targets: Annotated[
        list[str],
        argument(
            parse=names.experiment,
            metavar="TARGET...",
            help="figure-1 to figure-7 (paper), thesis-3.4 to thesis-3.9, thesis-4.1 to thesis-4.11, a claim of the "
            "ledger such as density.figure_4, real-streams, turnstile, or all.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data, figures and verdicts.")],
    seed: Annotated[
        int,
        seed_option("Entropy of the streams and of all runs."),
    ] = 2022,
    jobs: Jobs = 2,
    error: Annotated[
        float, option("--error", parse=probability, help="Probability that any verdict is wrong.", metavar="FLOAT")
    ] = 1e-6,
    file_format: Annotated[
        DataFormat,
        option("--format", parse=names.one_of(DataFormat), metavar="csv|parquet", help="Format of the data."),
    ] = DataFormat.CSV,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show for every sentence the test and its result.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Reproduce the experiments of the paper and of the thesis, and judge every sentence about them.

    Each figure is run at its published size and drawn with confidence bands and the theoretical curves;
    its data, figure and verdicts are written to a folder, for several with a page that holds all. A verdict is about
    the true error or probability, from fresh runs, many more than the plots show. The target real-streams shows the
    estimates on two real streams and the knowledge of an intruder, and tests the promises there. The target turnstile
    measures counters of present elements, attacks them, and shows their counts over time. The exit code is 0 if every
    sentence is decided, 3 if one is not, and 2 for bad input.

    Example: panproof reproduce figure-4 --out figures
    """
    from pan_promises.extras import require_extra

    require_extra("panproof reproduce", "suite", "numba")
    from pan_audits.command_line.progress import spinner
    from pan_audits.reports.text import console
    from pan_audits.reproduction.printed import print_reproduction
    from pan_audits.reproduction.registry import resolve
    from pan_audits.reproduction.reproduction import reproduce as make
    from pan_audits.reproduction.request import Request
    from pan_audits.reproduction.tables import Format

    began = time.perf_counter()
    with spinner("reproduce") as progress:
        request = Request(
            names=tuple(dict.fromkeys(name for target in targets for name in resolve(target))),
            folder=out,
            seed=seed,
            jobs=jobs,
            error=error,
            file_format=Format(file_format.value),
            progress=progress,
        )
        found = make(request)
    if as_json:
        print_json(found.to_dict())
    else:
        print_reproduction(console(), found, folder=out, seconds=time.perf_counter() - began, verbose=verbose)
    if not found.decided:
        raise typer.Exit(UNDECIDED)
