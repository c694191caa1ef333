"""``panproof estimate``: count a stream of ids."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from pan_audits.command_line.options import Alpha, Beta, Epsilon, Json, SampleSize, Universe, print_json
from pan_audits.command_line.state_options import (
    CheckpointText,
    KeyFile,
    Load,
    ReleaseOnly,
    Save,
    StateUse,
    UpdateOnly,
)


class Kind(StrEnum):
    """Formats of the input."""

    AUTO = "auto"
    CSV = "csv"
    PARQUET = "parquet"
    TEXT = "text"


def estimate(
    name: Annotated[str, typer.Argument(help="A shipped estimator; see panproof list.")],
    file: Annotated[
        str | None, typer.Argument(help="CSV, Parquet or text, gzip or zstd, or - for standard input.")
    ] = None,
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
    load: Load = None,
    save: Save = None,
    update_only: UpdateOnly = False,
    release_only: ReleaseOnly = False,
    checkpoint: CheckpointText = None,
    key_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Estimate the density and the distinct count of a stream of ids, in constant memory.

    Ids are integers of a universe (--universe, --first), or anything at all, hashed (--hash). The
    size of the state comes from --memory, --sample-size, or --alpha and --beta; with none of them,
    every user has a cell. The interval accounts for the sampling of users, their random cells, the
    noise of the output, and for hash collisions. Nothing else about the stream is printed, not even
    its length: the promise does not cover it.

    A stream may come in parts: --update-only --save STATE for the first, --load STATE for the last. A promise covers so
    many releases of one state, most often one; they are counted in its file, and after the last one the file holds
    nothing any more. A copy of the file that was made before is out of reach. Ctrl-C and SIGTERM save the state too.

    Example: panproof estimate optimal-bernoulli --epsilon 0.5 --universe 1000000 --memory 4096
    --column customer_id sales.csv
    """
    from pan_audits.command_line.estimation import consume, released, start, unreleased, user_universe
    from pan_audits.command_line.saving import StateKeeper

    use = StateUse.of(
        file=file,
        load=load,
        save=save,
        key_file=key_file,
        update_only=update_only,
        release_only=release_only,
        checkpoint=checkpoint,
    )
    use.require_release_options(level=level, column=column, kind=str(kind))
    given = not release_only or universe is not None or hash_cells is not None
    users = user_universe(universe, first, hash_cells) if given else None
    parameters = {"universe": users, "epsilon": epsilon, "sample_size": sample_size, "alpha": alpha, "beta": beta}
    estimator, state, randomness = start(name, parameters, memory, seed, load, key_file if load else None)
    keeper = StateKeeper(estimator, state, randomness, use)
    if file is not None:
        with keeper.watching(file):
            consume(keeper, file, column, str(kind))
    result = keeper.finish(lambda: released(estimator, keeper.state, randomness, level))
    if result is None:
        result = unreleased(estimator, keeper.state, randomness)
    if as_json:
        print_json(result.to_dict())
    else:
        for line in result.lines():
            print(line)
