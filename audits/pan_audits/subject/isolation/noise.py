"""The draws that the judge makes for the code, and random choices that are not drawn, as data.

These are arrays that are followed element by element, and noisy numbers.

A noise variable travels as a number, and only the judge knows its distribution. The judged process can add and scale
noisy numbers. It cannot make up noise that the judge never drew.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from pan_audits.choices.distributions import Distribution, GeometricDistribution, LaplaceDistribution, Noise, is_integer
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.followed import Box, FollowedArray, FollowedUniforms, Table, chance, meet
from pan_audits.choices.monotone import FUNCTIONS, FunctionOfNoise
from pan_audits.choices.noise import NoisyNumber, shown_as_noise
from pan_audits.choices.numbers import Exponent
from pan_audits.choices.uniform import refuse_uniform
from pan_audits.events.observing.values import fraction_in, fraction_text
from pan_audits.subject.isolation.data import DataError, Node, from_data, to_data
from pan_audits.subject.isolation.messages import Draw, DrawResult, Message
from pan_audits.subject.running.presented import COMPARED, METHODS, MIXED, QUESTIONS
from pan_promises.errors import InputError

_ARRAY, _UNIFORMS = "array", "uniforms"


def write_followed(value: Any) -> list[Any] | None:
    """The rest of a node for such an array, or ``None`` for anything else."""
    if type(value) is FollowedArray:
        return [_ARRAY, list(value.shape), *(_table_node(table) for table in value.tables.flat)]
    if type(value) is FollowedUniforms:
        bounds = [to_data(value.low), to_data(value.high)]
        return [_UNIFORMS, *bounds, list(value.shape), *map(int, value.variables.flat)]
    return None


def read_followed(parts: list[Any]) -> Any:
    """The array of the rest of a node, or ``None`` if it is another node."""
    if parts[0] == _ARRAY:
        tables = np.empty(len(parts) - 2, dtype=object)
        for place, node in enumerate(parts[2:]):
            tables[place] = _table(node)
        return FollowedArray(tables.reshape(parts[1]))
    if parts[0] == _UNIFORMS:
        variables = np.array(parts[4:], dtype=np.int64).reshape(parts[3])
        return FollowedUniforms(from_data(parts[1]), from_data(parts[2]), variables, _unnoted)
    return None


def _unnoted(probability: Any, size: int) -> None:
    """The process that reads the array notes its constants itself."""


def _table_node(table: Table) -> Node:
    return [
        [[[one, fraction_text(low), fraction_text(high)] for one, low, high in box], to_data(value)]
        for box, value in table
    ]


def _table(node: Any) -> Table:
    table = tuple((_box(box), from_data(value)) for box, value in node)
    if sum(chance(box) for box, _ in table) != 1:
        raise DataError("it sent an array of random choices with other probabilities")
    if any(meet(one, other) is not None for (one, _), (other, _) in combinations(table, 2)):
        raise DataError("it sent an array of random choices with two values for one outcome")
    return table


def _box(node: Any) -> Box:
    box = tuple((one, fraction_in(low), fraction_in(high)) for one, low, high in node)
    variables = [one for one, _, _ in box]
    if not all(type(one) is int for one in variables) or variables != sorted(set(variables)):
        raise DataError("it sent an array of random choices that were never made")
    if not all(0 <= low < high <= 1 for _, low, high in box):
        raise DataError("it sent an array of random choices that were never made")
    return box


@lru_cache(maxsize=1024)
def _some_distribution(scale: str, integer: bool) -> Distribution:
    """A noise in the judged process, which needs its scale alone, and whether it is integer."""
    if integer:
        return GeometricDistribution(Fraction(1, 2), Fraction(1, 2))
    return LaplaceDistribution(Exponent(1 / fraction_in(scale)))


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
        if type(value) is FunctionOfNoise:
            value = replace(value.number, function=value.name)
        if not isinstance(value, NoisyNumber):
            return None
        terms = (
            [
                self._number(noise),
                fraction_text(weight),
                fraction_text(noise.distribution.scale),
                is_integer(noise.distribution),
            ]
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
        for number, weight in parts[5:]:
            if not isinstance(number, int) or not 0 <= number < len(self.noises):
                raise DataError("it sent a noisy number whose noise was never drawn")
            terms.append((self.noises[number], fraction_in(weight)))
        return _noisy(parts, tuple(sorted(terms, key=lambda term: term[0].name)))


def write_noisy(value: Any) -> Node:
    """In the judged process: a noisy number, or an array that is followed, as a node; ``None`` for anything else."""
    refuse_uniform(value := shown_as_noise(value))
    if (followed := write_followed(value)) is not None:
        return ["~", *followed]
    if type(value) is FunctionOfNoise:
        value = replace(value.number, function=value.name)
    if not isinstance(value, NoisyNumber):
        return None
    terms = ([noise.name[0], fraction_text(weight)] for noise, weight in value.terms)
    return ["~", *_constants(value), *terms]


def read_noisy(parts: list[Any]) -> Any:
    """In the judged process: the noisy number of the rest of a node, or an array that is followed."""
    if (followed := read_followed(parts)) is not None:
        return followed
    # Where doubles did not round, equal numbers are one object: what was computed with it once is known.
    read = _read if parts[2] is True else _read.__wrapped__
    return read(*parts[:5], *map(tuple, parts[5:]))


@lru_cache(maxsize=4096)
def _read(*parts: Any) -> NoisyNumber | FunctionOfNoise:
    terms = tuple(
        (Noise((number,), _some_distribution(scale, integer)), fraction_in(weight))
        for number, weight, scale, integer in parts[5:]
    )
    return _noisy(list(parts), terms)


def _constants(value: NoisyNumber) -> list[Any]:
    """All that a noisy number is beside its noise."""
    return [fraction_text(value.constant), fraction_text(value.peak), value.exact, value.double, value.function]


def _noisy(parts: list[Any], terms: tuple[tuple[Noise, Fraction], ...]) -> NoisyNumber | FunctionOfNoise:
    constant, peak, exact, double, function = parts[:5]
    number = NoisyNumber(fraction_in(constant), terms, fraction_in(peak), exact is True, double is True)
    if not function:
        return number
    if function not in FUNCTIONS:
        raise DataError("it sent an unknown function of a noisy number")
    return FunctionOfNoise(function, number)


def answer_to_draw(randomness: Any, noises: NoiseTable, asked: Message) -> Message:
    """Make a draw that the code asks for."""
    questions = (*QUESTIONS, MIXED) if hasattr(type(randomness), COMPARED) else ()
    if not isinstance(asked, Draw) or asked.method not in (*METHODS, *questions):
        raise DataError("it asked for an unknown draw")
    arguments = from_data(asked.arguments, revive=noises.read)
    options = from_data(asked.options, revive=noises.read)
    if not isinstance(arguments, (list, tuple)) or not isinstance(options, dict):
        raise DataError("it asked for a draw without arguments")
    try:
        drawn = getattr(randomness, asked.method)(*arguments, **options)
        return DrawResult(to_data(drawn, special=noises.write))
    except (UnfollowableError, TooLargeError, InputError, TypeError, ValueError) as problem:
        return DrawResult(None, str(problem) or type(problem).__name__)
