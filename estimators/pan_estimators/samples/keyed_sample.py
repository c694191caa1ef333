"""Samples of the users: uniform, and kept as a key instead of a list.

A keyed pseudo-random permutation gives every user a new number. The sample is the first ``m`` numbers, and
the number of a sampled user is the place of the user's cell. So 128 bits define the sample, in place of m ids.

The permutation comes from AES-128. A small population is ranked by the encrypted indices. A large one
goes through a Feistel network of ten rounds on its binary digits, whose round function is AES. Values outside
the population are moved along their cycle back into it (Black and Rogaway 2002; the construction of NIST
SP 800-38G, whose revision asks for a population of at least a million for *secrecy*, not needed here).

Only the accuracy depends on this assumption. The sample is chosen before the stream and independently
of it, the key is part of the state and is seen by an adversary, and the privacy loss is the same for
every sample: no promise depends on AES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, require_count

Indices = NDArray[np.int64]
Words = NDArray[np.uint64]

KEY_BYTES = 16
_ROUNDS = 10
RANKED = 2**12
"""Largest population that is ranked. The table costs less than a millisecond."""
_CHUNK = 2**13
"""Number of indices that are permuted at a time. All intermediate arrays stay in the cache."""
_LARGEST = 2**64
_WORD = np.dtype("<u8")
"""Little-endian on every machine, so that a key means the same permutation everywhere."""


@runtime_checkable
class Sample(Protocol):
    """A uniform subset of the indices ``0, ..., population - 1``, in which each member has a place.

    The places of the members are ``0, ..., size - 1``.
    """

    @property
    def population(self) -> int:
        """Number of indices."""
        ...

    @property
    def size(self) -> int:
        """Number of sampled indices m."""
        ...

    @property
    def state_bits(self) -> int:
        """The size of the sample in the state, in bits, without the two public numbers."""
        ...

    def positions(self, indices: NDArray[Any]) -> Indices:
        """The place of every index in ``indices``, or -1 for an index that is not sampled."""
        ...

    def members(self) -> NDArray[Any]:
        """The sampled indices in the order of their places."""
        ...

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Named arrays from which :func:`sample_from_arrays` makes the sample again."""
        ...


@dataclass(frozen=True)
class WholePopulation:
    """The sample of everyone. Every index is its own place, and the state keeps nothing.

    Parameters
    ----------
    population
        Number of indices, at least 1.
    """

    population: int

    @property
    def size(self) -> int:
        return self.population

    @property
    def state_bits(self) -> int:
        return 0

    def positions(self, indices: NDArray[Any]) -> Indices:
        return indices.astype(np.int64, copy=False)

    def members(self) -> NDArray[Any]:
        return np.arange(self.population)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {}


@dataclass(frozen=True, eq=False)
class ListedSample:
    """A sample given by its sorted members.

    Parameters
    ----------
    population
        Number of indices, at most ``2**63``.
    listed
        The sampled indices, at least one, strictly increasing.

    Raises
    ------
    InputError
        If the indices are not strictly increasing, or lie outside the population.
    """

    population: int
    listed: Indices

    def __post_init__(self) -> None:
        listed = np.asarray(self.listed).astype(np.int64)
        increasing = listed.ndim == 1 and listed.size > 0 and bool(np.all(np.diff(listed) > 0))
        if not increasing or listed[0] < 0 or listed[-1] >= self.population:
            raise InputError(f"a listed sample must be sorted distinct indices from 0 to {self.population - 1}")
        object.__setattr__(self, "listed", listed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedSample):
            return NotImplemented
        return self.population == other.population and np.array_equal(self.listed, other.listed)

    def __hash__(self) -> int:
        return hash((self.population, self.listed.tobytes()))

    @property
    def size(self) -> int:
        return int(self.listed.size)

    @property
    def state_bits(self) -> int:
        return self.size * max(1, (self.population - 1).bit_length())

    def positions(self, indices: NDArray[Any]) -> Indices:
        places = np.minimum(np.searchsorted(self.listed, indices), self.size - 1)
        return np.where(self.listed[places] == indices, places, -1).astype(np.int64, copy=False)

    def members(self) -> NDArray[Any]:
        return self.listed

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"sample": self.listed}


