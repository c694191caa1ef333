"""The least error of a distinct count after an intrusion, averaged over random streams, by complete enumeration.

The streams: before the intrusion each of k users appears or not, all 2^k ways equally likely; after it
again, independently. The output is a function of the state at the intrusion and of the rest.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import prod

Bits = tuple[int, ...]
Channel = Mapping[Bits, Mapping[Hashable, Fraction]]
"""For each pattern of appearances the distribution of the state that the adversary sees."""


def tanh_channel(users: int, factor: Fraction) -> Channel:
    """One bit for each user, equal to whether the user appeared with probability ``x/(1 + x)``."""
    keep, flip = factor / (1 + factor), 1 / (1 + factor)
    patterns = list(product((0, 1), repeat=users))
    return {
        seen: {
            state: prod((keep if a == b else flip for a, b in zip(seen, state, strict=True)), start=Fraction(1))
            for state in patterns
        }
        for seen in patterns
    }


def largest_factor(channel: Channel) -> Fraction | None:
    """``exp`` of the loss of the state, over patterns that differ in one user; ``None`` if it is infinite."""
    largest = Fraction(1)
    for seen, distribution in channel.items():
        for user in range(len(seen)):
            other = channel[tuple(bit ^ (place == user) for place, bit in enumerate(seen))]
            for state, weight in distribution.items():
                if weight and not other.get(state):
                    return None
                largest = max(largest, weight / other[state] if weight else largest)
    return largest


def distinct(before: Bits, after: Bits) -> int:
    """The number of users who appear."""
    return sum(one | other for one, other in zip(before, after, strict=True))


def average_risk(channel: Channel, returning: Mapping[Bits, Fraction] | None = None) -> Fraction:
    """Mean squared error of the best output, on average over the streams.

    Parameters
    ----------
    channel
        The distribution of the state.
    returning
        The distribution of who appears after the intrusion; all patterns equally likely unless it is given.
    """
    patterns = list(channel)
    later = returning or {pattern: Fraction(1, len(patterns)) for pattern in patterns}
    prior = Fraction(1, len(patterns))
    states = dict.fromkeys(state for distribution in channel.values() for state in distribution)
    total = Fraction(0)
    for state in states:
        weights = {seen: prior * channel[seen].get(state, Fraction(0)) for seen in patterns}
        mass = sum(weights.values())
        if not mass:
            continue
        for after, chance in later.items():
            first = sum(weight * distinct(seen, after) for seen, weight in weights.items())
            second = sum(weight * distinct(seen, after) ** 2 for seen, weight in weights.items())
            total += chance * (second - first**2 / mass)
    return total


def halves(users: int) -> dict[Bits, Fraction]:
    """All patterns in which half of the users, rounded down, return, equally likely."""
    chosen = [pattern for pattern in product((0, 1), repeat=users) if sum(pattern) == users // 2]
    return {pattern: Fraction(1, len(chosen)) for pattern in chosen}


def never(users: int) -> dict[Bits, Fraction]:
    """The case that no user returns."""
    return {(0,) * users: Fraction(1)}
