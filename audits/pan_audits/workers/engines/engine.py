"""The interface of an engine: it runs tasks and returns the outcome of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from pan_audits.workers.limits import Outcome

Task: TypeAlias = Callable[[], Any]
"""A block of runs: its result depends on nothing but itself, so that it may be run anywhere, and again."""

ATTEMPTS = 3
"""How often a task is begun whose process dies; when it died each time, that is what its code does."""

KILLED = "its process was killed, by a crash, for lack of memory, or because it did not stop"
UNSENDABLE = "it cannot be sent to another process: it holds something that cannot be pickled"


class Engine(Protocol):
    """Runs tasks in this process, in others, or on a cluster.

    A result depends on its task alone. So what is computed from the outcomes, in the order of the
    tasks, is the same with every engine, any number of workers, and whichever of them die.
    """

    @property
    def workers(self) -> int:
        """How many tasks run at the same time; 0 in this process."""
        ...

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """The outcome of each task with its number, counted from 0, in the order in which they finish.

        Tasks are taken from the iterable as there is room for them. A task that fails has a
        :class:`Failure` for its result, and the others go on. When the iterator is closed, the tasks
        that are left are given up.
        """
        ...
