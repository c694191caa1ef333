"""``panproof compare``: the density estimators at equal memory."""

from __future__ import annotations

import time
from typing import Annotated

from pan_audits.command_line import names
from pan_audits.command_line.options import Jobs, Json, Seed, print_json
from pan_audits.command_line.values import budget, option, whole_option, words


def compare(
    bits: Annotated[
        int,
        whole_option("--bits", "-b", most=10**9, help="Memory for the whole state, in bits."),
    ] = 20_000,
    epsilon: Annotated[
        float,
        option(
            "--epsilon",
            "-e",
            parse=budget,
            help="Half of the promise, in nats: 0.2 or log(3/2).",
            metavar="NATS",
        ),
    ] = 0.2,
    stream: Annotated[
        str,
        words(
            "--stream",
            parse=names.any_stream,
            help="online-retail, nycflights13, uniform or zipf; the last two have 100,000 users and updates.",
        ),
    ] = "online-retail",
    runs: Annotated[int, whole_option("--runs", most=10**9, help="Runs of each estimator.")] = 300,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Compare the estimators of the density of a stream of insertions at equal memory.

    Each estimator has the largest sample for which its whole state, with ids and keys, fits into ``--bits``. The table
    shows the root mean squared error, and the exact privacy loss beside the promised one. A broken promise is not an
    error of the command: the exit code is 0, and 2 for bad input.

    Example: panproof compare --stream uniform --bits 20000 --epsilon 0.2
    """
    from pan_audits.command_line.progress import spinner
    from pan_audits.comparing.comparison import compare as run_comparison
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
