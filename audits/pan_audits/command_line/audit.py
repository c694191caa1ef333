"""``panproof audit``: judge every shipped estimator on a real stream."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line.options import Budget, Error, Jobs, Json, Seconds, Seed, print_json, write_text


def audit(
    stream: Annotated[str, typer.Option(help="Real stream to edit: online-retail or nycflights13.")] = "online-retail",
    epsilon: Budget = 0.1,
    only: Annotated[list[str] | None, typer.Option(help="Only this estimator; can be repeated.")] = None,
    seconds: Annotated[float, Seconds("Seconds for each audit.")] = 2.0,
    error: Error = 1e-6,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
    junit: Annotated[Path | None, typer.Option(help="Also write a JUnit report to this file.")] = None,
) -> None:
    """Judge all shipped estimators on a real stream, side by side: promise, exact loss, audit, error, memory.

    The exact loss is computed on all small streams, of state and output jointly and of the two parts of
    the published proofs, the state alone and the output alone. The audit runs on the real stream, with
    one user edited. A refutation of a published promise is the expected result, so that the exit code is
    0 unless an audit is inconclusive (3).

    Example: panproof audit --only optimal-bernoulli --only calibrated-bernoulli
    """
    from pan_audits.overview import overview
    from pan_audits.reports.junit import junit as junit_report
    from pan_audits.reports.overview import render_overview
    from pan_audits.reports.text import console
    from pan_audits.settings import Settings
    from pan_audits.verdict import Verdict

    settings = Settings(
        error=error, seconds=seconds, workers=jobs, seed=seed, stream=stream, confirmation_runs=4000, accuracy_runs=500
    )
    screen = console(stderr=True)
    began = time.perf_counter()
    with screen.status("audit") as status:
        rows = list(
            overview(
                settings,
                epsilon=epsilon,
                only=tuple(only or ()),
                progress=status.update if screen.is_terminal else None,
            )
        )
    reports = [row.audit for row in rows]
    if junit:
        write_text(junit, junit_report(reports))
    if as_json:
        print_json([row.to_dict() for row in rows])
    else:
        console().print(
            render_overview(rows, stream=stream, epsilon=epsilon, error=error, seconds=time.perf_counter() - began)
        )
    unclear = any(report.verdict is Verdict.INCONCLUSIVE for report in reports)
    raise typer.Exit(Verdict.INCONCLUSIVE.exit_code if unclear else 0)
