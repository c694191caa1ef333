"""What an adversary sees of a run, in exact numbers.

The observation of one path: a discrete part, and noisy numbers with independent noise each.

The observations of an adversary along a stream. Equal histories are one object, which is computed once.

The point at which the ratio of two distributions is largest.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import permutations
from typing import Any

import numpy as np
from flint import arb

from pan_audits.choices.densities import Terms, function_of, joined, multiple, summed
from pan_audits.choices.distributions import (
    CutGaussianDistribution,
    DiscreteGaussianDistribution,
    Distribution,
    ExponentialDistribution,
    GaussianDistribution,
    GeometricDistribution,
    GumbelDistribution,
    LaplaceDistribution,
    MixedDistribution,
    Noise,
    RegionDistribution,
    WholeDistribution,
    is_integer,
)
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.monotone import FunctionOfNoise
from pan_audits.choices.noise import COLLECTED, REPLACED, NoisyNumber
from pan_audits.choices.numbers import ONE, ZERO, Number, rational, require_finite
from pan_audits.choices.region import RegionError
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.choices.regions.function import Function, convolved
from pan_audits.exact.identity import seen_key

NOISY, NUMBER, OTHER = "~", "#", "."
"""First letters of the keys of a noisy number, a number, and anything else."""


@dataclass(frozen=True)
class Coordinate:
    """One observed noisy number, given the earlier ones.

    Attributes
    ----------
    slope
        Its linear dependence on the noisy numbers seen before it; empty if there is none.
    distribution
        The distribution of its own noise; several of them if it has several noise variables of its own.
    location
        The centre of that noise, after the part that depends on earlier numbers is subtracted.
    """

    slope: tuple[Fraction, ...]
    distribution: Distribution | tuple[Distribution, ...]
    location: Fraction

    def decay(self, value: Fraction) -> Number:
        """The density at a value relative to that at the location; computed once for each value."""
        found = self._decays.get(value)
        if found is None:
            assert isinstance(self.distribution, (LaplaceDistribution, GeometricDistribution))
            found = self._decays[value] = self.distribution.decay(value - self.location)
        return found

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """The distributions of its own noise variables."""
        return self.distribution if isinstance(self.distribution, tuple) else (self.distribution,)

    @cached_property
    def _decays(self) -> dict[Fraction, Number]:
        return {}


@dataclass(frozen=True)
class Lattice:
    """The possible outputs with integer noise: ``step * (k + offset)`` for integers k."""

    step: Fraction
    offset: Fraction

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.step, self.offset))


@dataclass(frozen=True)
class Applied:
    """The mark of a noisy number of which an increasing function is seen."""

    function: str
    mark: Any


@dataclass(frozen=True)
class Path:
    """The continuous part of an observation."""

    coordinates: tuple[Coordinate, ...] = ()


def split(value: Any, key_of: Callable[[Any], str] = seen_key) -> tuple[str, tuple[NoisyNumber, ...]]:
    """A value's discrete part as a key, and its noisy numbers in order."""
    found: list[NoisyNumber] = []
    memo: dict[Any, Any] = {COLLECTED: found}
    replaced = copy.deepcopy(value, memo)
    number = isinstance(value, (int, float, complex, Fraction, np.number, np.bool_, NoisyNumber, FunctionOfNoise))
    kind = NOISY if found and number else NUMBER if number else OTHER
    # A copy may have another layout.
    return kind + key_of(replaced if REPLACED in memo else value), tuple(found)


UNFINISHED = "an unfinished run"
"""The output, and the key, of unlikely runs that go on for long, as a loop that draws until the noise suits."""


