"""Files of shards of a distinct counter: private to their owner, checked, replaced as a whole, with the key apart."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan_estimators.density.distinct_shards import DividedCounter, ShardState
from pan_estimators.density.distinct_user_file import counter_described, key_words_of, require_key
from pan_estimators.states.key_file import destroy_key, key_digest, read_key, save_key
from pan_estimators.states.private_files import open_regular, write_private
from pan_estimators.states.state_format import MAGIC, Header, StateReader, StoredArray, described, to_bytes
from pan_promises.errors import InputError, StateFileError

_WHAT = "the shard file"
_NAMES = {"distinct_shard", "workers", "worker"}
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class SavedShard:
    """A shard in a file.

    Attributes
    ----------
    divided
        The divided counter, with the key of the hash.
    worker
        The number of the worker.
    state
        Its state. It is erased if its bits were joined.
    """

    divided: DividedCounter
    worker: int
    state: ShardState


def save_shard(
    path: PathLike, divided: DividedCounter, worker: int, state: ShardState, *, key_file: PathLike | None = None
) -> None:
    """Replace a file as a whole, readable by its owner only. It is on the disk when this function returns.

    A state that was joined is saved without its bits and its key, so that no worker goes on from it.

    Parameters
    ----------
    path
        The file. A reader of it is an intruder.
    divided
        The divided counter.
    worker
        The number of the worker.
    state
        Its state.
    key_file
        A separate file for the key of a hashed universe. It is removed after the bits were joined.

    Raises
    ------
    InputError
        If there is no such worker, the state is another one's, or a file cannot be written. An old file then stays
        unchanged.
    """
    if state.cells.shape != (divided.cells_of(worker),):
        raise InputError(f"worker {worker} has {divided.cells_of(worker)} cells, not {state.cells.size}")
    about = divided.counter.to_dict()
    if key_file is not None and "key" not in about["universe"]:
        raise InputError("a universe without a hash has no key to keep apart")
    if state.joined or key_file is not None:
        about["universe"].pop("key", None)
    configuration = {"distinct_shard": about, "workers": divided.workers, "worker": int(worker)}
    if state.joined:
        content = to_bytes(Header(configuration, spent=True), {})
    else:
        digest = None
        if key_file is not None:
            words = key_words_of(divided.counter)
            save_key(Path(key_file), words)
            digest = key_digest(words)
        arrays: dict[str, Any] = {"cells": state.cells}
        content = to_bytes(Header(configuration, key_digest=digest, arrays=described(arrays)), arrays)
    write_private(Path(path), content, begins=MAGIC, what=_WHAT)
    if state.joined and key_file is not None:
        destroy_key(Path(key_file))


def load_shard(path: PathLike, *, key_file: PathLike | None = None) -> SavedShard:
    """The shard in a file of :func:`save_shard`. Nothing of the file is trusted.

    Parameters
    ----------
    path
        The file.
    key_file
        The file with the key, if it was kept apart.

    Raises
    ------
    StateFileError
        If the file is not intact, its key is missing or another one, or its counter fails the check of its promise.
    """
    source = f"{_WHAT} {path}"
    key = None if key_file is None or not os.path.lexists(key_file) else read_key(Path(key_file))
    with open_regular(Path(path), _WHAT) as (file, size):
        reader = StateReader(file, size, source)
        header, about = reader.header, reader.header.configuration
        if about.keys() != _NAMES or not isinstance(about["distinct_shard"], dict):
            raise StateFileError(f"{source} holds no shard of a distinct counter")
        require_key(header, key, source)
        try:
            counter = counter_described(about["distinct_shard"], header, key)
            divided, worker = DividedCounter(counter, about["workers"]), about["worker"]
            cells = divided.cells_of(worker)
            header.require_fit({"cells": StoredArray.of_length("bool", cells)}, source)
        except (InputError, TypeError, KeyError, AttributeError, OverflowError, ValueError, MemoryError) as problem:
            if reader.damaged():
                raise StateFileError(f"{source} is truncated or corrupted: its checksum does not match") from None
            if isinstance(problem, StateFileError):
                raise
            raise StateFileError(f"{source} does not fit a counter of this package: {problem}") from None
        arrays = reader.arrays()
    if not header.spent:
        if "cells" not in arrays or header.releases:
            raise StateFileError(f"{source} lacks its cells")
        return SavedShard(divided, worker, ShardState(arrays["cells"]))
    return SavedShard(divided, worker, ShardState(np.zeros(cells, dtype=np.bool_), joined=True))
