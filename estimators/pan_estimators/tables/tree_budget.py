"""The division of a budget among the three steps of a calibrated tree: choices, counts of one and of two attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan_estimators.tables.settings import require_epsilon, require_not_tiny
from pan_promises.errors import InputError, shown
from pan_promises.notion import converted_rho


@dataclass(frozen=True)
class TreeBudget:
    """The noise of each step, for one replaced row.

    A replaced row changes each table of counts by at most 2 in the L1 norm, and by at most ``sqrt(2)`` in the L2 norm.
    So ``N`` tables with Laplace noise of scale ``b`` cost the epsilon ``2 N / b``, and ``N`` tables with Gaussian noise
    of standard deviation ``s`` cost the rho ``N / s^2``. A choice by the exponential mechanism with epsilon ``e`` has
    the range ``e``, and costs the rho ``e^2 / 8`` (Cesar and Rogers 2021).

    Attributes
    ----------
    choice
        The epsilon of the exponential mechanism for each choice, in nats.
    single_scale, pair_scale
        The scale of the noise of a count of one attribute, and of two.
    gaussian
        Whether the noise is Gaussian, so that the scale is a standard deviation. Else it is Laplace noise.
    parts
        The cost of each step: epsilon in nats, or rho.
    """

    choice: float
    single_scale: float
    pair_scale: float
    gaussian: bool
    parts: tuple[float, float, float]

    @classmethod
    def of_epsilon(cls, epsilon: float, attributes: int, shares: tuple[Fraction, Fraction, Fraction]) -> TreeBudget:
        """The noise for a pure epsilon.

        Parameters
        ----------
        epsilon
            The budget, in nats.
        attributes
            The number of attributes.
        shares
            The parts of the choices, of the counts of one attribute and of those of two. Their sum is 1.
        """
        choices, singles, pairs = shares
        edges = attributes - 1
        return cls(
            choice=float(choices / edges) * epsilon,
            single_scale=float(2 * attributes / singles) / epsilon,
            pair_scale=float(2 * edges / pairs) / epsilon,
            gaussian=False,
            parts=(float(choices) * epsilon, float(singles) * epsilon, float(pairs) * epsilon),
        )

    @classmethod
    def of_rho(cls, rho: float, attributes: int, shares: tuple[Fraction, Fraction, Fraction]) -> TreeBudget:
        """The noise for a rho.

        Parameters
        ----------
        rho
            The budget.
        attributes, shares
            As for :meth:`of_epsilon`.
        """
        choices, singles, pairs = shares
        edges = attributes - 1
        return cls(
            choice=math.sqrt(float(8 * choices / edges) * rho),
            single_scale=math.sqrt(float(attributes / singles) / rho),
            pair_scale=math.sqrt(float(edges / pairs) / rho),
            gaussian=True,
            parts=(float(choices) * rho, float(singles) * rho, float(pairs) * rho),
        )

    def variance(self, scale: float) -> float:
        """The variance of the noise of a scale, in squared rows.

        Parameters
        ----------
        scale
            The scale.
        """
        return scale**2 if self.gaussian else 2 * scale**2


def shares_of(selection: Any, singles: Any) -> tuple[Fraction, Fraction, Fraction]:
    """The shares of the three steps as exact numbers; the counts of two attributes have the rest.

    Parameters
    ----------
    selection, singles
        The shares of the choices and of the counts of one attribute.

    Raises
    ------
    InputError
        If a share is not positive.
    """
    given = [require_share(name, value) for name, value in (("selection", selection), ("singles", singles))]
    rest = 1 - sum(given, Fraction(0))
    if rest <= 0:
        raise InputError(f"the shares selection and singles must leave something, got {selection} and {singles}")
    return given[0], given[1], rest


def require_share(name: str, value: Any) -> Fraction:
    """A share as an exact number.

    Parameters
    ----------
    name, value
        Its name, and its value.

    Raises
    ------
    InputError
        If it does not lie between 0 and 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise InputError(f"the share {name} must lie between 0 and 1, got {shown(value)}")
    return Fraction(repr(float(value)))


def require_budget(epsilon: Any, delta: Any, rho: Any) -> None:
    """Raise :class:`InputError` unless there is a rho, or an epsilon with or without a delta.

    Parameters
    ----------
    epsilon, delta, rho
        The budget. A rho stands in place of the other two.
    """
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
    """The rho of a budget; ``None`` for a pure epsilon.

    Parameters
    ----------
    epsilon, delta, rho
        The budget, as of :func:`require_budget`.

    Raises
    ------
    InputError
        If the rho is so small that its noise is beyond the range of doubles.
    """
    if rho is None and not delta:
        return None
    found = converted_rho(epsilon, delta) if rho is None else rho
    require_not_tiny("rho", found)
    return found