def path_of(numbers: tuple[NoisyNumber, ...]) -> tuple[tuple[Any, ...], Path]:
    """The coordinates of the noisy numbers of one path, and their discrete part.

    Earlier numbers are eliminated from later ones: a seen cell that is later part of an output
    moves that output by a known amount.
    """
    pivots: dict[Noise, tuple[dict[int, Fraction], Fraction]] = {}
    marks: list[Any] = []
    coordinates: list[Coordinate] = []
    for number in numbers:
        slope: dict[int, Fraction] = {}
        location = number.constant
        own: list[tuple[Noise, Fraction]] = []
        for noise, weight in number.terms:
            if noise not in pivots:
                own.append((noise, weight))
                continue
            # noise = sum of multiples of what was seen, minus a constant
            known, constant = pivots[noise]
            for place, factor in known.items():
                slope[place] = slope.get(place, Fraction(0)) + weight * factor
            location += weight * constant
        if not own:
            marks.append(("known", _listed(slope, len(coordinates)), location))
            continue
        if len(own) > 1:
            if any(
                noise in {n for other in numbers for n, _ in other.terms if other is not number} for noise, _ in own
            ):
                raise UnfollowableError("several numbers that are seen share several noise variables")
            own = joined(own)
            if len(own) > 1 and not all(isinstance(noise.distribution, LaplaceDistribution) for noise, _ in own):
                own = [_summed(own)]
        if len(own) == 1:
            noise, weight = own[0]
            place = len(coordinates)
            known = {place: 1 / weight} | {i: -s / weight for i, s in slope.items() if s}
            pivots[noise] = (known, -location / weight)
            distribution, location, mark = _normal(noise.distribution, weight, location)
            marks.append(mark)
            coordinates.append(Coordinate(_listed(slope, place), distribution, location))
            continue
        marks.append(None)
        distributions = tuple(sorted((_scaled(noise.distribution, weight) for noise, weight in own), key=repr))
        coordinates.append(Coordinate(_listed(slope, len(coordinates)), distributions, location))
    functions = (number.function for number in numbers)
    seen = (Applied(function, mark) if function else mark for function, mark in zip(functions, marks, strict=True))
    return tuple(seen), Path(tuple(coordinates))


def _summed(terms: Terms) -> tuple[Noise, Fraction]:
    try:
        return summed(terms)
    except RegionError as problem:
        raise UnfollowableError(f"a sum of several noise variables cannot be followed exactly: {problem}") from None


def as_product(paths: Sequence[tuple[Number, Path]]) -> Sequence[tuple[Number, Path]]:
    """Paths to one observation; as one path, if each number has a mixture of distributions of its own.

    Choices that act on one number each, as a sign for each entry of a list, make a path for each of their results.
    """
    count = len(paths[0][1].coordinates)
    if len(paths) < 2 or count < 2 or any(any(one.slope) for _, path in paths for one in path.coordinates):
        return paths
    shares: list[dict[Coordinate, Number]] = [{} for _ in range(count)]
    for weight, path in paths:
        for share, one in zip(shares, path.coordinates, strict=True):
            share[one] = share.get(one, ZERO) + weight
    if math.prod(map(len, shares)) != len({path.coordinates for _, path in paths}):
        return paths
    total = sum((weight for weight, _ in paths), ZERO)
    if isinstance(total, arb):
        return paths
    for weight, path in paths:
        chances = (share[one] / total for share, one in zip(shares, path.coordinates, strict=True))
        if math.prod(chances, start=total) != weight:
            return paths
    try:
        made = [_mixed({one: weight / total for one, weight in share.items()}) for share in shares]
    except RegionError:
        return paths
    return [(total, Path(tuple(made)))]


def _mixed(shares: Mapping[Coordinate, Number]) -> Coordinate:
    """A mixture of coordinates as one coordinate."""
    if len(shares) == 1:
        return next(iter(shares))
    functions = (density_of(one).scaled(Exponential.of(weight)) for one, weight in shares.items())
    scale = min(each.scale for one in shares for each in one.distributions)
    return Coordinate((), RegionDistribution(scale, reduce(Function.plus, functions)), Fraction(0))


def density_of(coordinate: Coordinate) -> Function:
    """The density of a number with noise, or its probabilities on the integers."""
    if isinstance(coordinate.distribution, RegionDistribution):
        return coordinate.distribution.function
    functions = map(function_of, coordinate.distributions)
    return reduce(convolved, functions).after(rational(Fraction(1)), rational(-coordinate.location))


def _listed(slope: Mapping[int, Fraction], count: int) -> tuple[Fraction, ...]:
    """The slope for each earlier coordinate; empty if all of them are 0."""
    return tuple(slope.get(place, Fraction(0)) for place in range(count)) if any(slope.values()) else ()


