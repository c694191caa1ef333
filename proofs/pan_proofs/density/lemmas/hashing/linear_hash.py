"""The linear hash modulo a power of two, gone through in full: every multiplier, offset, user and pair of users.

The level of a user is the number of trailing zeros of ``(a u + b) mod 2^Q``, and Q where that is 0.
Counts are whole numbers throughout; products of indicator matrices are exact in single precision,
since no count comes near ``2^24``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Levels = NDArray[np.int8]


def odd_multipliers(width: int) -> range:
    """The odd multipliers modulo ``2^width``; for ``width`` 0, where the source has none, the multiplier 1."""
    return range(1, max(2, 2**width), 2)


def all_multipliers(width: int) -> range:
    """The multipliers ``1, ..., 2^width - 1``."""
    return range(1, 2**width)


def trailing_zeros(value: int, width: int) -> int:
    """Trailing zeros of the binary digits of a number below ``2^width``; ``width`` for 0."""
    return (value & -value).bit_length() - 1 if value else width


def hash_values(width: int, multipliers: Iterable[int]) -> Integers:
    """Values of all hash functions with these multipliers: a row for each function, a column for each user."""
    size = 2**width
    users, offsets = np.arange(size), np.arange(size)
    steps = np.fromiter(multipliers, dtype=np.int64)
    values: Integers = (steps[:, None, None] * users + offsets[:, None]) % size
    return values.reshape(-1, size)


def level_table(width: int, multipliers: Iterable[int]) -> Integers:
    """Levels instead of values, in the same places."""
    zeros = np.array([trailing_zeros(value, width) for value in range(2**width)], dtype=np.int64)
    return zeros[hash_values(width, multipliers)]


@cache
def odd_level_table(width: int) -> Levels:
    """The levels for odd multipliers, as in :func:`level_table`, in a byte each."""
    levels: Levels = level_table(width, odd_multipliers(width)).astype(np.int8)
    levels.flags.writeable = False
    return levels


def every_row_is_a_permutation(width: int, multiplier: int) -> bool:
    """Whether each hash function with this multiplier is a bijection of ``{0, ..., 2^width - 1}``."""
    return bool((np.sort(hash_values(width, [multiplier]), axis=1) == np.arange(2**width)).all())


def level_distribution(width: int, level: int) -> Fraction:
    """The probability of one level, as the amended statement has it."""
    return Fraction(1, 2 ** (level + 1)) if level < width else Fraction(1, 2**width)


def joint_level_distribution(width: int, valuation: int) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of the levels of two users whose difference has a number of trailing zeros, as amended."""
    equal_below = valuation if valuation < width else width + 1  # the difference 0 is that of a user to itself
    distribution = {(level, level): level_distribution(width, level) for level in range(equal_below)}
    for above in range(valuation + 1, width + 1):
        distribution[valuation, above] = distribution[above, valuation] = level_distribution(width, above)
    return distribution


def level_frequencies(width: int, level: int) -> set[Fraction]:
    """The probabilities with which the users have a level, over all functions with odd multipliers."""
    table = odd_level_table(width)
    return _shares(np.count_nonzero(table == level, axis=0), len(table))


@cache
def joint_level_frequencies(width: int) -> dict[tuple[int, int, int], set[Fraction]]:
    """The probabilities of two levels for all pairs of users, over all functions with odd multipliers.

    Returns
    -------
    dict
        From the trailing zeros of the difference, the lower and the higher level to the probabilities that occur.
    """
    # Functions that give every user the same level are multiplied once.
    functions, times = np.unique(odd_level_table(width), axis=0, return_counts=True)
    hits = [(functions == level).astype(np.float32) for level in range(width + 1)]
    differences = np.abs(np.subtract.outer(np.arange(2**width), np.arange(2**width)))
    valuations = np.array([trailing_zeros(one, width) for one in range(2**width)])[differences]
    found = {}
    for one in range(width + 1):
        for other in range(one, width + 1):
            counts = (hits[one].T * times.astype(np.float32) @ hits[other]).astype(np.int64)
            for valuation in range(width + 1):
                found[valuation, one, other] = _shares(counts[valuations == valuation], int(times.sum()))
    return found


def qualifying_numbers(width: int, level: int) -> set[int]:
    """The numbers of users of at least this level that occur, over all functions with odd multipliers."""
    return {int(number) for number in np.count_nonzero(odd_level_table(width) >= level, axis=1)}


def class_frequencies(width: int, level: int) -> tuple[Fraction, ...] | None:
    """The probability with which each residue class modulo ``2^level`` is the set of users of at least this level.

    Returns
    -------
    tuple of Fraction or None
        For each residue the share of the functions with odd multipliers; ``None`` if for some function the
        set is not a residue class.
    """
    table = odd_level_table(width) >= level
    by_class = table.reshape(len(table), 2 ** (width - level), 2**level)
    full, touched = by_class.all(axis=1), by_class.any(axis=1)
    if not (full == touched).all() or not (full.sum(axis=1) == 1).all():
        return None
    return tuple(Fraction(int(count), len(table)) for count in full.sum(axis=0))


def _shares(counts: Integers, total: int) -> set[Fraction]:
    return {Fraction(int(count), total) for count in np.unique(counts)}


def seen_classes(levels: Iterable[int], level: int) -> bytes:
    """The users of at least the levels 1, ..., ``level``, as a key: each user's level, cut off there."""
    return bytes(min(own, level) for own in levels)


def halves_equally_often(width: int, multiplier: int, level: int) -> bool:
    """Whether the next residue class is either half of the class at a level, equally often.

    For all offsets with the same classes up to the level: they are ``2^(width - level)``, and the next class is one of
    two, which split the class at the level, for half of them each.
    """
    following: dict[bytes, Counter[bytes]] = defaultdict(Counter)
    for row in level_table(width, [multiplier]).tolist():
        following[seen_classes(row, level)][seen_classes(row, level + 1)] += 1
    return len(following) == 2**level and all(
        list(found.values()) == [2 ** (width - level - 1)] * 2
        # Of a user in the class the two keys have level and level + 1; of another user, the same twice.
        and all(
            sum(pair) == (2 * level + 1 if own == level else 2 * own) for own, *pair in zip(seen, *found, strict=True)
        )
        for seen, found in following.items()
    )


def pair_probability(width: int, users: tuple[int, int], levels: tuple[int, int], *, odd: bool = True) -> Fraction:
    """Probability that two users have two levels, for odd multipliers or for all."""
    table = odd_level_table(width) if odd else level_table(width, all_multipliers(width))
    hits = (table[:, users[0]] == levels[0]) & (table[:, users[1]] == levels[1])
    return Fraction(int(np.count_nonzero(hits)), len(table))


def sampled_densities(width: int, level: int, streams: Integers) -> Integers:
    """For each stream (a row of 0 and 1) and hash function, the number of users who appear and qualify."""
    qualify = (odd_level_table(width) >= level).astype(np.int64)
    return streams @ qualify.T


def every_stream(users: int) -> Integers:
    """All sets of users who appear, as rows of 0 and 1."""
    rows: Integers = (np.arange(2**users)[:, None] >> np.arange(users)) & 1
    return rows
