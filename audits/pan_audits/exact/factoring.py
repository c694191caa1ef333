"""Distributions as sums over paths: choices that are factored out, and noise that is settled.

Outputs whose elements are followed separately, as independent parts with a distribution on finitely many values each.

Elements that depend on a common random choice are one part. The loss of a product of distributions is the sum of their
losses.

Outputs with noise that was compared or rounded before: the noise gets its distribution given the results.
"""

from __future__ import annotations

import copy
import math
import random
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from pan_audits.choices.densities import Names, renamed, sums_in
from pan_audits.choices.distributions import GaussianDistribution, Noise, RegionDistribution, WholeDistribution
from pan_audits.choices.errors import BypassError, TooLargeError, UnfollowableError
from pan_audits.choices.followed import FOLLOWED, Box, FollowedArray, Table, chance, joint
from pan_audits.choices.noise import REPLACING, NoisyNumber, as_text
from pan_audits.choices.numbers import Number, rational
from pan_audits.choices.region import Comparison, Region, RegionError, whole_at_least
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.choices.regions.function import CONSTANT, Function, Piece
from pan_audits.exact.identity import form_key, seen_key
from pan_audits.exact.observation import split

_MOST_VALUES = 20_000
"""Greatest number of outcomes of the random choices of one part."""

_TRIED = 32
"""Number of runs with choices that are made, which must have the outputs that the tables hold.

In half of them each interval is equally likely; the others have the distribution of a run.
"""

_MARK = secrets.token_hex(16)
"""It stands for an element in an output. Judged code in a process of its own does not know it."""

_MOST_SHOWN = 32
"""Greatest number of elements of a witness that are told."""


@dataclass
class Parts:
    """The values of independent parts, numbered, so that a distribution on values is one on integers.

    Attributes
    ----------
    values
        The values so far, by their numbers: the elements of a part.
    form
        The form of the outputs, which must be the same on all inputs.
    """

    values: list[tuple[Any, ...]] = field(default_factory=list)
    form: Any = None
    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)

    def number(self, keys: tuple[str, ...], values: tuple[Any, ...]) -> int:
        """The number of the values of a part."""
        if keys not in self._numbers:
            self._numbers[keys] = len(self.values)
            self.values.append(values)
        return self._numbers[keys]

    def of(self, output: Any, moment: int) -> tuple[Any, tuple[NoisyNumber, ...]]:
        """An output without its arrays, and its parts as numbers with integer noise."""
        tables: list[Table] = []
        rest = _replaced(output, lambda array: _noted(array, tables))
        groups = _connected(tables)
        # Where elements stand in the same places, other numbers that differ are different outputs.
        form = (form_key(rest, _any_number), groups)
        if self.form is None:
            self.form = form
        if form != self.form:
            raise UnfollowableError("the outputs have several forms, and their elements cannot be compared separately")
        made = []
        for number, group in enumerate(groups):
            distribution = self._distribution([tables[place] for place in group])
            noise = Noise((moment, number), RegionDistribution(Fraction(1), distribution))
            made.append(NoisyNumber(Fraction(0), ((noise, Fraction(1)),)))
        return (rest, groups), tuple(made)

    def describe(self, output: Any, point: Sequence[Fraction | str]) -> str:
        """The output with these values of its parts, in words."""
        (_, groups), _ = output
        elements: dict[int, str] = {}
        # Other noise of the output comes first.
        for group, place in zip(groups, point[len(point) - len(groups) :], strict=True):
            known = not isinstance(place, str)
            values = self.values[int(place)] if known else ("impossible on the other side",) * len(group)
            elements |= dict(zip(group, map(_in_words, values), strict=True))
        told = [elements[number] for number in range(len(elements))]
        if len(told) > _MOST_SHOWN:
            told = [*told[:_MOST_SHOWN], f"and {len(elements) - _MOST_SHOWN} more"]
        others = ["any value" if isinstance(place, str) else as_text(place) for place in point[: -len(groups) or None]]
        beside = f", and noise at {' and '.join(others)}" if len(point) > len(groups) else ""
        return (f"an output with the elements {', '.join(told)}" if told else "an output") + beside

    def _distribution(self, tables: Sequence[Table]) -> Function:
        rows = joint(tables, _MOST_VALUES)
        if rows is None:
            raise TooLargeError(f"elements that depend on each other have more than {_MOST_VALUES:,} outcomes")
        chances: dict[int, Fraction] = defaultdict(Fraction)
        for box, values in rows:
            chances[self.number(tuple(map(seen_key, values)), values)] += chance(box)
        return Function(
            tuple(
                Piece(rational(number), rational(number + 1), {CONSTANT: Exponential.of(rational(chances[number]))})
                for number in sorted(chances)
            ),
            discrete=True,
        )


