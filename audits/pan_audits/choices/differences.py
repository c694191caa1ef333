"""What comparisons of noise imply, and paths that end alike as one region.

A comparison of two noise variables, or of one with a number, bounds a difference: ``u - v >= c``. A bound that follows
from others is a sum of theirs. Noise whose density, or whose probability on the integers, is positive on a half line or
everywhere has such comparisons with probability 0 only if they contradict one another. No integral is needed for that.

Code that looks for the largest of several numbers has a path for each order in which it meets larger ones. The regions
of all paths are disjoint, and leave nothing out. So the region of the paths to one result is what they have in common,
if that contradicts all other paths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from pan_audits.choices.distributions import (
    Distribution,
    ExponentialDistribution,
    GeometricDistribution,
    GumbelDistribution,
    LaplaceDistribution,
    Noise,
)
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import rational
from pan_audits.choices.region import Comparison, Region
from pan_audits.choices.regions.orders import ORIGIN, Constraint, edge_of

Edge = tuple[int, int, fmpq]
"""Two variables ``u`` and ``v``, and ``c``: ``u - v >= c``."""


def _kind(distribution: Distribution) -> Any:
    """Equal for noise that can be compared with each other; ``None`` for noise of other distributions."""
    if isinstance(distribution, GeometricDistribution):
        return GeometricDistribution
    if isinstance(distribution, (LaplaceDistribution, ExponentialDistribution)) and distribution.rate.base is None:
        return LaplaceDistribution
    if isinstance(distribution, GumbelDistribution) and distribution.rate.base is None:
        return distribution.rate
    return None


def _is_positive(distribution: Distribution) -> bool:
    return isinstance(distribution, ExponentialDistribution) or (
        isinstance(distribution, GeometricDistribution) and distribution.down == 0
    )


class Differences:
    """The bounds of the differences of noise variables on one path.

    Attributes
    ----------
    noises
        The noise variables that were drawn, with their numbers.
    """

    def __init__(self) -> None:
        self.noises: dict[Noise, int] = {}
        self._above: dict[int, dict[int, fmpq]] = defaultdict(dict)
        self._below: dict[int, dict[int, fmpq]] = defaultdict(dict)

    def drawn(self, noise: Noise) -> None:
        """Give a number to a noise variable."""
        self.noises[noise] = number = len(self.noises)
        if _is_positive(noise.distribution):
            self.add((number, ORIGIN, fmpq(0)))

    def edge(self, one: Comparison) -> Edge | None:
        """A comparison as the bound of a difference; ``None`` if it is another one, or of other noise."""
        kinds = {_kind(noise.distribution) for noise, _ in one.terms}
        if len(one.terms) > 2 or len(kinds) > 1 or None in kinds:
            return None
        (kind,) = kinds
        if sum(weight for _, weight in one.terms) if len(one.terms) == 2 else not isinstance(kind, type):
            return None
        terms = tuple(sorted((self.noises[noise], rational(weight)) for noise, weight in one.terms))
        discrete = kind is GeometricDistribution
        return edge_of(Constraint(terms, rational(one.constant), one.strict), discrete=discrete)

    def allows(self, edge: Edge, *, discrete: bool) -> bool:
        """Whether a bound is possible beside the others."""
        high, low, least = edge
        back = self._above[low].get(high)
        return back is None or not _contradicts(back + least, discrete)

    def implies(self, edge: Edge) -> bool:
        """Whether a bound follows from the others."""
        known = self._above[edge[0]].get(edge[1])
        return known is not None and known >= edge[2]

    def add(self, edge: Edge) -> None:
        """Note a bound, and those that follow from it."""
        high, low, least = edge
        zero = fmpq(0)
        lower = [(low, zero), *self._above[low].items()]
        for upper, first in [(high, zero), *self._below[high].items()]:
            for lowest, second in lower:
                bound = first + least + second
                known = self._above[upper].get(lowest)
                if upper != lowest and (known is None or bound > known):
                    self._above[upper][lowest] = self._below[lowest][upper] = bound

    def possible_largest(self, numbers: Sequence[NoisyNumber]) -> list[int] | None:
        """The places of the numbers that can be the first one of the largest; ``None`` if that is not known."""
        kinds = {_kind(noise.distribution) for number in numbers for noise, _ in number.terms}
        if None in kinds or len(kinds) > 1 or len({weight for number in numbers for _, weight in number.terms}) > 1:
            return None
        if all(self._is_free(self.noises[number.terms[0][0]]) for number in numbers):
            return list(range(len(numbers)))
        discrete = GeometricDistribution in kinds
        found = []
        for place in range(len(numbers)):
            # The bounds begin at one variable, so that no contradiction has two of them.
            edges = [self.edge(one) for one in above_others(numbers, place)]
            if all(edge is not None and self.allows(edge, discrete=discrete) for edge in edges):
                found.append(place)
        return found

    def _is_free(self, number: int) -> bool:
        """Whether a variable has no bounds but that of its distribution."""
        return not self._below[number] and self._above[number].keys() <= {ORIGIN}

    @property
    def bounds(self) -> Bounds:
        """All bounds that hold."""
        return {(high, low): least for high, others in self._above.items() for low, least in others.items()}


def above_others(numbers: Sequence[NoisyNumber], place: int) -> Iterator[Comparison]:
    """The comparisons by which a number with one noise variable is the first one of the largest."""
    ((noise, weight),) = numbers[place].terms
    for other_place, other in enumerate(numbers):
        if other_place != place:
            ((another, its_weight),) = other.terms
            terms = ((noise, weight), (another, -its_weight))
            yield Comparison(terms, numbers[place].constant - other.constant, strict=other_place < place)


Bounds = dict[tuple[int, int], fmpq]


def _contradicts(around: fmpq, discrete: bool) -> bool:
    """Whether the bounds around a circle leave nothing, or on the reals nothing with a positive probability."""
    return around > 0 or (around == 0 and not discrete)


@dataclass(frozen=True, eq=False)
class Ending:
    """The end of one path.

    Attributes
    ----------
    before
        Its choices up to the last one that is no comparison. Paths with the same ones have the same probability.
    result
        A key of what it leads to.
    region
        Its region.
    known
        The bounds of its region; ``None`` if they do not describe it.
    """

    before: tuple[int, ...]
    result: Hashable
    region: Region
    known: Differences | None


def merged(endings: Sequence[Ending]) -> Iterator[tuple[int, Region]]:
    """Places of paths that stand for all, with the region of all that end like them."""
    trees: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, ending in enumerate(endings):
        trees[ending.before].append(place)
    for places in trees.values():
        alike: dict[Hashable, list[int]] = defaultdict(list)
        for place in places:
            alike[endings[place].result].append(place)
        whole = _common_regions(endings, list(alike.values())) if len(alike) < len(places) else {}
        for place in places:
            group = alike[endings[place].result]
            region = whole.get(group[0])
            if region is None:
                yield place, endings[place].region
            elif place == group[0]:
                yield place, region


def _common_regions(endings: Sequence[Ending], groups: list[list[int]]) -> dict[int, Region]:
    """The regions of the groups of paths, by the first path, that are what these paths have in common."""
    noises: dict[int, Noise] = {}
    bounds: dict[int, Bounds] = {}
    for place in (place for group in groups for place in group):
        known = endings[place].known
        if known is None or any(noises.setdefault(number, noise) != noise for noise, number in known.noises.items()):
            return {}
        bounds[place] = known.bounds
    discrete = {number for number, noise in noises.items() if _kind(noise.distribution) is GeometricDistribution}
    common = [_common([bounds[place] for place in group]) for group in groups]
    found = {}
    for group, shared in zip(groups, common, strict=True):
        if len(group) > 1 and all(
            _are_disjoint(shared, theirs, discrete)
            or all(_are_disjoint(shared, bounds[place], discrete) for place in others)
            for others, theirs in zip(groups, common, strict=True)
            if others is not group
        ):
            edges = _necessary(shared)
            if edges is not None:
                found[group[0]] = Region(tuple(_comparison(edge, noises) for edge in edges))
    return found


def _common(each: Sequence[Bounds]) -> Bounds:
    """The bounds that hold on all of some paths."""
    first, *others = each
    return {
        pair: min(least, *(other[pair] for other in others)) if others else least
        for pair, least in first.items()
        if all(pair in other for other in others)
    }


def _are_disjoint(one: Bounds, other: Bounds, discrete: set[int]) -> bool:
    """Whether two regions have no point in common, for sure."""
    return any(
        (back := other.get((low, high))) is not None
        and _contradicts(least + back, not discrete.isdisjoint((low, high)))
        for (high, low), least in one.items()
    )


def _necessary(bounds: Bounds) -> list[Edge] | None:
    """Bounds from which all others follow; ``None`` if two variables have a fixed difference."""
    below: dict[int, list[int]] = defaultdict(list)
    for high, low in bounds:
        below[high].append(low)
    if any(bounds.get((low, high)) == -least for (high, low), least in bounds.items()):
        return None
    return [
        (high, low, least)
        for (high, low), least in bounds.items()
        if not any(
            (rest := bounds.get((middle, low))) is not None and bounds[high, middle] + rest >= least
            for middle in below[high]
        )
    ]


def _comparison(edge: Edge, noises: Mapping[int, Noise]) -> Comparison:
    high, low, least = edge
    terms = [(noises[number], Fraction(sign)) for number, sign in ((high, 1), (low, -1)) if number != ORIGIN]
    return Comparison(tuple(terms), Fraction(-int(least.p), int(least.q)), strict=False)
