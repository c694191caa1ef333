"""A separate file for the key of a keyed sample, so that it can be kept apart from the cells.

Layout: ``b"PANSTKEY"``, the 16 bytes of the key, SHA-256 of both. The state file then holds a digest of the key, and
its reader refuses a wrong key. A reader of the state file without the key does not learn who is sampled.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pan_estimators.samples.keyed_sample import KEY_BYTES
from pan_estimators.states.private_files import destroy, open_regular, require_writable, write_private
from pan_promises.errors import InputError, StateFileError

MAGIC = b"PANSTKEY"
_WHAT = "the key file"
_SIZE = len(MAGIC) + KEY_BYTES + 32

KeyWords = NDArray[np.int64]
"""A key in the form of a state file: two words of 64 bits."""


def key_digest(words: KeyWords) -> str:
    """The digest by which a state file recognises its key."""
    return hashlib.sha256(b"panproof sample key" + _bytes_of(words)).hexdigest()


def save_key(path: Path, words: KeyWords) -> None:
    """Write a key to a new file. Raise :class:`InputError` if the file holds another key."""
    if path.exists() or path.is_symlink():
        if key_digest(read_key(path)) != key_digest(words):
            raise InputError(f"the key file {path} holds the key of another state; choose another file")
        return
    content = MAGIC + _bytes_of(words)
    write_private(path, content + hashlib.sha256(content).digest(), begins=MAGIC, what=_WHAT)


def read_key(path: Path) -> KeyWords:
    """The key in a file. Raise :class:`StateFileError` if the file holds no key."""
    with open_regular(path, _WHAT) as (file, size):
        content = file.read(_SIZE) if size == _SIZE else b""
    if not content.startswith(MAGIC) or hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise StateFileError(f"{path} is not a key file of panproof, or is damaged")
    return np.frombuffer(content[len(MAGIC) : -32], dtype="<i8").astype(np.int64)


def require_new_key_file(path: Path) -> None:
    """Raise :class:`InputError` if the file exists already, or cannot be written."""
    if path.exists() or path.is_symlink():
        raise InputError(f"the key file {path} exists already, and a new state has a new key; choose another file")
    require_writable(path, begins=MAGIC, what=_WHAT)


def destroy_key(path: Path) -> None:
    """Overwrite and remove a key file, if it exists."""
    destroy(path, begins=MAGIC, what=_WHAT)


def _bytes_of(words: KeyWords) -> bytes:
    return np.ascontiguousarray(words, dtype="<i8").tobytes()
