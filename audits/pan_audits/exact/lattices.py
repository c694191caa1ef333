"""Integer noise on some runs, and plain numbers on others: outputs that look the same are counted together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from pan_audits.choices.doubles import is_short
from pan_audits.choices.laws import RegionLaw
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import rational
from pan_audits.exact.identity import form_key
from pan_audits.exact.observation import NOISY, NUMBER, OTHER, Coordinate, Lattice, Path
from pan_audits.exact.stepping import Law
from pan_audits.regions.function import Function

Key = tuple[Any, ...]


def lattices_differ(
    laws: Iterable[Iterable[tuple[Any, ...]]], shown: Mapping[str, Any], numbers: Mapping[str, int]
) -> bool:
    """Whether integer noise puts what looks the same on several lattices, or on one and elsewhere none.

    Then outputs that are distinguished here may be equal, and the computed loss is an upper bound.
    """
    keys = {key for law in laws for key in law}
    if not any(isinstance(mark, Lattice) for key in keys for mark in key):
        return False
    # A number that is not finite looks like no output with noise.
    keys = {key for key in keys if not any(_is_apart(part, shown) for part in key)}
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


def on_one_lattice(laws: Sequence[Law], shown: dict[str, Any], numbers: dict[str, int]) -> list[Law]:
    """The laws with each plain number at its place among the outputs with integer noise.

    The last observation is a number: with noise on some runs, and plain on others, as where noise is clipped. A plain
    number on the lattice of the noise becomes noise with one value. Any other plain number is distinguished from all
    outputs with noise.
    """
    lattices: dict[Key, set[Lattice]] = defaultdict(set)
    for key in {key for law in laws for key in law}:
        *before, last, mark = (*key, None) if isinstance(key[-1], str) else key
        if isinstance(mark, Lattice) and isinstance(last, str) and last[0] == NOISY:
            lattices[tuple(before), last].add(mark)
    found: list[Law] = []
    for law in laws:
        moved: Law = defaultdict(list)
        for key, paths in law.items():
            place = _place(key, lattices, shown, numbers)
            if place is None:
                moved[key] += paths
            else:
                moved[place[0]] += [(weight, place[1]) for weight, _ in paths]
        found.append(moved)
    return found


def _place(
    key: Key, lattices: Mapping[Key, set[Lattice]], shown: dict[str, Any], numbers: dict[str, int]
) -> tuple[Key, Path] | None:
    """Key and path of a plain number among outputs with noise on one lattice; ``None`` for anything else."""
    *before, last = key
    if not isinstance(last, str) or last[0] != NUMBER:
        return None
    among = [(noisy, marks) for (others, noisy), marks in lattices.items() if others == tuple(before)]
    value = _plain(shown[last])
    if len(among) != 1 or len(among[0][1]) != 1 or value is None:
        return None
    noisy, (lattice,) = among[0]
    # Doubles do not round on such a lattice: equal real numbers are equal doubles.
    if not all(is_short(one) for one in (lattice.step, lattice.step * lattice.offset)):
        return None
    steps = Fraction(value) / lattice.step - lattice.offset
    if steps.denominator != 1 or (value == 0 and math.copysign(1, value) < 0):
        apart = OTHER + last
        shown[apart], numbers[apart] = value, 0
        return (*before, apart), Path()
    law = RegionLaw(lattice.step, Function.at_one(rational(steps)))
    return (*before, noisy, lattice), Path((Coordinate((), law, Fraction(0)),))


def _plain(value: Any) -> int | float | None:
    """A number as Python's own, if it looks like an equal number with noise. A truth value does not."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return value


def _is_apart(part: Any, shown: Mapping[str, Any]) -> bool:
    """Whether a part of an observation is a single number that is infinite or NaN."""
    value = shown[part] if isinstance(part, str) and part[0] == NUMBER else None
    return isinstance(value, (float, np.floating)) and not math.isfinite(value)


def _any(_: Any) -> str:
    return NOISY


def _kind(value: Any) -> str:
    return NOISY if isinstance(value, NoisyNumber) and value.terms else NUMBER
