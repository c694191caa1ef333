"""Keyed BLAKE2b (RFC 7693) of many short ids, each reduced to the number of a cell.

The result is that of ``hashlib.blake2b(text, digest_size=16, key=key)``, its 16 bytes read as a number from the least
byte on, modulo the number of cells. The key fills a block of its own. The state after this block is the argument
``start``.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from pan_estimators.kernels.compiled import BYTES, WORDS, compiled

BLOCK = 128
"""Number of bytes that are compressed at a time."""
PARAMETERS = 0x01010000 ^ 16
"""Parameters of a digest of 16 bytes, in the first word of the initial state. Its second byte is the key's length."""
_INITIAL = (
    *(0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1),
    *(0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179),
)
_ORDERS = (
    *("0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d"),
    *("2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"),
)
_WORD_ORDER = np.array([[int(digit, 16) for digit in _ORDERS[number % 10]] for number in range(12)])
INITIAL = np.array(_INITIAL, dtype=np.uint64)
_NONE, _ONE, _THREE, _SEVEN, _TEN, _SIGN = (np.uint64(number) for number in (0, 1, 3, 7, 10, 63))
_ALL = np.uint64(2**64 - 1)
_MINUS, _ZERO = np.uint64(ord("-")), np.uint64(ord("0"))
_INTEGER, _STRING = np.uint64(ord("i")), np.uint64(ord("s"))


@numba.njit
def _mixed(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any) -> Any:
    a = a + b + x
    d ^= a
    d = (d >> np.uint64(32)) | (d << np.uint64(32))
    c = c + d
    b ^= c
    b = (b >> np.uint64(24)) | (b << np.uint64(40))
    a = a + b + y
    d ^= a
    d = (d >> np.uint64(16)) | (d << np.uint64(48))
    c = c + d
    b ^= c
    b = (b >> np.uint64(63)) | (b << np.uint64(1))
    return a, b, c, d


@numba.njit
def _compress(state: Any, block: Any, count: Any, last: Any) -> None:
    """Compress a block of sixteen words into the state of eight, after which ``count`` bytes are hashed."""
    v0, v1, v2, v3, v4, v5, v6, v7 = state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
    v8, v9, v10, v11 = INITIAL[0], INITIAL[1], INITIAL[2], INITIAL[3]
    v12, v13, v14, v15 = INITIAL[4] ^ count, INITIAL[5], INITIAL[6] ^ last, INITIAL[7]
    for number in range(12):
        order = _WORD_ORDER[number]
        v0, v4, v8, v12 = _mixed(v0, v4, v8, v12, block[order[0]], block[order[1]])
        v1, v5, v9, v13 = _mixed(v1, v5, v9, v13, block[order[2]], block[order[3]])
        v2, v6, v10, v14 = _mixed(v2, v6, v10, v14, block[order[4]], block[order[5]])
        v3, v7, v11, v15 = _mixed(v3, v7, v11, v15, block[order[6]], block[order[7]])
        v0, v5, v10, v15 = _mixed(v0, v5, v10, v15, block[order[8]], block[order[9]])
        v1, v6, v11, v12 = _mixed(v1, v6, v11, v12, block[order[10]], block[order[11]])
        v2, v7, v8, v13 = _mixed(v2, v7, v8, v13, block[order[12]], block[order[13]])
        v3, v4, v9, v14 = _mixed(v3, v4, v9, v14, block[order[14]], block[order[15]])
    state[0] ^= v0 ^ v8
    state[1] ^= v1 ^ v9
    state[2] ^= v2 ^ v10
    state[3] ^= v3 ^ v11
    state[4] ^= v4 ^ v12
    state[5] ^= v5 ^ v13
    state[6] ^= v6 ^ v14
    state[7] ^= v7 ^ v15


@numba.njit
def _cell(low: Any, high: Any, size: Any, shift: Any) -> Any:
    """``(high 2**64 + low) mod size``, reduced ``shift`` bits at a time."""
    if size & (size - np.uint64(1)) == 0:
        return np.int64(low & (size - np.uint64(1)))
    rest, left = high % size, np.uint64(64)
    while left:
        bits = min(shift, left)
        left -= bits
        rest = ((rest << bits) | ((low >> left) & ((np.uint64(1) << bits) - np.uint64(1)))) % size
    return np.int64(rest)


@numba.njit
def _begin(start: Any, state: Any, block: Any, first: Any) -> None:
    """Set the state to ``start``, and the block to its first byte and zeros."""
    for number in range(8):
        state[number] = start[number]
    for number in range(16):
        block[number] = _NONE
    block[0] = first


@numba.njit
def _put(block: Any, place: Any, byte: Any) -> None:
    block[place >> _THREE] |= np.uint64(byte) << ((place & _SEVEN) << _THREE)


def _after_key(block: Any, state: Any) -> None:
    """Compress the block of the key into the initial state."""
    _compress(state, block, np.uint64(BLOCK), _NONE)


def _cells_of_integers(
    numbers: Any, signed: Any, start: Any, size: Any, shift: Any, state: Any, block: Any, cells: Any
) -> None:
    """The cell of every integer, hashed as the letter i and its decimal digits."""
    for place in range(numbers.size):
        rest = numbers[place]
        _begin(start, state, block, _INTEGER)
        count = _ONE
        if signed and rest >> _SIGN != 0:
            rest = ~rest + _ONE
            _put(block, count, _MINUS)
            count += _ONE
        digits, left = _ONE, rest // _TEN
        while left != _NONE:
            digits += _ONE
            left //= _TEN
        count += digits
        for back in range(digits):
            _put(block, count - _ONE - np.uint64(back), _ZERO + rest % _TEN)
            rest //= _TEN
        _compress(state, block, np.uint64(BLOCK) + count, _ALL)
        cells[place] = _cell(state[0], state[1], size, shift)


def _cells_of_strings(
    ends: Any, text: Any, start: Any, size: Any, shift: Any, state: Any, block: Any, cells: Any
) -> None:
    """The cell of every string, hashed as the letter s and its bytes. The bytes of number i end at ``ends[i + 1]``."""
    for place in range(cells.size):
        begin, end = ends[place], ends[place + 1]
        _begin(start, state, block, _STRING)
        count = _ONE
        for number in range(begin, end):
            inside = count & np.uint64(BLOCK - 1)
            if inside == _NONE:
                _compress(state, block, np.uint64(BLOCK) + count, _NONE)
                for word in range(16):
                    block[word] = _NONE
            _put(block, inside, text[number])
            count += _ONE
        _compress(state, block, np.uint64(BLOCK) + count, _ALL)
        cells[place] = _cell(state[0], state[1], size, shift)


_OFFSETS = types.Array(types.int64, 1, "C", readonly=True)
_ROOM = types.uint64[::1]
_CELLS = (types.uint64, types.uint64, _ROOM, _ROOM, types.int64[::1])

after_key = compiled(types.void(_ROOM, _ROOM), _after_key)
cells_of_integers = compiled(types.void(WORDS, types.boolean, WORDS, *_CELLS), _cells_of_integers)
cells_of_strings = compiled(types.void(_OFFSETS, BYTES, WORDS, *_CELLS), _cells_of_strings)
