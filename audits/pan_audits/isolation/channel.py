"""Messages between the judge and a judged process: length, then MessagePack; never a pickle."""

from __future__ import annotations

import select
import socket
import struct
import time
from typing import Any

import msgpack

from pan_audits.isolation.data import DataError

_SIZE = struct.Struct("<Q")
MOST_BYTES = 2**28
"""The largest message that is read."""

_PIECE = 2**20


class ClosedError(Exception):
    """The other side has closed the connection, or sent an invalid message."""


class SlowError(Exception):
    """The message did not come in time."""


class Channel:
    """One end of a connection."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def send(self, message: Any) -> None:
        """Send a message."""
        try:
            content = msgpack.packb(message)
        except (TypeError, ValueError, OverflowError) as problem:
            raise DataError(f"a message cannot be sent: {problem}") from None
        if len(content) > MOST_BYTES:
            raise DataError(f"a state or an output takes more than {MOST_BYTES // 2**20} MiB")
        try:
            self.end.sendall(_SIZE.pack(len(content)) + content)
        except OSError:
            raise ClosedError from None

    def receive(self, deadline: float | None = None) -> Any:
        """The next message."""
        (size,) = _SIZE.unpack(self._read(_SIZE.size, deadline))
        if size > MOST_BYTES:
            raise ClosedError
        try:
            return msgpack.unpackb(self._read(size, deadline), strict_map_key=False)
        except (ValueError, RecursionError, msgpack.exceptions.UnpackException):
            raise ClosedError from None

    def waits(self, deadline: float) -> bool:
        """Whether something comes before the deadline, a value of ``time.monotonic``."""
        return bool(select.select([self.end], [], [], max(0.0, deadline - time.monotonic()))[0])

    def _read(self, size: int, deadline: float | None) -> bytes:
        content = bytearray()
        while len(content) < size:
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self.end], [], [], left)[0]:
                    raise SlowError
            try:
                piece = self.end.recv(min(size - len(content), _PIECE))
            except OSError:
                raise ClosedError from None
            if not piece:
                raise ClosedError
            content += piece
        return bytes(content)
