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


def every_row_is_a_permutation(width: int) -> bool:
    """Whether each hash function with an odd multiplier is a bijection of ``{0, ..., 2^width - 1}``."""
    return bool((np.sort(hash_values(width, odd_multipliers(width)), axis=1) == np.arange(2**width)).all())


def level_law(width: int, level: int) -> Fraction:
    """The probability of one level, as the amended statement has it."""
    return Fraction(1, 2 ** (level + 1)) if level < width else Fraction(1, 2**width)


def joint_level_law(width: int, valuation: int) -> dict[tuple[int, int], Fraction]:
    """The joint law of the levels of two users whose difference has a number of trailing zeros, as amended."""
    equal_below = valuation if valuation < width else width + 1  # the difference 0 is that of a user to itself
    law = {(level, level): level_law(width, level) for level in range(equal_below)}
    for above in range(valuation + 1, width + 1):
        law[valuation, above] = law[above, valuation] = level_law(width, above)
    return law


@cache
def level_counts_agree(width: int) -> bool:
    """Whether the levels of every user have the law :func:`level_law`, over all functions with odd multipliers."""
    table = level_table(width, odd_multipliers(width))
    return all(
        (np.count_nonzero(table == level, axis=0) == level_law(width, level) * len(table)).all()
        for level in range(width + 1)
    )


@cache
def joint_level_counts_agree(width: int) -> bool:
    """Whether the levels of every pair of users have the law :func:`joint_level_law`, over all functions."""
    table = level_table(width, odd_multipliers(width))
    hits = [(table == level).astype(np.float32) for level in range(width + 1)]
    differences = np.abs(np.subtract.outer(np.arange(2**width), np.arange(2**width)))
    valuations = np.array([trailing_zeros(one, width) for one in range(2**width)])[differences]
    laws = [joint_level_law(width, valuation) for valuation in range(width + 1)]
    for one in range(width + 1):
        for other in range(one, width + 1):
            counts = hits[one].T @ hits[other]
            expected = np.array([float(law.get((one, other), Fraction(0)) * len(table)) for law in laws])
            if not (counts == expected[valuations]).all():
                return False
    return True


@cache
def qualifying_users(width: int, level: int) -> tuple[int, ...] | None:
    """The frequency with which each residue class modulo ``2^level`` is the set of users of at least this level.

    Returns
    -------
    tuple of int or None
        For each residue the number of functions with odd multipliers; ``None`` if for some function the
        set is not a residue class.
    """
    table = level_table(width, odd_multipliers(width)) >= level
    by_class = table.reshape(len(table), 2 ** (width - level), 2**level)
    full, touched = by_class.all(axis=1), by_class.any(axis=1)
    if not (full == touched).all() or not (full.sum(axis=1) == 1).all():
        return None
    return tuple(int(count) for count in full.sum(axis=0))


def seen_classes(levels: Iterable[int], level: int) -> bytes:
    """The users of at least the levels 1, ..., ``level``, as a key: each user's level, cut off there."""
    return bytes(min(own, level) for own in levels)


def next_class_is_uniform(width: int) -> bool:
    """Whether for each odd multiplier the next residue class is either half of the last one, equally often.

    For each level ``l`` and all offsets with the same classes up to ``l``: they are ``2^(width - l)``, and the next
    class is one of two, which split the class at ``l``, for half of them each.
    """
    return all(
        _halves_equally_often(level_table(width, [multiplier]).tolist(), width, level)
        for multiplier in odd_multipliers(width)
        for level in range(width)
    )


def _halves_equally_often(rows: list[list[int]], width: int, level: int) -> bool:
    following: dict[bytes, Counter[bytes]] = defaultdict(Counter)
    for row in rows:
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
    table = level_table(width, odd_multipliers(width) if odd else all_multipliers(width))
    hits = (table[:, users[0]] == levels[0]) & (table[:, users[1]] == levels[1])
    return Fraction(int(np.count_nonzero(hits)), len(table))


def sampled_densities(width: int, level: int, streams: Integers) -> Integers:
    """For each stream (a row of 0 and 1) and hash function, the number of users who appear and qualify."""
    qualify = (level_table(width, odd_multipliers(width)) >= level).astype(np.int64)
    return streams @ qualify.T


def every_stream(users: int) -> Integers:
    """All sets of users who appear, as rows of 0 and 1."""
    rows: Integers = (np.arange(2**users)[:, None] >> np.arange(users)) & 1
    return rows
