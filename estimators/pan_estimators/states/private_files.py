"""Private files: readable by their owner only, written as a whole or not at all, and never through a link."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pan_promises.errors import InputError, StateFileError

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
_MOST_OF_A_NAME = 100


@contextlib.contextmanager
def open_regular(path: Path, what: str) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file for reading, with its size in bytes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_LINKS | _NO_WAITING)
    except OSError as problem:
        reason = "it is a symbolic link" if path.is_symlink() else problem.strerror
        raise StateFileError(f"cannot read {what} {path}: {reason}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise StateFileError(f"cannot read {what} {path}: it is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        try:
            yield file, status.st_size
        except OSError as problem:
            raise StateFileError(f"cannot read {what} {path}: {problem.strerror}") from None


def require_writable(path: Path, *, begins: bytes, what: str) -> None:
    """Raise :class:`InputError` if :func:`write_private` would refuse the file or could not write to its folder."""
    _require_own(path, begins, what)
    try:
        descriptor, name = _temporary(path)
        os.close(descriptor)
        os.unlink(name)
    except OSError as problem:
        raise InputError(f"cannot write {what} {path}: {problem.strerror}") from None


def write_private(path: Path, content: bytes, *, begins: bytes, what: str) -> None:
    """Replace a file as a whole, readable by its owner only. It is on the disk when this function returns."""
    _require_own(path, begins, what)
    try:
        descriptor, name = _temporary(path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _settle_folder(path.parent)
    except OSError as problem:
        raise InputError(f"cannot write {what} {path}: {problem.strerror}") from None


def destroy(path: Path, *, begins: bytes, what: str) -> None:
    """Overwrite a file with zeros and remove it, if it exists.

    The zeros do not reach old blocks that a file system or a disk keeps.
    """
    if not os.path.lexists(path):
        return
    _require_own(path, begins, what)
    try:
        descriptor = os.open(path, os.O_WRONLY | _NO_LINKS)
        try:
            os.write(descriptor, bytes(os.fstat(descriptor).st_size))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.unlink(path)
        _settle_folder(path.parent)
    except OSError as problem:
        raise InputError(f"cannot remove {what} {path}: {problem.strerror}") from None


def _temporary(path: Path) -> tuple[int, str]:
    """A new file beside the target, readable by its owner only. Two simultaneous writers never share one."""
    return tempfile.mkstemp(prefix=f".{path.name[:_MOST_OF_A_NAME]}.", suffix=".part", dir=path.parent)


def _require_own(path: Path, begins: bytes, what: str) -> None:
    """Raise unless the file can be replaced: it does not exist, or is a regular file of the same kind."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as problem:
        raise InputError(f"cannot write {what} {path}: {problem.strerror}") from None
    if stat.S_ISLNK(status.st_mode):
        raise InputError(f"cannot write {what} {path}: it is a symbolic link, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"cannot write {what} {path}: it is not a regular file")
    if status.st_size == 0:
        return
    with open_regular(path, what) as (file, _):
        if file.read(len(begins)) != begins:
            raise InputError(f"cannot write {what} {path}: it would overwrite a file of another kind")


def _settle_folder(folder: Path) -> None:
    """Flush the new name to the disk, on systems that can do it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Let no other process in that also calls this function for the same file, on systems that can do it.

    The lock is a file beside the given one, which stays. The lock itself ends with the process.
    """
    if not path.name:
        raise InputError(f"{what} must be a file, got {path}")
    try:
        import fcntl
    except ImportError:
        yield
        return
    beside = path.with_name(f".{path.name[:_MOST_OF_A_NAME]}.lock")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | _NO_LINKS | _NO_WAITING, 0o600)
    except OSError as problem:
        raise InputError(f"cannot write {what} {path}: {problem.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{what} {path} is in use by another process") from None
        yield
    finally:
        os.close(descriptor)
