"""``panproof stream``: print a shipped or synthetic stream, one id or entry to a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pan_audits.cli import names
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import MOST_USERS, argument, seed_option, whole_option

if TYPE_CHECKING:
    from pan_estimators.streams.real import TurnstileStream

MOST_IDS = 10**8
"""The longest synthetic stream, which takes 0.8 GB of memory."""
_LINES = 2**16
"""Number of lines printed at a time."""
_SYNTHETIC = "For a synthetic stream; by default "


@formerly(t="length")
def stream(
    name: Annotated[
        str,
        argument(
            parse=names.printed_stream,
            help="Of ids: online-retail, nycflights13, uniform, zipf. Of insertions and deletions: "
            "online-retail-pairs, online-retail-customers, nycflights13-airborne.",
        ),
    ],
    universe: Annotated[
        int | None,
        whole_option("--universe", "-u", most=MOST_USERS, help=f"{_SYNTHETIC}100,000."),
    ] = None,
    length: Annotated[
        int | None,
        whole_option("--length", "-l", least=0, most=MOST_IDS, help=f"{_SYNTHETIC}100,000."),
    ] = None,
    seed: Annotated[int | None, seed_option(f"{_SYNTHETIC}fresh.")] = None,
    attribution: Annotated[bool, typer.Option("--attribution", help="Print source and licence instead.")] = False,
) -> None:
    """Print a stream to standard output, to be piped into ``panproof estimate``.

    A stream of ids has one id to a line. A stream of insertions and deletions is CSV with the columns time, element
    and action.

    Example: panproof stream nycflights13 | panproof estimate calibrated-bernoulli --promise-epsilon 1 --hash 20000 -
    """
    from pan_audits.cli.room import enough_room
    from pan_estimators.streams.generators import uniform_stream, zipf_stream
    from pan_estimators.streams.real import STREAMS, TURNSTILE_STREAMS, load_stream, load_turnstile_stream
    from pan_promises.errors import InputError

    recorded = name in STREAMS or name in TURNSTILE_STREAMS
    if attribution:
        if not recorded:
            known = ", ".join([*STREAMS, *TURNSTILE_STREAMS])
            raise InputError(f"no attribution for {name!r}; there is one for {known}")
        print(STREAMS[name] if name in STREAMS else load_turnstile_stream(name).attribution)
        return
    if recorded and (universe, length, seed) != (None, None, None):
        raise InputError(f"--universe, --length and --seed are for a synthetic stream; {name} is a recorded one")
    if name in TURNSTILE_STREAMS:
        _print_entries(load_turnstile_stream(name))
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
        ids = load_stream(name).ids
    for start in range(0, ids.size, _LINES):
        sys.stdout.write("\n".join(map(str, ids[start : start + _LINES].tolist())) + "\n")


def _print_entries(stream: TurnstileStream) -> None:
    """Print insertions and deletions as CSV."""
    sys.stdout.write("time,element,action\n")
    actions = {1: "insert", -1: "delete"}
    for start in range(0, stream.minutes.size, _LINES):
        part = slice(start, start + _LINES)
        times = stream.minutes[part].astype("datetime64[m]").astype(str).tolist()
        rows = zip(times, stream.elements[part].tolist(), stream.signs[part].tolist(), strict=True)
        sys.stdout.writelines(f"{time},{element},{actions[sign]}\n" for time, element, sign in rows)


def _length(length: int | None) -> int:
    return 10**5 if length is None else length
