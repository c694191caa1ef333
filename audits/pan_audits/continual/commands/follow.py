"""``panproof follow``: the number of present elements after every step of a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.cli.id_options import Missing, MissingText
from pan_audits.cli.judged import parse_settings
from pan_audits.cli.names import choice
from pan_audits.cli.options import Json, Level, Settings
from pan_audits.cli.output import print_long_json
from pan_audits.cli.state_options import checkpoint_option
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import argument, budget, option, probability, real, seed_option, whole_option
from pan_estimators.reading.options import EntryFormat, Input, MissingPolicy

MOST_STEPS = 2**31 - 1
_LARGEST_RHO = 1e6


@formerly(time="time_column", output="out")
def follow(
    name: Annotated[
        str,
        argument(
            parse=lambda text, _: _counter_name(text),
            help="A counter, such as calibrated-adaptive or presence; panproof list names them.",
        ),
    ],
    file: Annotated[
        str, typer.Argument(help="CSV, JSON lines, Parquet or Arrow, CSV also with gzip or zstd; - for a pipe.")
    ],
    rho: Annotated[
        float | None,
        option("--rho", parse=real(_LARGEST_RHO), help="The budget of zCDP for all outputs.", metavar="FLOAT"),
    ] = None,
    epsilon: Annotated[
        float | None,
        option(
            "--epsilon",
            "-e",
            parse=budget,
            help="Instead of --rho: a budget in nats, with --delta. It is converted, and the conversion is shown.",
            metavar="NATS",
        ),
    ] = None,
    delta: Annotated[
        float | None, option("--delta", parse=probability, help="The delta of --epsilon.", metavar="FLOAT")
    ] = None,
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
        whole_option(
            "--flippancy",
            most=MOST_STEPS,
            help="Bound on the changes of existence of an element, for counters that need one.",
        ),
    ] = None,
    hint: Annotated[
        int | None,
        whole_option(
            "--hint",
            most=MOST_STEPS,
            help="Guess of that bound for calibrated-adaptive; the promise does not depend on it.",
        ),
    ] = None,
    period: Annotated[
        int | None,
        whole_option(
            "--period",
            most=MOST_STEPS,
            help="Steps between two computations of turnstile-recompute or calibrated-adaptive; by default 1, and for "
            "single entries that of Theorem 3.10.",
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
    settings: Settings = None,
    steps: Annotated[
        int | None,
        whole_option(
            "--steps", most=MOST_STEPS, help="Largest number of releases; for a file, by default their number in it."
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
    time: Annotated[str | None, typer.Option("--time-column", help="Column of the time; by default time.")] = None,
    form: Annotated[
        EntryFormat,
        choice(
            "--format",
            EntryFormat,
            "Format of the input. auto: by the suffix of the file; any other file, and standard input, is CSV.",
        ),
    ] = EntryFormat.AUTO,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            help="Keep the run in this file, which only its owner can read, and go on from it if it exists. It holds "
            "the counts in clear.",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        checkpoint_option(
            "Record the state after every 100000 entries, or every 30s; by default every 1s. Outputs wait for it."
        ),
    ] = None,
    input_place: Annotated[
        Input,
        choice(
            "--input",
            Input,
            "With a state: whole, if the input begins with the entries that the state has seen; rest, if it begins "
            "after them.",
        ),
    ] = Input.WHOLE,
    open_end: Annotated[
        bool, typer.Option("--open-end", help="The stream continues in another input: keep the last step open.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the outputs to this file; with --state each one once, after any interruption."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with a drawing to this file, for a browser.")
    ] = None,
    seed: Annotated[
        int | None,
        seed_option("Seed, for tests: the outputs are reproducible and therefore not private."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count the present elements of a stream of insertions and deletions, after every step, with privacy.

    The outputs are CSV: the end of the step, the estimate, and an interval. With the probability --level all intervals
    hold together; the last line names the counts that they are about. A pipe is read as it comes, and needs --steps.
    The number of steps and their times are public. The promise covers all outputs of one run. Another run over the same
    entries has a budget of its own.

    With --state a run survives an interruption: the same command goes on, and never draws other noise for an output
    that is out. Ctrl-C and SIGTERM put out what is known.

    Example: panproof follow turnstile-recompute --rho 0.5 --every 1h --element customer,item purchases.csv
    """
    from pan_audits.cli.output import require_writable, write_text
    from pan_audits.cli.room import enough_room
    from pan_audits.reports.pages import require_figures
    from pan_estimators.continual.following import FollowRequest, FollowRun
    from pan_estimators.counting.run import Checkpoint, alone
    from pan_estimators.reading.entries import Blank, EntryColumns, Source
    from pan_estimators.reading.times import Every

    bound, conversion = _budget_of(rho, epsilon, delta)
    _require_files(state, checkpoint, input_place, open_end, output, html, as_json)
    if html is not None:
        require_figures("an HTML page")
        require_writable(html)
    distance = Every.parse(every)
    given = {"flippancy": flippancy, "hint": hint, "period": period, "model": model}
    columns = EntryColumns(tuple(element.split(",")) if element else (), action, time)
    request = FollowRequest(
        name=name,
        parameters={"rho": bound, **_parameters(name, given, settings, each_entry=distance == Every())},
        source=Source(file, columns, form),
        every=distance,
        blank=Blank(missing, tuple(missing_text or ())),
        steps=steps,
        level=level,
        seed=seed,
        conversion=conversion,
        state=state,
        # A reader that waits for a batch of Arrow cannot be woken, so that the outputs of a batch do not wait.
        checkpoint=Checkpoint(seconds=0.0 if form is EntryFormat.ARROW else 1.0)
        if checkpoint is None
        else Checkpoint.parse(checkpoint),
        whole=input_place is Input.WHOLE,
        open_end=open_end,
        output=output,
        silent=as_json,
    )
    if conversion and not as_json:
        print(f"panproof: {conversion}", file=sys.stderr)
    with enough_room("this run"), _live_line(output is not None or as_json) as show, alone(state):
        found = FollowRun.begin(request, show, keep=as_json or html is not None)
        found.read()
    if html is not None:
        from pan_audits.continual.follow_page import follow_page

        write_text(html, follow_page(found.summary, found.table()))
    if as_json:
        print_long_json(found.summary.document(), "releases", found.table().json())
        return
    if found.skipped:
        print(f"panproof: {found.skipped} entries without an element were no-ops (no promise covers this number)",
              file=sys.stderr)  # fmt: skip
    print(f"panproof: {found.summary.line()}", file=sys.stderr)


