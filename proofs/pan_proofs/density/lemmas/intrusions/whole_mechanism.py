"""The published mechanism run in exact arithmetic on small streams: every bit, every intrusion, every adjacent pair.

A stream is a sequence of moments, at each of which one user appears, or is deleted, or nobody does. Streams of one
pair differ only in what one user does at each moment, so that an intrusion falls at the same place of both. Nothing
here uses a formula for the loss: the state is a tuple of bits, run through the stream one update at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

Moment = tuple[int, bool] | None
"""A user and whether it appears (or else is deleted); or nothing."""

Stream = tuple[Moment, ...]
Bits = tuple[int, ...]
Pair = tuple[Fraction, Fraction]
Seen = Mapping[tuple[Bits, int], Fraction]
"""The joint distribution of the bits at the intrusion and the number of ones at the end."""
Densities = Mapping[tuple[Bits, int], Fraction]
"""For the bits at the intrusion and an output the density of both."""


def drawn(states: Mapping[Bits, Fraction], user: int, one: Fraction) -> dict[Bits, Fraction]:
    """The distribution of the bits after one of them was drawn afresh."""
    after: dict[Bits, Fraction] = {}
    for bits, chance in states.items():
        for bit, weight in ((1, one), (0, 1 - one)):
            changed = (*bits[:user], bit, *bits[user + 1 :])
            after[changed] = after.get(changed, Fraction(0)) + chance * weight
    return after


def run(states: Mapping[Bits, Fraction], stream: Stream, pair: Pair) -> dict[Bits, Fraction]:
    """The distribution of the bits after a stream."""
    now = dict(states)
    for moment in stream:
        if moment is not None:
            now = drawn(now, moment[0], pair[moment[1]])
    return now


def fresh(users: int, pair: Pair) -> dict[Bits, Fraction]:
    """The distribution of the bits at the beginning."""
    states: dict[Bits, Fraction] = {(0,) * users: Fraction(1)}
    for user in range(users):
        states = drawn(states, user, pair[0])
    return states


def seen(stream: Stream, look: int, users: int, pair: Pair) -> Seen:
    """The joint distribution of the bits after ``look`` moments and the number of ones at the end."""
    distribution: dict[tuple[Bits, int], Fraction] = {}
    for bits, chance in run(fresh(users, pair), stream[:look], pair).items():
        for final, weight in run({bits: chance}, stream[look:], pair).items():
            distribution[bits, sum(final)] = distribution.get((bits, sum(final)), Fraction(0)) + weight
    return distribution


def densities(distribution: Seen, factor: Fraction, users: int) -> Densities:
    """The density of each observation of bits and output, for noise of weight ``factor**-abs(k)``.

    Beyond -1 and ``users + 1`` nothing changes any more.
    """
    weights = [factor**-steps for steps in range(users + 2)]
    found: dict[tuple[Bits, int], Fraction] = {}
    for (bits, ones), chance in distribution.items():
        for output in range(-1, users + 2):
            place = bits, output
            found[place] = found.get(place, Fraction(0)) + chance * weights[abs(output - ones)]
    return found


_NONE = Fraction(0)


def largest_ratio(above: Mapping[Any, Fraction], below: Mapping[Any, Fraction]) -> Fraction:
    """The largest ratio of two densities over all observations.

    An observation that only the first distribution can give would raise :class:`ZeroDivisionError`; there is none.
    """
    top, bottom = -1, 1
    for place in {**above, **below}:
        one, other = above.get(place, _NONE), below.get(place, _NONE)
        if not other:
            raise ZeroDivisionError(f"only the first distribution gives {place}")
        # A quotient is made of the largest one alone: each costs a greatest common divisor.
        upper, lower = one.numerator * other.denominator, one.denominator * other.numerator
        if upper * bottom > top * lower:
            top, bottom = upper, lower
    if top < 0:
        raise ValueError("there is no observation")
    return Fraction(top, bottom)


def adjacent_pairs(moments: int, users: int, *, deletions: bool = False) -> Iterator[tuple[Stream, Stream]]:
    """All ordered pairs of streams that agree in what every user but user 0 does at each moment."""
    own: list[Moment] = [None, (0, True)] + [(0, False)] * deletions
    others: list[Moment] = [(user, kind) for user in range(1, users) for kind in (True, *[False] * deletions)]
    choices = [*product(own, own), *((moment, moment) for moment in others)]
    for moment_pairs in product(choices, repeat=moments):
        one, other = zip(*moment_pairs, strict=True)
        if one != other:
            yield one, other


def largest_over_streams(
    moments: int, users: int, pair: Pair, factor: Fraction, *, deletions: bool = False
) -> tuple[Fraction, int]:
    """The largest ratio over all adjacent pairs and all moments of the intrusion, and how many were compared."""
    ratios = list(ratios_over_streams(moments, users, pair, factor, deletions=deletions))
    return max(ratios, default=Fraction(1)), len(ratios)


def ratios_over_streams(
    moments: int, users: int, pair: Pair, factor: Fraction, *, deletions: bool = False
) -> Iterator[Fraction]:
    """The largest ratio of each adjacent pair, in both orders, with each moment of the intrusion."""
    # One distribution belongs to many pairs.
    distributions: dict[tuple[Stream, int], Densities] = {}
    for streams in adjacent_pairs(moments, users, deletions=deletions):
        for look in range(moments + 1):
            for stream in streams:
                if (stream, look) not in distributions:
                    distributions[stream, look] = densities(seen(stream, look, users, pair), factor, users)
            first, second = (distributions[stream, look] for stream in streams)
            yield largest_ratio(first, second)
