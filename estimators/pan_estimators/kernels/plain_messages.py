"""The loops of :mod:`pan_estimators.kernels.messages`, written with numpy: the blocks of AES-CMAC and their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_BLOCK = 16
_HALF, _LOW, _SIGN = np.uint64(32), np.uint64(2**32 - 1), np.uint64(63)
_NEGATIVE, _INTEGER = np.uint64(0xFF), np.uint64(ord("i") << 8 | 0x80 << 16)
_STRING, _PADDING = ord("s"), 0x80


def fill_integers(numbers: Words, signed: bool, low: Any, high: Any, blocks: Words) -> None:
    """The only block of every integer, under the second subkey."""
    pairs = _pairs(blocks, numbers.size)
    pairs[:, 0] = numbers ^ low
    pairs[:, 1] = _INTEGER ^ high
    if signed:
        pairs[:, 1] ^= (numbers >> _SIGN) * _NEGATIVE


def take_cells(drawn: Words, size: Any, cells: Places) -> None:
    """The cell of every encrypted block."""
    cells[:] = _cells(_pairs(drawn, cells.size), size)


def fill_strings(
    ends: Places,
    text: Bytes,
    step: int,
    subkeys: Words,
    alive: Places,
    drawn: Words,
    blocks: Words,
    last: NDArray[np.bool_],
) -> None:
    """Fill block number ``step`` of every remaining string, combined with the encryption of its previous block."""
    start = ends[alive] + _BLOCK * step
    # The remaining bytes of each string. If they are fewer than 16, the block has room for the final letter.
    left = ends[alive + 1] - start
    columns = np.arange(_BLOCK)
    block = np.zeros((alive.size, _BLOCK), dtype=np.uint8)
    inside = columns < left[:, None]
    block[inside] = text[(start[:, None] + columns)[inside]]
    ending = np.flatnonzero(left < _BLOCK)
    block[ending, left[ending]] = _STRING
    padded = ending[left[ending] < _BLOCK - 1]
    block[padded, left[padded] + 1] = _PADDING
    words = block.view(np.uint64)
    if step:
        words ^= _pairs(drawn, alive.size)
    words[ending] ^= np.where((left[ending] == _BLOCK - 1)[:, None], subkeys[:2], subkeys[2:])
    _pairs(blocks, alive.size)[:] = words
    last[: alive.size] = left < _BLOCK
    block.fill(0)


def take_strings(drawn: Words, last: NDArray[np.bool_], size: Any, alive: Places, cells: Places) -> int:
    """Set the cells of the strings that have ended, move the others to the front, and return their number."""
    pairs, ended = _pairs(drawn, alive.size), last[: alive.size]
    cells[alive[ended]] = _cells(pairs[ended], size)
    going = np.flatnonzero(~ended)
    pairs[: going.size] = pairs[going]
    alive[: going.size] = alive[going]
    return going.size


def _pairs(words: Words, count: int) -> Words:
    """The two words of each of the first blocks."""
    return words[: 2 * count].reshape(count, 2)


def _cells(drawn: Words, size: Any) -> Places:
    """The integer part of the product of each number of 128 bits with the number of cells, over ``2**128``."""
    high, low = drawn.byteswap().T  # The first byte of a block is the most significant.
    cell, part = _product(high, size)
    carried, _ = _product(low, size)
    return (cell + (part + carried < part)).astype(np.int64)


def _product(a: Words, b: Any) -> tuple[Words, Words]:
    """The two words of the product of words with a word, the higher one first."""
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    lowest = a_low * b_low
    middle = a_high * b_low + (lowest >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), (other << _HALF) | (lowest & _LOW)
