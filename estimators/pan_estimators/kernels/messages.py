"""The blocks of ids that AES-CMAC encrypts (NIST SP 800-38B), and the cells of the results.

The library encrypts many blocks at once, in less than two nanoseconds each. These loops fill the blocks. A
block is two words of 64 bits. Its first byte is the lowest one of the first word.

The message of an integer is its 9 bytes in two's complement, the lowest first, and the letter i. The message of a
string is its UTF-8 and the letter s.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types

from pan_estimators.kernels.compiled import BYTES, WORDS, compiled

_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


@numba.njit
def _product(a: Any, b: Any) -> Any:
    """The two words of the product of two words, the higher one first."""
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    lowest = a_low * b_low
    middle = a_high * b_low + (lowest >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), (other << _HALF) | (lowest & _LOW)


@numba.njit
def cell_of(high: Any, low: Any, size: Any) -> Any:
    """The cell of the number ``high * 2**64 + low``, of ``size`` cells. No cell is favoured by more than 2**-128."""
    cell, part = _product(high, size)
    carried, _ = _product(low, size)
    return np.int64(cell + np.uint64(part + carried < part))


_NONE, _THREE, _EIGHT, _SIGN = (np.uint64(number) for number in (0, 3, 8, 63))
_NEGATIVE, _INTEGER = np.uint64(0xFF), np.uint64(ord("i") << 8 | 0x80 << 16)
_STRING, _PADDING = np.uint64(ord("s")), np.uint64(0x80)


@numba.njit
def _swapped(word: Any) -> Any:
    """The bytes of a word in reverse order: the first byte of a block is the most significant."""
    swapped = _NONE
    for number in range(8):
        byte = (word >> np.uint64(8 * number)) & np.uint64(0xFF)
        swapped |= byte << np.uint64(56 - 8 * number)
    return swapped


def _fill_integers(numbers: Any, signed: Any, low: Any, high: Any, blocks: Any) -> None:
    """The only block of every integer, under the second subkey."""
    for place in range(numbers.size):
        word = numbers[place]
        negative = _NEGATIVE if signed and word >> _SIGN != _NONE else _NONE
        blocks[2 * place] = word ^ low
        blocks[2 * place + 1] = (negative | _INTEGER) ^ high


def _take_cells(drawn: Any, size: Any, cells: Any) -> None:
    """The cell of every encrypted block."""
    for place in range(cells.size):
        cells[place] = cell_of(_swapped(drawn[2 * place]), _swapped(drawn[2 * place + 1]), size)


@numba.njit
def _word(text: Any, begin: Any, end: Any) -> Any:
    """Eight bytes of a message from ``begin`` on: the string, the letter, the first byte of the padding, zeros."""
    if begin + _EIGHT <= end:
        return (
            np.uint64(text[begin])
            | np.uint64(text[begin + np.uint64(1)]) << np.uint64(8)
            | np.uint64(text[begin + np.uint64(2)]) << np.uint64(16)
            | np.uint64(text[begin + np.uint64(3)]) << np.uint64(24)
            | np.uint64(text[begin + np.uint64(4)]) << np.uint64(32)
            | np.uint64(text[begin + np.uint64(5)]) << np.uint64(40)
            | np.uint64(text[begin + np.uint64(6)]) << np.uint64(48)
            | np.uint64(text[begin + np.uint64(7)]) << np.uint64(56)
        )
    word, shift = _NONE, _NONE
    while begin < end:
        word |= np.uint64(text[begin]) << shift
        begin += np.uint64(1)
        shift += _EIGHT
    if begin == end:
        word |= _STRING << shift
        begin += np.uint64(1)
        shift += _EIGHT
        if shift < np.uint64(64):
            word |= _PADDING << shift
    elif begin == end + np.uint64(1):
        word |= _PADDING
    return word


def _fill_strings(
    ends: Any, text: Any, step: Any, subkeys: Any, alive: Any, drawn: Any, blocks: Any, last: Any
) -> None:
    """Fill block number ``step`` of every remaining string, combined with the encryption of its previous block."""
    for row in range(alive.size):
        number = alive[row]
        begin, end = np.uint64(ends[number]), np.uint64(ends[number + 1])
        start = begin + np.uint64(16) * np.uint64(step)
        low, high = _word(text, start, end), _word(text, start + _EIGHT, end)
        ends_here = end < start + np.uint64(16)
        if step > 0:
            low ^= drawn[2 * row]
            high ^= drawn[2 * row + 1]
        if ends_here:
            whole = 0 if end == start + np.uint64(15) else 2
            low ^= subkeys[whole]
            high ^= subkeys[whole + 1]
        blocks[2 * row] = low
        blocks[2 * row + 1] = high
        last[row] = ends_here


def _take_strings(drawn: Any, last: Any, size: Any, alive: Any, cells: Any) -> Any:
    """Set the cells of the strings that have ended, move the others to the front, and return their number."""
    left = 0
    for row in range(alive.size):
        if last[row]:
            cells[alive[row]] = cell_of(_swapped(drawn[2 * row]), _swapped(drawn[2 * row + 1]), size)
        else:
            alive[left] = alive[row]
            drawn[2 * left] = drawn[2 * row]
            drawn[2 * left + 1] = drawn[2 * row + 1]
            left += 1
    return left


_OFFSETS = types.Array(types.int64, 1, "C", readonly=True)
_BLOCKS, _FLAGS, _PLACES = types.uint64[::1], types.boolean[::1], types.int64[::1]

fill_integers = compiled(types.void(WORDS, types.boolean, types.uint64, types.uint64, _BLOCKS), _fill_integers)
take_cells = compiled(types.void(WORDS, types.uint64, _PLACES), _take_cells)
fill_strings = compiled(types.void(_OFFSETS, BYTES, types.int64, WORDS, _PLACES, WORDS, _BLOCKS, _FLAGS), _fill_strings)
take_strings = compiled(types.int64(_BLOCKS, _FLAGS, types.uint64, _PLACES, _PLACES), _take_strings)
