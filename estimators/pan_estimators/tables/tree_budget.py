"""The division of the budget of a calibrated tree: choices, and counts of one attribute and of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from pan_estimators.tables.noise_scales import (
    deviation_for,
    epsilon_for,
    noise_norm,
    parts_of_tables,
    rounded_down,
    scale_for,
)
from pan_estimators.tables.settings import require_epsilon, require_not_tiny
from pan_promises.errors import InputError, shown
from pan_promises.notion import converted_rho

Shares: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""The parts of a budget for the choices, for the counts of one attribute and for those of two. Their sum is 1."""


@dataclass(frozen=True)
class TreeBudget:
    """The noise of each step, for one replaced row.

    A replaced row changes each table of counts by at most 2 in the L1 norm, and by at most ``sqrt(2)`` in the L2 norm.
    So a table with Laplace noise of scale ``b`` costs the epsilon ``2 / b``, and one with Gaussian noise of standard
    deviation ``s`` costs the rho ``1 / s^2``. A choice by the exponential mechanism with epsilon ``e`` has the range
    ``e``, and costs the rho ``e^2 / 8`` (Cesar and Rogers 2021). No cost exceeds its part by rounding.

    Attributes
    ----------
    choice
        The epsilon of the exponential mechanism for each choice, in nats.
    singles
        The scale of the noise of the counts of each attribute.
    parts
        The cost of each step: epsilon in nats, or rho. The last one is divided among the chosen pairs.
    gaussian
        Whether the noise is Gaussian, so that a scale is a standard deviation. Else it is Laplace noise.
    """

    choice: float
    singles: tuple[float, ...]
    parts: tuple[Fraction, Fraction, Fraction]
    gaussian: bool

    @classmethod
    def of_epsilon(cls, epsilon: float, sizes: Sequence[int], chosen: int, shares: Shares) -> TreeBudget:
        """The noise for a pure epsilon."""
        return cls._of(Fraction(epsilon), sizes, chosen, shares, gaussian=False)

    @classmethod
    def of_rho(cls, rho: float, sizes: Sequence[int], chosen: int, shares: Shares) -> TreeBudget:
        """The noise for a rho."""
        return cls._of(Fraction(rho), sizes, chosen, shares, gaussian=True)

    @classmethod
    def _of(cls, budget: Fraction, sizes: Sequence[int], chosen: int, shares: Shares, *, gaussian: bool) -> TreeBudget:
        choices, singles, pairs = (share * budget for share in shares)
        each = choices / chosen
        return cls(
            choice=epsilon_for(each) if gaussian else rounded_down(each),
            singles=_scales(singles, sizes, gaussian=gaussian),
            parts=(choices, singles, pairs),
            gaussian=gaussian,
        )

    def pairs(self, cells: Sequence[int]) -> tuple[float, ...]:
        """The scale of the noise of the counts of each chosen pair."""
        return _scales(self.parts[2], cells, gaussian=self.gaussian)

    def expected_noise(self, cells: Sequence[int], chosen: int) -> list[float]:
        """The expected L1 norm of the noise of each pair, if it were chosen among pairs of usual size."""
        mean = self.parts[2] * len(cells) / chosen
        scales = _scales(mean, cells, gaussian=self.gaussian)
        return [noise_norm(scale, size, gaussian=self.gaussian) for scale, size in zip(scales, cells, strict=True)]

    def variance(self, scale: float) -> float:
        """The variance of the noise of a scale, in squared rows."""
        return scale**2 if self.gaussian else 2 * scale**2


def _scales(budget: Fraction, cells: Sequence[int], *, gaussian: bool) -> tuple[float, ...]:
    pays = deviation_for if gaussian else scale_for
    return tuple(pays(part * budget) for part in parts_of_tables(cells, gaussian=gaussian))


def shares_of(selection: Any, singles: Any) -> Shares:
    """The shares of the three steps as exact numbers; the counts of two attributes have the rest."""
    given = [require_share(name, value) for name, value in (("selection", selection), ("singles", singles))]
    rest = 1 - sum(given, Fraction(0))
    if rest <= 0:
        raise InputError(f"the shares selection and singles must leave something, got {selection} and {singles}")
    return given[0], given[1], rest


def require_share(name: str, value: Any) -> Fraction:
    """A share as an exact number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise InputError(f"the share {name} must lie between 0 and 1, got {shown(value)}")
    return Fraction(repr(float(value)))


def require_budget(epsilon: Any, delta: Any, rho: Any) -> None:
    """Raise :class:`InputError` unless there is a rho, or an epsilon with or without a delta."""
    for name, value in (("rho", 1 if rho is None else rho), ("delta", delta)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{name} must be a number, got {shown(value)}")
    if rho is not None:
        if not 0 < rho < math.inf:
            raise InputError(f"rho must be positive and finite, got {rho!r}")
        if delta:
            raise InputError("a budget is either a rho, or an epsilon with or without a delta, got a rho and a delta")
        return
    require_epsilon(epsilon)
    if not 0 <= delta < 1:
        raise InputError(f"delta must lie in [0, 1), got {delta!r}")


def promised_rho(epsilon: float, delta: float, rho: float | None) -> float | None:
    """The rho of a budget; ``None`` for a pure epsilon."""
    if rho is None and not delta:
        return None
    found = converted_rho(epsilon, delta) if rho is None else rho
    require_not_tiny("rho", found)
    return found