def require_same_outputs(output: Any, run: Callable[[Sequence[float]], Any], variables: int) -> None:
    """Compare the tables of an output with runs of the code in which the random choices are made."""
    ends: dict[int, set[Fraction]] = defaultdict(lambda: {Fraction(0), Fraction(1)})
    for table in _tables_in(output):
        for box, _ in table:
            for variable, low, high in box:
                ends[variable] |= {low, high}
    if any(variable >= variables for variable in ends):
        raise UnfollowableError("an output depends on random choices of an earlier step")
    source = random.Random(0)
    for number in range(_TRIED):
        drawn = [
            source.random() if number % 2 else _inside(sorted(ends[variable]), source) for variable in range(variables)
        ]
        expected = _replaced(output, lambda array, drawn=drawn: _values(array, drawn))  # type: ignore[misc]
        if looks(expected) != looks(run(drawn)):
            raise BypassError(
                "the estimator has other outputs when its random choices are made than when arrays of them are left "
                "open: it does not treat each element of an array alone"
            )


def _any_number(_: Any) -> str:
    return "a number"


def _inside(ends: Sequence[Fraction], source: random.Random) -> float:
    """A double inside a random one of the intervals between some ends, away from them."""
    low, high = source.choice(list(pairwise(ends)))
    near = float(low)
    for found in (float(low + (high - low) * Fraction(source.randrange(1, 16), 16)), near, math.nextafter(near, 1)):
        if low <= Fraction(found) < high:
            return found
    raise UnfollowableError("a random choice has a probability below the distance of two doubles")


def _in_words(value: Any) -> str:
    return str(value.item() if isinstance(value, np.generic) else value)


def looks(value: Any) -> Any:
    """A key that is equal for equal values, with equal noise in them."""
    key, numbers = split(value)
    return key, tuple(number.identity for number in numbers)


def _values(array: FollowedArray, drawn: Sequence[float]) -> Any:
    values = [next(value for box, value in table if _holds(box, drawn)) for table in array.tables.flat]
    return np.array(values).reshape(array.shape) if array.ndim else values[0]


def _holds(box: Box, drawn: Sequence[float]) -> bool:
    return all(low <= Fraction(drawn[variable]) < high for variable, low, high in box)


def _noted(array: FollowedArray, tables: list[Table]) -> Any:
    """Marks of the elements of an array, which take its place in an output, and which no output contains."""
    first = len(tables)
    tables += array.tables.flat
    marks = np.array([f"{_MARK} {first + number}" for number in range(array.size)], dtype=object)
    return marks.reshape(array.shape) if array.ndim else marks[0]


def _tables_in(output: Any) -> Iterator[Table]:
    arrays: list[FollowedArray] = []
    _replaced(output, arrays.append)
    for array in arrays:
        yield from array.tables.flat


def _replaced(output: Any, replace: Callable[[FollowedArray], Any]) -> Any:
    memo: dict[Any, Any] = {FOLLOWED: replace}
    return copy.deepcopy(output, memo)


def _connected(tables: Sequence[Table]) -> tuple[tuple[int, ...], ...]:
    """The elements in groups that depend on different random choices."""
    # For each random choice the group of the elements that depend on it; joined groups are one object.
    groups: dict[int, list[int]] = {}
    alone: list[list[int]] = []
    for place, table in enumerate(tables):
        variables = {variable for box, _ in table for variable, _, _ in box}
        joined = {id(group): group for variable in variables if (group := groups.get(variable)) is not None}
        together = max(joined.values(), key=len, default=[])
        together += [place, *(one for group in joined.values() if group is not together for one in group)]
        moved = {variable for one in together for box, _ in tables[one] for variable, _, _ in box}
        groups.update(dict.fromkeys(moved if len(joined) > 1 else variables, together))
        if not variables:
            alone.append(together)
    found = {id(group): group for group in (*groups.values(), *alone)}
    return tuple(sorted(tuple(sorted(group)) for group in found.values()))


_NOT_FOLLOWED = "the comparisons of noise cannot be followed exactly"

_MOST_SETTLED = 2_000
"""Greatest number of values of integer noise in a region that are enumerated."""


def require_not_kept(state: Any, settled: set[Noise]) -> None:
    """Refuse a state that keeps noise which was compared or rounded."""
    if settled and _noises_in(state) & settled:
        raise UnfollowableError(
            "the state keeps noise that was compared or rounded before, and this cannot be followed exactly"
        )


