"""The interface of an engine: it runs tasks and returns the outcome of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from pan_audits.workers.limits import Outcome

Task: TypeAlias = Callable[[], Any]
"""A block of runs. Its result depends on the task alone, so that it may run anywhere, and again."""

KILLED = "its process was killed, by a crash, for lack of memory, or because it did not stop"
UNSENDABLE = "it cannot be sent to another process: it holds something that cannot be pickled"


class Engine(Protocol):
    """Runs tasks in this process, in others, or on a cluster.

    A result depends on its task alone. A computation on the outcomes, in the order of the
    tasks, therefore gives the same result with every engine, any number of workers, and lost workers.
    """

    @property
    def workers(self) -> int:
        """Number of tasks that run at the same time; 0 in this process."""
        ...

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """The outcome of each task with its number, counted from 0, in the order in which they finish.

        The engine takes tasks from the iterable when workers are free. A task that fails has a
        :class:`Failure` for its result, and the others continue. When the iterator is closed, the remaining tasks
        are cancelled.
        """
        ...
