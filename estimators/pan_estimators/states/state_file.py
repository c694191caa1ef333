"""State files: private to their owner, replaced as a whole, and spent after the last release.

Their format is that of :mod:`pan_estimators.states.state_format`. The file holds the whole state: its reader is
an adversary. The file of an erased state says that it is spent and holds nothing else. Earlier copies of a file are
out of reach: their releases are not counted here.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from pan_estimators.states.key_file import destroy_left_key, kept_key, key_digest, require_key, write_with_key
from pan_estimators.states.private_files import open_regular, require_writable, write_private
from pan_estimators.states.releasing import is_erased, releases_covered
from pan_estimators.states.state_format import MAGIC, Arrays, StateReader, StoredArray, file_of
from pan_promises.errors import InputError, StateFileError

_WHAT = "the state file"

PathLike = str | os.PathLike[str]


class _SpentError(StateFileError):
    """A file holds no state any more."""


class Storable(Protocol):
    """An estimator with a configuration and a state that can be written to a file.

    ``stored_arrays`` lists the arrays of its states, so that no memory is allocated for others.
    """

    @property
    def promise(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]:
        """The configuration as a JSON-ready dictionary, which :func:`pan_estimators.estimator_from_dict` reads."""
        ...

    def stored_arrays(self) -> Mapping[str, StoredArray]:
        """The description of every array that :meth:`state_to_arrays` may give, by name."""
        ...

    def state_to_arrays(self, state: Any) -> Arrays:
        """The ``state`` as named arrays of one dimension, for :func:`pan_estimators.save_state`."""
        ...

    def state_from_arrays(self, arrays: Arrays) -> Any:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not a state."""
        ...


def dump_state(estimator: Storable, state: Any) -> bytes:
    """The bytes of a state file. For an erased state, they are those of a spent file.

    Parameters
    ----------
    estimator
        The estimator.
    state
        Its state.

    Raises
    ------
    InputError
        If the state has arrays of types or shapes that a state file does not hold.
    """
    return _content(estimator, state)[0]


def save_state(path: PathLike, estimator: Storable, state: Any, *, key_file: PathLike | None = None) -> None:
    """Write the state with its configuration and its number of releases.

    Only the owner can read and write the file. It is replaced as a whole or not at all, and is on the disk when
    this function returns. For an erased state, only the configuration and the number of releases are written.

    Parameters
    ----------
    path
        The file. It must not be a link, nor a file of another kind.
    estimator
        The estimator.
    state
        Its state.
    key_file
        A separate file for the key of the sample. The state file then does not hold the key. The key file is
        removed when the state is erased.

    Raises
    ------
    InputError
        If a file cannot be written. An old file then stays unchanged.
    """
    content, key = _content(estimator, state, apart=key_file is not None)
    apart = None if key_file is None else (Path(key_file), key)
    spent = is_erased(estimator, state)
    write_with_key(Path(path), content, begins=MAGIC, what=_WHAT, spent=spent, key=apart)


