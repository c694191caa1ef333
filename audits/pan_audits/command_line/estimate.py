"""``panproof estimate``: count a stream of ids."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.id_options import (
    Column,
    Format,
    Header,
    Ids,
    Kind,
    Missing,
    MissingPolicy,
    MissingText,
    reading_of,
)
from pan_audits.command_line.options import (
    Alpha,
    Beta,
    Epsilon,
    Json,
    Level,
    SampleSize,
    Universe,
    print_json,
)
from pan_audits.command_line.values import LARGEST_SEED, MOST_USERS, option, whole


def estimate(
    name: Annotated[str, typer.Argument(help="A shipped estimator; see panproof list.")],
    file: Annotated[str, typer.Argument(help="CSV, Parquet or text, gzip or zstd, or - for standard input.")],
    epsilon: Epsilon = None,
    universe: Universe = None,
    first: Annotated[
        int | None,
        option(
            "--first",
            parse=whole(-MOST_USERS, MOST_USERS),
            help="Smallest integer id of the universe; by default 0.",
            metavar="INTEGER",
        ),
    ] = None,
    hash_cells: Annotated[
        int | None,
        option(
            "--hash",
            parse=whole(1, MOST_USERS),
            help="Instead of --universe: hash any ids to so many cells.",
            metavar="CELLS",
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Size of the state, ids of the sample included: bytes, or 32kbit, 4KiB, 1MB.")
    ] = None,
    sample_size: SampleSize = None,
    alpha: Alpha = None,
    beta: Beta = None,
    column: Column = None,
    kind: Format = Kind.AUTO,
    header: Header = None,
    ids: Ids = None,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    seed: Annotated[
        int | None,
        option(
            "--seed",
            parse=whole(0, LARGEST_SEED),
            help="Reproducible and therefore not private; for tests.",
            metavar="INTEGER",
        ),
    ] = None,
    load: Annotated[Path | None, typer.Option(help="Go on from this state file.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Save the state to this file; whoever reads it is an intruder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate the density and the distinct count of a stream of ids, in constant memory.

    Ids are integers of a universe (--universe, --first), or anything at all, hashed (--hash); text is
    taken as it is written, white space included. The size of the state comes from --memory,
    --sample-size, or --alpha and --beta; with none of them, every user has a cell. With --load these
    may be left out, and must agree with the state where they are given. The interval accounts for the
    sampling of users, their random cells, the noise of the output, and for hash collisions. Nothing else
    about the stream is printed, not even its length: the promise does not cover it.

    Example: panproof estimate optimal-bernoulli --epsilon 0.5 --universe 1000000 --memory 4096
    --column customer_id sales.csv
    """
    from pan_audits.command_line.agreement import require_agreement
    from pan_audits.command_line.estimation import (
        consume,
        parse_bits,
        released,
        sample_in,
        start,
        user_universe,
    )
    from pan_audits.command_line.room import enough_room
    from pan_estimators import save_state

    reading = reading_of(column, kind, header, ids, missing, missing_text)
    users = user_universe(universe, first, hash_cells, load)
    parameters = {"universe": users, "epsilon": epsilon, "sample_size": sample_size, "alpha": alpha, "beta": beta}
    with enough_room("this estimate"):
        estimator, state, randomness = start(name, parameters, memory, seed, load)
        if load is not None:
            require_agreement(
                load,
                estimator,
                universe=universe,
                first=first,
                hash_cells=hash_cells,
                accuracy={"alpha": alpha, "beta": beta},
                bits=None if memory is None else parse_bits(memory),
                sample_of=sample_in,
            )
        state = consume(estimator, state, randomness, file, reading)
        if save:
            save_state(save, estimator, state)
        result = released(estimator, state, randomness, level)
    skipped = reading.tally.skipped
    if as_json:
        print_json(result.to_dict() | ({"missing_skipped": skipped} if missing is MissingPolicy.SKIP else {}))
    else:
        for line in result.lines():
            print(line)
        if skipped:
            ids_were = "missing id was" if skipped == 1 else "missing ids were"
            print(
                f"panproof: {skipped} {ids_were} left out (an exact number, which no promise covers)", file=sys.stderr
            )
