"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.cli import names
from pan_audits.cli.judged import read_settings
from pan_audits.cli.values import (
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

_EPSILON = option(
    "--epsilon",
    "-e",
    parse=budget,
    help="Epsilon of the promise, in nats: 0.1 or log(3/2). For one release it is refused where it was the parameter "
    "of an estimator that promises a multiple.",
    metavar="NATS",
)
Epsilon = Annotated[float | None, _EPSILON]
PromiseEpsilon = Annotated[
    float | None,
    option(
        "--promise-epsilon",
        parse=budget,
        help="The same number as --epsilon, for every estimator.",
        metavar="NATS",
    ),
]
Parameter = Annotated[
    float,
    option(
        "--parameter",
        parse=budget,
        help="The parameter epsilon of the density estimators in nats, half of what most of them promise.",
        metavar="NATS",
    ),
]
"""For tables of formulas in the parameter; every other command takes the epsilon of the promise."""
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
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text; --json-schema prints its JSON Schema.")]
Seed = Annotated[
    int | None,
    seed_option("Seed (entropy) of the run, from 0 to 2^64 - 1; by default a fresh one, which is printed."),
]
Jobs = Annotated[int, whole_option("--jobs", "-j", most=MOST_JOBS, help="Worker processes, 1 to 256.")]
Name = Annotated[
    str, argument(parse=names.estimator, help="A shipped or installed estimator, module:Class, or file.py:Class.")
]
NameOrCommand = Annotated[
    str | None,
    argument(parse=names.estimator, help="A shipped or installed estimator, module:Class, or file.py:Class."),
]
Program = Annotated[
    str | None,
    words(
        "--command",
        parse=names.program,
        help="In place of a name: a program of any language and its arguments, with --neighbours or --schema.",
    ),
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
Neighbours = Annotated[
    str,
    typer.Option(
        "--neighbours",
        help="For a function f(data, rng): module:name of its pairs of neighbouring inputs, a list or a generator "
        "function. With --data: add-row, remove-row, replace-row, user-level:KEY, coordinate:D, local, or module:name "
        "of a function that yields the neighbours of an input.",
        metavar="NAME",
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="For a function f(data, rng): module:name of a strategy of Hypothesis, in whose space pairs are searched.",
        metavar="NAME",
    ),
]
TableSchema = Annotated[
    str | None,
    typer.Option(
        "--schema",
        help="For a mechanism on tables, or an object with fit and sample: the schema of the tables, a JSON file.",
        metavar="FILE",
    ),
]
Rows = Annotated[int, whole_option("--rows", most=4096, help="With --schema: number of rows of the audited tables.")]
Sampled = Annotated[
    int | None,
    whole_option(
        "--sampled",
        most=10**6,
        help="With --schema and observed=sample: number of sampled rows that are seen; by default that of the table.",
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
WitnessFile = Annotated[Path | None, typer.Option("--witness", help="Also write the witness to this file, for replay.")]
JUnitFile = Annotated[Path | None, typer.Option("--junit", help="Also write a JUnit report to this file.")]
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
MemoryLimit = Annotated[
    float,
    option(
        "--memory-limit",
        parse=real(MOST_GIBIBYTES, "GiB"),
        help="Memory limit of the estimator, in GiB, above 0.",
        metavar="FLOAT",
    ),
]


def Seconds(help: str) -> Any:  # noqa: N802 - stands where the others stand, in the place of a type
    """The option ``--seconds``, a positive number of seconds."""
    return option("--seconds", parse=real(MOST_SECONDS, "seconds"), help=help, metavar="FLOAT")
