"""The state of pan-private distinct sampling, and its form in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.level_hash import hash_bits
from pan_estimators.states.releasing import wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.universe import Indices
from pan_promises.errors import InputError


@dataclass(eq=False)
class DistinctSamplingState:
    """The state of Algorithm 3. An intruder sees all of it.

    Attributes
    ----------
    multiplier, increment
        The hash ``h(u) = (multiplier u + increment) mod 2^Q``.
    level
        The current level L. Users with a hash that ends in fewer than L zeros are left out.
    members
        Sorted indices of the users in the sample M_DS.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero or empty.
    """

    multiplier: int
    increment: int
    level: int
    members: Indices
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the members and the hash with zeros. Copies of the state are out of reach."""
        wiped(self.members)
        self.members = np.empty(0, dtype=np.int64)
        self.multiplier = self.increment = self.level = 0


def stored_arrays(universe_size: int) -> dict[str, StoredArray]:
    """The arrays that :func:`state_to_arrays` gives."""
    return {"members": StoredArray("int64", 0, universe_size), "hash": StoredArray.of_length("int64", 3)}


def state_to_arrays(state: DistinctSamplingState) -> dict[str, NDArray[Any]]:
    """The state as named arrays."""
    return {"members": state.members, "hash": np.array([state.multiplier, state.increment, state.level])}


def state_from_arrays(universe_size: int, arrays: dict[str, NDArray[Any]]) -> DistinctSamplingState:
    """The state that :func:`state_to_arrays` wrote."""
    members, numbers = arrays["members"].astype(np.int64), arrays["hash"].astype(np.int64)
    if numbers.shape != (3,):
        raise InputError("the hash and level must be three numbers")
    multiplier, increment, level = (int(number) for number in numbers)
    top = 2 ** hash_bits(universe_size)
    if not (0 < multiplier < max(2, top) and multiplier % 2 and 0 <= increment < top and 0 <= level <= 64):
        raise InputError(f"invalid hash modulo {top}: multiplier {multiplier}, increment {increment}, level {level}")
    inside = members.size == 0 or (members[0] >= 0 and members[-1] < universe_size)
    if not inside or bool(np.any(members[1:] <= members[:-1])):
        raise InputError("the members must be sorted users of the universe")
    return DistinctSamplingState(multiplier, increment, level, members)
