"""Redrawn cells with any looks and any released counts, run in exact arithmetic on all small streams.

A stream is a sequence of moments. At each of them a user touches a cell, or several at once, or no user does. A look
shows some of the cells. An output shows counts that depend on all bits, each with two-sided geometric noise of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

Bits = tuple[int, ...]
Pair = tuple[Fraction, Fraction]
"""The probabilities of a one at first and after a touch."""

Touch = int | tuple[int, ...] | None
"""A cell that is touched, several cells at once, or none."""

Touches = tuple[Touch, ...]
"""The touches at each moment."""

Counts = Callable[[Bits], tuple[int, ...]]

Record = tuple[tuple[Bits, ...], tuple[int, ...]]
"""The bits that each look shows, and all counts."""


@dataclass(frozen=True)
class Noise:
    """Two-sided geometric noise: the weights ``up**k`` for ``k >= 0`` and ``down**-k`` for ``k <= 0``."""

    up: Fraction
    down: Fraction

    def weight(self, value: int) -> Fraction:
        """The weight of a value of the noise."""
        return self.up**value if value >= 0 else self.down**-value


@dataclass(frozen=True)
class Look:
    """An intrusion that shows some cells.

    Attributes
    ----------
    cells
        The places of the cells that are seen.
    """

    cells: tuple[int, ...]


@dataclass(frozen=True)
class Output:
    """A release of noisy counts.

    Attributes
    ----------
    counts
        The counts, from the bits of all cells.
    """

    counts: Counts


Event = Look | Output


@dataclass(frozen=True)
class Setting:
    """Cells, who can touch them, and what is seen.

    Attributes
    ----------
    cells
        The number of cells.
    own
        The touches by the user in whom streams differ.
    others
        The touches by other users.
    schedule
        The looks and outputs in order. They can come at any places among the moments.
    """

    cells: int
    own: tuple[Touch, ...]
    others: tuple[Touch, ...]
    schedule: tuple[Event, ...]

    def pairs(self, moments: int) -> Iterator[tuple[Touches, Touches]]:
        """All ordered pairs of streams that agree in what the others do at each moment."""
        own: list[Touch] = [None, *self.own]
        choices = [*product(own, own), *((cell, cell) for cell in self.others)]
        for one_by_one in product(choices, repeat=moments):
            one, other = zip(*one_by_one, strict=True)
            if one != other:
                yield one, other

    def ratios(
        self, moments: int, pair: Pair, noise: Noise, *, last: bool = False, zero_sum: bool = False
    ) -> Iterator[Fraction]:
        """The largest ratio of each adjacent pair of streams, with all places of the looks and outputs.

        Parameters
        ----------
        moments
            The number of moments.
        pair
            The probabilities of a one at first and after a touch.
        noise
            The noise of each count.
        last
            Whether outputs come after all moments.
        zero_sum
            Whether the noise of all counts has the sum zero.
        """
        for places in combinations_with_replacement(range(moments + 1), len(self.schedule)):
            plan = tuple(zip(places, self.schedule, strict=True))
            if last and any(place < moments for place, event in plan if isinstance(event, Output)):
                continue
            distributions: dict[Touches, Mapping[Record, Fraction]] = {}
            for streams in self.pairs(moments):
                for stream in streams:
                    if stream not in distributions:
                        distributions[stream] = densities(
                            recorded(stream, plan, self.cells, pair), noise, zero_sum=zero_sum
                        )
                yield largest_ratio(*(distributions[stream] for stream in streams))


def drawn(states: Mapping[Bits, Fraction], cell: int, one: Fraction) -> dict[Bits, Fraction]:
    """The distribution of the bits after one of them was drawn afresh."""
    after: dict[Bits, Fraction] = {}
    for bits, chance in states.items():
        for bit, weight in ((1, one), (0, 1 - one)):
            changed = (*bits[:cell], bit, *bits[cell + 1 :])
            after[changed] = after.get(changed, Fraction(0)) + chance * weight
    return after


def fresh(cells: int, pair: Pair) -> dict[Bits, Fraction]:
    """The distribution of the bits at the beginning."""
    states: dict[Bits, Fraction] = {(0,) * cells: Fraction(1)}
    for cell in range(cells):
        states = drawn(states, cell, pair[0])
    return states


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
    return Fraction(top, bottom)


def recorded(stream: Touches, plan: Sequence[tuple[int, Event]], cells: int, pair: Pair) -> dict[Record, Fraction]:
    """The joint distribution of what the looks show and of the counts, before their noise."""
    branches: dict[Record, dict[Bits, Fraction]] = {((), ()): fresh(cells, pair)}
    waiting = list(plan)
    for place in range(len(stream) + 1):
        while waiting and waiting[0][0] == place:
            _, event = waiting.pop(0)
            split: dict[Record, dict[Bits, Fraction]] = {}
            for (seen, counts), states in branches.items():
                for bits, chance in states.items():
                    if isinstance(event, Output):
                        record = (seen, (*counts, *event.counts(bits)))
                    else:
                        record = ((*seen, tuple(bits[cell] for cell in event.cells)), counts)
                    split.setdefault(record, {})[bits] = chance
            branches = split
        for cell in _cells(stream[place]) if place < len(stream) else ():
            branches = {record: drawn(states, cell, pair[1]) for record, states in branches.items()}
    return {record: sum(states.values(), Fraction(0)) for record, states in branches.items()}


def _cells(touch: Touch) -> tuple[int, ...]:
    return () if touch is None else (touch,) if isinstance(touch, int) else touch


def densities(
    distribution: Mapping[Record, Fraction], noise: Noise, *, zero_sum: bool = False
) -> dict[Record, Fraction]:
    """The density of all that is seen, for outputs from the least to the largest possible count.

    At outputs beyond these ends all weights fall by the same factors, so that the ratios are those at the end. If the
    noise has the sum zero, outputs have the sum of the counts. Places with another sum are kept if outputs beyond
    their ends have the right sum.
    """
    columns = list(zip(*(counts for _, counts in distribution), strict=True))
    places = list(product(*(range(min(column), max(column) + 1) for column in columns)))
    if zero_sum:
        (total,) = {sum(counts) for _, counts in distribution}
        ends = [(min(column), max(column)) for column in columns]
        places = [place for place in places if _reaches(place, total, ends)]
    weights = {step: noise.weight(step) for step in range(-20, 21)}
    found: dict[Record, Fraction] = {}
    for (seen, counts), chance in distribution.items():
        for place in places:
            density = chance
            for output, count in zip(place, counts, strict=True):
                density *= weights[output - count]
            found[seen, place] = found.get((seen, place), Fraction(0)) + density
    return found


def _reaches(place: tuple[int, ...], total: int, ends: list[tuple[int, int]]) -> bool:
    """Whether outputs have a sum, of which those at an end stand for all beyond it."""
    low = any(one == end[0] for one, end in zip(place, ends, strict=True))
    high = any(one == end[1] for one, end in zip(place, ends, strict=True))
    return sum(place) == total or (high if sum(place) < total else low)
