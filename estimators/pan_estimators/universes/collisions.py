"""Corrections for hashed universes: from occupied cells to users, and from a density to a distinct count."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pan_estimators.numerics import root
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError


def distinct_count(estimator: Any, density: float) -> float:
    """The distinct count that belongs to a density. For a hashed universe it is corrected for collisions.

    Parameters
    ----------
    estimator
        The estimator that released the density.
    density
        The released density, a finite number.

    Returns
    -------
    The number of users, a float.

    Raises
    ------
    InputError
        If the density is not finite.
    """
    require_finite(density)
    size = estimator.universe.size
    if isinstance(estimator.universe, HashedUniverse):
        return users_at(min(max(density, 0.0), 1 - 1 / size) * size, size)
    return density * int(size)


def require_finite(released: float) -> None:
    """Raise :class:`InputError` for a released density that is not a finite number."""
    if not math.isfinite(released):
        raise InputError(f"the released density must be a finite number, as every release is, got {released!r}")


def users_at(cells: float, size: int) -> float:
    """The number of users whose expected number of occupied cells is ``cells``."""
    return math.log1p(-cells / size) / math.log1p(-1 / size) if cells > 0 and size > 1 else max(cells, 0.0)


def users_from_cells(low: int, high: int, size: int, missed: float) -> tuple[float, float]:
    """The numbers of users that are compatible with ``low`` to ``high`` occupied cells.

    The number of occupied cells changes by at most one with each user's cell. By McDiarmid's inequality it
    deviates from its mean by more than ``sqrt(n log(2/missed)/2)`` to either side with probability
    ``missed/2`` at most.

    At the lower end, the mean plus that deviation reaches ``low``: both grow with n. The mean *minus* the
    deviation grows and then falls, as the mean cannot exceed the number of cells. If it reaches ``high`` for
    one whole number n, all larger numbers are excluded as well: a further user never frees a cell, so that
    the probability of at most ``high`` occupied cells falls with n. If there is no such n, the upper
    end is infinite: any larger number of users may occupy that many cells.
    """
    factor = math.sqrt(math.log(2 / missed) / 2)

    def mean(users: float) -> float:
        return size * -math.expm1(users * math.log1p(-1 / size)) if size > 1 else min(users, 1.0)

    def crossing(excess: Callable[[float], float]) -> float:
        if excess(0.0) >= 0:
            return 0.0
        most = 1.0
        while excess(most) < 0:
            most *= 2
            if most > 64 * size:
                return math.inf
        return root(excess, 0.0, most, tolerance=2e-12)

    def too_few(users: float) -> float:
        return mean(users) - factor * math.sqrt(users) - high

    upper = crossing(too_few)
    # Users are whole: the next whole number must be excluded as well, up to the rounding of the two terms.
    if math.isfinite(upper) and too_few(math.ceil(upper)) < -1e-12 * high:
        upper = math.inf
    return crossing(lambda users: mean(users) + factor * math.sqrt(users) - low), upper
