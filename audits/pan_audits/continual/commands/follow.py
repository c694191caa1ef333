"""``panproof follow``: the number of present elements after every step of a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from pan_audits.cli.id_options import Missing, MissingText
from pan_audits.cli.judged import parse_settings
from pan_audits.cli.options import Json, Level, Settings
from pan_audits.cli.output import print_long_json
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import argument, seed_option
from pan_audits.continual.commands.follow_options import (
    Action,
    CheckpointText,
    Delta,
    Element,
    Epsilon,
    EveryText,
    Flippancy,
    Hint,
    Html,
    InputFormat,
    InputPlace,
    ModelName,
    NumberOfSteps,
    OpenEnd,
    Output,
    Period,
    Rho,
    State,
    Time,
    budget_of,
    require_budget,
    require_files,
)
from pan_estimators.reading.options import EntryFormat, Input, MissingPolicy


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
    rho: Rho = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    every: EveryText = "1",
    flippancy: Flippancy = None,
    hint: Hint = None,
    period: Period = None,
    model: ModelName = None,
    settings: Settings = None,
    steps: NumberOfSteps = None,
    element: Element = None,
    action: Action = None,
    time: Time = None,
    form: InputFormat = EntryFormat.AUTO,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    state: State = None,
    checkpoint: CheckpointText = None,
    input_place: InputPlace = Input.WHOLE,
    open_end: OpenEnd = False,
    output: Output = None,
    html: Html = None,
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

    require_budget(rho, epsilon, delta)
    require_files(state, checkpoint, input_place, open_end, output, html, as_json)
    if html is not None:
        require_figures("an HTML page")
        require_writable(html)
    distance = Every.parse(every)
    bound, conversion = budget_of(rho, epsilon, delta)
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
