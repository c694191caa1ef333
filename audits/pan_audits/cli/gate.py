"""``panproof gate``: judge one estimator."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import nullcontext
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pan_audits.cli import names
from pan_audits.cli.judged import parse_settings, require_parameters, with_table
from pan_audits.cli.options import (
    Data,
    Engine,
    Epsilon,
    Error,
    Isolation,
    Jobs,
    Json,
    JUnitFile,
    MemoryLimit,
    NameOrCommand,
    Neighbours,
    Program,
    PromiseEpsilon,
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
    WitnessFile,
)
from pan_audits.cli.output import Files, print_json, require_writable, write_text
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import whole_option, words

if TYPE_CHECKING:
    from pan_audits.audit.journal import Journal


@formerly(time="seconds", memory="memory_limit", inputs="neighbours", table="schema")
def gate(
    name: NameOrCommand = None,
    command: Program = None,
    epsilon: Epsilon = None,
    promise_epsilon: PromiseEpsilon = None,
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
    exact: Annotated[bool, typer.Option("--exact/--no-exact", hidden=True)] = True,
    doubles: Annotated[
        bool,
        typer.Option(
            "--doubles", help="Judge the doubles as they are, with all their bits, and not the promise in real numbers."
        ),
    ] = False,
    timeout: Timeout = 120.0,
    memory_limit: MemoryLimit = 2.0,
    neighbours: Neighbours = "",
    data: Data = None,
    schema: TableSchema = None,
    rows: Rows = 8,
    sampled: Sampled = None,
    isolation: Isolation = "best",
    as_json: Json = False,
    junit: JUnitFile = None,
    witness: WitnessFile = None,
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

    Example: panproof gate optimal-bernoulli --promise-epsilon 0.2 --html report.html

    Example: panproof gate my_module:MyEstimator --set epsilon=0.5 --promise epsilon=1,adjacency=user-level

    Example: panproof gate my_module:mechanism --neighbours my_module:pairs --epsilon 1

    Example: panproof gate --command "./mechanism --epsilon 1" --neighbours my_module:pairs --epsilon 1

    Example: panproof gate my_module:mechanism --data my_module:strategy --neighbours add-row --epsilon 1

    Example: panproof gate my_module:Synthesizer --schema schema.json --promise
    epsilon=1,adjacency=replace-row,public=n+schema,observed=sample

    Example: panproof gate calibrated-bernoulli --promise-epsilon 0.2 --runs 1e9 --engine dask --scheduler
    tcp://HOST:8786
    """
    from pan_audits.subject.isolation.sandbox import start_ahead

    start_ahead(name, isolation, workers=jobs, exact=exact)
    from pan_audits.audit.settings import Settings as Effort
    from pan_audits.gate.gate import run_gate
    from pan_audits.reports.junit import junit as junit_report
    from pan_audits.reports.text import print_gate
    from pan_audits.subject.intake.discovery import find_thing
    from pan_audits.workers.engines.child import versions
    from pan_audits.workers.limits import Limits
    from pan_estimators.streams.real import load_stream
    from pan_promises.errors import InputError, on_one_line
    from pan_promises.extras import require_extra
    from pan_promises.promise import Observed

    if (name is None) is (command is None):
        raise InputError("name the mechanism: give its NAME, or a program by --command")
    name = name or command or ""
    require_parameters(name, epsilon, promise_epsilon, settings)
    require_extra("panproof gate" if exact else "panproof audit", "suite")
    if html is not None:
        from pan_audits.reports.html import require_libraries

        require_libraries()
    require_writable(html, junit, witness)
    parameters: dict[str, Any] = {"universe": universe, "sample_size": sample_size}
    if stream is not None:
        if universe is not None:
            raise InputError("--stream sets the universe; leave --universe out")
        parameters["universe"] = load_stream(stream, numbered=True).universe
    parameters |= parse_settings(settings or [])
    neighbours = with_table(name, schema, rows, neighbours, parameters, sampled)
    limits = Limits(seconds=timeout, memory_bytes=int(memory_limit * 2**30))
    mechanism = find_thing(
        name,
        epsilon=epsilon,
        promise_epsilon=promise_epsilon,
        promise=promise,
        neighbours=neighbours or None,
        data=data,
        parameters=parameters,
        isolation=isolation,
        limits=limits,
    )
    if sampled is not None and mechanism.promise.observed is not Observed.SAMPLE:
        raise InputError(f"--sampled needs a promise with observed=sample, got observed={mechanism.promise.observed}")
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
        "configuration": mechanism.configuration,
        "promise": mechanism.promise.to_dict(),
        "settings": effort.to_dict(),
        "seed": seed,
        "source": mechanism.source,
        # Blocks of another version would be mixed with those of this one.
        "versions": versions(),
    }
    opened = _opened(journal, identity)
    with opened or nullcontext() as book:
        report = _interruptible(
            lambda progress: run_gate(mechanism, effort, journal=book, progress=progress), name, kept=book is not None
        )
        files = Files()
        if junit:
            files.write(junit, junit_report([report]))
        written = files.write_witness(witness, report.violation, name, neighbours if data is None else "")
        if as_json:
            print_json(report.to_dict())
        else:
            print_gate(report, verbose=verbose)
            if written:
                print(written)
        if html is not None:
            from pan_audits.reports.html import gather, html_report

            write_text(html, html_report(report, gather(report, mechanism, effort), file=html))
            if not as_json:
                print(f"report written to {on_one_line(html)}")
        # The journal stays until the whole report is written, so that the same command can write it again.
        sys.stdout.flush()
        files.require_written()
        if book is not None:
            book.finish()
    raise typer.Exit(report.verdict.exit_code)


def audit(**options: Any) -> None:
    """Judge an estimator by runs alone: the gate without the exact check.

    The options and the report are those of ``panproof gate``. Exit codes: 0 not refuted, 1 refuted, 2 bad input,
    3 inconclusive.

    Example: panproof audit optimal-bernoulli --promise-epsilon 0.2
    """
    gate(**options, exact=False)


# Typer reads the options of a command from its signature, and its former ones from its dictionary.
_OPTIONS = signature(gate, eval_str=True)
audit.__dict__.update(
    gate.__dict__,
    __signature__=_OPTIONS.replace(parameters=[one for one in _OPTIONS.parameters.values() if one.name != "exact"]),
)


def _interruptible(work: Any, name: str, *, kept: bool) -> Any:
    from pan_audits.cli.progress import run_counter

    try:
        with run_counter(f"gate {name}") as progress:
            return work(progress)
    except KeyboardInterrupt:
        then = "continues from here" if kept else "begins again"
        typer.echo(f"panproof: interrupted; the same command {then}", err=True)
        raise typer.Exit(130) from None


def _opened(given: Path | None, identity: dict[str, Any]) -> Journal | None:
    """The journal; ``None`` if an equal gate at work has it, or the default one cannot be opened."""
    from pan_audits.audit.journal import BusyError, Journal, UnavailableError

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
