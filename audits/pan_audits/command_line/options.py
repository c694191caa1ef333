"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer


def budget(text: str) -> float:
    """Read a budget given on the command line; a usage error if it is none."""
    from pan_estimators import InputError, parse_epsilon

    try:
        return parse_epsilon(text)
    except InputError as problem:
        raise typer.BadParameter(str(problem)) from None


Epsilon = Annotated[
    float | None,
    typer.Option("--epsilon", "-e", help="Privacy budget in nats: 0.1 or log(3/2).", parser=budget, metavar="NATS"),
]
Universe = Annotated[int | None, typer.Option("--universe", "-u", help="Number of users U.")]
SampleSize = Annotated[int | None, typer.Option("--sample-size", "-m", help="Number m of sampled users.")]
Alpha = Annotated[float | None, typer.Option("--alpha", help="Deviation of the density to plan the sample for.")]
Beta = Annotated[float | None, typer.Option("--beta", help="Probability of a larger deviation.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Entropy of the run; fresh by default, and printed.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Worker processes.", min=1, max=256)]
Engine = Annotated[
    str, typer.Option("--engine", help="Where the runs are made: processes of this machine, dask or ray.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", help="Address of a Dask or Ray cluster; by default one is started here.", metavar="ADDRESS"
    ),
]
Isolation = Annotated[
    str,
    typer.Option(
        "--isolation",
        help="How code that is not shipped is kept apart: bubblewrap, unshare, limits, or the best that works here.",
    ),
]
Error = Annotated[float, typer.Option("--error", help="Probability that anything true is refuted.")]


def count(text: str) -> int:
    """Read a number of runs: ``550000`` or ``1e9``; a usage error if it is none."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number of runs such as 550000 or 1e9") from None
    if not 0 <= value <= 2.0**53 or value != int(value):
        raise typer.BadParameter(f"{text!r} is not a whole number of runs up to 2^53")
    return int(value)


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``name=value`` pairs; a value is JSON where it can be, else text."""
    from pan_estimators import InputError

    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--set takes name=value, got {pair!r}")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def write_text(path: Path, text: str) -> None:
    """Write a file; :class:`InputError` if that cannot be done."""
    from pan_estimators import InputError

    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror}") from None


def print_json(value: Any) -> None:
    """Print a value as JSON that any reader accepts."""
    print(json.dumps(value, indent=2, allow_nan=False, default=str))
