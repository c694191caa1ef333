"""Probabilities of the orders that comparisons leave to noise.

Linear comparisons of noise variables.

Comparisons that follow from others, and comparisons that cannot hold together.

Comparisons ``x - y >= c`` are edges of a graph. The largest sum of constants along the ways from one variable to
another is the bound of their difference that follows.

The distribution of one noise variable, given comparisons with others. All others are integrated out.

The variables are the nodes of a graph, and comparisons of two variables its edges. In a tree, the subtrees below a
variable are independent given its value, so that each integral has one dimension.

Probabilities of orders of Gumbel noise.

``exp(-rate x)`` of a Gumbel variable x with the scale ``1/rate`` is an exponential variable with rate 1. So
``x + height`` is the larger one of two such sums exactly if an exponential variable with rate ``e^(rate height)`` is
the smaller one. The first of several exponential variables is each of them with a probability proportional to its rate,
and the others are exponential again from then on. (Yellott 1977; Plackett and Luce.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from flint import fmpq

from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.choices.regions.function import ZERO, End, Function


class RegionError(Exception):
    """The probability of a region has no exact form here; the message is a sentence."""


@dataclass(frozen=True)
class Constraint:
    """The comparison ``constant + sum of weight * variable > 0``, or ``>= 0``.

    Attributes
    ----------
    terms
        Number and weight of each variable, by number; no weight is 0.
    constant
        The constant.
    strict
        Whether 0 is excluded.
    """

    terms: tuple[tuple[int, fmpq], ...]
    constant: fmpq
    strict: bool

    @property
    def negated(self) -> Constraint:
        """The comparison that holds when this one does not."""
        return Constraint(tuple((number, -weight) for number, weight in self.terms), -self.constant, not self.strict)

    @property
    def variables(self) -> tuple[int, ...]:
        """The numbers of its variables."""
        return tuple(number for number, _ in self.terms)


@dataclass(frozen=True)
class Limit:
    """A bound ``slope * t + shift`` of one variable, where ``t`` is another one.

    A lower one is included, an upper one excluded. On the reals this makes no difference.
    """

    lower: bool
    slope: fmpq
    shift: fmpq

    def at(self, place: fmpq) -> fmpq:
        """Its value."""
        return self.slope * place + self.shift


def limit_of(constraint: Constraint, variable: int, *, discrete: bool) -> Limit:
    """A comparison as the bound of one of its variables."""
    weight = dict(constraint.terms)[variable]
    slope = sum((-other / weight for number, other in constraint.terms if number != variable), fmpq(0))
    shift = -constraint.constant / weight
    lower = weight > 0
    if discrete:
        if len(constraint.terms) > 1 and abs(slope) != 1:
            raise RegionError("integer noise of different step sizes is compared")
        # A lower bound is the first integer that counts, and an upper one the first that counts no more.
        beyond = constraint.strict if lower else not constraint.strict
        shift = fmpq(shift.floor() + 1) if beyond else fmpq(shift.ceil())
    return Limit(lower, slope, shift)


def interval_of(limits: list[Limit]) -> tuple[End, End]:
    """The interval that bounds without another variable leave."""
    lows = [limit.shift for limit in limits if limit.lower]
    highs = [limit.shift for limit in limits if not limit.lower]
    return max(lows, default=None), min(highs, default=None)


ORIGIN = -1
"""The place of the constant 0 among the variables."""

Edge = tuple[int, int, fmpq]
"""Two variables ``u`` and ``v``, and ``c``: ``u - v >= c``."""

Bounds = dict[tuple[int, int], fmpq]


def edge_of(constraint: Constraint, *, discrete: bool) -> Edge | None:
    """A comparison of one variable, or of the difference of two, as an edge."""
    if len(constraint.terms) == 1:
        ((variable, _),) = constraint.terms
        limit = limit_of(constraint, variable, discrete=discrete)
        if limit.lower:
            return variable, ORIGIN, limit.shift
        return ORIGIN, variable, -limit.shift + int(discrete)
    (first, weight), (second, other) = constraint.terms
    if weight != -other:
        return None
    high, low = (first, second) if weight > 0 else (second, first)
    limit = limit_of(constraint, high, discrete=discrete)
    return high, low, limit.shift


def _closed(edges: Sequence[Edge]) -> Bounds:
    nodes = {node for edge in edges for node in edge[:2]}
    bounds: Bounds = {}
    for high, low, constant in edges:
        known = bounds.get((high, low))
        bounds[high, low] = constant if known is None else max(known, constant)
    for middle in nodes:
        for high in nodes:
            first = bounds.get((high, middle))
            if first is None:
                continue
            for low in nodes:
                second = bounds.get((middle, low))
                if second is None:
                    continue
                known = bounds.get((high, low))
                if known is None or first + second > known:
                    bounds[high, low] = first + second
    return bounds


def impossible(constraints: Sequence[Constraint], *, discrete: bool) -> bool:
    """Whether comparisons of differences contradict one another, or leave a set of measure 0."""
    edges = [edge for one in constraints if (edge := edge_of(one, discrete=discrete)) is not None]
    bounds = _closed(edges)
    around = [bounds[node, node] for node in {node for edge in edges for node in edge[:2]} if (node, node) in bounds]
    return any(constant > 0 or (constant == 0 and not discrete) for constant in around)


def without_implied(constraints: Sequence[Constraint], *, discrete: bool) -> list[Constraint]:
    """The comparisons without those of two variables that follow from the others."""
    kept = list(constraints)
    for one in constraints:
        edge = edge_of(one, discrete=discrete)
        if edge is None or len(one.terms) == 1:
            continue
        others = [other for other in kept if other is not one]
        edges = [found for other in others if (found := edge_of(other, discrete=discrete)) is not None]
        known = _closed(edges).get(edge[:2])
        if known is not None and known >= edge[2]:
            kept = others
    return kept


Edges = dict[tuple[int, int], list[Constraint]]
_ONE, _TWO = fmpq(1), fmpq(2)


@lru_cache(maxsize=20_000)
def probability(distributions: tuple[Function, ...], constraints: tuple[Constraint, ...]) -> Exponential:
    """The probability that connected comparisons of independent variables hold."""
    if not distributions:
        return Exponential.of(fmpq(1))
    degrees = [sum(number in one.variables for one in constraints) for number in range(len(distributions))]
    return marginal(distributions, constraints, degrees.index(max(degrees))).total


@lru_cache(maxsize=20_000)
def marginal(distributions: tuple[Function, ...], constraints: tuple[Constraint, ...], root: int) -> Function:
    """The part of the distribution of one variable on which the comparisons hold: its integral is their probability."""
    discrete = distributions[root].discrete
    if any(distribution.discrete != discrete for distribution in distributions):
        raise RegionError("integer noise and noise on the real numbers are compared with each other")
    if any(len(one.terms) > 2 for one in constraints):
        raise RegionError("more than two noise variables are compared at once")
    if impossible(constraints, discrete=discrete):
        return Function((), discrete)
    edges = _edges(constraints)
    if len(edges) > len(distributions) - 1:
        constraints = tuple(without_implied(constraints, discrete=discrete))
        edges = _edges(constraints)
    if len(edges) != len(distributions) - 1:
        raise RegionError("comparisons of noise variables form a cycle")
    return _message(distributions, constraints, edges, root, None)


def _edges(constraints: Sequence[Constraint]) -> Edges:
    found: Edges = defaultdict(list)
    for one in constraints:
        if len(one.terms) == 2:
            first, second = sorted(one.variables)
            found[first, second].append(one)
    return found


def _message(
    distributions: tuple[Function, ...], constraints: Sequence[Constraint], edges: Edges, node: int, parent: int | None
) -> Function:
    """The distribution of a variable on which the comparisons in its subtree hold."""
    distribution = distributions[node]
    own = [limit_of(one, node, discrete=distribution.discrete) for one in constraints if one.variables == (node,)]
    found = distribution.within(*interval_of(own))
    for pair, between in edges.items():
        if node not in pair or parent in pair:
            continue
        child = pair[0] if pair[1] == node else pair[1]
        below = _message(distributions, constraints, edges, child, node)
        found = found.times(_between(below, [limit_of(one, child, discrete=distribution.discrete) for one in between]))
        if found.is_zero:
            break
    return found


def _between(distribution: Function, limits: Sequence[Limit]) -> Function:
    """The integral of a distribution between bounds that depend on another variable, as a function of that variable."""
    discrete = distribution.discrete
    grown = distribution.cumulative
    whole = distribution.total
    made: list[Function] = []
    places = [_crossing(one, other, discrete) for one in limits for other in limits if one.slope != other.slope]
    ends: list[End] = [None, *sorted(set(places)), None]
    for low, high in pairwise(ends):
        inside = _inside(low, high, discrete)
        lower = max((one for one in limits if one.lower), key=lambda one: one.at(inside), default=None)
        upper = min((one for one in limits if not one.lower), key=lambda one: one.at(inside), default=None)
        if lower is not None and upper is not None and lower.at(inside) >= upper.at(inside):
            continue
        part = Function.one(discrete).scaled(whole) if upper is None and not whole.is_zero else Function((), discrete)
        if upper is not None:
            part = grown.after(upper.slope, upper.shift)
        if lower is not None:
            part = part.plus(grown.after(lower.slope, lower.shift), -Exponential.of(fmpq(1)))
        made.append(part.within(low, high))
    return Function(tuple(piece for part in made for piece in part.pieces), discrete)


def _crossing(one: Limit, other: Limit, discrete: bool) -> fmpq:
    place = (other.shift - one.shift) / (one.slope - other.slope)
    return fmpq(place.ceil()) if discrete else place


def _inside(low: End, high: End, discrete: bool) -> fmpq:
    """A number between two ends, of which no bounds cross; for integers not the first one if there are several."""
    if low is not None and high is not None:
        return (low + high - 1) / _TWO if discrete else (low + high) / _TWO
    if high is not None:
        return high - _ONE
    return ZERO if low is None else low + _ONE


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
    kept = constraints if len(constraints) < len(rates) else without_implied(constraints, discrete=False)
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
