"""Probabilities of orders of Gumbel noise.

``exp(-rate x)`` of a Gumbel variable x with the scale ``1/rate`` is an exponential variable with rate 1. So
``x + height`` is the larger one of two such sums exactly if an exponential variable with rate ``e^(rate height)`` is
the smaller one. The first of several exponential variables is each of them with a probability proportional to its rate,
and the others are exponential again from then on. (Yellott 1977; Plackett and Luce.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from flint import fmpq

from pan_audits.regions.constraint import Constraint, RegionError
from pan_audits.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.regions.implied import impossible, without_implied

_MOST_SETS = 4_096
"""Greatest number of sets of variables that are looked at in one region."""

Pairs = frozenset[tuple[int, int]]
"""Pairs of variables, of which the first has the larger sum of variable and height."""


@lru_cache(maxsize=20_000)
def probability_of_order(rates: tuple[fmpq, ...], constraints: tuple[Constraint, ...]) -> Exponential:
    """The probability that comparisons of independent Gumbel variables hold."""
    for one in constraints:
        _require_difference(one, rates)
    if impossible(constraints, discrete=False):
        return NOTHING
    kept = without_implied(constraints, discrete=False)
    heights = _heights(kept)
    weights = [Exponential.power(rates[number] * heights[number]) for number in range(len(rates))]
    pairs = frozenset((_ordered(one)[0], _ordered(one)[1]) for one in kept)
    return _Orders(weights).probability(frozenset(range(len(rates))), pairs)


def _require_difference(one: Constraint, rates: tuple[fmpq, ...]) -> None:
    if len(one.terms) == 1:
        raise RegionError("Gumbel noise is compared with a constant")
    if len(one.terms) > 2:
        raise RegionError("more than two noise variables are compared at once")
    (first, weight), (second, other) = one.terms
    if weight * other > 0:
        raise RegionError("a sum of Gumbel variables is compared with a constant")
    if rates[first] / abs(weight) != rates[second] / abs(other):
        raise RegionError("Gumbel noise of different scales is compared")
    if weight != -other:
        raise RegionError("multiples of Gumbel noise are compared with one another")


def _ordered(one: Constraint) -> tuple[int, int, fmpq]:
    """The comparison as ``high - low > least``."""
    (first, weight), (second, _) = one.terms
    high, low = (first, second) if weight > 0 else (second, first)
    return high, low, -one.constant / abs(weight)


def _heights(constraints: Sequence[Constraint]) -> dict[int, fmpq]:
    """A height for each variable, so that every comparison says which sum of variable and height is larger."""
    steps: dict[int, list[tuple[int, fmpq]]] = defaultdict(list)
    for one in constraints:
        high, low, least = _ordered(one)
        steps[high].append((low, least))
        steps[low].append((high, -least))
    first = next(iter(steps))
    found, waiting = {first: fmpq(0)}, [first]
    while waiting:
        here = waiting.pop()
        for there, step in steps[here]:
            height = found[here] + step
            if there not in found:
                found[there] = height
                waiting.append(there)
            elif found[there] != height:
                raise RegionError("comparisons of Gumbel noise have no common order")
    return found


class _Orders:
    """Probabilities that exponential variables come in an order that some pairs prescribe."""

    def __init__(self, weights: Sequence[Exponential]) -> None:
        self._weights = weights
        self._known: dict[frozenset[int], Exponential] = {}

    def probability(self, left: frozenset[int], pairs: Pairs) -> Exponential:
        """The same for the variables that have not come yet, and the pairs of them."""
        # Variables without a pair are independent of the order of the others.
        left = left & {number for pair in pairs for number in pair}
        if not left:
            return UNIT
        if left not in self._known:
            if len(self._known) >= _MOST_SETS:
                raise RegionError(f"comparisons of Gumbel noise have more than {_MOST_SETS:,} partial orders")
            later = {low for _, low in pairs}
            total = sum((self._weights[number] for number in left), NOTHING)
            found = NOTHING
            for first in left - later:
                without = frozenset(pair for pair in pairs if first not in pair)
                found += self._weights[first] * self.probability(left - {first}, without)
            self._known[left] = found / total
        return self._known[left]
