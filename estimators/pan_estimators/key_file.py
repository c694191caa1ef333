"""A file of its own for the key of a keyed sample, so that it can be kept apart from the cells.

Layout: ``b"PANSTKEY"``, the 16 bytes of the key, SHA-256 of both. The state file then holds a digest of the key, with
which a wrong key is refused. Whoever has the state file without the key does not learn who is sampled.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pan_estimators.errors import InputError, StateFileError
from pan_estimators.keyed_sample import KEY_BYTES
from pan_estimators.private_files import destroy, open_regular, require_writable, write_private

MAGIC = b"PANSTKEY"
_WHAT = "the key file"
_SIZE = len(MAGIC) + KEY_BYTES + 32

KeyWords = NDArray[np.int64]
"""A key as a state file has it: two words of 64 bits."""


def key_digest(words: KeyWords) -> str:
    """The digest with which a state file knows its key."""
    return hashlib.sha256(b"panproof sample key" + _bytes_of(words)).hexdigest()


def save_key(path: Path, words: KeyWords) -> None:
    """Write a key where there is none; :class:`InputError` if another one is there."""
    if path.exists() or path.is_symlink():
        if key_digest(read_key(path)) != key_digest(words):
            raise InputError(f"the key file {path} holds the key of another state; choose another file")
        return
    content = MAGIC + _bytes_of(words)
    write_private(path, content + hashlib.sha256(content).digest(), begins=MAGIC, what=_WHAT)


def read_key(path: Path) -> KeyWords:
    """The key in a file; :class:`StateFileError` if it is none."""
    with open_regular(path, _WHAT) as (file, size):
        content = file.read(_SIZE) if size == _SIZE else b""
    if not content.startswith(MAGIC) or hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise StateFileError(f"{path} is no key file of panproof, or is damaged")
    return np.frombuffer(content[len(MAGIC) : -32], dtype="<i8").astype(np.int64)


def require_new_key_file(path: Path) -> None:
    """Raise :class:`InputError` if a key is there already, or none can be written."""
    if path.exists() or path.is_symlink():
        raise InputError(f"the key file {path} is there already, and a new state has a new key; choose another file")
    require_writable(path, begins=MAGIC, what=_WHAT)


def destroy_key(path: Path) -> None:
    """Overwrite a key file and remove it, if there is one."""
    destroy(path, begins=MAGIC, what=_WHAT)


def _bytes_of(words: KeyWords) -> bytes:
    return np.ascontiguousarray(words, dtype="<i8").tobytes()
