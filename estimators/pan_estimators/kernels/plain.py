"""The loops in Python and numpy, for an installation without numba. Each number is rounded as in the compiled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Marks = NDArray[np.uint8]
Bits = NDArray[np.bool_]

_PIECE = 2**15
"""Number of ids that are processed together. All intermediate arrays stay in the cache."""


def all_inside(ids: Words, first: Any, size: Any) -> bool:
    """Whether all ids are in range."""
    return all(bool((ids[part] - first < size).all()) for part in pieces(ids.size))


def put_in_order(ids: Words, first: Any, bits: Bits, cells: Bits) -> None:
    """Set the cell of the user of each id, one after the other, to the bit of the same number. All ids are in range."""
    for part in pieces(ids.size):
        users = ids[part] - first
        cells[users.view(np.int64)] = bits[part]
        users.fill(0)


def mark_all(ids: Words, first: Any, size: Any, marks: Marks, values: Marks, step: int) -> bool:
    """Set the mark of every user among the ids to the value of the last id; return whether all ids are in range."""
    for part in pieces(ids.size):
        users = ids[part] - first
        inside = bool((users < size).all())
        if inside:
            marks[users.view(np.int64)] = values[part] if step else values[0]
        users.fill(0)
        if not inside:
            return False
    return True


def pieces(size: int) -> list[slice]:
    """Consecutive slices that cover ``size`` ids."""
    return [slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE)]


Places = NDArray[np.int64]


def mark_cells(
    indices: Places,
    shift: Any,
    table: NDArray[np.uint8],
    ends: Places,
    begins: Places,
    first_cells: Places,
    spans: Places,
    shares: NDArray[np.float64],
    marks: NDArray[np.bool_],
) -> None:
    """Mark the cell of every index. The last level holds the indices that touch no cell."""
    for part in pieces(indices.size):
        level = np.searchsorted(ends, indices[part], side="right")
        marks[first_cells[level] + (indices[part] - begins[level]) // spans[level]] = True


Bytes = NDArray[np.uint8]

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


Numbers = NDArray[np.float64]


def decay(draws: Numbers, factors: Numbers, weights: Numbers, sums: Numbers, outputs: Numbers) -> None:
    """Multiply each sum by its factor, add the draw to it, and write the weighted total, for one draw after another."""
    rates, shares, kept = factors.tolist(), weights.tolist(), sums.tolist()
    places = range(len(rates))
    found = []
    for draw in draws.tolist():
        total = 0.0
        for place in places:
            value = rates[place] * kept[place] + draw
            kept[place] = value
            total = total + shares[place] * value
        found.append(total)
    sums[:] = kept
    outputs[:] = found


Whole = NDArray[np.int64]

PART_BITS = 46
"""The fractional part of a sum counts steps of ``2**-46``."""
OUTPUT_BITS = 30
"""The weighted total counts steps of ``2**-30`` before it is rounded."""
GRID_BITS = 21
"""The total is rounded to a multiple of ``2**-21``."""


def weigh_decaying_sums(
    changes: Whole,
    factors: Whole,
    shifts: Whole,
    weights: Whole,
    weight_shifts: Whole,
    wholes: Whole,
    parts: Whole,
    outputs: Whole,
) -> None:
    """Take from each sum its share ``factor / 2**shift``, add the change, and write the weighted total.

    A sum is its whole part plus its fractional part. Shares and products are rounded down.
    """
    places = range(len(factors))
    multipliers, distances = factors.tolist(), shifts.tolist()
    numerators, exponents = weights.tolist(), weight_shifts.tolist()
    sums = [(whole << PART_BITS) + part for whole, part in zip(wholes.tolist(), parts.tolist(), strict=True)]
    mask = (1 << PART_BITS) - 1
    half = 1 << (OUTPUT_BITS - GRID_BITS - 1)
    found = []
    for change in changes.tolist():
        total = 0
        for place in places:
            value, shift = sums[place], distances[place]
            product, rest = (value >> PART_BITS) * multipliers[place], (value & mask) * multipliers[place]
            value += (change << PART_BITS) - ((product << PART_BITS) >> shift) - (rest >> shift)
            sums[place] = value
            exponent, weight = exponents[place], numerators[place]
            total += ((value >> PART_BITS) * weight << OUTPUT_BITS) >> exponent
            total += ((value & mask) >> 20) * weight >> (exponent + 26 - OUTPUT_BITS)
        found.append((total + half) >> (OUTPUT_BITS - GRID_BITS))
    wholes[:] = [value >> PART_BITS for value in sums]
    parts[:] = [value & mask for value in sums]
    outputs[:] = found


_Bytes = NDArray[np.uint8]


def sample(
    users: NDArray[np.int64],
    inside: _Bytes,
    multipliers: Words,
    increments: Words,
    mask: np.uint64,
    room: int,
    levels: NDArray[np.int64],
    marks: _Bytes,
) -> None:
    """The turns of the users, in every run."""
    everyone = np.arange(marks.shape[1], dtype=np.uint64)
    members = marks.sum(axis=1, dtype=np.int64)
    for turn, user in enumerate(users.tolist()):
        member = marks[:, user] != 0
        hashed = (np.uint64(user) * multipliers + increments) & mask
        turns = np.flatnonzero(member | _reach(hashed, levels, mask))
        marks[turns, user] = inside[turns, turn]
        members[turns] += inside[turns, turn].astype(np.int64) - member[turns]
        for run in np.flatnonzero(~member & (members >= room)).tolist():
            levels[run] += 1
            hashes = (everyone * multipliers[run] + increments[run]) & mask
            marks[run] &= _reach(hashes, levels[run], mask)
            members[run] = marks[run].sum(dtype=np.int64)


def _reach(hashed: Words, levels: NDArray[np.int64] | np.int64, mask: np.uint64) -> NDArray[np.bool_]:
    """Whether hashes end in as many zeros as the level. No hash reaches a level above the number of its bits."""
    low = (np.uint64(1) << np.minimum(levels, 63).astype(np.uint64)) - np.uint64(1)
    return np.asarray((low <= mask) & (hashed & low == 0))