def _parameters(name: str, given: dict[str, Any], settings: list[str] | None, *, each_entry: bool) -> dict[str, Any]:
    """The parameters of the counter without the number of steps and the budget."""
    from pan_estimators.continual.members import parameters_of
    from pan_promises.errors import InputError, shown

    known = parameters_of(name)
    found = {key: value for key, value in given.items() if value is not None}
    if unused := [key for key in found if key not in known]:
        raise InputError(f"{name} takes no --{unused[0]}")
    for key, value in parse_settings(settings or []).items():
        if key in (*given, "steps", "rho"):
            raise InputError(f"--set is for parameters without an option of their own; give --{key}")
        if key not in known:
            raise InputError(f"{name} has no parameter {shown(key)}")
        found[key] = value
    if "flippancy" in known and "flippancy" not in found:
        raise InputError(f"{name} needs a bound on the flippancy; give --flippancy, or use calibrated-adaptive")
    if "period" in known and not each_entry:
        # The period of the theorem is for steps that change the count by at most 1.
        found.setdefault("period", 1)
    return found


@contextmanager
def _live_line(quiet_output: bool) -> Iterator[Any]:
    """A line on standard error while it is a terminal, unless the outputs appear there themselves."""
    from pan_audits.reports.text import console

    screen = console(stderr=True)
    if not screen.is_terminal or not (quiet_output or not sys.stdout.isatty()):
        yield None
        return
    last = ""
    with screen.status("reading") as status:

        def tell(entries: int, steps: int, outputs: Any) -> None:
            nonlocal last
            if outputs.labels.size:
                last = f", the last one {outputs.estimates[-1]:,.6g} ± {outputs.widths[-1]:,.3g}"
            status.update(f"{entries:,} entries, {steps:,} outputs{last}")

        yield tell


def _counter_name(text: str) -> str:
    from pan_estimators.continual.members import parameters_of

    parameters_of(text)
    return text


def _require_files(
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


def _budget_of(rho: float | None, epsilon: float | None, delta: float | None) -> tuple[float, str]:
    """The rho of the options, and the conversion in words; no words if there was none."""
    from pan_promises.errors import InputError
    from pan_promises.notion import rho_of_epsilon

    if rho is not None:
        if epsilon is not None or delta is not None:
            raise InputError("give --rho, or --epsilon with --delta, not both")
        return rho, ""
    if epsilon is None:
        if delta is not None:
            raise InputError("--delta needs --epsilon")
        raise InputError("give the budget of all outputs: --rho, or --epsilon with --delta")
    if delta is None:
        raise InputError("--epsilon needs --delta, since Gaussian noise keeps no promise of an epsilon alone")
    found = rho_of_epsilon(float(epsilon), delta)
    return found, (
        f"epsilon {float(epsilon):.6g} at delta {delta:.3g} is kept by rho {found:.6g}, the largest with "
        "rho + 2 sqrt(rho log(1/delta)) <= epsilon"
    )


def _distance(text: str) -> str:
    from pan_estimators.reading.times import Every

    Every.parse(text)
    return text
