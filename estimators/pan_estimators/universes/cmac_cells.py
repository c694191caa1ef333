"""The cell of an id of any kind: AES-CMAC under a key, reduced to the number of cells.

The message of an integer is its 9 bytes in two's complement, the lowest first, and the letter i. The message of a
string is its UTF-8 and the letter s, so that the integer 7 and the string "7" differ. The 16 bytes of AES-CMAC (NIST SP
800-38B) are read as a number from the highest one on. The cell is the integer part of its product with the number of
cells over ``2**128``.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.universes.columns import Strings
from pan_promises.errors import InputError

Cells = NDArray[np.int64]

MANY = 2**12
"""From this number on, ids are put into blocks together, by compiled loops or with numpy. Fewer are taken singly."""
_CHUNK = 2**11
"""Number of ids that are encrypted at a time. Their blocks stay in the cache."""
_BLOCK = 16
_DOUBLED = 0x87
"""The polynomial of the field of 2**128 elements, less its first term."""


@lru_cache(maxsize=64)
def _keyed(key: bytes) -> tuple[Any, int, int]:
    """AES under a key derived from the given one, and the two subkeys as numbers. The given key may have other uses."""
    encryptor = _encryptor(key)
    first = _doubled(int.from_bytes(encryptor.update(bytes(_BLOCK))))
    return encryptor, first, _doubled(first)


def _encryptor(key: bytes) -> Any:
    own = hashlib.blake2b(digest_size=_BLOCK, key=key, person=b"cells, AES-CMAC").digest()
    # Imported here, since most processes of an audit hash nothing.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(own), modes.ECB()).encryptor()


def _doubled(number: int) -> int:
    return number << 1 if number < 2**127 else (number << 1) % 2**128 ^ _DOUBLED


def _text(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InputError(f"ids must be Unicode text, got {value!r}") from None


def cmac_cell(value: int | str, size: int, key: bytes) -> int:
    """The cell of one id."""
    encryptor, whole, partial = _keyed(key)
    message = value.to_bytes(9, "little", signed=True) + b"i" if isinstance(value, int) else _text(value) + b"s"
    chained = 0
    while len(message) > _BLOCK:
        chained = int.from_bytes(encryptor.update((chained ^ int.from_bytes(message[:_BLOCK])).to_bytes(_BLOCK)))
        message = message[_BLOCK:]
    if len(message) == _BLOCK:
        last = chained ^ int.from_bytes(message) ^ whole
    else:
        last = chained ^ int.from_bytes((message + b"\x80").ljust(_BLOCK, b"\0")) ^ partial
    return int.from_bytes(encryptor.update(last.to_bytes(_BLOCK))) * size >> 128


def cmac_cells(ids: NDArray[Any] | Strings, size: int, key: bytes) -> Cells:
    """The cell of every id."""
    # The loops read words as bytes in memory, and need little-endian words.
    if len(ids) < MANY or sys.byteorder == "big":
        values = ids.to_list() if isinstance(ids, Strings) else ids.tolist()
        return np.array([cmac_cell(value, size, key) for value in values], dtype=np.int64)
    cells = np.empty(len(ids), dtype=np.int64)
    if isinstance(ids, Strings):
        _of_strings(ids, size, key, cells)
    elif ids.dtype.kind in "OU":
        for part in _chunks(len(ids)):
            _of_strings(Strings.of(ids[part].tolist()), size, key, cells[part])
    else:
        _of_integers(ids, size, key, cells)
    return cells


class _Room:
    """Buffers for the blocks of a chunk of ids and their encryptions. They are cleared on exit, since they contain ids.

    Attributes
    ----------
    blocks, drawn
        Two words for each id, shape ``(2 * _CHUNK,)``.
    """

    def __init__(self, key: bytes) -> None:
        _, whole, partial = _keyed(key)
        # Two threads must not share one.
        self._encryptor = _encryptor(key)
        self.subkeys = np.frombuffer(whole.to_bytes(_BLOCK) + partial.to_bytes(_BLOCK), dtype=np.uint64)
        self.blocks = np.zeros(2 * _CHUNK, dtype=np.uint64)
        # The library asks for room for one more block, less a byte.
        self._room = np.zeros(2 * _CHUNK + 2, dtype=np.uint64)
        self.drawn = self._room[:-2]

    def encrypt(self, count: int) -> None:
        given, room = self.blocks[: 2 * count].view(np.uint8), self._room[: 2 * count + 2].view(np.uint8)
        self._encryptor.update_into(given, room[:-1])

    def __enter__(self) -> _Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.blocks.fill(0)
        self._room.fill(0)


def _chunks(size: int) -> Iterator[slice]:
    return (slice(start, min(start + _CHUNK, size)) for start in range(0, size, _CHUNK))


def _of_integers(ids: NDArray[Any], size: int, key: bytes, cells: Cells) -> None:
    loops = kernels.loops_of("messages")
    signed = ids.dtype.kind == "i"
    with _Room(key) as room:
        low, high = room.subkeys[2:]
        for part in _chunks(ids.size):
            piece = np.ascontiguousarray(ids[part], dtype=np.int64 if signed else np.uint64).view(np.uint64)
            loops.fill_integers(piece, signed, low, high, room.blocks)
            room.encrypt(piece.size)
            loops.take_cells(room.drawn, np.uint64(size), cells[part])


def _of_strings(strings: Strings, size: int, key: bytes, cells: Cells) -> None:
    loops = kernels.loops_of("messages")
    last = np.empty(_CHUNK, dtype=np.bool_)
    everyone = np.arange(_CHUNK)
    with _Room(key) as room:
        for part in _chunks(len(strings)):
            ends, found = strings.ends[part.start : part.stop + 1], cells[part]
            alive, step = everyone[: found.size].copy(), 0
            while alive.size:
                loops.fill_strings(ends, strings.text, step, room.subkeys, alive, room.drawn, room.blocks, last)
                room.encrypt(alive.size)
                alive = alive[: loops.take_strings(room.drawn, last, np.uint64(size), alive, found)]
                step += 1
