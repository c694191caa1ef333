"""Noisy numbers as data: a noise variable travels as a number, and only the judge knows its law.

The judged process can add and scale noisy numbers. It cannot make up noise that the judge never drew.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from pan_audits.choices.laws import GeometricLaw, LaplaceLaw, Law, Noise, is_integer
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import Exponent
from pan_audits.choices.uniform import refuse_uniform
from pan_audits.isolation.data import DataError, Node
from pan_audits.isolation.followed import read_followed, write_followed
from pan_audits.observing.values import fraction_in, fraction_text


@lru_cache(maxsize=1024)
def _some_law(scale: str, integer: bool) -> Law:
    """It replaces the law of a noise in the judged process, which needs only the scale, and whether it is integer."""
    if integer:
        return GeometricLaw(Fraction(1, 2), Fraction(1, 2))
    return LaplaceLaw(Exponent(1 / fraction_in(scale)))


class NoiseTable:
    """The judge's: noise variables by number."""

    def __init__(self) -> None:
        self.numbers: dict[Noise, int] = {}
        self.noises: list[Noise] = []

    def write(self, value: Any) -> Node:
        """A noisy number as a node, or ``None`` for anything else."""
        refuse_uniform(value)
        if (followed := write_followed(value)) is not None:
            return ["~", *followed]
        if not isinstance(value, NoisyNumber):
            return None
        terms = (
            [self._number(noise), fraction_text(weight), fraction_text(noise.law.scale), is_integer(noise.law)]
            for noise, weight in value.terms
        )
        return ["~", *_constants(value), *terms]

    def _number(self, noise: Noise) -> int:
        if noise not in self.numbers:
            self.numbers[noise] = len(self.noises)
            self.noises.append(noise)
        return self.numbers[noise]

    def read(self, parts: list[Any]) -> Any:
        """The noisy number of the rest of a node, whose noise must have been drawn, or an array that is followed."""
        if (followed := read_followed(parts)) is not None:
            return followed
        terms = []
        for number, weight in parts[4:]:
            if not isinstance(number, int) or not 0 <= number < len(self.noises):
                raise DataError("it sent a noisy number whose noise was never drawn")
            terms.append((self.noises[number], fraction_in(weight)))
        return _noisy(parts, tuple(sorted(terms, key=lambda term: term[0].name)))


def write_noisy(value: Any) -> Node:
    """In the judged process: a noisy number, or an array that is followed, as a node; ``None`` for anything else."""
    refuse_uniform(value)
    if (followed := write_followed(value)) is not None:
        return ["~", *followed]
    if not isinstance(value, NoisyNumber):
        return None
    terms = ([noise.name[0], fraction_text(weight)] for noise, weight in value.terms)
    return ["~", *_constants(value), *terms]


def read_noisy(parts: list[Any]) -> Any:
    """In the judged process: the noisy number of the rest of a node, or an array that is followed."""
    if (followed := read_followed(parts)) is not None:
        return followed
    terms = tuple(
        (Noise((number,), _some_law(scale, integer)), fraction_in(weight))
        for number, weight, scale, integer in parts[4:]
    )
    return _noisy(parts, terms)


def _constants(value: NoisyNumber) -> list[Any]:
    """All that a noisy number is beside its noise."""
    return [fraction_text(value.constant), fraction_text(value.peak), value.exact, value.double]


def _noisy(parts: list[Any], terms: tuple[tuple[Noise, Fraction], ...]) -> NoisyNumber:
    constant, peak, exact, double = parts[:4]
    return NoisyNumber(fraction_in(constant), terms, fraction_in(peak), exact is True, double is True)
