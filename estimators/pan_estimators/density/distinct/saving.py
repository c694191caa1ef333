"""Files of a distinct user counter: private to their owner, replaced as a whole, with the key in a file of its own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pan_estimators.density.distinct.users import DistinctUserCounter
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.key_file import destroy_left_key, kept_key, write_with_key
from pan_estimators.states.private_files import open_regular
from pan_estimators.states.state_format import MAGIC
from pan_promises.errors import InputError

_WHAT = "the state file"
PathLike = str | os.PathLike[str]


def save_counter(
    path: PathLike,
    counter: DistinctUserCounter,
    *,
    key_file: PathLike | None = None,
    place: Mapping[str, Any] | None = None,
) -> None:
    """Replace a file as a whole, readable by its owner only. It is on the disk when this function returns.

    Parameters
    ----------
    path
        The file. A reader of it is an adversary.
    counter
        The counter.
    key_file
        A separate file for the key. It is removed after the last release, or by a later call if this one is killed.
    place
        The place in an input from which the reading continues, JSON-ready. No promise covers it.

    Raises
    ------
    InputError
        If a file cannot be written, for instance on a full disk. An old file then stays unchanged.
    """
    content = counter.to_bytes(place=place, apart=key_file is not None)
    apart = None if key_file is None else (Path(key_file), counter.key_words)
    write_with_key(Path(path), content, begins=MAGIC, what=_WHAT, spent=counter.erased, key=apart)


def load_counter(
    path: PathLike, *, key_file: PathLike | None = None, randomness: Randomness | None = None
) -> tuple[DistinctUserCounter, Mapping[str, Any] | None]:
    """The counter in a file of :func:`save_counter`, and the place in its input.

    Parameters
    ----------
    path
        The file.
    key_file
        The file with the key, if it was kept apart.
    randomness
        The source of random choices, as for a new counter.

    Raises
    ------
    StateFileError
        If the file is not intact, or its key is missing or another one.
    """
    with open_regular(Path(path), _WHAT) as (file, _):
        content = file.read()
    # The last release removes the key file.
    key = kept_key(None if key_file is None else Path(key_file))
    counter = DistinctUserCounter.from_bytes(content, key=key, randomness=randomness, source=f"{_WHAT} {path}")
    if key_file is not None and counter.erased:
        _remove_left_key(Path(key_file), Path(path))
    return counter, counter.place


def _remove_left_key(key_file: Path, path: Path) -> None:
    """Remove the key that a release was to remove, if the process was killed before."""
    try:
        destroy_left_key(key_file, path)
    except InputError as problem:
        warnings.warn(f"the key of a counter that is erased is left: {problem}", stacklevel=3)
