"""Rows of CSV, in a file that holds each of them once, or at standard output."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Protocol

from pan_promises.errors import InputError, on_one_line


class Sink(Protocol):
    """The place of the rows."""

    written: int
    """The number of bytes so far."""

    def write(self, text: str) -> None:
        """Write rows. The first call also writes the names of the columns."""

    def settle(self) -> None:
        """Return when the rows so far are on the disk, if the place is a file."""

    def close(self) -> None:
        """End the writing."""


class StandardOutput:
    """Rows at standard output."""

    def __init__(self, header: str, written: int | None = None) -> None:
        self._header = header
        self.written = written or 0

    def write(self, text: str) -> None:
        text = text if self.written else self._header + text
        sys.stdout.write(text)
        sys.stdout.flush()
        self.written += len(text)

    def settle(self) -> None:
        """Do nothing. Nobody can know whether the reader has the rows."""

    def close(self) -> None:
        """Leave it open, for others."""


class OutputFile:
    """Rows in a file: each once, also after an interruption."""

    def __init__(self, path: Path, header: str, written: int | None = None) -> None:
        self._header = header
        self._name = on_one_line(path)
        flags = (
            os.O_RDWR
            | (os.O_CREAT if written is None else 0)
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
        )
        try:
            self._descriptor = os.open(path, flags, 0o666)
        except OSError as problem:
            why = "it is a symbolic link" if path.is_symlink() else problem.strerror
            raise InputError(f"cannot write the outputs to {self._name}: {why}") from None
        try:
            self._begin(written)
        except BaseException:
            self.close()
            raise
        self.written = written or 0

    def _begin(self, written: int | None) -> None:
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"cannot write the outputs to {self._name}: it is not a regular file")
        head = self._at(0, len(self._header) + 1)
        # A run that was killed at its first record may have left the beginning of its outputs.
        begun = head.startswith(self._header.encode()) if written == 0 else False
        if not written and not begun and not self._header.encode().startswith(head):
            raise InputError(f"{self._name} is not empty; outputs of another run are not overwritten")
        written = written or 0
        whole = status.st_size >= written and head.startswith(self._header.encode())
        if written and not (whole and self._at(written - 1, 1) == b"\n"):
            raise InputError(
                f"{self._name} does not hold the outputs that the state knows: it should begin with {written} bytes of "
                f"them, and has {status.st_size} bytes"
            )
        os.ftruncate(self._descriptor, written)
        os.lseek(self._descriptor, written, os.SEEK_SET)

    def _at(self, place: int, size: int) -> bytes:
        os.lseek(self._descriptor, place, os.SEEK_SET)
        return os.read(self._descriptor, size)

    def write(self, text: str) -> None:
        content = memoryview((text if self.written else self._header + text).encode())
        try:
            while content:
                done = os.write(self._descriptor, content)
                self.written += done
                content = content[done:]
        except OSError as problem:
            raise InputError(f"cannot write the outputs to {self._name}: {problem.strerror}") from None

    def settle(self) -> None:
        try:
            os.fsync(self._descriptor)
        except OSError as problem:
            raise InputError(f"cannot write the outputs to {self._name}: {problem.strerror}") from None

    def close(self) -> None:
        os.close(self._descriptor)


class Nowhere:
    """No rows at all."""

    written = 0

    def write(self, text: str) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def sink_of(path: Path | None, header: str, written: int | None) -> Sink:
    """The file of the rows, or standard output."""
    return StandardOutput(header, written) if path is None else OutputFile(path, header, written)
