"""The observation of one path: a discrete part, and noisy numbers with independent noise each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.noise import COLLECTED, REPLACED, GeometricLaw, LaplaceLaw, Law, Noise, NoisyNumber
from pan_audits.choices.numbers import Number
from pan_audits.exact.identity import form_key, seen_key

NOISY, NUMBER, OTHER = "~", "#", "."
"""First letters of the keys of a noisy number, a number, and anything else."""


@dataclass(frozen=True)
class Coordinate:
    """One observed noisy number, given the earlier ones.

    Attributes
    ----------
    slope
        Its linear dependence on the noisy numbers seen before it.
    law
        The law of its own noise; several of them if it has several noise variables of its own.
    location
        The centre of that noise, after the part that depends on earlier numbers is subtracted.
    """

    slope: tuple[Fraction, ...]
    law: Law | tuple[Law, ...]
    location: Fraction

    def decay(self, value: Fraction) -> Number:
        """The density at a value relative to that at the location; computed once for each value."""
        found = self._decays.get(value)
        if found is None:
            assert not isinstance(self.law, tuple)
            found = self._decays[value] = self.law.decay(value - self.location)
        return found

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
class Path:
    """The continuous part of an observation."""

    coordinates: tuple[Coordinate, ...] = ()


def split(value: Any, key_of: Callable[[Any], str] = seen_key) -> tuple[str, tuple[NoisyNumber, ...]]:
    """A value's discrete part as a key, and its noisy numbers in order.

    Parameters
    ----------
    value
        A state or an output.
    key_of
        The key of its discrete part: :func:`seen_key` compares contents, :func:`state_key` compares dumps.
    """
    found: list[NoisyNumber] = []
    memo: dict[Any, Any] = {COLLECTED: found}
    replaced = copy.deepcopy(value, memo)
    number = isinstance(value, (int, float, np.number, np.bool_, NoisyNumber))
    kind = NOISY if found and number else NUMBER if number else OTHER
    # A copy may have another layout.
    return kind + key_of(replaced if REPLACED in memo else value), tuple(found)


def path_of(numbers: tuple[NoisyNumber, ...]) -> tuple[tuple[Any, ...], Path]:
    """The coordinates of the noisy numbers of one path, and their discrete part.

    Earlier numbers are eliminated from later ones: a seen cell that is later part of an output
    moves that output by a known amount.
    """
    pivots: dict[Noise, tuple[dict[int, Fraction], Fraction]] = {}
    marks: list[Any] = []
    coordinates: list[Coordinate] = []
    for number in numbers:
        slope = [Fraction(0)] * len(coordinates)
        location = number.constant
        own: list[tuple[Noise, Fraction]] = []
        for noise, weight in number.terms:
            if noise not in pivots:
                own.append((noise, weight))
                continue
            # noise = sum of multiples of what was seen, minus a constant
            known, constant = pivots[noise]
            for place, multiple in known.items():
                slope[place] += weight * multiple
            location += weight * constant
        if not own:
            marks.append(("known", tuple(slope), location))
            continue
        if len(own) == 1:
            noise, weight = own[0]
            place = len(coordinates)
            known = {place: 1 / weight} | {i: -s / weight for i, s in enumerate(slope) if s}
            pivots[noise] = (known, -location / weight)
            law, location, mark = _normal(noise.law, weight, location)
            marks.append(mark)
            coordinates.append(Coordinate(tuple(slope), law, location))
            continue
        if any(noise in {n for other in numbers for n, _ in other.terms if other is not number} for noise, _ in own):
            raise UnfollowableError("several numbers that are seen share several noise variables")
        marks.append(None)
        laws = tuple(sorted((_scaled(noise.law, weight) for noise, weight in own), key=repr))
        coordinates.append(Coordinate(tuple(slope), laws, location))
    return tuple(marks), Path(tuple(coordinates))


def lattices_differ(
    laws: Iterable[Iterable[tuple[Any, ...]]], shown: Mapping[str, Any], numbers: Mapping[str, int]
) -> bool:
    """Whether integer noise puts what looks the same on several lattices, or on one and elsewhere none.

    Then outputs that are distinguished here may be equal, and the computed loss is an upper bound.

    Parameters
    ----------
    laws
        The discrete observations under each of several streams.
    shown, numbers
        A value for each discrete part that was seen, and how many noisy numbers are in it.
    """
    keys = {key for law in laws for key in law}
    if not any(isinstance(mark, Lattice) for key in keys for mark in key):
        return False
    # A container with noise in it may equal another one that has numbers in its place.
    parts = {part for key in keys for part in key if isinstance(part, str) and part[0] == OTHER}
    noisy = {form_key(shown[part], _any) for part in parts if numbers[part]}
    forms = {part: form_key(shown[part], _any) for part in parts} if noisy else {}
    marks: dict[tuple[str, ...], set[tuple[Any, ...]]] = {}
    for key in keys:
        looks, plain, steps = [], [], []
        for part in key:
            if not isinstance(part, str):
                steps.append(part.step if isinstance(part, Lattice) else None)
            elif part[0] in (NOISY, NUMBER):
                looks.append(NOISY)
                plain.append(part[0])
            else:
                like = forms.get(part) in noisy
                looks.append(forms[part] if like else part)
                plain.append(form_key(shown[part], _kind) if like else OTHER)
        marks.setdefault(tuple(looks), set()).add((tuple(plain), tuple(steps)))
    return any(
        len(found) > 1 and any(step is not None for _, steps in found for step in steps) for found in marks.values()
    )


def _any(_: Any) -> str:
    return NOISY


def _kind(value: Any) -> str:
    return NOISY if isinstance(value, NoisyNumber) and value.terms else NUMBER


def _normal(law: Law, weight: Fraction, location: Fraction) -> tuple[Law, Fraction, Any]:
    """Law and location of ``location + weight * noise``; on a lattice, the number of steps, and the lattice."""
    if isinstance(law, LaplaceLaw):
        return law.scaled(weight), location, None
    if weight < 0:
        law, weight = GeometricLaw(law.down, law.up), -weight
    whole = location / weight
    steps = Fraction(whole.numerator // whole.denominator)
    return law, steps, Lattice(weight, whole - steps)


def _scaled(law: Law, weight: Fraction) -> Law:
    if isinstance(law, GeometricLaw):
        raise UnfollowableError("a sum of several geometric noise variables cannot be followed exactly")
    return law.scaled(weight)
