"""Conversions between notions of privacy, each with its source."""

from __future__ import annotations

import math
from functools import cache

from pan_promises.errors import InputError


def rho_of_pure(epsilon: float) -> float:
    """The rho that a pure promise implies: ``epsilon^2 / 2`` (Bun and Steinke 2016, Proposition 1.4).

    Parameters
    ----------
    epsilon
        The budget of the pure promise, in nats.
    """
    return epsilon**2 / 2


def epsilon_of_rho(rho: float, delta: float) -> float:
    """The epsilon that rho implies for a delta: ``rho + 2 sqrt(rho log(1/delta))``.

    Source: Bun and Steinke 2016, Proposition 1.3. It is not the least possible epsilon.

    Parameters
    ----------
    rho
        Positive and finite.
    delta
        In (0, 1).

    Returns
    -------
    Epsilon, in nats.

    Raises
    ------
    InputError
        If a number is outside its range.
    """
    if not (0 < rho < math.inf and 0 < delta < 1):
        raise InputError(f"rho must be positive and finite, and delta in (0, 1), got rho {rho!r} and delta {delta!r}")
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def rho_of_epsilon(epsilon: float, delta: float) -> float:
    """The largest rho for which :func:`epsilon_of_rho` gives at most this epsilon.

    Parameters
    ----------
    epsilon
        Positive and finite.
    delta
        In (0, 1).

    Returns
    -------
    Rho: ``(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2``, rounded down.

    Raises
    ------
    InputError
        If a number is outside its range, or there is no such rho among the doubles.
    """
    if not (0 < epsilon < math.inf and 0 < delta < 1):
        raise InputError(
            f"epsilon must be positive and finite, and delta in (0, 1), got epsilon {epsilon!r} and delta {delta!r}"
        )
    order = math.log(1 / delta)
    rho = (epsilon / (math.sqrt(order + epsilon) + math.sqrt(order))) ** 2
    while rho > 0 and epsilon_of_rho(rho, delta) > epsilon:
        rho = math.nextafter(rho, 0)
    if rho == 0:
        raise InputError(f"epsilon {epsilon!r} is too small for a rho above 0 at delta {delta!r}")
    return rho


_WIDEST = (-20.0, 80.0)
"""The logarithms of ``alpha - 1`` between which an order is searched."""
_POINTS, _ROUNDS = 64, 8
_ROUNDING = 1e-12
"""More than the relative error of the formula in doubles."""


def converted_epsilon(rho: float, delta: float) -> float:
    """An epsilon that rho implies for a delta, smaller than that of :func:`epsilon_of_rho`.

    For every order ``alpha > 1`` the number ``alpha rho + log(1/(alpha delta))/(alpha - 1) + log(1 - 1/alpha)`` is such
    an epsilon. The order is searched, so that the result holds whether or not the search finds the least one.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12.

    Parameters
    ----------
    rho
        Positive and finite.
    delta
        In (0, 1).

    Returns
    -------
    Epsilon, in nats, rounded up. At least 0.

    Raises
    ------
    InputError
        If a number is outside its range.
    """
    bound = epsilon_of_rho(rho, delta)
    low, high = _WIDEST
    for _ in range(_ROUNDS):
        step = (high - low) / _POINTS
        found = [(_at_order(rho, delta, low + step * point), low + step * point) for point in range(_POINTS + 1)]
        best, place = min(found)
        bound, low, high = min(bound, best), place - step, place + step
    return max(0.0, bound) * (1 + _ROUNDING) + _ROUNDING * rho


def _at_order(rho: float, delta: float, logarithm: float) -> float:
    """The epsilon of the order ``1 + exp(logarithm)``."""
    beyond = math.exp(logarithm)
    order = 1 + beyond
    return order * rho - (math.log(order) + math.log(delta)) / beyond + logarithm - math.log(order)


@cache
def converted_rho(epsilon: float, delta: float) -> float:
    """A rho that implies an epsilon and a delta by :func:`converted_epsilon`, larger than :func:`rho_of_epsilon`.

    Parameters
    ----------
    epsilon
        Positive and finite.
    delta
        In (0, 1).

    Returns
    -------
    Rho, rounded down.

    Raises
    ------
    InputError
        If a number is outside its range, or there is no such rho among the doubles.
    """
    low = rho_of_epsilon(epsilon, delta)
    high = 2 * low
    while converted_epsilon(high, delta) <= epsilon:
        low, high = high, 2 * high
    while high - low > _ROUNDING * high:
        middle = (low + high) / 2
        low, high = (middle, high) if converted_epsilon(middle, delta) <= epsilon else (low, middle)
    return low
