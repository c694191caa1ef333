"""Options that several commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.command_line.settings import parse_settings
from pan_audits.command_line.values import (
    LARGEST_SEED,
    MOST_GIBIBYTES,
    MOST_SECONDS,
    MOST_USERS,
    budget,
    option,
    probability,
    real,
    runs,
    whole,
)

__all__ = [
    "Alpha",
    "Beta",
    "Budget",
    "Engine",
    "Epsilon",
    "Error",
    "Isolation",
    "Jobs",
    "Json",
    "Level",
    "Memory",
    "Runs",
    "SampleSize",
    "Scheduler",
    "Seconds",
    "Seed",
    "Timeout",
    "Universe",
    "parse_settings",
    "print_json",
    "write_text",
]

_EPSILON = option("--epsilon", "-e", parse=budget, help="Privacy budget in nats: 0.1 or log(3/2).", metavar="NATS")
Epsilon = Annotated[float | None, _EPSILON]
Budget = Annotated[float, _EPSILON]
Universe = Annotated[
    int | None,
    option("--universe", "-u", parse=whole(1, MOST_USERS), help="Number of users U.", metavar="INTEGER"),
]
SampleSize = Annotated[
    int | None,
    option("--sample-size", "-m", parse=whole(1, MOST_USERS), help="Number m of sampled users.", metavar="INTEGER"),
]
Alpha = Annotated[
    float | None,
    option("--alpha", parse=probability, help="Deviation of the density to plan the sample for.", metavar="FLOAT"),
]
Beta = Annotated[
    float | None, option("--beta", parse=probability, help="Probability of a larger deviation.", metavar="FLOAT")
]
Level = Annotated[float, option("--level", parse=probability, help="Confidence of the interval.", metavar="FLOAT")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Seed = Annotated[
    int | None,
    option(
        "--seed",
        parse=whole(0, LARGEST_SEED),
        help="Entropy of the run, from 0 to 2^64 - 1; fresh by default, and printed.",
        metavar="INTEGER",
    ),
]
Jobs = Annotated[
    int, option("--jobs", "-j", parse=whole(1, 256), help="Worker processes, 1 to 256.", metavar="INTEGER")
]
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
Error = Annotated[
    float,
    option("--error", parse=probability, help="Probability that anything true is refuted.", metavar="FLOAT"),
]
Runs = Annotated[
    int | None,
    option("--runs", parse=runs, help="Runs of the search; beyond a million, of a long audit: 1e9.", metavar="RUNS"),
]
Timeout = Annotated[
    float,
    option(
        "--timeout",
        parse=real(MOST_SECONDS, "seconds"),
        help="Seconds that one task of 256 runs may take, above 0.",
        metavar="FLOAT",
    ),
]
Memory = Annotated[
    float,
    option(
        "--memory",
        parse=real(MOST_GIBIBYTES, "GiB"),
        help="GiB of memory that the estimator may take, above 0.",
        metavar="FLOAT",
    ),
]


def Seconds(help: str) -> Any:  # noqa: N802 - stands where the others stand, in the place of a type
    """The option ``--time``, a positive number of seconds."""
    return option("--time", parse=real(MOST_SECONDS, "seconds"), help=help, metavar="FLOAT")


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