def save_spent(path: PathLike, estimator: Storable, releases: int) -> None:
    """Write a spent file: the number of releases in place of a state.

    It is for a state that continues in another file. :func:`save_state` does it for an erased state.

    Parameters
    ----------
    path
        The file. It must not be a link, nor a file of another kind.
    estimator
        The estimator.
    releases
        The number of releases so far, at least 0.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    content = file_of(estimator.to_dict(), None, releases=releases)
    write_private(Path(path), content, begins=MAGIC, what=_WHAT)


def require_savable(path: PathLike) -> None:
    """Raise :class:`InputError` if a state cannot be saved to the file. No file is left behind.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    InputError
        For a link, a file of another kind, or a folder that cannot be written to.
    """
    require_writable(Path(path), begins=MAGIC, what=_WHAT)


def require_content(path: PathLike) -> None:
    """Refuse an empty file where a state was kept: it has lost its count, and its releases with it."""
    with open_regular(Path(path), _WHAT) as (_, size):
        if not size:
            raise StateFileError(
                f"{_WHAT} {path} is empty, so that what it counted is lost: remove it to begin a new count"
            )


def parse_state(content: bytes, *, source: str = _WHAT, key: Any = None) -> tuple[Any, Any]:
    """The estimator and the state in the bytes of a state file.

    Parameters
    ----------
    content
        The bytes.
    source
        The name of the file, for messages.
    key
        The key of the sample as two words of 64 bits, if it was saved apart.

    Raises
    ------
    StateFileError
        If the content is not intact, or is spent.
    """
    return _read(io.BytesIO(content), len(content), source, key)


def load_state(
    path: PathLike, estimator: Storable | None = None, *, key_file: PathLike | None = None
) -> tuple[Any, Any]:
    """The estimator and the state in a file that :func:`save_state` wrote.

    Parameters
    ----------
    path
        The file.
    estimator
        An estimator with the configuration that the file must have, if given.
    key_file
        The file with the key of the sample, if it was saved apart.

    Returns
    -------
    The estimator and the state.

    Raises
    ------
    StateFileError
        If the file is missing, not a regular file, truncated, corrupted, foreign, of another configuration or spent, or
        if its key is missing or another one.
    """
    # The last release removes the key file.
    key = kept_key(None if key_file is None else Path(key_file))
    source = f"{_WHAT} {path}"
    try:
        with open_regular(Path(path), _WHAT) as (file, size):
            found, state = _read(file, size, source, key)
    except _SpentError:
        if key_file is not None:
            # The release that spent the state was killed before it removed the key.
            destroy_left_key(Path(key_file), Path(path))
        raise
    if estimator is not None and found.to_dict() != estimator.to_dict():
        ours, theirs = estimator.to_dict(), found.to_dict()
        name = next(key for key in {**theirs, **ours} if ours.get(key) != theirs.get(key))
        raise StateFileError(
            f"{source} was written for {name} = {_short(theirs.get(name))}, not for {name} = {_short(ours.get(name))}"
        )
    return found, state


def _content(estimator: Storable, state: Any, *, apart: bool = False) -> tuple[bytes, Any]:
    """The bytes of the file, and the key if it is kept apart."""
    releases = int(getattr(state, "releases", 0))
    if is_erased(estimator, state):
        return file_of(estimator.to_dict(), None, releases=releases), None
    arrays = estimator.state_to_arrays(state)
    key = None
    if apart:
        key = arrays.pop("key", None)
        if key is None:
            raise InputError("a key file is for a sample that is kept as a key; this state has none")
    digest = None if key is None else key_digest(key)
    return file_of(estimator.to_dict(), arrays, releases=releases, key_digest=digest), key


def _read(stream: BinaryIO, size: int, source: str, key: Any) -> tuple[Any, Any]:
    from pan_estimators.common.registry import estimator_from_dict

    reader = StateReader(stream, size, source)
    header = reader.header
    with reader.fitting("an estimator"):
        estimator: Any = estimator_from_dict(header.configuration)
        header.require_fit(estimator.stored_arrays(), source)
    # The checksum is checked before any content of the file is used.
    arrays = reader.arrays()
    covered = releases_covered(estimator)
    if header.spent:
        raise _SpentError(f"{source} holds no state: {_why_spent(header.releases, covered)}")
    if covered is not None and header.releases >= covered:
        raise StateFileError(f"{source} is corrupted: {header.releases} releases, where its promise covers {covered}")
    require_key(header.key_digest, key, source)
    if key is not None:
        arrays["key"] = key
    try:
        state = estimator.state_from_arrays(arrays)
    except KeyError as problem:
        raise StateFileError(f"{source} lacks the array {problem}") from None
    except (InputError, TypeError, OverflowError, ValueError) as problem:
        if isinstance(problem, StateFileError):
            raise
        raise StateFileError(f"{source} does not fit an estimator of this package: {problem}") from None
    state.releases = header.releases
    return estimator, state


def _why_spent(releases: int, covered: int | None) -> str:
    if covered is None or releases < covered:
        return "its state continues in another file"
    return f"its last release was made, release {releases} of {covered}, and its promise covers no more"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."
