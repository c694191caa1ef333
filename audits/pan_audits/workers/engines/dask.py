"""The engine on a Dask cluster: an existing one, or one of processes of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent import futures
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pan_audits.workers.engines.child import run_in_child
from pan_audits.workers.engines.processes import Task, run_on
from pan_audits.workers.limits import Limits, Outcome
from pan_promises.errors import InputError, MissingExtraError
from pan_promises.workers import environment, python

_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_A_WORKER = 30
_SECONDS_BETWEEN_COUNTS = 5.0
_SECONDS_WITHOUT_WORKERS = 120.0
"""Seconds without any worker after which a run ends."""
_SECONDS_FOR_AN_ANSWER = 60.0
"""Seconds after which a finished answer that its worker does not send counts as lost."""
_SECONDS_BETWEEN_GLANCES = 0.01
_SECONDS_TO_CLOSE = 30.0


@dataclass(frozen=True)
class Dask:
    """Runs tasks on a Dask cluster.

    joblib's own Dask backend is not used: there one failed task ends all others, and the lost task
    is not known when a worker dies.
    """

    client: Any
    limits: Limits

    @property
    def workers(self) -> int:
        return sum(self.client.nthreads().values())

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        done = import_module("distributed").as_completed(loop=self.client.loop)
        yield from run_on(_Run(self.client, done), tasks, self.limits)


@dataclass
class _Run:
    """The tickets of one call of :meth:`Dask.run`, in the order in which they are done."""

    client: Any
    done: Any
    _workers: int = 0
    _asked: float = -_SECONDS_BETWEEN_COUNTS

    @property
    def workers(self) -> int:
        # A cluster may grow and shrink; each question takes a round trip.
        if time.monotonic() > self._asked + _SECONDS_BETWEEN_COUNTS:
            self._workers, self._asked = sum(self.client.nthreads().values()), time.monotonic()
        return self._workers

    def submit(self, payload: bytes) -> Any:
        ticket = self.client.submit(run_in_child, payload, pure=False)
        self.done.add(ticket)
        return ticket

    def finished(self, tickets: Collection[Any]) -> Collection[Any]:
        began = time.monotonic()
        while not self.done.has_ready():
            time.sleep(_SECONDS_BETWEEN_GLANCES)
            if self.workers:
                began = time.monotonic()
            elif time.monotonic() > began + _SECONDS_WITHOUT_WORKERS:
                raise InputError(
                    f"the Dask cluster has had no worker for {_SECONDS_WITHOUT_WORKERS:g} seconds; start some, and the "
                    "same command goes on from here"
                )
        batch: list[Any] = self.done.next_batch(block=True)
        return batch

    def answer(self, ticket: Any) -> bytes | None:
        from distributed import KilledWorker

        if self.client.status != "running":
            raise InputError("the connection to the Dask scheduler was lost; the same command goes on from here")
        if ticket.status in ("cancelled", "lost"):
            # The worker died before it sent the result.
            return None
        try:
            answer: bytes | None = ticket.result(timeout=_SECONDS_FOR_AN_ANSWER)
        except (KilledWorker, TimeoutError, asyncio.CancelledError, futures.CancelledError):
            # The worker died, before or after the end of the task.
            return None
        except ModuleNotFoundError as problem:
            raise InputError(f"a worker of the Dask cluster cannot run an audit: {problem}") from None
        return answer

    def cancel(self, tickets: Collection[Any]) -> None:
        if tickets:
            with contextlib.suppress(Exception):
                self.client.cancel(list(tickets))


KEEPS_WORKERS = {"distributed.deploy.lost-worker-timeout": "1e9 s"}
"""Settings of a local cluster.

After this time the cluster looks for a worker that was lost, and removes it for good if it is not there: also one that
was started again, and lost again at that moment. Their nannies start workers again in any case.
"""


@contextlib.contextmanager
def dask_engine(address: str | None, workers: int, limits: Limits) -> Iterator[Dask]:
    """An engine on the cluster of the scheduler at ``address``, or on a local one with a number of processes."""
    try:
        library: Any = import_module("distributed")
    except ImportError:
        raise MissingExtraError("--engine dask", "dask") from None
    # Its message becomes part of a sentence.
    for logger in list(logging.root.manager.loggerDict):
        if logger.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(logger).setLevel(logging.CRITICAL + 1)
    with contextlib.ExitStack() as stack:
        if address is None:
            address = stack.enter_context(_local_cluster(workers))
        try:
            client = library.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, ImportError):
            raise InputError(f"no Dask scheduler answers at {address!r}; give --scheduler tcp://HOST:PORT") from None
        stack.enter_context(client)
        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_A_WORKER)
        except TimeoutError:
            raise InputError(f"the Dask scheduler at {address} has no worker") from None
        yield Dask(client, limits)


@contextlib.contextmanager
def _local_cluster(workers: int) -> Iterator[str]:
    """The address of a new cluster on this machine, in a process of its own, whose workers have its search path."""
    process = subprocess.Popen(
        python(f"from {__name__} import serve_cluster; serve_cluster({max(1, workers)})"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise InputError("no Dask cluster can be started on this machine")
        yield address
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def serve_cluster(workers: int) -> None:
    """In a process of its own: a cluster with a number of workers, until the standard input is closed."""
    library: Any = import_module("distributed")
    gc.enable()
    with (
        import_module("dask").config.set(KEEPS_WORKERS),
        library.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            # Else Dask takes a port of its own for the status, and warns if another cluster has it.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            silence_logs=50,
        ) as cluster,
    ):
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
