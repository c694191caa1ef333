"""``panproof count --engine dask``: files that are read where they lie, and cells that are divided among workers."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pan_audits.density.count_report import CountReport
from pan_audits.workers.engines import open_engine
from pan_audits.workers.limits import Limits
from pan_estimators.counting.run import alone
from pan_estimators.counting.run import tell as tell_user
from pan_estimators.density.distinct.dask import count_in_dask
from pan_estimators.density.distinct.files import StoredCounter
from pan_estimators.density.distinct.ids import id_pieces
from pan_estimators.density.distinct.panes import PaneUse
from pan_estimators.density.distinct.run import CountRun, CountUse, begun
from pan_estimators.density.distinct.users import DistinctUserCounter
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.reading.options import Reading, Tally
from pan_estimators.reading.source import open_source
from pan_estimators.states.state_file import require_content, require_savable
from pan_promises.errors import InputError, on_one_line


@dataclass(frozen=True)
class Cluster:
    """The cluster on which ids are counted.

    Attributes
    ----------
    scheduler
        The address of its scheduler; ``None`` for a new cluster on this machine.
    workers
        The number of processes of a new cluster.
    """

    scheduler: str | None
    workers: int


@dataclass(frozen=True)
class FilePartition:
    """A file that one worker of the cluster reads.

    Attributes
    ----------
    file
        The file, at the same place on all workers.
    reading
        The reading of ids.
    """

    file: str
    reading: Reading

    def __call__(self) -> Generator[Any, None, tuple[int, int]]:
        """Columns of ids in constant memory; at the end the number of ids and that of the missing ones."""
        reading = replace(self.reading, tally=Tally())
        number = 0
        for batch in open_source(self.file, reading):
            number += len(batch)
            yield from id_pieces(batch)
        return number, reading.tally.skipped


def run_on_cluster(
    use: CountUse,
    panes: PaneUse | None,
    cluster: Cluster,
    parameters: Mapping[str, Any],
    *,
    level: float,
) -> CountReport:
    """Count the ids of files on a cluster."""
    if not use.files or panes is not None:
        raise InputError("--engine dask counts the ids of files, without --every, --release and --show")
    for file in use.files:
        if file == "-" or not Path(file).is_file():
            raise InputError(f"--engine dask reads files, and {on_one_line(file)} is not a file")
    with alone(use.state):
        return _run(use, cluster, parameters, level)


def _run(use: CountUse, cluster: Cluster, parameters: Mapping[str, Any], level: float) -> CountReport:
    if use.state is not None:
        if os.path.lexists(use.state):
            require_content(use.state)
            raise InputError(f"--engine dask begins a new counter, and {use.state} holds one: give another --state")
        require_savable(use.state)
    planned, _ = begun(use, parameters, None)
    if use.releases:
        planned.require_noise()
    numbers = []

    def tell(told: Any) -> None:
        number, skipped = told
        numbers.append(number)
        use.reading.tally.skipped += skipped

    with open_engine("dask", workers=cluster.workers, limits=Limits(), scheduler=cluster.scheduler) as engine:
        client: Any = engine.client  # type: ignore[attr-defined]
        shards = len(client.scheduler_info(n_workers=-1)["workers"])
        told = f"{shards} shard{'s' * (shards > 1)} on the cluster; the promise covers one intrusion in each"
        tell_user(f"{told} (distinct.shards), and neither the files nor the ids that are read")
        files = [FilePartition(os.path.abspath(file), use.reading) for file in use.files]
        state = count_in_dask(planned.estimator, files, client=client, tell=tell)
    if not sum(numbers):
        raise InputError("the files have no ids: the stream is empty")
    joined = StoredCounter(planned.estimator, state, planned.least, planned.most)
    counter = DistinctUserCounter.of_stored(joined, SecureRandomness())
    output = CountRun(counter, use).release(level)
    return CountReport(counter, () if output is None else (output,))
