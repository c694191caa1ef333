"""Budgets of mechanisms on tables: the scales of noise, and their division among the steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from pan_estimators.tables.mechanism import require_epsilon, require_not_tiny
from pan_promises.errors import InputError, shown
from pan_promises.notion import converted_rho

_LAPLACE, _GAUSSIAN = 1 / 2, 2 / 3


def cost_of_counts(deviation: float) -> Fraction:
    """The exact rho of one table of counts with Gaussian noise, for one replaced row.

    A replaced row changes a table by at most ``sqrt(2)`` in the L2 norm.
    """
    return 1 / Fraction(deviation) ** 2


def deviation_for(rho: Fraction) -> float:
    """The standard deviation of the noise of one table of counts that costs at most a rho."""
    found = math.sqrt(float(1 / rho))
    # The square root and the conversion round: one step upwards or two, until the exact cost is within the budget.
    while cost_of_counts(found) > rho:
        found = math.nextafter(found, math.inf)
    return found


def rounded_down(number: Fraction) -> float:
    """The largest double that is at most a number."""
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, 0.0)


def scale_for(epsilon: Fraction) -> float:
    """The scale of the Laplace noise of one table of counts that costs at most an epsilon.

    A replaced row changes a table by at most 2 in the L1 norm.
    """
    found = float(2 / epsilon)
    return found if 2 / Fraction(found) <= epsilon else math.nextafter(found, math.inf)


def epsilon_for(rho: Fraction) -> float:
    """The epsilon of a choice by the exponential mechanism that costs at most a rho: ``epsilon^2/8``."""
    found = math.sqrt(float(8 * rho))
    while Fraction(found) ** 2 / 8 > rho:
        found = math.nextafter(found, 0.0)
    return found


def parts_of_tables(cells: Sequence[int], *, gaussian: bool) -> list[Fraction]:
    """The parts of a budget for tables of counts. They make the expected L1 norm of all noise small; their sum is 1.

    The norm of a table with ``c`` cells is in proportion to ``c / sqrt(part)`` for Gaussian noise, and to ``c / part``
    for Laplace noise. So the best parts are in proportion to ``c^(2/3)`` and to ``c^(1/2)``.
    """
    weights = [Fraction(float(one) ** (_GAUSSIAN if gaussian else _LAPLACE)) for one in cells]
    whole = sum(weights, Fraction(0))
    return [weight / whole for weight in weights]


def noise_norm(scale: float, cells: int, *, gaussian: bool = True) -> float:
    """The expected L1 norm of the noise of a table."""
    return (math.sqrt(2 / math.pi) if gaussian else 1.0) * scale * cells


@dataclass(frozen=True)
class NoisyCounts:
    """Noisy counts that leave the holder of a table.

    Attributes
    ----------
    places
        One or two attributes, by their places in the schema.
    deviation
        The standard deviation of the noise of a count.
    epsilon
        The epsilon of the choice of a pair, in nats; 0 for one attribute, which is not chosen.
    counts
        The noisy counts, the values of the last attribute running fastest.
    """

    places: tuple[int, ...]
    deviation: float
    epsilon: float
    counts: list[Any]


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


_PER_ATTRIBUTE = 16
"""The least rounds for each attribute, if no round gets more than the least budget. Source: AIM."""

_GROWTH = 4
"""The factor of the budget of a round after one that taught less than its noise. Source: AIM."""


@dataclass(frozen=True)
class Round:
    """The noise of a choice and of the counts after it.

    Attributes
    ----------
    epsilon
        The epsilon of the exponential mechanism, in nats.
    deviation
        The standard deviation of the noise of a count.
    """

    epsilon: float
    deviation: float

    @property
    def rho(self) -> Fraction:
        """The exact cost: ``epsilon^2/8`` of the choice (Cesar and Rogers 2021), ``1/deviation^2`` of the counts."""
        return Fraction(self.epsilon) ** 2 / 8 + cost_of_counts(self.deviation)


@dataclass
class Spending:
    """A rho that is spent step by step, and never exceeded."""

    rho: Fraction
    spent: Fraction = Fraction(0)

    def spend(self, rho: Fraction) -> None:
        """Spend a part of the budget, before its noise is drawn."""
        if self.spent + rho > self.rho:
            raise InputError(f"the budget is spent: {float(self.spent):g} of {float(self.rho):g} are used")
        self.spent += rho

    @property
    def left(self) -> Fraction:
        """The unspent part of the budget."""
        return self.rho - self.spent


@dataclass(frozen=True)
class Rounds:
    """The budgets of adaptive rounds.

    Attributes
    ----------
    least
        The rho of a first round.
    choice
        The share of the choice in a round.
    """

    least: Fraction
    choice: Fraction

    @classmethod
    def of(cls, left: Fraction, attributes: int, choice: Fraction) -> Rounds:
        """The rounds that share a budget."""
        return cls(left / (_PER_ATTRIBUTE * attributes), choice)

    def grown(self, taught: float, noise: float) -> Rounds:
        """The rounds after one."""
        return self if taught > noise else Rounds(_GROWTH * self.least, self.choice)

    def next(self, left: Fraction) -> Round:
        """The next round. It is the last one if less than two such rounds are left."""
        rho = self.least if left >= 2 * self.least else left
        epsilon = epsilon_for(self.choice * rho)
        return Round(epsilon, deviation_for(rho - Fraction(epsilon) ** 2 / 8))
