"""Compiled loops: sums of noise that decay, the cells that indices touch, and distinct sampling in many runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pan_estimators.kernels.compiled import compiled
from pan_estimators.kernels.plain import GRID_BITS, OUTPUT_BITS, PART_BITS


def _decay(draws: Any, factors: Any, weights: Any, sums: Any, outputs: Any) -> None:
    """Multiply each sum by its factor, add the draw to it, and write the weighted total, for one draw after another."""
    for place in range(draws.size):
        total = 0.0
        for rate in range(factors.size):
            value = factors[rate] * sums[rate] + draws[place]
            sums[rate] = value
            total = total + weights[rate] * value
        outputs[place] = total


_NUMBERS = types.Array(types.float64, 1, "C", readonly=True)

decay = compiled(types.void(_NUMBERS, _NUMBERS, _NUMBERS, types.float64[::1], types.float64[::1]), _decay)


_HALF = 1 << (OUTPUT_BITS - GRID_BITS - 1)


def _weigh(
    changes: Any,
    factors: Any,
    shifts: Any,
    weights: Any,
    weight_shifts: Any,
    wholes: Any,
    parts: Any,
    outputs: Any,
) -> None:
    """Take from each sum its share ``factor / 2**shift``, add the change, and write the weighted total.

    No product leaves 63 bits for sums below ``2**33``, factors up to ``2**15``, shifts up to 62, and weights up to
    ``2**27``.
    """
    for time in range(changes.size):
        total = 0
        for place in range(factors.size):
            shift = shifts[place]
            product, rest = wholes[place] * factors[place], parts[place] * factors[place]
            taken = product >> shift
            left = product - (taken << shift)
            fraction = left << (PART_BITS - shift) if shift <= PART_BITS else left >> (shift - PART_BITS)
            part = parts[place] - fraction - (rest >> shift)
            carry = part >> PART_BITS
            part -= carry << PART_BITS
            whole = wholes[place] + changes[time] - taken + carry
            wholes[place] = whole
            parts[place] = part
            exponent = weight_shifts[place]
            if exponent >= OUTPUT_BITS:
                total += (whole * weights[place]) >> (exponent - OUTPUT_BITS)
            else:
                total += (whole * weights[place]) << (OUTPUT_BITS - exponent)
            total += ((part >> 20) * weights[place]) >> (exponent + 26 - OUTPUT_BITS)
        outputs[time] = (total + _HALF) >> (OUTPUT_BITS - GRID_BITS)


_WHOLE = types.Array(types.int64, 1, "C", readonly=True)

weigh_decaying_sums = compiled(
    types.void(_WHOLE, _WHOLE, _WHOLE, _WHOLE, _WHOLE, types.int64[::1], types.int64[::1], types.int64[::1]), _weigh
)


def _mark_cells(
    indices: Any, shift: Any, table: Any, ends: Any, begins: Any, first_cells: Any, spans: Any, shares: Any, marks: Any
) -> None:
    """Mark the cell of every index.

    The leading bits of an index give the first level that it can be in. Few indices are in a later one. The quotient of
    the offset in the level by its span is computed with a reciprocal, and corrected to the exact one.

    ``table`` is the first possible level by the leading bits. The last level holds the indices that touch no cell; it
    has one cell, the last mark. ``shares`` are the reciprocals of the spans.
    """
    for number in range(indices.size):
        index = indices[number]
        level = np.int64(table[index >> shift])
        while index >= ends[level]:
            level += 1
        offset = index - begins[level]
        quotient = np.int64(np.float64(offset) * shares[level])
        rest = offset - quotient * spans[level]
        quotient += np.int64(rest >= spans[level]) - np.int64(rest < 0)
        marks[first_cells[level] + quotient] = True


_READ = types.Array(types.int64, 1, "C", readonly=True)
_REALS = types.Array(types.float64, 1, "C", readonly=True)
_LEVELS = types.Array(types.uint8, 1, "C", readonly=True)

mark_cells = compiled(
    types.void(_READ, types.int64, _LEVELS, _READ, _READ, _READ, _READ, _REALS, types.boolean[::1]), _mark_cells
)


_ZERO, _ONE = np.uint64(0), np.uint64(1)


def _sample(
    users: Any,
    inside: Any,
    multipliers: Any,
    increments: Any,
    mask: Any,
    room: Any,
    levels: Any,
    marks: Any,
) -> None:
    """The turns of the users, in every run."""
    universe = marks.shape[1]
    for run in range(marks.shape[0]):
        multiplier, increment, level = multipliers[run], increments[run], levels[run]
        # Shifts of 64 and more are undefined. A hash has fewer bits, so that nobody qualifies there.
        low = (_ONE << np.uint64(min(level, 63))) - _ONE
        members = 0
        for user in range(universe):
            members += marks[run, user]
        for turn in range(users.size):
            user = users[turn]
            member = marks[run, user] != 0
            hashed = (np.uint64(user) * multiplier + increment) & mask
            if member or (low <= mask and hashed & low == _ZERO):
                marks[run, user] = inside[run, turn]
                members += int(inside[run, turn]) - int(member)
            if not member and members >= room:
                low = (low << _ONE) | _ONE
                level += 1
                members = 0
                for other in range(universe):
                    if marks[run, other]:
                        hashed = (np.uint64(other) * multiplier + increment) & mask
                        stays = low <= mask and hashed & low == _ZERO
                        marks[run, other] = stays
                        members += int(stays)
        levels[run] = level


_WORDS = types.Array(types.uint64, 1, "C", readonly=True)
_PLACES = types.Array(types.int64, 1, "C", readonly=True)
_BITS = types.Array(types.uint8, 2, "C", readonly=True)

sample = compiled(
    types.void(_PLACES, _BITS, _WORDS, _WORDS, types.uint64, types.int64, types.int64[::1], types.uint8[:, ::1]),
    _sample,
)
