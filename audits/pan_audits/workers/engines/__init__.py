"""Engines, which run the blocks of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pan_audits.workers.engines.processes import Engine, InProcess, Processes, Shared, Task, run_in_workers
from pan_audits.workers.limits import Limits

__all__ = [
    "ENGINES",
    "Engine",
    "InProcess",
    "Processes",
    "Shared",
    "Task",
    "open_engine",
    "run_in_workers",
]

ENGINES = ("processes", "dask", "ray")


@contextmanager
def open_engine(name: str, *, workers: int, limits: Limits, scheduler: str | None = None) -> Iterator[Engine]:
    """An engine by name, with its cluster if it has one."""
    if name == "dask":
        from pan_audits.workers.engines.dask import dask_engine

        with dask_engine(scheduler, workers, limits) as dask:
            yield dask
    elif name == "ray":
        from pan_audits.workers.engines.ray import ray_engine

        with ray_engine(scheduler, workers, limits) as ray:
            yield ray
    else:
        yield Processes(workers, limits) if workers else InProcess()
