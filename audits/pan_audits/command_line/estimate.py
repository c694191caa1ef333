"""``panproof estimate``: count a stream of ids."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.options import Alpha, Beta, Epsilon, Json, SampleSize, Universe, print_json


class Kind(StrEnum):
    """Formats of the input."""

    AUTO = "auto"
    CSV = "csv"
    PARQUET = "parquet"
    TEXT = "text"


def estimate(
    name: Annotated[str, typer.Argument(help="A shipped estimator; see panproof list.")],
    file: Annotated[str, typer.Argument(help="CSV, Parquet or text, gzip or zstd, or - for standard input.")],
    epsilon: Epsilon = None,
    universe: Universe = None,
    first: Annotated[int, typer.Option(help="Smallest integer id of the universe.")] = 0,
    hash_cells: Annotated[
        int | None, typer.Option("--hash", help="Instead of --universe: hash any ids to so many cells.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Size of the state, ids of the sample included: bytes, or 32kbit, 4KiB, 1MB.")
    ] = None,
    sample_size: SampleSize = None,
    alpha: Alpha = None,
    beta: Beta = None,
    column: Annotated[str | None, typer.Option("--column", "-c", help="Column with the ids.")] = None,
    kind: Annotated[Kind, typer.Option("--format", help="Format of the input.")] = Kind.AUTO,
    level: Annotated[float, typer.Option(help="Confidence of the interval.")] = 0.95,
    seed: Annotated[int | None, typer.Option(help="Reproducible and therefore not private; for tests.")] = None,
    load: Annotated[Path | None, typer.Option(help="Go on from this state file.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Save the state to this file; whoever reads it is an intruder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate the density and the distinct count of a stream of ids, in constant memory.

    Ids are integers of a universe (--universe, --first), or anything at all, hashed (--hash). The
    size of the state comes from --memory, --sample-size, or --alpha and --beta; with none of them,
    every user has a cell. The interval accounts for the sampling of users, their random cells, the
    noise of the output, and for hash collisions. Nothing else about the stream is printed, not even
    its length: the promise does not cover it.

    Example: panproof estimate optimal-bernoulli --epsilon 0.5 --universe 1000000 --memory 4096
    --column customer_id sales.csv
    """
    from pan_audits.command_line.estimation import consume, released, start, user_universe
    from pan_estimators import save_state

    users = user_universe(universe, first, hash_cells)
    parameters = {"universe": users, "epsilon": epsilon, "sample_size": sample_size, "alpha": alpha, "beta": beta}
    estimator, state, randomness = start(name, parameters, memory, seed, load)
    state = consume(estimator, state, randomness, file, column, str(kind))
    if save:
        save_state(save, estimator, state)
    result = released(estimator, state, randomness, level)
    if as_json:
        print_json(result.to_dict())
    else:
        for line in result.lines():
            print(line)
