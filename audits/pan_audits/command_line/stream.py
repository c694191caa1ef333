"""``panproof stream``: print a shipped or synthetic stream, one id to a line."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def stream(
    name: Annotated[str, typer.Argument(help="online-retail, nycflights13, uniform or zipf.")],
    universe: Annotated[int, typer.Option("--universe", "-u", help="For a synthetic stream.")] = 10**5,
    length: Annotated[int, typer.Option("--length", "-t", help="For a synthetic stream.")] = 10**5,
    seed: Annotated[int | None, typer.Option(help="For a synthetic stream.")] = None,
    attribution: Annotated[bool, typer.Option("--attribution", help="Print source and licence instead.")] = False,
) -> None:
    """Print a stream of ids to standard output, to be piped into ``panproof estimate``.

    Example: panproof stream nycflights13 | panproof estimate optimal-bernoulli --epsilon 0.5 --hash 20000 -
    """
    from pan_estimators import STREAMS, InputError, load_stream, uniform_stream, zipf_stream

    if attribution:
        if name not in STREAMS:
            raise InputError(f"no attribution for {name!r}; there is one for {', '.join(STREAMS)}")
        print(STREAMS[name])
        return
    if name == "uniform":
        ids = uniform_stream(universe=universe, length=length, seed=seed)
    elif name == "zipf":
        ids = zipf_stream(universe=universe, length=length, seed=seed)
    elif name in STREAMS:
        ids = load_stream(name).ids
    else:
        raise InputError(f"unknown stream {name!r}; there are {', '.join([*STREAMS, 'uniform', 'zipf'])}")
    for start in range(0, ids.size, 2**16):
        sys.stdout.write("\n".join(map(str, ids[start : start + 2**16].tolist())) + "\n")
