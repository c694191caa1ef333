"""``python -m experiments reproduce``: reproduce the experiments of the sources."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from experiments.toolkit.printed import print_reproduction
from experiments.toolkit.registry import resolve
from experiments.toolkit.reproduction import reproduce as make
from experiments.toolkit.request import Request
from experiments.toolkit.runs import DEFAULT_SEED
from experiments.toolkit.tables import Format
from pan_audits.command_line import names
from pan_audits.command_line.options import Jobs, Json
from pan_audits.command_line.output import print_json
from pan_audits.command_line.progress import spinner
from pan_audits.command_line.usage import formerly
from pan_audits.command_line.values import argument, option, probability, seed_option
from pan_audits.reports.text import console
from pan_audits.statistics import DEFAULT_ERROR

UNDECIDED = 3
"""Exit code if a sentence could not be decided."""


def _experiment(text: str, _: str) -> str:
    """An experiment, a claim that one is about, or ``all``."""
    resolve(text)
    return text


@formerly(format="data_format")
def reproduce(
    targets: Annotated[
        list[str],
        argument(
            parse=_experiment,
            metavar="TARGET...",
            help="figure-1 to figure-7 (paper), thesis-3.4 to thesis-3.9, thesis-4.1 to thesis-4.11, a claim of the "
            "ledger such as density.figure_4, real-streams, turnstile, or all.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data, figures and verdicts.")],
    seed: Annotated[
        int,
        seed_option("Entropy of the streams and of all runs."),
    ] = DEFAULT_SEED,
    jobs: Jobs = 2,
    error: Annotated[
        float, option("--error", parse=probability, help="Probability that any verdict is wrong.", metavar="FLOAT")
    ] = DEFAULT_ERROR,
    file_format: Annotated[
        Format,
        option("--data-format", parse=names.one_of(Format), metavar="csv|parquet", help="Format of the data."),
    ] = Format.CSV,
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

    Example: python -m experiments reproduce figure-4 --out figures
    """
    began = time.perf_counter()
    with spinner("reproduce") as progress:
        request = Request(
            names=tuple(dict.fromkeys(name for target in targets for name in resolve(target))),
            folder=out,
            seed=seed,
            jobs=jobs,
            error=error,
            file_format=file_format,
            progress=progress,
        )
        found = make(request)
    if as_json:
        print_json(found.to_dict())
    else:
        print_reproduction(console(), found, folder=out, seconds=time.perf_counter() - began, verbose=verbose)
    if not found.decided:
        raise typer.Exit(UNDECIDED)
