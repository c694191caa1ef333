"""The privacy loss of a released table of two counters, and the noise that keeps a promise.

A user has one pair of bits, one in each counter. Of the noise only a factor ``rho`` matters at each of the four counts
of the table: that by which the law of the noise changes if the user is counted there. A ratio of two likelihoods is
monotone in each of them, so that it is largest where each is ``r`` or ``1/r``. The loss is therefore the largest of
finitely many ratios (distinct.union), which are computed in fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from pan_estimators.density.cell_loss import log_of
from pan_estimators.density.cells import BernoulliCells
from pan_promises.errors import InputError

_SLACK = Fraction(1, 2**44)
"""The ratio of the noise is raised by this fraction, which outweighs all rounding of doubles."""

VALUES = ((0, 0), (0, 1), (1, 0), (1, 1))
"""The values of a pair of bits, in the order of the columns of a table."""


def union_ratio(cells: BernoulliCells, ratio: Any, looks: int) -> Any:
    """The largest ratio of the likelihoods of what is seen, for two streams that differ in one user."""
    exact = isinstance(ratio, Fraction)
    pair = (Fraction(cells.p_init), Fraction(cells.p_upd)) if exact else (cells.p_init, cells.p_upd)
    ends = (ratio, 1 / ratio)
    largest = ratio
    for seen in product((0, 1), repeat=looks):
        # For each law of the bits in the end the largest and the least probability of what was seen.
        chances: dict[tuple[Any, Any], list[Any]] = {}
        for weight, law in _patterns(pair, seen):
            chances.setdefault(law, []).append(weight)
        laws = [(*_table(*law), max(weights), min(weights)) for law, weights in chances.items()]
        for corner in product(ends, repeat=4):
            sums = [sum(p * rho for p, rho in zip(law[:4], corner, strict=True)) for law in laws]
            above = max(one * law[4] for one, law in zip(sums, laws, strict=True))
            below = min(one * law[5] for one, law in zip(sums, laws, strict=True))
            largest = max(largest, above / below)
    return largest


def union_noise(cells: BernoulliCells, total: float, looks: int) -> float:
    """The least noise on each count of a table with a loss of at most a total."""
    return _union_noise(cells.p_init, cells.p_upd, float(total), looks)


@lru_cache(maxsize=256)
def _union_noise(p_init: float, p_upd: float, total: float, looks: int) -> float:
    cells, most = BernoulliCells(p_init, p_upd), math.exp(total)
    alone = union_ratio(cells, 1 - 2.0**-40, looks)
    if alone >= most:
        raise InputError(
            f"the states alone lose {math.log(alone):.6g} with {looks} intrusion{'s' * (looks > 1)}, and the promise "
            f"is {total:.6g}: choose cells with closer probabilities, or a larger promise"
        )
    low, high = 0.0, 1.0
    for _ in range(54):
        middle = (low + high) / 2
        low, high = (low, middle) if middle and union_ratio(cells, middle, looks) <= most else (middle, high)
    ratio = Fraction(high) * (1 + _SLACK)
    # Doubles just below exp(total), for a total that is itself rounded.
    limit = Fraction(most) * (1 - Fraction(4 + math.ceil(total), 2**52))
    found = min(float(ratio), math.nextafter(1.0, 0.0))
    if union_ratio(cells, Fraction(found), looks) > limit:
        raise InputError(f"no noise with a loss of {total!r} was found for this pair; choose another total")
    return found


def union_loss(cells: BernoulliCells, ratio: float, looks: int) -> float:
    """The privacy loss of a table in nats, computed in fractions. The parameters are those of :func:`union_ratio`."""
    return log_of(union_ratio(cells, Fraction(ratio), looks))


def _patterns(pair: tuple[Any, Any], seen: tuple[int, ...]) -> list[tuple[Any, tuple[Any, Any]]]:
    """For each pattern of appearances the probability of what is seen, and those of a one in the end."""
    found = []
    for before_one, after_one, before_two, after_two in product((0, 1), repeat=4):
        weight, law = 1, []
        for place, (before, after) in enumerate(((before_one, after_one), (before_two, after_two))):
            chance = pair[before]
            if place < len(seen):
                weight = weight * (chance if seen[place] else 1 - chance)
                chance = seen[place]
            law.append(pair[1] if after else chance)
        found.append((weight, (law[0], law[1])))
    return found


def _table(one: Any, two: Any) -> tuple[Any, ...]:
    return tuple((one if first else 1 - one) * (two if second else 1 - two) for first, second in VALUES)