@dataclass(frozen=True)
class KeyedSample:
    """The first ``size`` values of a keyed pseudo-random permutation of the population.

    Assumption: under a fresh uniform key, AES-128 cannot be distinguished from a random function. Up to its
    advantage, the sample is uniform for populations up to 4,096, where it is the order of distinct random
    words. For larger ones it is as uniform as ten Feistel rounds with independent random functions make
    it. The digits of any one index are uniform after the first two rounds. Those of several indices are uniform
    except with the probability that two of them agree repeatedly in one half or the other.

    Parameters
    ----------
    population
        Number of indices, from 1 to ``2**64``.
    size
        Number of sampled indices m, from 1 to ``population``.
    key
        16 uniform bytes.

    Raises
    ------
    InputError
        If a number or the length of the key is out of range.
    """

    population: int
    size: int
    key: bytes

    def __post_init__(self) -> None:
        require_count("the population of a sample", self.population, most=_LARGEST)
        require_count("the sample size m", self.size, most=self.population, source="the size of the population")
        if len(self.key) != KEY_BYTES:
            raise InputError(f"the key of a sample must have {KEY_BYTES} bytes, got {len(self.key)}")

    @property
    def state_bits(self) -> int:
        return 8 * KEY_BYTES

    def positions(self, indices: NDArray[Any]) -> Indices:
        numbers = self.permuted(indices.astype(np.uint64))
        numbers[numbers >= np.uint64(self.size)] = ~np.uint64(0)
        return numbers.view(np.int64)

    def position(self, index: int) -> int:
        """The place of ``index``, or -1 if it is not sampled."""
        if self.population <= RANKED:
            number = int(_ranks(self.key, self.population)[0][index])
        else:
            bits = (self.population - 1).bit_length()
            number = _feistel_of_one(self.key, bits, index)
            while number >= self.population:
                number = _feistel_of_one(self.key, bits, number)
        return number if number < self.size else -1

    def members(self) -> NDArray[Any]:
        found = self.permuted(np.arange(self.size, dtype=np.uint64), backwards=True)
        return found.astype(np.int64) if self.population <= 2**63 else found

    def permuted(self, numbers: Words, *, backwards: bool = False) -> Words:
        """The values of the permutation of the population at ``numbers``; those of its inverse if ``backwards``."""
        if self.population <= RANKED:
            return _ranks(self.key, self.population)[int(backwards)][numbers.astype(np.int64)]
        bits = (self.population - 1).bit_length()
        result = _in_chunks(self.key, bits, numbers, backwards)
        if self.population == 2**bits:
            return result
        # Values outside the population go on along their cycle: fewer than two steps on average.
        outside = np.flatnonzero(result >= np.uint64(self.population))
        while outside.size:
            walked = _in_chunks(self.key, bits, result[outside], backwards)
            result[outside] = walked
            outside = outside[walked >= np.uint64(self.population)]
        return result

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"key": np.frombuffer(self.key, dtype="<i8").astype(np.int64)}


def sample_from_arrays(population: int, size: int, arrays: dict[str, NDArray[Any]]) -> Sample:
    """The sample that wrote these arrays; :class:`InputError` if they are no sample of this population and size."""
    if size == population:
        return WholePopulation(population)
    if "key" in arrays:
        if arrays["key"].shape != (2,):
            raise InputError(f"the key of a sample must be two words, got shape {arrays['key'].shape}")
        return KeyedSample(population, size, arrays["key"].astype("<i8").tobytes())
    if "sample" not in arrays:
        raise InputError("a sample needs a key or the list of its members")
    sample = ListedSample(population, arrays["sample"])
    if sample.size != size:
        raise InputError(f"the sample must have {size} members, got {sample.size}")
    return sample


def _in_chunks(key: bytes, bits: int, numbers: Words, backwards: bool) -> Words:
    result = np.empty(numbers.size, dtype=np.uint64)
    for start in range(0, numbers.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        result[part] = _feistel(key, bits, numbers[part], backwards)
    return result


@lru_cache(maxsize=64)
def _ranks(key: bytes, population: int) -> tuple[Words, Words]:
    """The rank of every index by its encryption, and the inverse: distinct blocks have distinct encryptions."""
    (ranks,) = ranks_of_keys(np.frombuffer(key, dtype=np.uint8)[None], population)
    return ranks.astype(np.uint64), np.argsort(ranks).astype(np.uint64)


def ranks_of_keys(keys: NDArray[np.uint8], population: int) -> Indices:
    """The rank of every index of a population under each of many keys: shape ``(keys, population)``."""
    blocks = np.zeros((population, 2), dtype=_WORD)
    blocks[:, 0] = np.arange(population)
    encrypted = b"".join(_cipher(key.tobytes()).update(blocks.tobytes()) for key in keys)
    words = np.frombuffer(encrypted, dtype=_WORD).reshape(len(keys), population, 2)
    order = np.lexsort((words[:, :, 1], words[:, :, 0]), axis=1)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(population)[None], axis=1)
    return ranks


def _feistel(key: bytes, bits: int, numbers: Words, backwards: bool) -> Words:
    """A permutation of ``0, ..., 2**bits - 1``: each half is masked in turn with AES of the other one."""
    cipher = _cipher(key)
    low_bits = bits // 2
    shift, low_mask = np.uint64(low_bits), np.uint64(2**low_bits - 1)
    masks = (np.uint64(2 ** (bits - low_bits) - 1), low_mask)
    halves = [numbers >> shift, numbers & low_mask]
    blocks = np.empty((numbers.size, 2), dtype=_WORD)
    given, room = blocks.reshape(-1).view(np.uint8), np.empty(16 * numbers.size + 15, dtype=np.uint8)
    drawn = room[: 16 * numbers.size].view(_WORD)[::2]
    rounds = range(_ROUNDS)
    for number in reversed(rounds) if backwards else rounds:
        side = number % 2
        blocks[:, 0] = halves[1 - side]
        # The domain is part of the block, so that one key can be used for several domains.
        blocks[:, 1] = 1 + number + (bits << 8)
        cipher.update_into(given, room)
        halves[side] = halves[side] ^ (drawn & masks[side])
    return (halves[0] << shift) | halves[1]


def _feistel_of_one(key: bytes, bits: int, number: int) -> int:
    """The value of :func:`_feistel` for one number."""
    encrypt: Callable[[bytes], bytes] = _cipher(key).update
    low_bits = bits // 2
    masks: tuple[int, int] = (2 ** (bits - low_bits) - 1, 2**low_bits - 1)
    halves = [number >> low_bits, number & masks[1]]
    for turn in range(_ROUNDS):
        side = turn % 2
        block = halves[1 - side] | (1 + turn + (bits << 8)) << 64
        halves[side] ^= int.from_bytes(encrypt(block.to_bytes(16, "little"))[:8], "little") & masks[side]
    return halves[0] << low_bits | halves[1]


def _cipher(key: bytes) -> Any:
    # Imported here, since most processes of an audit hash nothing.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.ECB()).encryptor()
