"""``panproof stream``: print a shipped or synthetic stream, one id to a line."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pan_audits.command_line import names
from pan_audits.command_line.values import LARGEST_SEED, MOST_USERS, argument, option, whole

MOST_IDS = 10**8
"""The longest synthetic stream, which takes 0.8 GB of memory."""
_SYNTHETIC = "For a synthetic stream; by default "


def stream(
    name: Annotated[
        str, argument(parse=names.any_stream, help="One of online-retail, nycflights13, uniform and zipf.")
    ],
    universe: Annotated[
        int | None,
        option("--universe", "-u", parse=whole(1, MOST_USERS), help=f"{_SYNTHETIC}100,000.", metavar="INTEGER"),
    ] = None,
    length: Annotated[
        int | None,
        option("--length", "-t", parse=whole(0, MOST_IDS), help=f"{_SYNTHETIC}100,000.", metavar="INTEGER"),
    ] = None,
    seed: Annotated[
        int | None, option("--seed", parse=whole(0, LARGEST_SEED), help=f"{_SYNTHETIC}fresh.", metavar="INTEGER")
    ] = None,
    attribution: Annotated[bool, typer.Option("--attribution", help="Print source and licence instead.")] = False,
) -> None:
    """Print a stream of ids to standard output, to be piped into ``panproof estimate``.

    Example: panproof stream nycflights13 | panproof estimate calibrated-bernoulli --epsilon 0.5 --hash 20000 -
    """
    from pan_audits.command_line.room import enough_room
    from pan_estimators.streams.generators import uniform_stream, zipf_stream
    from pan_estimators.streams.real import STREAMS, load_stream
    from pan_promises.errors import InputError

    if attribution:
        if name not in STREAMS:
            raise InputError(f"no attribution for {name!r}; there is one for {', '.join(STREAMS)}")
        print(STREAMS[name])
        return
    if name == "uniform":
        with enough_room("this stream"):
            ids = uniform_stream(universe=universe or 10**5, length=_length(length), seed=seed)
    elif name == "zipf":
        if universe is not None and universe > MOST_IDS:
            raise InputError(
                f"--universe must be at most {MOST_IDS} for a Zipf stream, since its probabilities are kept in "
                f"memory, got {universe}"
            )
        with enough_room("this stream"):
            ids = zipf_stream(universe=universe or 10**5, length=_length(length), seed=seed)
    else:
        if (universe, length, seed) != (None, None, None):
            raise InputError(f"--universe, --length and --seed are for a synthetic stream; {name} is a recorded one")
        ids = load_stream(name).ids
    for start in range(0, ids.size, 2**16):
        sys.stdout.write("\n".join(map(str, ids[start : start + 2**16].tolist())) + "\n")


def _length(length: int | None) -> int:
    return 10**5 if length is None else length
