"""The point at which the ratio of two distributions is largest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pan_audits.choices.numbers import ONE, Number
from pan_audits.exact.observation import Path

Mixture = Sequence[tuple[Number, Path]]
Point = tuple[Fraction | str, ...]
Allowed = Callable[[int, int], bool]


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
