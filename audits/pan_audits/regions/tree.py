"""The law of one noise variable, given comparisons with others. All others are integrated out.

The variables are the nodes of a graph, and comparisons of two variables its edges. In a tree, the subtrees below a
variable are independent given its value, so that each integral has one dimension.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from flint import fmpq

from pan_audits.regions.constraint import Constraint, Limit, RegionError, interval_of, limit_of
from pan_audits.regions.exponential import Exponential
from pan_audits.regions.function import End, Function
from pan_audits.regions.implied import impossible, without_implied
from pan_audits.regions.terms import ZERO

Edges = dict[tuple[int, int], list[Constraint]]
_ONE, _TWO = fmpq(1), fmpq(2)


@lru_cache(maxsize=20_000)
def probability(laws: tuple[Function, ...], constraints: tuple[Constraint, ...]) -> Exponential:
    """The probability that connected comparisons of independent variables hold."""
    if not laws:
        return Exponential.of(fmpq(1))
    degrees = [sum(number in one.variables for one in constraints) for number in range(len(laws))]
    return marginal(laws, constraints, degrees.index(max(degrees))).total


@lru_cache(maxsize=20_000)
def marginal(laws: tuple[Function, ...], constraints: tuple[Constraint, ...], root: int) -> Function:
    """The part of the law of one variable on which the comparisons hold: its integral is their probability."""
    discrete = laws[root].discrete
    if any(law.discrete != discrete for law in laws):
        raise RegionError("integer noise and noise on the real numbers are compared with each other")
    if any(len(one.terms) > 2 for one in constraints):
        raise RegionError("more than two noise variables are compared at once")
    if impossible(constraints, discrete=discrete):
        return Function((), discrete)
    edges = _edges(constraints)
    if len(edges) > len(laws) - 1:
        constraints = tuple(without_implied(constraints, discrete=discrete))
        edges = _edges(constraints)
    if len(edges) != len(laws) - 1:
        raise RegionError("comparisons of noise variables form a cycle")
    return _message(laws, constraints, edges, root, None)


def _edges(constraints: Sequence[Constraint]) -> Edges:
    found: Edges = defaultdict(list)
    for one in constraints:
        if len(one.terms) == 2:
            first, second = sorted(one.variables)
            found[first, second].append(one)
    return found


def _message(
    laws: tuple[Function, ...], constraints: Sequence[Constraint], edges: Edges, node: int, parent: int | None
) -> Function:
    """The law of a variable on which the comparisons in its subtree hold."""
    law = laws[node]
    own = [limit_of(one, node, discrete=law.discrete) for one in constraints if one.variables == (node,)]
    found = law.within(*interval_of(own))
    for pair, between in edges.items():
        if node not in pair or parent in pair:
            continue
        child = pair[0] if pair[1] == node else pair[1]
        below = _message(laws, constraints, edges, child, node)
        found = found.times(_between(below, [limit_of(one, child, discrete=law.discrete) for one in between]))
        if found.is_zero:
            break
    return found


def _between(law: Function, limits: Sequence[Limit]) -> Function:
    """The integral of a law between bounds that depend on another variable, as a function of that variable."""
    discrete = law.discrete
    grown = law.cumulative
    whole = law.total
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
