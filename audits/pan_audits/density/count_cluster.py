"""``panproof count --engine dask``: files that are read where they lie, and cells that are divided among workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pan_audits.density.count_report import CountReport
from pan_audits.density.count_use import CountUse
from pan_audits.density.counting import CountKeeper, begun
from pan_audits.sources.reader import open_source
from pan_audits.sources.reading import Reading, Tally
from pan_audits.workers.engines import open_engine
from pan_audits.workers.limits import Limits
from pan_estimators.density.distinct_dask import count_in_dask
from pan_estimators.density.distinct_ids import id_pieces
from pan_estimators.density.distinct_user_counter import DistinctUserCounter
from pan_estimators.density.distinct_user_file import StoredCounter
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.private_files import locked
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
        for batch in open_source(self.file, reading).batches:
            number += len(batch)
            yield from id_pieces(batch)
        return number, reading.tally.skipped


def run_on_cluster(
    use: CountUse, cluster: Cluster, parameters: Mapping[str, Any], reading: Reading, *, level: float
) -> CountReport:
    """Count the ids of files on a cluster."""
    _require_files(use)
    if use.state is None:
        return _run(use, cluster, parameters, reading, level)
    with locked(use.state, "the state file"):
        if os.path.lexists(use.state):
            require_content(use.state)
            raise InputError(f"--engine dask begins a new counter, and {use.state} holds one: give another --state")
        require_savable(use.state)
        return _run(use, cluster, parameters, reading, level)


def _run(use: CountUse, cluster: Cluster, parameters: Mapping[str, Any], reading: Reading, level: float) -> CountReport:
    planned, _ = begun(use, parameters, None)
    if use.releases:
        planned.require_noise()
    numbers = []

    def tell(told: Any) -> None:
        number, skipped = told
        numbers.append(number)
        reading.tally.skipped += skipped

    with open_engine("dask", workers=cluster.workers, limits=Limits(), scheduler=cluster.scheduler) as engine:
        client: Any = engine.client  # type: ignore[attr-defined]
        shards = len(client.scheduler_info(n_workers=-1)["workers"])
        told = f"{shards} shard{'s' * (shards > 1)} on the cluster; the promise covers one intrusion in each"
        print(f"panproof: {told} (distinct.shards), and neither the files nor the ids that are read", file=sys.stderr)
        files = [FilePartition(os.path.abspath(file), reading) for file in use.files]
        state = count_in_dask(planned.estimator, files, client=client, tell=tell)
    if not sum(numbers):
        raise InputError("the files have no ids: the stream is empty")
    joined = StoredCounter(planned.estimator, state, planned.least, planned.most)
    counter = DistinctUserCounter.of_stored(joined, SecureRandomness())
    output = CountKeeper(counter, use, None).finish(level)
    return CountReport(counter, () if output is None else (output,))


def _require_files(use: CountUse) -> None:
    if not use.files or use.panes is not None:
        raise InputError("--engine dask counts the ids of files, without --every, --release and --show")
    for file in use.files:
        if file == "-" or not Path(file).is_file():
            raise InputError(f"--engine dask reads files, and {on_one_line(file)} is not a file")
