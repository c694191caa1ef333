"""Sketches of distinct elements that are not randomised until the end, run on small streams with a known hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

State = tuple[int, ...]
Update = Callable[[State, int], State]
"""The state after an element, which is given by the bits of its hash."""

_REGISTERS = 4
_BITS = 6


def hyper_log_log(state: State, hashed: int) -> State:
    """A register keeps the largest number of leading zeros, plus one, of the hashes that fall to it."""
    register, rest = hashed % _REGISTERS, hashed // _REGISTERS
    rank = _BITS - rest.bit_length() + 1
    return (*state[:register], max(state[register], rank), *state[register + 1 :])


def flajolet_martin(state: State, hashed: int) -> State:
    """A register is a set of bits, in which the place of the last one of the hash is set."""
    register, rest = hashed % _REGISTERS, hashed // _REGISTERS
    place = (rest & -rest).bit_length() if rest else _BITS
    return (*state[:register], state[register] | 2**place, *state[register + 1 :])


def linear_count(state: State, hashed: int) -> State:
    """A bitmap in which the cell of the hash is set; it may be randomised, once, at the end."""
    return (*state[: hashed % _REGISTERS], 1, *state[hashed % _REGISTERS + 1 :])


def count_min(state: State, hashed: int) -> State:
    """Two rows of two counters; each row counts the element in the cell that a part of the hash chooses."""
    cells = (hashed % 2, 2 + hashed // 2 % 2)
    return tuple(count + (cell in cells) for cell, count in enumerate(state))


SKETCHES: dict[str, Update] = {
    "HyperLogLog": hyper_log_log,
    "Flajolet and Martin": flajolet_martin,
    "Count-Min": count_min,
    "a bitmap that is randomised at the end": linear_count,
}

HASHES = range(_REGISTERS * 2**_BITS)
"""All hashes of this length."""


def state_after(update: Update, hashes: Sequence[int]) -> State:
    """The state after a stream, before any output."""
    return reduce(update, hashes, (0,) * _REGISTERS)


def chance_of(state: State, update: Update, hashes: Sequence[int]) -> int:
    """The probability that an adversary after a stream sees a state: 1 or 0."""
    return int(state_after(update, hashes) == state)
