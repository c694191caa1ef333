"""``panproof reproduce``: the experiments of the sources, made anew."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.options import Jobs, Json, print_json
from pan_audits.command_line.values import LARGEST_SEED, option, probability, whole

UNDECIDED = 3
"""Exit code if a sentence could not be decided."""


class DataFormat(StrEnum):
    """Formats of the data."""

    CSV = "csv"
    PARQUET = "parquet"


def reproduce(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="figure-1 to figure-7 (paper), thesis-4.1 to thesis-4.11, a claim of the ledger such as "
            "density.figure_4, real-streams, or all.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data, figures and verdicts.")],
    seed: Annotated[
        int,
        option(
            "--seed", parse=whole(0, LARGEST_SEED), help="Entropy of the streams and of all runs.", metavar="INTEGER"
        ),
    ] = 2022,
    jobs: Jobs = 2,
    error: Annotated[
        float, option("--error", parse=probability, help="Probability that any verdict is wrong.", metavar="FLOAT")
    ] = 1e-6,
    file_format: Annotated[DataFormat, typer.Option("--format", help="Format of the data.")] = DataFormat.CSV,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="What was tested and found, for every sentence.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the experiments of the paper and of the thesis anew, and judge every sentence about them.

    Each figure is run at its published size and drawn with confidence bands and the theoretical curves;
    its data, figure and verdicts are written to a folder, for several with a page that holds all. A verdict
    is about the true error or probability, from fresh runs, many more than are plotted. The target real-streams
    shows what estimators publish on two real streams beside what an intruder learns there, and tries their
    promises on them. The exit code is 0 if every sentence is decided, whichever way, 3 if one is not, and 2
    for bad input.

    Example: panproof reproduce figure-4 --out figures
    """
    from pan_audits.command_line.progress import spinner
    from pan_audits.experiments import setting
    from pan_audits.experiments.registry import resolve
    from pan_audits.experiments.reproduction import reproduce as make
    from pan_audits.experiments.request import Request
    from pan_audits.experiments.tables import Format
    from pan_audits.reports.reproduction import print_reproduction
    from pan_audits.reports.text import console

    began = time.perf_counter()
    with spinner("reproduce") as progress:
        request = Request(
            names=tuple(dict.fromkeys(name for target in targets for name in resolve(target))),
            folder=out,
            seed=seed,
            jobs=jobs,
            error=error,
            file_format=Format(file_format.value),
            setting=setting.PUBLISHED,
            progress=progress,
        )
        found = make(request)
    if as_json:
        print_json(found.to_dict())
    else:
        print_reproduction(console(), found, folder=out, seconds=time.perf_counter() - began, verbose=verbose)
    if not found.decided:
        raise typer.Exit(UNDECIDED)
