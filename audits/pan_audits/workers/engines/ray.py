"""The engine on a Ray cluster: an existing one, or one of processes of this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pan_audits.workers.engines.child import run_in_child
from pan_audits.workers.engines.processes import Task, run_on
from pan_audits.workers.limits import Limits, Outcome
from pan_promises.errors import InputError, MissingExtraError
from pan_promises.workers import UNSAFE

_ERROR = 40
_SECONDS_TO_CONNECT = 10


@dataclass(frozen=True)
class Ray:
    """Runs tasks on a Ray cluster."""

    remote: Any
    limits: Limits

    @property
    def workers(self) -> int:
        import ray

        return int(ray.cluster_resources().get("CPU", 1))

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        yield from run_on(self, tasks, self.limits)

    def submit(self, payload: bytes) -> Any:
        return self.remote.remote(payload)

    def finished(self, tickets: Collection[Any]) -> Collection[Any]:
        import ray

        listed = list(tickets)
        ray.wait(listed, num_returns=1)
        done, _ = ray.wait(listed, num_returns=len(listed), timeout=0)
        return list(done)

    def answer(self, ticket: Any) -> bytes | None:
        import ray
        from ray import exceptions

        try:
            answer: bytes | None = ray.get(ticket)
        except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError, exceptions.NodeDiedError):
            return None
        except exceptions.RaySystemError as problem:
            raise InputError(f"the Ray cluster failed: {' '.join(str(problem).split())[:200]}") from None
        return answer

    def cancel(self, tickets: Collection[Any]) -> None:
        import ray

        for ticket in tickets:
            with contextlib.suppress(Exception):
                ray.cancel(ticket, force=False)


def _answers(address: str) -> bool:
    """Whether a server answers at the address. Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto" or not colon:
        return address == "auto"
    try:
        socket.create_connection((host, int(port)), timeout=_SECONDS_TO_CONNECT).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


@contextlib.contextmanager
def _beside_no_module() -> Iterator[None]:
    """Ray lets its workers find modules in the working folder, beside the script and by PYTHONPATH of this process.

    Here it finds none.
    """
    folder, script = os.getcwd(), sys.argv
    variables = {name: os.environ[name] for name in UNSAFE if name in os.environ}
    try:
        os.chdir(os.sep)
        sys.argv = ["", *script[1:]]
        for name in variables:
            del os.environ[name]
        yield
    finally:
        os.environ.update(variables)
        sys.argv = script
        os.chdir(folder)


@contextlib.contextmanager
def ray_engine(address: str | None, workers: int, limits: Limits) -> Iterator[Ray]:
    """An engine on the cluster at ``address``, or on a local one with a number of processes."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    if address is not None and not _answers(address):
        raise InputError(f"no Ray cluster answers at {address!r}; give --scheduler HOST:PORT")
    local = {"num_cpus": max(1, workers), "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        with _beside_no_module():
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=_ERROR,
                **(local if address is None else {}),
            )
    except (ConnectionError, ValueError, RuntimeError):
        raise InputError(f"no Ray cluster answers at {address!r}; give --scheduler HOST:PORT") from None
    try:
        yield Ray(ray.remote(num_cpus=1, max_retries=0)(run_in_child), limits)
    finally:
        ray.shutdown()
