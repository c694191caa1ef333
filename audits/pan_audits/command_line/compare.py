"""``panproof compare``: the density estimators at equal memory."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from pan_audits.command_line.options import Jobs, Json, Seed, print_json
from pan_audits.command_line.values import budget, option, whole


def compare(
    bits: Annotated[
        int,
        option(
            "--bits",
            "-b",
            parse=whole(1, 10**9),
            help="Room for the state, everything in it counted.",
            metavar="INTEGER",
        ),
    ] = 20_000,
    epsilon: Annotated[
        float,
        option("--epsilon", "-e", parse=budget, help="Half of the promise, in nats: 0.2 or log(3/2).", metavar="NATS"),
    ] = 0.2,
    stream: Annotated[
        str, typer.Option(help="online-retail, nycflights13, or of 100,000 users and updates: uniform, zipf.")
    ] = "online-retail",
    runs: Annotated[
        int, option("--runs", parse=whole(1, 10**9), help="Runs of each estimator.", metavar="INTEGER")
    ] = 300,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Compare the estimators of the density of a stream of insertions at equal memory.

    Each gets the largest sample for which its whole state, ids and keys included, fits into that many
    bits, and is run on the stream. The table shows the root mean squared error, and the exact privacy
    loss beside the promised one. A broken promise is no error here: the exit code is 0, and 2 for bad input.

    Example: panproof compare --stream uniform --bits 20000 --epsilon 0.2
    """
    from pan_audits.command_line.progress import spinner
    from pan_audits.comparison import compare as run_comparison
    from pan_audits.reports.comparison import render_comparison
    from pan_audits.reports.text import console

    began = time.perf_counter()
    with spinner("compare") as progress:
        found = run_comparison(
            bits=bits,
            epsilon=epsilon,
            stream=stream,
            runs=runs,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(render_comparison(found, seconds=time.perf_counter() - began))
