"""Chains of tasks in separate processes: each task gets the results of the task before it in its chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from pan_promises.workers import Workers, pickled_call, result_of

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
    """The result of every task with its label, as soon as it is complete."""
    if workers == 0:
        yield from _here(chains, progress)
        return
    waiting = [list(chain) for chain in chains if chain]
    under_way: dict[int, tuple[Link[RowT], list[Link[RowT]]]] = {}
    group = Workers(workers)

    def begin(chain: list[Link[RowT]], known: Any) -> None:
        first, *rest = chain
        ticket = group.submit(pickled_call(partial(first, known)))
        under_way[ticket] = (first, rest)

    try:
        while waiting or under_way:
            while waiting and len(under_way) < workers:
                begin(waiting.pop(0), None)
            if progress:
                progress(", ".join(task.label for task, _ in under_way.values()))
            for ticket in group.finished(under_way):
                task, rest = under_way.pop(ticket)
                answer = group.answer(ticket)
                if answer is None:
                    raise RuntimeError(f"the process of {task.label} died, by a crash or for lack of memory")
                row, known = result_of(answer)
                if rest:
                    begin(rest, known)
                yield row, task.label
    finally:
        group.cancel(under_way)


def _here(chains: Sequence[Sequence[Link[RowT]]], progress: Callable[[str], Any] | None) -> Iterator[tuple[RowT, str]]:
    for chain in chains:
        known: Any = None
        for task in chain:
            if progress:
                progress(task.label)
            row, known = task(known)
            yield row, task.label
