"""The order of all indices under each of many keys: AES-128 of every index, and the rank of each result.

:class:`pan_estimators.KeyedSample` uses a library for it, one key at a time. This module compiles it for many
keys, with the tables of the AES proposal (Daemen and Rijmen 1999, section 5.2.1). Its time depends on the
keys. It is for simulated runs, whose keys are not secret.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from pan_estimators.kernels.compiled import compiled

_ROUNDS = 10
_BYTE = np.uint64(0xFF)
_WORD = np.uint64(0xFFFFFFFF)
_8, _16, _24, _32 = np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)
_1, _2, _3, _4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_END = np.uint64(4 * _ROUNDS)
"""The first word of the last round. Numba does not check unsigned indices for being negative."""
_COMPARED = 40
"""Largest number of indices that are ranked by comparing all pairs."""


@register_jitable
def _swapped(word: Any) -> Any:
    """Four bytes in reverse order."""
    return (word & _BYTE) << _24 | (word >> _8 & _BYTE) << _16 | (word >> _16 & _BYTE) << _8 | word >> _24


@register_jitable
def _swapped_words(earlier: Any, later: Any) -> Any:
    """Eight bytes as a number whose first byte is the lowest."""
    return _swapped(later) << _32 | _swapped(earlier)


def _ranks(keys: Any, box: Any, tables: Any, high: Any, low: Any, ranks: Any) -> None:
    """The rank of every index for every key. ``high`` and ``low`` are buffers for the two halves of each result."""
    population = ranks.shape[1]
    schedule = np.empty(4 * (_ROUNDS + 1), dtype=np.uint64)
    first, second, third, fourth = tables[0], tables[1], tables[2], tables[3]
    for run in range(keys.shape[0]):
        for word in range(4):
            schedule[word] = (
                np.uint64(keys[run, 4 * word]) << _24
                | np.uint64(keys[run, 4 * word + 1]) << _16
                | np.uint64(keys[run, 4 * word + 2]) << _8
                | np.uint64(keys[run, 4 * word + 3])
            )
        constant = _1
        for word in range(4, 4 * (_ROUNDS + 1)):
            last = schedule[word - 1]
            if word % 4 == 0:
                last = (last << _8 | last >> _24) & _WORD
                last = (
                    box[last >> _24] << _24
                    | box[last >> _16 & _BYTE] << _16
                    | box[last >> _8 & _BYTE] << _8
                    | box[last & _BYTE]
                ) ^ constant << _24
                constant = constant << np.uint64(1)
                if constant > _BYTE:
                    constant = constant ^ np.uint64(0x11B)
            schedule[word] = schedule[word - 4] ^ last
        for index in range(population):
            number = np.uint64(index)
            a = (number & _BYTE) << _24 ^ (number >> _8 & _BYTE) << _16 ^ schedule[0]
            b, c, d = schedule[1], schedule[2], schedule[3]
            place = np.uint64(4)
            while place < _END:
                e = first[a >> _24] ^ second[b >> _16 & _BYTE] ^ third[c >> _8 & _BYTE] ^ fourth[d & _BYTE]
                f = first[b >> _24] ^ second[c >> _16 & _BYTE] ^ third[d >> _8 & _BYTE] ^ fourth[a & _BYTE]
                g = first[c >> _24] ^ second[d >> _16 & _BYTE] ^ third[a >> _8 & _BYTE] ^ fourth[b & _BYTE]
                h = first[d >> _24] ^ second[a >> _16 & _BYTE] ^ third[b >> _8 & _BYTE] ^ fourth[c & _BYTE]
                a, b = e ^ schedule[place], f ^ schedule[place + _1]
                c, d = g ^ schedule[place + _2], h ^ schedule[place + _3]
                place += _4
            e = box[a >> _24] << _24 | box[b >> _16 & _BYTE] << _16 | box[c >> _8 & _BYTE] << _8 | box[d & _BYTE]
            f = box[b >> _24] << _24 | box[c >> _16 & _BYTE] << _16 | box[d >> _8 & _BYTE] << _8 | box[a & _BYTE]
            g = box[c >> _24] << _24 | box[d >> _16 & _BYTE] << _16 | box[a >> _8 & _BYTE] << _8 | box[b & _BYTE]
            h = box[d >> _24] << _24 | box[a >> _16 & _BYTE] << _16 | box[b >> _8 & _BYTE] << _8 | box[c & _BYTE]
            high[index] = _swapped_words(e ^ schedule[_END], f ^ schedule[_END + _1])
            low[index] = _swapped_words(g ^ schedule[_END + _2], h ^ schedule[_END + _3])
        if population <= _COMPARED:
            for index in range(population):
                rank = 0
                for other in range(population):
                    if high[other] < high[index] or (high[other] == high[index] and low[other] < low[index]):
                        rank += 1
                ranks[run, index] = rank
            continue
        order = np.argsort(high)
        for later in range(1, population):
            # Two equal halves in a row are rare: the other halves decide.
            moved, at = order[later], later
            while at > 0 and high[order[at - 1]] == high[moved] and low[order[at - 1]] > low[moved]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = moved
        for rank in range(population):
            ranks[run, order[rank]] = rank


_RANKS = compiled(
    types.void(
        types.Array(types.uint8, 2, "C", readonly=True),
        types.Array(types.uint64, 1, "C", readonly=True),
        types.Array(types.uint64, 2, "C", readonly=True),
        types.uint64[::1],
        types.uint64[::1],
        types.int64[:, ::1],
    ),
    _ranks,
)


def ranks_of_keys(keys: NDArray[np.uint8], population: int) -> NDArray[np.int64]:
    """The rank of every index of the population under every key, shape ``(keys, population)``."""
    ranks = np.empty((keys.shape[0], population), dtype=np.int64)
    room = np.empty((2, population), dtype=np.uint64)
    _RANKS(np.ascontiguousarray(keys), *_tables(), room[0], room[1], ranks)
    return ranks


@cache
def _tables() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The substitution of AES, and its product with the columns of the mixing matrix."""
    powers = [1]
    for _ in range(254):
        last = powers[-1]
        # 3 generates the field of 256 elements: times 2, reduced, and once more.
        powers.append((last << 1 ^ (0x11B if last & 0x80 else 0)) ^ last)
    box = []
    for value in range(256):
        inverse = powers[(255 - powers.index(value)) % 255] if value else 0
        spread = inverse ^ inverse << 1 ^ inverse << 2 ^ inverse << 3 ^ inverse << 4
        box.append((spread ^ spread >> 8) & 0xFF ^ 0x63)
    tables = np.empty((4, 256), dtype=np.uint64)
    for value, image in enumerate(box):
        double = image << 1 ^ (0x11B if image & 0x80 else 0)
        column = [double, image, image, double ^ image]
        for turn in range(4):
            turned = column[-turn:] + column[:-turn] if turn else column
            tables[turn, value] = int.from_bytes(bytes(turned), "big")
    return np.array(box, dtype=np.uint64), tables
