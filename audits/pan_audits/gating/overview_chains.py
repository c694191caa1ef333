"""Chains of tasks in separate processes: each task gets the results of the task before it in its chain."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.util import Finalize
from typing import Any, Protocol, TypeVar

from pan_audits.workers.engines import end_workers

_BEFORE_CHILDREN_ARE_WAITED_FOR = 10

RowT = TypeVar("RowT", covariant=True)


class Link(Protocol[RowT]):
    """A task of a chain, which can be sent to another process."""

    @property
    def label(self) -> str:
        """The task in words."""
        ...

    def __call__(self, known: Any) -> tuple[RowT, Any]:
        """The result, and the data for the next task of the chain; ``known`` is ``None`` for the first."""
        ...


def run_chains(
    chains: Sequence[Sequence[Link[RowT]]], workers: int, progress: Callable[[str], Any] | None = None
) -> Iterator[tuple[RowT, str]]:
    """The result of every task with its label, as soon as it is complete.

    Parameters
    ----------
    chains
        The chains, in the order of their start.
    workers
        Number of processes; with 0, everything runs in this one.
    progress
        Called with the labels of the running tasks.
    """
    if workers == 0:
        yield from _here(chains, progress)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

    from joblib.externals.loky.backend import get_context

    waiting = [list(chain) for chain in chains if chain]
    under_way: dict[Future[Any], tuple[Link[RowT], list[Link[RowT]]]] = {}
    # Processes of this kind know nothing of the script that started this one. The executor of the same library is
    # not used: it ends a process that has grown, which then waits for the workers that it has itself.
    executor = ProcessPoolExecutor(workers, get_context("loky"), _prepare)

    def begin(chain: list[Link[RowT]], known: Any) -> None:
        first, *rest = chain
        under_way[executor.submit(first, known)] = (first, rest)

    done = False
    try:
        while waiting or under_way:
            while waiting and len(under_way) < workers:
                begin(waiting.pop(0), None)
            if progress:
                progress(", ".join(task.label for task, _ in under_way.values()))
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                task, rest = under_way.pop(future)
                row, known = future.result()
                if rest:
                    begin(rest, known)
                yield row, task.label
        done = True
    finally:
        if not done:
            for process in list((executor._processes or {}).values()):
                process.kill()
        executor.shutdown(wait=True, cancel_futures=True)


def _here(chains: Sequence[Sequence[Link[RowT]]], progress: Callable[[str], Any] | None) -> Iterator[tuple[RowT, str]]:
    for chain in chains:
        known: Any = None
        for task in chain:
            if progress:
                progress(task.label)
            row, known = task(known)
            yield row, task.label


def _prepare() -> None:
    """In a process of a chain: the parent has interrupts; its own workers end with it, which would wait for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Finalize(None, end_workers, exitpriority=_BEFORE_CHILDREN_ARE_WAITED_FOR)
