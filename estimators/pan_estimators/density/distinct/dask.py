"""A distinct counter on a Dask cluster: the ids of a bag, a series or an array, counted in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState
from pan_estimators.density.distinct.shards import DividedCounter, ShardState
from pan_estimators.randomness import SecureRandomness
from pan_estimators.randomness.interface import Randomness
from pan_estimators.universes.ids import as_id_array, kind_of, require_one_kind
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, MissingExtraError
from pan_promises.extras import is_there

_BATCH = 2**20
"""The largest number of ids that are hashed at once."""

_AT_ONCE = 4
"""Partitions that are under way for each worker of the cluster."""


@dataclass
class _Worker:
    """An actor: the state of one shard, which stays on one machine until it is joined."""

    divided: DividedCounter
    number: int
    source: Callable[[int], Randomness]
    randomness: Randomness = field(init=False)
    state: ShardState = field(init=False)

    def __post_init__(self) -> None:
        # The source is made where it is used: its state does not travel.
        self.randomness = self.source(self.number)
        self.state = self.divided.create(self.number, self.randomness)

    def touch(self, places: NDArray[np.int64]) -> int:
        """Draw bits afresh, and say how many."""
        self.divided.touch(self.state, places, self.randomness)
        return int(places.size)

    def hand_over(self) -> NDArray[np.bool_]:
        """The bits, which are erased here."""
        cells = self.state.cells.copy()
        self.state.erase()
        return cells


def count_in_dask(
    counter: DistinctCounter,
    ids: Any,
    *,
    client: Any,
    workers: int | None = None,
    randomness: Callable[[int], Randomness] | None = None,
    tell: Callable[[Any], None] | None = None,
) -> DistinctCounterState:
    """The state of a distinct counter after all ids of a Dask collection. It is then released as any other state.

    Each shard is an actor on a worker of the cluster. Each partition of the collection is hashed where it lies. The
    places of its cells go to the actors, and no id does. The joined state is distributed exactly as that of one
    counter.

    Model and guarantee: those of :class:`pan_estimators.density.distinct.shards.DividedCounter` (distinct.shards). The
    partitions hold the ids themselves, and are not covered. No task is run a second time on purpose. If a worker of the
    cluster that has a shard is lost, the count ends with an error.

    Parameters
    ----------
    counter
        The counter. Its key is sent to all workers.
    ids
        A Dask bag, series or array, with ``to_delayed``; or an iterable of partitions. A partition is an array-like of
        ids, or a function without arguments that is called on a worker, and gives an iterator of columns of ids.
    client
        A ``distributed.Client`` that is connected to the cluster.
    workers
        The number of shards; the number of workers of the cluster by default.
    randomness
        For each shard's number a source of its own; the secure source by default.
    tell
        Called with the value that the generator of a partition returned, or ``None``, after each partition.

    Returns
    -------
    The joined state, on this machine. Its bits on the cluster are erased.

    Raises
    ------
    InputError
        For an id outside the universe, a cluster without workers or that loses one, or a frame with several columns.
    MissingExtraError
        Without the extra ``dask``.
    """
    if not is_there("distributed"):
        raise MissingExtraError("counting on a Dask cluster", "dask")
    places = list(client.scheduler_info(n_workers=-1)["workers"])
    if not places:
        raise InputError("the cluster has no workers")
    divided = DividedCounter(counter, workers or min(len(places), counter.geometry.cells))
    source = randomness or _secure
    # Actors find their cluster by the current client.
    with client.as_current(), _told_losses():
        made = [
            client.submit(
                _Worker, divided, number, source, actor=True, workers=[places[number % len(places)]], pure=False
            )
            for number in range(divided.workers)
        ]
        actors = client.gather(made)
        kind = None
        for told, kinds in _sent(client, divided, actors, ids):
            for one in kinds:
                require_one_kind(kind, one)
                kind = one
            if tell is not None:
                tell(told)
        states = [ShardState(actor.hand_over().result()) for actor in actors]
    return divided.join(states)


_LOSSES = {"KilledWorker", "CommClosedError", "FutureCancelledError", "CancelledError"}
"""Names of errors of Dask about a worker that was lost."""


@contextmanager
def _told_losses() -> Iterator[None]:
    try:
        yield
    except Exception as problem:
        actor = isinstance(problem, RuntimeError) and "Actor was lost" in str(problem)
        if not actor and type(problem).__name__ not in _LOSSES:
            raise
        raise InputError("a worker of the cluster was lost, and its bits with it: count again") from None


def _secure(_: int) -> Randomness:
    return SecureRandomness()


def _partitions(ids: Any) -> Iterator[Any]:
    if getattr(ids, "ndim", 1) != 1:
        raise InputError("the ids are one column: choose it, as in frame['user']")
    yield from np.ravel(ids.to_delayed()) if hasattr(ids, "to_delayed") else ids


def _sent(client: Any, divided: DividedCounter, actors: list[Any], ids: Any) -> Iterator[Any]:
    """Send all partitions, few at a time, so that the cluster does not hold them all, and hand on their answers."""
    most = _AT_ONCE * len(client.scheduler_info(n_workers=-1)["workers"])
    done = import_module("distributed").as_completed(loop=client.loop)
    waiting, problem = 0, None
    for partition in _partitions(ids):
        here = client.compute(partition) if hasattr(partition, "dask") else partition
        done.add(client.submit(_send, divided, actors, here, pure=False, retries=0))
        waiting += 1
        if waiting >= most:
            found = next(done).result()
            waiting -= 1
            if isinstance(found, InputError):
                problem = found
                break
            yield found
    # Partitions that are under way end before an error does: a cluster that closes then has nothing to do.
    for one in done:
        found = one.result()
        if isinstance(found, InputError):
            problem = problem or found
        elif problem is None:
            yield found
    if problem is not None:
        raise problem


def _send(divided: DividedCounter, actors: list[Any], partition: Any) -> Any:
    """Hash a partition and touch its cells, on a worker: what the partition tells, and the kinds of its ids."""
    kinds: set[str] = set()
    try:
        if callable(partition):
            return _send_columns(divided, actors, partition(), kinds), kinds
        _send_column(divided, actors, partition if hasattr(partition, "__len__") else list(partition), kinds)
    except InputError as problem:
        # It is raised on the client: its frames would keep the connection of the worker alive.
        return problem.with_traceback(None)
    return None, kinds


def _send_columns(divided: DividedCounter, actors: list[Any], columns: Iterator[Any], kinds: set[str]) -> Any:
    while True:
        try:
            column = next(columns)
        except StopIteration as end:
            return end.value
        _send_column(divided, actors, column, kinds)


def _send_column(divided: DividedCounter, actors: list[Any], values: Any, kinds: set[str]) -> None:
    for start in range(0, len(values), _BATCH):
        part = values[start : start + _BATCH] if not hasattr(values, "iloc") else values.iloc[start : start + _BATCH]
        if isinstance(divided.counter.universe, HashedUniverse):
            # All ids of a part are of one kind, or it is refused when they are hashed.
            kind = kind_of(as_id_array(part[:2]))
            kinds |= {kind} if kind is not None else set()
        waiting = [
            actor.touch(places) for actor, places in zip(actors, divided.routed(part), strict=True) if places.size
        ]
        for one in waiting:
            one.result()
