"""Redrawn cells that users share, run in exact arithmetic: every geometry, intrusion and adjacent pair of a small size.

A geometry gives each user a cell or none, and each cell a level. An update of a user draws the bit of the user's cell
afresh. The bits are seen at the intrusion, and the number of ones of each level with noise at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

from pan_proofs.density.lemmas.intrusions.whole_mechanism import (
    Bits,
    Pair,
    Stream,
    adjacent_pairs,
    fresh,
    largest_ratio,
    run,
)

Outputs = tuple[int, ...]
Distribution = Mapping[tuple[Bits, Outputs], Fraction]
"""The joint distribution of the bits at the intrusion and the numbers of ones, or the density of them with noise."""


@dataclass(frozen=True)
class Sharing:
    """The cells of users, and the levels of cells.

    Attributes
    ----------
    cells
        For each user the place of the cell, or ``None``.
    levels
        For each cell the place of the level.
    """

    cells: tuple[int | None, ...]
    levels: tuple[int, ...]

    def touched(self, stream: Stream) -> Stream:
        """The stream of the cells that users touch."""
        moved: list[tuple[int, bool] | None] = []
        for moment in stream:
            cell = None if moment is None else self.cells[moment[0]]
            moved.append(None if moment is None or cell is None else (cell, moment[1]))
        return tuple(moved)

    def counts(self, bits: Bits) -> Outputs:
        """The number of ones of each level."""
        return tuple(
            sum(bit for bit, level in zip(bits, self.levels, strict=True) if level == one)
            for one in range(max(self.levels) + 1)
        )


def sharings(users: int) -> Iterator[Sharing]:
    """All ways of two cells, in one level or in two, in which the first user has the first cell."""
    for levels in ((0, 0), (0, 1)):
        for others in product((None, 0, 1), repeat=users - 1):
            yield Sharing((0, *others), levels)


@dataclass(frozen=True)
class Noise:
    """Two-sided geometric noise: the weights ``up**k`` for ``k >= 0`` and ``down**-k`` for ``k <= 0``."""

    up: Fraction
    down: Fraction

    def weight(self, value: int) -> Fraction:
        """The weight of a value of the noise."""
        return self.up**value if value >= 0 else self.down**-value


def seen(stream: Stream, look: int, sharing: Sharing, pair: Pair, noise: Noise) -> Distribution:
    """The density of the bits after ``look`` moments and of the noisy counts at the end.

    Beyond one step outside of the possible counts the ratios change no more.
    """
    touched = sharing.touched(stream)
    found: dict[tuple[Bits, Outputs], Fraction] = {}
    size = len(sharing.levels)
    weights = {value: noise.weight(value) for value in range(-size - 1, size + 2)}

    @cache
    def around(counts: Outputs) -> list[tuple[Outputs, Fraction]]:
        """All noisy counts of some counts, each with its density."""
        outputs = product(range(-1, size + 2), repeat=len(counts))
        steps = ((one, (o - c for o, c in zip(one, counts, strict=True))) for one in outputs)
        return [(one, prod((weights[step] for step in by), start=Fraction(1))) for one, by in steps]

    for bits, chance in run(fresh(size, pair), touched[:look], pair).items():
        for final, weight in run({bits: chance}, touched[look:], pair).items():
            for outputs, density in around(sharing.counts(final)):
                found[bits, outputs] = found.get((bits, outputs), Fraction(0)) + weight * density
    return found


def ratios(moments: int, users: int, sharing: Sharing, pair: Pair, noise: Noise) -> Iterator[Fraction]:
    """The largest ratio of each adjacent pair, in both orders, with each moment of the intrusion."""
    distributions: dict[tuple[Stream, int], Distribution] = {}
    for streams in adjacent_pairs(moments, users):
        for look in range(moments + 1):
            for stream in streams:
                if (stream, look) not in distributions:
                    distributions[stream, look] = seen(stream, look, sharing, pair, noise)
            first, second = (distributions[stream, look] for stream in streams)
            yield largest_ratio(first, second)


def drawn_in_turn(touches: tuple[int, int], pair: Pair, look: int) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of the bit after ``look`` of some draws and of the bit after all of them.

    Parameters
    ----------
    touches
        The number of draws before and after the intrusion, by any users.
    pair
        The probabilities of a one at first and after a draw.
    look
        The number of draws that come before the intrusion: that of ``touches``, or another one as a control.
    """
    stream: Stream = ((0, True),) * sum(touches)
    distribution: dict[tuple[int, int], Fraction] = {}
    for (first,), chance in run(fresh(1, pair), stream[:look], pair).items():
        for (final,), weight in run({(first,): chance}, stream[look:], pair).items():
            distribution[first, final] = distribution.get((first, final), Fraction(0)) + weight
    return distribution
