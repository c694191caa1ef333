"""Options that several commands share."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.command_line import names
from pan_audits.command_line.settings import parse_settings, read_settings
from pan_audits.command_line.values import (
    MOST_GIBIBYTES,
    MOST_USERS,
    argument,
    budget,
    option,
    probability,
    real,
    runs,
    seed_option,
    whole_option,
    words,
)
from pan_audits.judging.ranges import MOST_JOBS, MOST_SECONDS

__all__ = [
    "Alpha",
    "Beta",
    "Budget",
    "Engine",
    "Epsilon",
    "Error",
    "Inputs",
    "Isolation",
    "Jobs",
    "Json",
    "Level",
    "Memory",
    "Name",
    "Rows",
    "Runs",
    "SampleSize",
    "Sampled",
    "Scheduler",
    "Seconds",
    "Seed",
    "Settings",
    "Stated",
    "TableSchema",
    "Timeout",
    "Universe",
    "parse_settings",
    "print_json",
    "write_text",
]

_EPSILON = option(
    "--epsilon",
    "-e",
    parse=budget,
    help="Privacy budget E in nats: 0.1 or log(3/2). A shipped estimator promises a multiple, such as 2 E.",
    metavar="NATS",
)
Epsilon = Annotated[float | None, _EPSILON]
Budget = Annotated[float, _EPSILON]
Universe = Annotated[
    int | None,
    whole_option("--universe", "-u", most=MOST_USERS, help="Number of users U."),
]
SampleSize = Annotated[
    int | None,
    whole_option("--sample-size", "-m", most=MOST_USERS, help="Number m of sampled users."),
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
    seed_option("Seed (entropy) of the run, from 0 to 2^64 - 1; by default a fresh one, which is printed."),
]
Jobs = Annotated[int, whole_option("--jobs", "-j", most=MOST_JOBS, help="Worker processes, 1 to 256.")]
Name = Annotated[
    str, argument(parse=names.estimator, help="A shipped or installed estimator, module:Class, or file.py:Class.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", callback=read_settings, help="Another parameter of the estimator, name=value."),
]
Stated = Annotated[
    str | None,
    words(
        "--promise",
        parse=names.promise,
        help="The promise to judge: epsilon=log(3/2),adjacency=user-level,observed=state.",
    ),
]
Engine = Annotated[
    str, words("--engine", parse=names.engine, help="Engine of the runs: processes (on this machine), dask or ray.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", help="Address of a Dask or Ray cluster; by default a new one on this machine.", metavar="ADDRESS"
    ),
]
Inputs = Annotated[
    str,
    typer.Option(
        "--inputs",
        help="For a function f(data, rng): module:name of its pairs of neighbouring inputs, a list or a generator "
        "function.",
        metavar="NAME",
    ),
]
TableSchema = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="For a mechanism on tables, or an object with fit and sample: the schema of the tables, a JSON file.",
        metavar="FILE",
    ),
]
Rows = Annotated[int, whole_option("--rows", most=4096, help="With --table: number of rows of the audited tables.")]
Sampled = Annotated[
    int | None,
    whole_option(
        "--sampled",
        most=10**6,
        help="With --table and observed=sample: number of sampled rows that are seen; by default that of the table.",
    ),
]
Isolation = Annotated[
    str,
    words(
        "--isolation",
        parse=names.isolation,
        help="Isolation of code that is not shipped: bubblewrap, unshare, limits, or best, the strongest that works "
        "here.",
    ),
]
Error = Annotated[
    float,
    option(
        "--error", parse=probability, help="Greatest probability that a true statement is refuted.", metavar="FLOAT"
    ),
]
Runs = Annotated[
    int | None,
    option("--runs", parse=runs, help="Runs of the search, or, above a million, of a long audit: 1e9.", metavar="RUNS"),
]
Timeout = Annotated[
    float,
    option(
        "--timeout",
        parse=real(MOST_SECONDS, "seconds"),
        help="Time limit of one task of 256 runs, in seconds, above 0; up to five times as long on a busy machine.",
        metavar="FLOAT",
    ),
]
Memory = Annotated[
    float,
    option(
        "--memory",
        parse=real(MOST_GIBIBYTES, "GiB"),
        help="Memory limit of the estimator, in GiB, above 0.",
        metavar="FLOAT",
    ),
]


def Seconds(help: str) -> Any:  # noqa: N802 - stands where the others stand, in the place of a type
    """The option ``--time``, a positive number of seconds."""
    return option("--time", parse=real(MOST_SECONDS, "seconds"), help=help, metavar="FLOAT")


def require_writable(*paths: Path | None) -> None:
    """Check, before any work, that files can be written."""
    from pan_promises.errors import InputError

    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
        if not path.parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(f"cannot write {path}: permission denied")


def write_text(path: Path, text: str) -> None:
    """Write a file; :class:`InputError` if that cannot be done."""
    from pan_promises.errors import InputError

    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror}") from None


class Files:
    """Files that a command writes beside its output.

    They are written first: a reader of the output may close the pipe early. A file that cannot be written is told
    after the output, so that the verdict is not lost.
    """

    def __init__(self) -> None:
        self._problem: Exception | None = None

    def write(self, path: Path, text: str) -> bool:
        """Write a file, and return whether it is there."""
        from pan_promises.errors import InputError

        try:
            write_text(path, text)
        except InputError as problem:
            self._problem = self._problem or problem
            return False
        return True

    def require_written(self) -> None:
        """Raise :class:`InputError` for the first file that could not be written."""
        if self._problem is not None:
            raise self._problem


FORMAT = 1
"""The version of the documents that ``--json`` prints; their schemas are printed by ``panproof schema``."""


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document as JSON that any reader accepts, with the version of its format."""
    print(json.dumps({"panproof": FORMAT, **document}, indent=2, allow_nan=False, default=str))


def print_long_json(document: Mapping[str, Any], name: str, items: str) -> None:
    """Print a document that ends with a long list, whose items are JSON already, with commas between them."""
    text = json.dumps({"panproof": FORMAT, **document}, indent=2, allow_nan=False, default=str)
    head = text.removesuffix("\n}")
    print(f"{head},\n  {json.dumps(name)}: [\n{items}\n  ]\n}}")