def _normal(distribution: Distribution, weight: Fraction, location: Fraction) -> tuple[Distribution, Fraction, Any]:
    """The distribution and the place of ``location + weight * noise``; on a lattice, its steps and the lattice."""
    if isinstance(distribution, LaplaceDistribution):
        return distribution.scaled(weight), location, None
    if isinstance(distribution, GaussianDistribution):
        return GaussianDistribution(distribution.variance * weight**2), location, None
    if isinstance(distribution, CutGaussianDistribution):
        ends = [None if end is None else location + weight * end for end in (distribution.low, distribution.high)]
        low, high = ends if weight > 0 else reversed(ends)
        return CutGaussianDistribution(distribution.variance * weight**2, low, high), location, None
    if isinstance(distribution, WholeDistribution):
        raise UnfollowableError("the state keeps rounded noise, and this cannot be followed exactly")
    if isinstance(distribution, (ExponentialDistribution, GumbelDistribution, MixedDistribution, RegionDistribution)):
        return _moved(distribution, weight, location)
    if isinstance(distribution, DiscreteGaussianDistribution):
        weight = abs(weight)
    elif weight < 0:
        distribution, weight = GeometricDistribution(distribution.down, distribution.up), -weight
    whole = location / weight
    steps = Fraction(whole.numerator // whole.denominator)
    return distribution, steps, Lattice(weight, whole - steps)


@lru_cache(maxsize=4096)
def _moved(
    distribution: ExponentialDistribution | GumbelDistribution | MixedDistribution | RegionDistribution,
    weight: Fraction,
    location: Fraction,
) -> tuple[Distribution, Fraction, Any]:
    """The same for a distribution as a piecewise function: the location becomes a part of the function."""
    try:
        function, mark, sign = function_of(distribution), None, weight
    except RegionError as problem:
        raise UnfollowableError(str(problem)) from None
    if is_integer(distribution):
        whole = location / abs(weight)
        location = Fraction(whole.numerator // whole.denominator)
        mark, sign = Lattice(abs(weight), whole - location), weight / abs(weight)
    moved = multiple(function, sign).after(rational(Fraction(1)), rational(-location))
    return RegionDistribution(distribution.scale * abs(weight), moved), Fraction(0), mark


def _scaled(distribution: Distribution, weight: Fraction) -> Distribution:
    if not isinstance(distribution, LaplaceDistribution):
        raise UnfollowableError("a sum of several noise variables that are not all Laplace cannot be followed exactly")
    return distribution.scaled(weight)


Key = str


@dataclass(frozen=True, eq=False)
class Sight:
    """One observation of an adversary. Equal observations are one object.

    Attributes
    ----------
    key
        Its discrete part.
    numbers
        The noisy numbers in it.
    """

    key: Key
    numbers: tuple[NoisyNumber, ...] = ()

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that is equal for equal observations only."""
        return self.key, tuple(number.identity for number in self.numbers)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The common form of histories that differ only in the names of their noise; equal ones are one object.

    Attributes
    ----------
    key
        The discrete part of all observations.
    path
        The noisy numbers in it.
    """

    key: tuple[Any, ...]
    path: Path


@dataclass(eq=False)
class History:
    """All observations, in order; made by :meth:`then` from an empty history.

    Attributes
    ----------
    seen
        The observations.
    """

    seen: tuple[Sight, ...] = ()
    _next: dict[Sight, History] = field(default_factory=dict)
    _outcomes: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)
    _paths: dict[Path, Path] = field(default_factory=dict)

    def then(self, one: Sight) -> History:
        """The history with one more observation."""
        found = self._next.get(one)
        if found is None:
            found = self._next[one] = History((*self.seen, one), {}, self._outcomes, self._paths)
        return found

    @cached_property
    def outcome(self) -> Outcome:
        """The common form of this history."""
        marks, path = path_of(tuple(number for one in self.seen for number in one.numbers))
        key = (*(one.key for one in self.seen), *marks)
        path = self._paths.setdefault(path, path)
        return self._outcomes.setdefault((key, path), Outcome(key, path))


Mixture = Sequence[tuple[Number, Path]]
Point = tuple[Fraction | str, ...]
Allowed = Callable[[int, int], bool]


def ordered_pairs(mixtures: Sequence[Any], allowed: Allowed | None) -> list[tuple[int, int]]:
    """The numbers of two streams, of which the first one has the observation."""
    pairs = permutations(range(len(mixtures)), 2)
    return [pair for pair in pairs if mixtures[pair[0]] and (allowed is None or allowed(*pair))]


@dataclass(frozen=True)
class Extreme:
    """The point at which the ratio is largest.

    Attributes
    ----------
    ratio
        Its value, or ``None`` if it is unbounded.
    high, low
        Numbers of the two streams.
    point
        The values of the noisy numbers, relative to their prediction from earlier ones; a word for a limit.
    attained
        Whether the value is the supremum; otherwise the supremum may be larger.
    masses
        Numerator and denominator at the point.
    """

    ratio: Number | None
    high: int
    low: int
    point: Point = ()
    attained: bool = True
    masses: tuple[Number, Number] = (ONE, ONE)

    def __post_init__(self) -> None:
        if isinstance(self.ratio, arb):
            require_finite(self.ratio)
