"""The options of ``panproof follow``, and their combinations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pan_audits.cli.names import choice
from pan_audits.cli.state_options import checkpoint_option
from pan_audits.cli.values import budget, option, probability, real, whole_option
from pan_estimators.reading.options import EntryFormat, Input

MOST_STEPS = 2**31 - 1
_LARGEST_RHO = 1e6


Rho = Annotated[
    float | None,
    option("--rho", parse=real(_LARGEST_RHO), help="The budget of zCDP for all outputs.", metavar="FLOAT"),
]
Epsilon = Annotated[
    float | None,
    option(
        "--epsilon",
        "-e",
        parse=budget,
        help="Instead of --rho: a budget in nats, with --delta. It is converted, and the conversion is shown.",
        metavar="NATS",
    ),
]
Delta = Annotated[float | None, option("--delta", parse=probability, help="The delta of --epsilon.", metavar="FLOAT")]
EveryText = Annotated[
    str,
    option(
        "--every",
        parse=lambda text, _: _distance(text),
        help="Distance between two releases: a number of entries, or a time such as 30s, 15min, 1h, 1d.",
        metavar="TEXT",
    ),
]
Flippancy = Annotated[
    int | None,
    whole_option(
        "--flippancy",
        most=MOST_STEPS,
        help="Bound on the changes of existence of an element, for counters that need one.",
    ),
]
Hint = Annotated[
    int | None,
    whole_option(
        "--hint",
        most=MOST_STEPS,
        help="Guess of that bound for calibrated-adaptive; the promise does not depend on it.",
    ),
]
Period = Annotated[
    int | None,
    whole_option(
        "--period",
        most=MOST_STEPS,
        help="Steps between two computations of turnstile-recompute or calibrated-adaptive; by default 1, and for "
        "single entries that of Theorem 3.10.",
    ),
]
ModelName = Annotated[
    str | None,
    option(
        "--model",
        parse=lambda text, _: text,
        help="Streams that are allowed: general, strict or toggle; by default general.",
        metavar="WORD",
    ),
]
NumberOfSteps = Annotated[
    int | None,
    whole_option(
        "--steps", most=MOST_STEPS, help="Largest number of releases; for a file, by default their number in it."
    ),
]
Element = Annotated[
    str | None, typer.Option("--element", help="Column of the element, or several, with commas; by default element.")
]
Action = Annotated[
    str | None,
    typer.Option("--action", help="Column of the action: insert and delete, or numbers by sign; default: action."),
]
Time = Annotated[str | None, typer.Option("--time-column", help="Column of the time; by default time.")]
InputFormat = Annotated[
    EntryFormat,
    choice(
        "--format",
        EntryFormat,
        "Format of the input. auto: by the suffix of the file; any other file, and standard input, is CSV.",
    ),
]
State = Annotated[
    Path | None,
    typer.Option(
        "--state",
        help="Keep the run in this file, which only its owner can read, and go on from it if it exists. It holds the "
        "counts in clear.",
    ),
]
CheckpointText = Annotated[
    str | None,
    checkpoint_option(
        "Record the state after every 100000 entries, or every 30s; by default every 1s. Outputs wait for it."
    ),
]
InputPlace = Annotated[
    Input,
    choice(
        "--input",
        Input,
        "With a state: whole, if the input begins with the entries that the state has seen; rest, if it begins "
        "after them.",
    ),
]
OpenEnd = Annotated[
    bool, typer.Option("--open-end", help="The stream continues in another input: keep the last step open.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write the outputs to this file; with --state each one once, after any interruption."
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", help="Also write a page with a drawing to this file, for a browser.")
]


def require_budget(rho: float | None, epsilon: float | None, delta: float | None) -> None:
    """Raise :class:`InputError` unless the budget is one rho, or an epsilon with a delta."""
    from pan_promises.errors import InputError

    if rho is not None and (epsilon is not None or delta is not None):
        raise InputError("give --rho, or --epsilon with --delta, not both")
    if rho is None and epsilon is None and delta is None:
        raise InputError("give the budget of all outputs: --rho, or --epsilon with --delta")
    if delta is not None and epsilon is None:
        raise InputError("--delta needs --epsilon")
    if epsilon is not None and delta is None:
        raise InputError("--epsilon needs --delta, since Gaussian noise keeps no promise of an epsilon alone")


def require_files(
    state: Path | None,
    checkpoint: str | None,
    input_place: Input,
    open_end: bool,
    output: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Raise :class:`InputError` if the options about files contradict each other."""
    from pan_promises.errors import InputError

    if state is None:
        for name, given in (
            ("--checkpoint", checkpoint is not None),
            ("--input", input_place is not Input.WHOLE),
            ("--open-end", open_end),
        ):
            if given:
                raise InputError(f"{name} is for a run that is kept in a file: give --state")
    if as_json and (state is not None or output is not None):
        raise InputError("--json prints one document at the end: leave out --state and --out")
    if html is not None and state is not None and output is None:
        raise InputError("--html shows all outputs: with --state give --out too")


def budget_of(rho: float | None, epsilon: float | None, delta: float | None) -> tuple[float, str]:
    """The rho of the options, and the conversion in words; no words if there was none."""
    from pan_promises.notion import rho_of_epsilon

    if rho is not None:
        return rho, ""
    assert epsilon is not None
    assert delta is not None
    found = rho_of_epsilon(float(epsilon), delta)
    return found, (
        f"epsilon {float(epsilon):.6g} at delta {delta:.3g} is kept by rho {found:.6g}, the largest with "
        "rho + 2 sqrt(rho log(1/delta)) <= epsilon"
    )


def _distance(text: str) -> str:
    from pan_estimators.reading.times import Every

    Every.parse(text)
    return text
