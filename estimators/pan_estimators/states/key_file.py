"""A separate file for the key of a keyed sample, so that it can be kept apart from the cells.

Layout: ``b"PANSTKEY"``, the 16 bytes of the key, a digest of the place of its state file, SHA-256 of all. The state
file then holds a digest of the key, and its reader refuses a wrong key. A reader of the state file without the key does
not learn who is sampled. A key of several state files has no digest of a place.

A process that is killed can leave a key whose state was not written yet, or whose state is spent, or zeros in the place
of a key. The place of the state tells such a key from that of another state.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pan_estimators.samples.keyed_sample import KEY_BYTES
from pan_estimators.states.private_files import destroy, open_regular, require_writable, write_private
from pan_promises.errors import InputError, StateFileError

MAGIC = b"PANSTKEY"
_WHAT = "the key file"
_PLACE_BYTES = 16
_SIZES = (len(MAGIC) + KEY_BYTES + 32, len(MAGIC) + KEY_BYTES + _PLACE_BYTES + 32)

KeyWords = NDArray[np.int64]
"""A key in the form of a state file: two words of 64 bits."""


def key_digest(words: KeyWords) -> str:
    """The digest by which a state file recognises its key."""
    return hashlib.sha256(b"panproof sample key" + _bytes_of(words)).hexdigest()


def save_key(path: Path, words: KeyWords, state: Path | None = None) -> None:
    """Write a key to a new file."""
    place = _place_of(state)
    if path.exists() or path.is_symlink():
        known, of = _read(path)
        if key_digest(known) != key_digest(words):
            raise InputError(f"the key file {path} holds the key of another state; choose another file")
        if of == place:
            return
    content = MAGIC + _bytes_of(words) + place
    write_private(path, content + hashlib.sha256(content).digest(), begins=MAGIC, what=_WHAT)


def read_key(path: Path) -> KeyWords:
    """The key in a file. Raise :class:`StateFileError` if the file holds no key."""
    return _read(path)[0]


def _read(path: Path) -> tuple[KeyWords, bytes]:
    """The key in a file, and the digest of the place of its state."""
    with open_regular(path, _WHAT) as (file, size):
        content = file.read(size) if size in _SIZES else b""
    if not content.startswith(MAGIC) or hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise StateFileError(f"{path} is not a key file of panproof, or is damaged")
    end = len(MAGIC) + KEY_BYTES
    return np.frombuffer(content[len(MAGIC) : end], dtype="<i8").astype(np.int64), content[end:-32]


def kept_key(path: Path | None) -> KeyWords | None:
    """The key in a file; ``None`` if there is no file, or if a killed process has overwritten the key with zeros."""
    return None if path is None or not os.path.lexists(path) or _is_wiped(path) else read_key(path)


def require_key(digest: str | None, key: KeyWords | None, source: str) -> None:
    """Check that the key is the one of a state file, if the file needs one."""
    if digest is None:
        if key is not None:
            raise StateFileError(f"{source} holds its key itself, or has none: give no key file")
    elif key is None:
        raise StateFileError(f"{source} needs the file with the key, which was saved apart")
    elif key_digest(key) != digest:
        raise StateFileError(f"{source} was saved with another key than that of the key file")


def write_with_key(
    path: Path,
    content: bytes,
    *,
    begins: bytes,
    what: str,
    spent: bool,
    key: tuple[Path, KeyWords | None] | None,
    beside: bool = True,
) -> None:
    """Replace a state file as a whole, after the file of its key; the key of a spent state is destroyed after it."""
    if key is None:
        write_private(path, content, begins=begins, what=what)
        return
    file, words = key
    new = not os.path.lexists(file)
    if words is not None and not spent:
        save_key(file, words, path if beside else None)
    try:
        write_private(path, content, begins=begins, what=what)
    except InputError:
        # A key without its state would stand in the way of a new one.
        if new:
            destroy_key(file)
        raise
    if spent:
        destroy_key(file)


def key_for_new(path: Path, state: Path) -> KeyWords | None:
    """The key for a new state: the one that a killed process has left for it, or ``None`` for a fresh one."""
    if (path.exists() or path.is_symlink()) and not _is_wiped(path):
        words, place = _read(path)
        if place != _place_of(state) or os.path.lexists(state):
            raise InputError(
                f"the key file {path} exists already, and may hold the key of another state; choose another file"
            )
        return words
    if os.path.lexists(path):
        os.unlink(path)
    require_writable(path, begins=MAGIC, what=_WHAT)
    return None


def destroy_left_key(path: Path, state: Path) -> None:
    """Remove the key of a spent state, if a killed process has left it."""
    if not os.path.lexists(path):
        return
    try:
        if _is_wiped(path):
            os.unlink(path)
        elif _read(path)[1] == _place_of(state):
            destroy_key(path)
    except OSError as problem:
        raise InputError(f"cannot remove {_WHAT} {path}: {problem.strerror}") from None


def destroy_key(path: Path) -> None:
    """Overwrite and remove a key file, if it exists."""
    destroy(path, begins=MAGIC, what=_WHAT)


def _bytes_of(words: KeyWords) -> bytes:
    return np.ascontiguousarray(words, dtype="<i8").tobytes()


def _place_of(state: Path | None) -> bytes:
    """A digest of the place of a state file."""
    return b"" if state is None else hashlib.sha256(os.fsencode(os.path.realpath(state))).digest()[:_PLACE_BYTES]


def _is_wiped(path: Path) -> bool:
    """Whether a killed process has overwritten the key, and has not removed the file."""
    with open_regular(path, _WHAT) as (file, size):
        return size in _SIZES and not any(file.read(size))