def probability_of(region: Region) -> Number:
    """The probability of a region."""
    try:
        return region.probability
    except RegionError as problem:
        raise UnfollowableError(f"{_NOT_FOLLOWED}: {problem}") from None


def settled_outputs(output: Any, region: Region) -> Iterator[tuple[Number, Any]]:
    """The output of one path as outputs whose noise variables have distributions of their own, with probabilities.

    Integer noise that comparisons bound on both sides is replaced by each of its values.
    """
    try:
        yield from _settled(output, region)
    except RegionError as problem:
        raise UnfollowableError(f"{_NOT_FOLLOWED}: {problem}") from None


def _settled(output: Any, region: Region) -> Iterator[tuple[Number, Any]]:
    noises = _noises_in(output)
    if len({_drawn(noise) for noise in noises}) < len(noises):
        raise UnfollowableError(
            "the output depends on a noise variable and on its rounding, and this cannot be followed exactly"
        )
    if any(noise in region.noises for noise in noises):
        # Rounded noise depends on the noise itself.
        rows = [number.terms for number in split(output)[1]] + [
            ((_drawn(noise), Fraction(1)),) for noise in noises if _drawn(noise) is not noise
        ]
        compared = [tuple(term for term in row if term[0] in region.noises) for row in rows]
        names = sums_in([*(one.terms for one in region.comparisons), *compared])
        region, output = region.renamed(names), _renamed_in(output, names)
        noises = _noises_in(output)
    bound = sorted((noise for noise in noises if _is_bound(noise, region)), key=lambda noise: noise.name)
    if not bound:
        yield region.probability, output
        return
    for noise in bound:
        if isinstance(noise.distribution, GaussianDistribution):
            continue
        function = region.distribution_of(noise)
        first_end, last_end = function.pieces[0].low, function.pieces[-1].high
        if function.discrete and first_end is not None and last_end is not None:
            first, last = int(first_end), int(last_end)
            if last - first > _MOST_SETTLED:
                raise TooLargeError(f"integer noise has {last - first:,} values, more than {_MOST_SETTLED:,}")
            for value in range(first, last):
                if not function.at(rational(value)).is_zero:
                    pinned = region.where(*_equal(noise, value))
                    yield from _settled(_settled_in(output, noise, None, Fraction(value)), pinned)
            return
    drawn = {_drawn(noise) for noise in bound}
    if any(len(part.noises & drawn) > 1 for part in region.parts):
        raise UnfollowableError(
            "several noise variables of the output depend on the same comparisons of noise, and this cannot be "
            "followed exactly"
        )
    for noise in bound:
        output = _settled_in(output, noise, Noise(noise.name, region.distribution_given(noise)), Fraction(0))
    yield region.probability, output


def _drawn(noise: Noise) -> Noise:
    """The noise as it was drawn, before it was rounded."""
    return noise.distribution.noise if isinstance(noise.distribution, WholeDistribution) else noise


def _is_bound(noise: Noise, region: Region) -> bool:
    return isinstance(noise.distribution, WholeDistribution) or noise in region.noises


def _equal(noise: Noise, value: int) -> tuple[Comparison, Comparison]:
    one = Fraction(1)
    if isinstance(noise.distribution, WholeDistribution):
        return whole_at_least(noise.distribution, value), whole_at_least(noise.distribution, value + 1).negated
    return (
        Comparison(((noise, one),), Fraction(-value), strict=False),
        Comparison(((noise, -one),), Fraction(value), strict=False),
    )


def _noises_in(value: Any) -> set[Noise]:
    return {noise for number in split(value)[1] for noise, _ in number.terms}


def _settled_in(output: Any, noise: Noise, other: Noise | None, value: Fraction) -> Any:
    """The output with another noise variable in place of one, or with a value in its place."""

    def changed(number: NoisyNumber) -> Any:
        weights = dict(number.terms)
        weight = weights.pop(noise, None)
        if weight is None:
            return number
        if other is not None:
            weights[other] = weight
        terms = tuple(sorted(weights.items(), key=lambda term: term[0].name))
        made = NoisyNumber(number.constant + weight * value, terms, number.peak)
        return made if terms else made.plain

    memo: dict[Any, Any] = {REPLACING: changed}
    return copy.deepcopy(output, memo)


def _renamed_in(output: Any, names: Names) -> Any:
    """The output with other noise variables."""
    memo: dict[Any, Any] = {REPLACING: lambda number: replace(number, terms=renamed(number.terms, names))}
    return copy.deepcopy(output, memo) if names else output
