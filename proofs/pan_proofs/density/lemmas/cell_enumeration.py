"""The joint loss of one redrawn bit, for any order of looks and outputs, by complete enumeration.

The mechanism: a sampled user has one bit, Bernoulli(p0) at first and drawn afresh as Bernoulli(p1) at
each appearance (as Bernoulli(p0) at a deletion). Looks show the bit; after an announced one it is
flipped with a known probability, and later draws come from the pair after the same flip. Each output is
the count of ones plus fresh noise with density f.

One user alone is enough, for every number of users and every stream: users are independent given
the sample, which is drawn without regard to the stream. The observation is a function of this user's bits
and outputs and of the other users' bits, whose distribution is the same on both streams: adding them to
the outputs is post-processing, and there may be none. A user outside the sample has no influence at all.

The ends of the noise are enough: for two patterns of the user, the ratio of the probabilities of
what is seen is, in each ``rho = f(y - 1)/f(y)`` with the others fixed, a quotient of two linear
functions. It is monotone, and largest at the least or the largest value of rho.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Any

Probability = Any
"""A fraction, or an expression of symbols."""


class Update(StrEnum):
    """The last update of the user in a phase of the stream."""

    NONE = "none"
    INSERT = "insert"
    DELETE = "delete"


Pattern = tuple[Update, ...]
"""The last update in each phase."""


class PhaseEnd(StrEnum):
    """The step after a phase of the stream."""

    LOOK = "look"
    ANNOUNCED = "announced look"
    OUTPUT = "output"


Schedule = tuple[PhaseEnd, ...]


@dataclass(frozen=True)
class Cell:
    """One bit and the noise of the outputs.

    Attributes
    ----------
    pairs
        The two probabilities of a one, before and after an appearance: at first, and after each announced look.
    flips
        The probability of a flip after each announced look.
    low, high
        The least and the largest value of ``f(y - 1)/f(y)``.
    """

    pairs: tuple[tuple[Probability, Probability], ...]
    flips: tuple[Probability, ...]
    low: Probability
    high: Probability


def schedules(announced: int, outputs: int) -> tuple[Schedule, ...]:
    """Every order in which one unannounced look falls after the announced ones and among the outputs.

    The last output comes last: what happens after it is not seen.
    """
    found: list[Schedule] = []
    looks = (PhaseEnd.ANNOUNCED,) * announced + (PhaseEnd.LOOK,)
    for places in product(range(outputs), repeat=len(looks)):
        if list(places) != sorted(places):
            continue
        steps: list[PhaseEnd] = []
        for output in range(outputs):
            steps += [look for look, place in zip(looks, places, strict=True) if place == output]
            steps.append(PhaseEnd.OUTPUT)
        found.append(tuple(steps))
    return tuple(found)


def patterns(phases: int, *, deletions: bool = False) -> tuple[Pattern, ...]:
    """All patterns of a user."""
    return tuple(product(Update if deletions else (Update.NONE, Update.INSERT), repeat=phases))


def probability(
    cell: Cell, schedule: Schedule, pattern: Pattern, bits: tuple[int, ...], ratios: tuple[Probability, ...]
) -> Probability:
    """Density of the bits seen and the outputs, over the product of the ``f(y)``, for ``rho`` as given."""
    zero, one = 1 - cell.pairs[0][0], cell.pairs[0][0]
    announced = 0
    seen, noises = iter(bits), iter(ratios)
    for step, update in zip(schedule, pattern, strict=True):
        if update is not Update.NONE:
            inserted = cell.pairs[announced][update is Update.INSERT]
            zero, one = (zero + one) * (1 - inserted), (zero + one) * inserted
        if step is PhaseEnd.OUTPUT:
            one *= next(noises)
            continue
        zero, one = (Fraction(0), one) if next(seen) else (zero, Fraction(0))
        if step is PhaseEnd.ANNOUNCED:
            flip = cell.flips[announced]
            zero, one = zero * (1 - flip) + one * flip, one * (1 - flip) + zero * flip
            announced += 1
    return zero + one


def largest_joint_ratio(cell: Cell, *, announced: int = 0, outputs: int = 1, deletions: bool = False) -> Fraction:
    """``exp`` of the tight joint loss over all user-level adjacent streams and all moments of the looks.

    As many announced looks as promised, or fewer.
    """
    largest = Fraction(1)
    for schedule in (order for fewer in range(announced + 1) for order in schedules(fewer, outputs)):
        looks = sum(step is not PhaseEnd.OUTPUT for step in schedule)
        every = patterns(len(schedule), deletions=deletions)
        for bits in product((0, 1), repeat=looks):
            for ratios in product((cell.low, cell.high), repeat=outputs):
                values = [probability(cell, schedule, pattern, bits, ratios) for pattern in every]
                largest = max(largest, max(values) / min(values))
    return largest


def through_flip(pair: tuple[Probability, Probability], flip: Probability) -> tuple[Probability, Probability]:
    """The pair of probabilities after a flip."""
    before, after = (flip + (1 - 2 * flip) * one for one in pair)
    return before, after
