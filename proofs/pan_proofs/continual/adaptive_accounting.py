"""A model of the counter with phases for one element: its changes that are followed, what it pays, and the exact loss.

The released values are fixed, and with them the steps at which phases end. Losses are fractions, for the square root of
the prefix sum and few steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product

from pan_proofs.continual.factored_steps import column, image
from pan_proofs.continual.streams import Bits

Ends = tuple[int, ...]
"""The steps after which a phase ends."""


@dataclass(frozen=True)
class Phases:
    """The numbers of the phases, in units of rho.

    Attributes
    ----------
    prices
        The price of a change in each phase: ``S`` over the variance of the noise.
    alarm
        The price of two refusals, over that of a change. An element pays half of it.
    limits
        The limit of an element's payments up to the end of each phase.
    recomputing
        The budget of the computations after the last phase.
    """

    prices: tuple[Fraction, ...]
    alarm: Fraction
    limits: tuple[Fraction, ...]
    recomputing: Fraction

    @classmethod
    def of(cls, changes: int, count: int, *, first: Fraction, recomputing: Fraction, growth: int) -> Phases:
        """Phases by the rule of the counter: the first has room for ``changes`` changes and a refusal."""
        alarm, last = Fraction(1, 2), 1 - recomputing
        price = first / (2 * changes - 1 + alarm)
        later = [first + (last - first) * number / (count - 1) for number in range(1, count)]
        limits = (changes * price + alarm * price / 2, *(share / 2 for share in later))
        return cls(tuple(price / growth**number for number in range(count)), alarm, limits, recomputing)

    @property
    def feasible(self) -> bool:
        """Whether every element can pay a change and a refusal in each phase."""
        before = (Fraction(0), *self.limits)
        needed = [price * (1 + self.alarm / 2) for price in self.prices]
        return all(b - a >= need for a, b, need in zip(before, self.limits, needed, strict=False))


@dataclass(frozen=True)
class Run:
    """The part of one element in the released values.

    Attributes
    ----------
    values
        The released values without noise, each with the variance of its noise, for rho = 1.
    paid
        The payments of the element.
    """

    values: tuple[tuple[Fraction, Fraction], ...]
    paid: Fraction


def run(vector: Bits, ends: Ends, phases: Phases) -> Run:
    """The values of an element with this existence vector: each with the variance of its noise.

    Parameters
    ----------
    vector
        Its existence after each step.
    ends
        The steps after which phases end, at most as many as there are phases.
    phases
        The numbers of the phases.
    """
    steps, number, value, stuck = len(vector), 0, 0, False
    paid = Fraction(0)
    moved: list[int] = []
    variances: list[Fraction] = []
    alarms: list[list[int]] = [[]]
    computed: list[int] = []
    for time, bit in enumerate(vector, start=1):
        if number == len(phases.prices):
            computed.append(bit)
            continue
        price = phases.prices[number]
        before, refused = value, 0
        # At the beginning of a phase an element that was refused is corrected.
        for now in (vector[time - 2] if time - 1 in ends else value, bit):
            if now != value and not stuck:
                if paid + price * (1 + phases.alarm / 2) <= phases.limits[number]:
                    value, paid = now, paid + price
                else:
                    stuck, refused = True, 1
        moved.append(value - before)
        variances.append(column(steps) / price)
        alarms[-1].append(refused)
        if time in ends:
            paid += price * phases.alarm / 2 if stuck else 0
            number, stuck = number + 1, False
            alarms.append([])
    paid += phases.prices[number] * phases.alarm / 2 if stuck else 0
    values = list(zip(image(moved), variances, strict=True))
    for place, refusals in enumerate(alarms[: len(phases.prices)]):
        variance = column(steps) / (phases.alarm * phases.prices[place])
        values += [(one, variance) for one in image(refusals)]
    values += [(Fraction(bit), Fraction(len(computed)) / (2 * phases.recomputing)) for bit in computed]
    return Run(tuple(values), paid)


def loss(one: Run, other: Run) -> Fraction:
    """The loss of two elements for the same decisions, in units of rho."""
    pairs = zip(one.values, other.values, strict=True)
    return sum(((a - b) ** 2 / (2 * variance) for (a, variance), (b, _) in pairs if a != b), Fraction(0))


@cache
def runs(steps: int, phases: Phases, rule: Callable[[Bits, Ends, Phases], Run] = run) -> tuple[tuple[Run, ...], ...]:
    """The runs of all vectors, for each choice of the ends of phases."""
    choices = [ends for count in range(len(phases.prices) + 1) for ends in combinations(range(1, steps + 1), count)]
    return tuple(tuple(rule(bits, ends, phases) for bits in product((0, 1), repeat=steps)) for ends in choices)


def largest_loss(steps: int, phases: Phases) -> Fraction:
    """The largest loss over all pairs of vectors and all ends of phases, in units of rho."""
    return max(loss(one, other) for group in runs(steps, phases) for one in group for other in group)


def spent_covers(steps: int, phases: Phases) -> bool:
    """Whether no pair loses more than both of its elements paid, and the computations."""
    return all(
        loss(one, other) <= one.paid + other.paid + phases.recomputing
        for group in runs(steps, phases)
        for one in group
        for other in group
    )
