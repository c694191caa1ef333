"""``panproof follow``: the number of present elements after every step of a stream."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from pan_audits.command_line.options import Json, Level, print_json
from pan_audits.command_line.values import LARGEST_SEED, argument, option, real, whole

_MOST_STEPS = 2**31 - 1
_LARGEST_RHO = 1e6


def follow(
    name: Annotated[
        str,
        argument(
            parse=lambda text, _: _counter_name(text),
            help="calibrated-adaptive, calibrated-turnstile, turnstile-given-flippancy, turnstile-recompute, or "
            "presence.",
        ),
    ],
    file: Annotated[str, typer.Argument(help="CSV or Parquet, gzip or zstd, or - for CSV at standard input.")],
    rho: Annotated[
        float, option("--rho", parse=real(_LARGEST_RHO), help="The budget of zCDP for all outputs.", metavar="FLOAT")
    ],
    every: Annotated[
        str,
        option(
            "--every",
            parse=lambda text, _: _distance(text),
            help="Distance between two releases: a number of entries, or a time such as 30s, 15min, 1h, 1d.",
            metavar="TEXT",
        ),
    ] = "1",
    flippancy: Annotated[
        int | None,
        option(
            "--flippancy",
            parse=whole(1, _MOST_STEPS),
            help="Bound on the changes of existence of an element, for counters that need one.",
            metavar="INTEGER",
        ),
    ] = None,
    hint: Annotated[
        int | None,
        option(
            "--hint",
            parse=whole(1, _MOST_STEPS),
            help="Guess of that bound for calibrated-adaptive; the promise does not depend on it.",
            metavar="INTEGER",
        ),
    ] = None,
    period: Annotated[
        int | None,
        option(
            "--period",
            parse=whole(1, _MOST_STEPS),
            help="Steps between two computations of turnstile-recompute or calibrated-adaptive; by default 1, and for "
            "single entries that of Theorem 3.10.",
            metavar="INTEGER",
        ),
    ] = None,
    model: Annotated[
        str | None,
        option(
            "--model",
            parse=lambda text, _: text,
            help="Streams that are allowed: general, strict or toggle; by default general.",
            metavar="WORD",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        option(
            "--steps",
            parse=whole(1, _MOST_STEPS),
            help="Largest number of releases; for a file, by default their number in it.",
            metavar="INTEGER",
        ),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option("--element", help="Column of the element, or several, with commas; by default element."),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", help="Column of the action: insert and delete, or numbers by sign; default: action."),
    ] = None,
    time: Annotated[str | None, typer.Option("--time", help="Column of the time; by default time.")] = None,
    level: Level = 0.95,
    allow_rounding: Annotated[
        bool,
        typer.Option("--allow-rounding", help="Accept a counter whose proof does not cover the rounding of its noise."),
    ] = False,
    seed: Annotated[
        int | None,
        option(
            "--seed",
            parse=whole(0, LARGEST_SEED),
            help="Seed, for tests: the outputs are reproducible and therefore not private.",
            metavar="INTEGER",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count the present elements of a stream of insertions and deletions, after every step, with privacy.

    The outputs are CSV: the end of the step, the estimate, and an interval. With the probability --level all intervals
    hold together; the last line names the counts that they are about. A pipe is read as it comes, and needs --steps.
    The number of steps and their times are public. The promise covers all outputs of one run. Another run over the same
    entries has a budget of its own.

    Example: panproof follow turnstile-recompute --rho 0.5 --every 1h --element customer,item purchases.csv
    """
    from pan_audits.continual.entry_source import EntryColumns
    from pan_audits.continual.following import Source, followed
    from pan_audits.continual.release_times import MOST_STEPS, Every
    from pan_estimators.continual.members import create_counter, parameters_of
    from pan_estimators.randomness.numpy_randomness import NumpyRandomness
    from pan_estimators.randomness.secure_randomness import SecureRandomness
    from pan_promises.errors import InputError

    columns = EntryColumns(tuple(element.split(",")) if element else (), action, time)
    distance = Every.parse(every)
    source = Source(file, columns, distance)
    if "period" in parameters_of(name) and period is None and distance != Every():
        # The period of the theorem is for steps that change the count by at most 1.
        period = 1
    optional = {"flippancy": flippancy, "hint": hint, "period": period, "model": model}
    given = {key: value for key, value in optional.items() if value is not None}
    known = parameters_of(name)
    if unused := [key for key in given if key not in known]:
        raise InputError(f"{name} takes no --{unused[0]}")
    if "flippancy" in known and flippancy is None:
        raise InputError(f"{name} needs a bound on the flippancy; give --flippancy, or use calibrated-adaptive")
    if steps is None:
        if file == "-":
            raise InputError("a pipe needs the largest number of releases; give --steps")
        steps = max(1, sum(part.ends.size for part in source.steps(MOST_STEPS)))
    counter = create_counter(name, {"steps": steps, "rho": rho, **given})
    if seed is None and not (counter.has_exact_noise or allow_rounding):
        raise InputError(
            f"the proof of {name} does not cover the rounding of its noise; give --allow-rounding to accept that, or "
            "use turnstile-recompute or turnstile-given-flippancy"
        )
    randomness: Any = SecureRandomness() if seed is None else NumpyRandomness(seed)
    width = counter.half_width(level)
    outputs = followed(counter, source.steps(steps), randomness)
    if as_json:
        releases = [release for part in outputs for release in _rows(part, width, bool(distance.microseconds))]
        print_json(
            {
                "counter": name,
                "promise": counter.promise.to_dict(),
                "steps": steps,
                "deviation": counter.noise,
                "half_width": width,
                "level": level,
                "compared_with": counter.compared_with,
                "private": seed is None,
                "releases": [dict(zip(("end", "estimate", "low", "high"), row, strict=True)) for row in releases],
            }
        )
        return
    print("end,estimate,low,high")
    for part in outputs:
        for end, *numbers in _rows(part, width, bool(distance.microseconds)):
            print(",".join([str(end), *(f"{number:.6g}" for number in numbers)]))
        sys.stdout.flush()
    private = "" if seed is None else "; the noise has a seed, so that nothing is private"
    print(
        f"panproof: promise {counter.promise.describe()}; standard deviation at most {counter.noise:.4g}; "
        f"all {steps:,} outputs are within {width:.4g} of {counter.compared_with}, with probability {level:g}{private}",
        file=sys.stderr,
    )


def _rows(part: Any, width: float, timed: bool) -> list[tuple[Any, float, float, float]]:
    """The end of each step, its output and its interval."""
    ends = part.labels.astype("datetime64[us]").astype("datetime64[s]").astype(str) if timed else part.labels
    estimates = part.estimates.tolist()
    return [
        (end, value, max(0.0, value - width), value + width)
        for end, value in zip(ends.tolist(), estimates, strict=True)
    ]


def _counter_name(text: str) -> str:
    from pan_estimators.continual.members import parameters_of

    parameters_of(text)
    return text


def _distance(text: str) -> str:
    from pan_audits.continual.release_times import Every

    Every.parse(text)
    return text
