"""Outputs with noise that was compared or rounded before: the noise gets its law given the results."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from pan_audits.choices.copying import REPLACING
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.laws import Noise, RegionLaw, WholeLaw
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import Number, rational
from pan_audits.choices.region import Comparison, Region, RegionError, whole_at_least
from pan_audits.exact.observation import split
from pan_audits.regions.exponential import UNIT

_MOST_VALUES = 2_000
"""Greatest number of values of integer noise in a region that are enumerated."""


def require_not_kept(state: Any, settled: set[Noise]) -> None:
    """Refuse a state that keeps noise which was compared or rounded."""
    if settled and _noises_in(state) & settled:
        raise UnfollowableError(
            "the state keeps noise that was compared or rounded before, and this cannot be followed exactly"
        )


def settled_outputs(output: Any, region: Region) -> Iterator[tuple[Number, Any]]:
    """The output of one path as outputs of which each noise variable has a law of its own, with their probabilities.

    Integer noise that comparisons bound on both sides is replaced by each of its values.
    """
    try:
        yield from _settled(output, region)
    except RegionError as problem:
        raise UnfollowableError(f"the comparisons of noise cannot be followed exactly: {problem}") from None


def _settled(output: Any, region: Region) -> Iterator[tuple[Number, Any]]:
    noises = _noises_in(output)
    if len({_drawn(noise) for noise in noises}) < len(noises):
        raise UnfollowableError(
            "the output depends on a noise variable and on its rounding, and this cannot be followed exactly"
        )
    bound = sorted((noise for noise in noises if _is_bound(noise, region)), key=lambda noise: noise.name)
    if not bound:
        yield region.probability, output
        return
    for noise in bound:
        function = region.law_of(noise)
        first_end, last_end = function.pieces[0].low, function.pieces[-1].high
        if function.discrete and first_end is not None and last_end is not None:
            first, last = int(first_end), int(last_end)
            if last - first > _MOST_VALUES:
                raise TooLargeError(f"integer noise has {last - first:,} values, more than {_MOST_VALUES:,}")
            for value in range(first, last):
                if not function.at(rational(value)).is_zero:
                    pinned = region.where(*_equal(noise, value))
                    yield from _settled(_replaced(output, noise, None, Fraction(value)), pinned)
            return
    drawn = {_drawn(noise) for noise in bound}
    if any(len(part.noises & drawn) > 1 for part in region.parts):
        raise UnfollowableError(
            "several noise variables of the output depend on the same comparisons of noise, and this cannot be "
            "followed exactly"
        )
    for noise in bound:
        function = region.law_of(noise)
        law = RegionLaw(noise.law.scale, function.scaled(UNIT / function.total))
        output = _replaced(output, noise, Noise(noise.name, law), Fraction(0))
    yield region.probability, output


def _drawn(noise: Noise) -> Noise:
    """The noise as it was drawn, before it was rounded."""
    return noise.law.noise if isinstance(noise.law, WholeLaw) else noise


def _is_bound(noise: Noise, region: Region) -> bool:
    return isinstance(noise.law, WholeLaw) or noise in region.noises


def _equal(noise: Noise, value: int) -> tuple[Comparison, Comparison]:
    one = Fraction(1)
    if isinstance(noise.law, WholeLaw):
        return whole_at_least(noise.law, value), whole_at_least(noise.law, value + 1).negated
    return (
        Comparison(((noise, one),), Fraction(-value), strict=False),
        Comparison(((noise, -one),), Fraction(value), strict=False),
    )


def _noises_in(value: Any) -> set[Noise]:
    return {noise for number in split(value)[1] for noise, _ in number.terms}


def _replaced(output: Any, noise: Noise, other: Noise | None, value: Fraction) -> Any:
    """The output with another noise variable in place of one, or with a value in its place."""

    def replace(number: NoisyNumber) -> Any:
        weights = dict(number.terms)
        weight = weights.pop(noise, None)
        if weight is None:
            return number
        if other is not None:
            weights[other] = weight
        terms = tuple(sorted(weights.items(), key=lambda term: term[0].name))
        made = NoisyNumber(number.constant + weight * value, terms, number.peak)
        return made if terms else made.plain

    memo: dict[Any, Any] = {REPLACING: replace}
    return copy.deepcopy(output, memo)
