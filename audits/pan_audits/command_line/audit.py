"""``panproof audit``: judge every shipped estimator on a real stream."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line import names
from pan_audits.command_line.options import (
    Budget,
    Error,
    Jobs,
    Json,
    Seconds,
    Seed,
    print_json,
    require_writable,
    write_text,
)
from pan_audits.command_line.values import words


def audit(
    stream: Annotated[
        list[str] | None,
        words(
            "--stream",
            parse=names.real_stream,
            help="Real stream to edit: online-retail (the default) or nycflights13; can be repeated.",
        ),
    ] = None,
    epsilon: Budget = 0.1,
    only: Annotated[
        list[str] | None,
        words("--only", parse=names.shipped_estimator, help="Judge only this estimator; can be repeated."),
    ] = None,
    seconds: Annotated[
        float | None,
        Seconds("Instead of a fixed number of runs: time for each audit, in seconds. Such rows cannot be repeated."),
    ] = None,
    error: Error = 1e-6,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
    junit: Annotated[Path | None, typer.Option(help="Also write a JUnit report to this file.")] = None,
) -> None:
    """Judge all shipped estimators on real streams, side by side: promise, exact loss, audit, error, memory.

    The exact loss is computed on all small streams, of state and output jointly and of the two parts of
    the published proofs, the state alone and the output alone. The audit runs on each real stream, with
    one user edited. The command prints each row as soon as it is complete. A refutation of a published promise is
    the expected result, so that the exit code is 0 unless an audit is inconclusive (3).

    Example: panproof audit --only optimal-bernoulli --only calibrated-bernoulli
    """
    from pan_audits.gating.overview import OverviewRow, in_order, overview
    from pan_audits.judging.settings import Settings
    from pan_audits.judging.verdict import Verdict
    from pan_audits.reports.junit import junit as junit_report
    from pan_audits.reports.overview import overview_heading, overview_legend, overview_line
    from pan_audits.reports.text import console
    from pan_promises.extras import require_extra

    require_extra("panproof audit", "suite")
    streams = tuple(dict.fromkeys(stream or ["online-retail"]))
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
            epsilon=epsilon,
            streams=streams,
            only=tuple(only or ()),
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
        paper.print(overview_legend(streams=streams, epsilon=epsilon, error=error, seconds=took))
    unclear = any(report.verdict is Verdict.INCONCLUSIVE for report in reports)
    raise typer.Exit(Verdict.INCONCLUSIVE.exit_code if unclear else 0)
