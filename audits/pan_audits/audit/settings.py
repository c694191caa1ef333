"""The effort of an audit, and its error budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pan_audits.judging.documents import document
from pan_audits.judging.ranges import CONFIRMATION_RUNS, MOST_JOBS, require_seconds
from pan_audits.statistics import DEFAULT_ERROR, ErrorBudget
from pan_audits.workers.engines import ENGINES
from pan_audits.workers.limits import Limits
from pan_promises.errors import Problems, require_count, shown, suggestion


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a gate or an audit.

    Parameters
    ----------
    error
        Greatest probability that a true promise or statement is refuted.
    runs
        Runs of the search for a violated pair; by default a usual number for its kind of mechanism. Runs beyond a
        million belong to a long audit. The search and the long audit then have half each of the part of
        ``error`` for the search. Only this number decides whether there is a long audit.
    seconds
        In place of ``runs``: time for the search, from which their number is derived after the first few runs; it may
        take up to three times as long if that would probably decide the verdict. The result cannot be repeated by its
        seed alone.
    confirmation_runs
        Most runs on each stream that bound the loss of a refuted pair.
    accuracy_runs
        Runs for each input on which the error is measured; 0 for no audit of the accuracy.
    workers
        Worker processes; 0 to run everything in this process, without limits.
    seed
        Entropy of the run; fresh by default.
    stream
        A shipped real stream to edit, instead of the synthetic catalogue.
    hygiene
        Whether to check the estimator's conduct first.
    exact
        Whether to check small instances exactly first; a refutation there needs no audit.
    doubles
        Judge the doubles as they are, with all their bits, and not the promise in real arithmetic. The exact check
        calculates with real numbers, and is left out.
    limits
        Limits on each task of a worker.
    engine
        The engine of the runs: ``processes`` of this machine, or a ``dask`` or ``ray`` cluster.
    scheduler
        Address of the cluster; by default one is started on this machine, with ``workers`` processes.
    """

    error: float = DEFAULT_ERROR
    runs: int | None = None
    seconds: float | None = None
    confirmation_runs: int = CONFIRMATION_RUNS
    accuracy_runs: int = 10_000
    workers: int = 2
    seed: int | None = None
    stream: str | None = None
    hygiene: bool = True
    exact: bool = True
    doubles: bool = False
    limits: Limits = field(default_factory=Limits)
    engine: str = "processes"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        problems = Problems()
        with problems.collected():
            ErrorBudget(self.error)
        for name, value, least, most in (
            ("the number of runs", self.runs, 100, None),
            ("the seed", self.seed, 0, None),
            ("the number of confirmation runs", self.confirmation_runs, 100, None),
            ("the number of accuracy runs", self.accuracy_runs, 0, None),
            ("the number of workers", self.workers, 0, MOST_JOBS),
        ):
            if value is not None:
                with problems.collected():
                    require_count(name, value, least=least, most=most)
        if self.seconds is not None:
            with problems.collected():
                require_seconds("the time for the search", self.seconds)
        if self.engine not in ENGINES:
            problems.add(f"unknown engine {shown(self.engine)}; {suggestion(self.engine, ENGINES)}")
        if self.scheduler is not None and self.engine == "processes":
            problems.add("--scheduler is the address of a cluster; give --engine dask or --engine ray with it")
        problems.raise_any()

    def to_dict(self) -> dict[str, Any]:
        """The settings that determine an outcome, JSON-ready, without the engine and the number of workers."""
        described = document(self, "error runs seconds confirmation_runs accuracy_runs stream hygiene exact doubles")
        return described | ({"seconds": None} if self.runs else {})
