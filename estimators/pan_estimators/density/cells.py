"""Cells: the random value that an estimator keeps for one user. Its distribution depends on whether they appeared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_promises.errors import InputError, require_epsilon

CellValues = NDArray[Any]


class Cells(Protocol):
    """A pair of distributions: that of the cell of a user who has not appeared, and of one who has."""

    bits_per_cell: ClassVar[int]
    dtype: ClassVar[type]

    @property
    def initial_mean(self) -> float:
        """Mean of the cell of a user who has not appeared."""
        ...

    @property
    def updated_mean(self) -> float:
        """Mean of the cell of a user who has appeared."""
        ...

    def total(self, values: CellValues) -> Any:
        """The sum of the cells ``values``."""
        ...

    def draw_initial(self, randomness: Randomness, size: int) -> CellValues:
        """The cells of ``size`` users who have not appeared, drawn from ``randomness``: shape ``(size,)``."""
        ...

    def draw_updated(self, randomness: Randomness, size: int) -> CellValues:
        """The cells of ``size`` users who have appeared, drawn from ``randomness``: shape ``(size,)``."""
        ...


@dataclass(frozen=True)
class BernoulliCells:
    """One bit per user: ``Bernoulli(p_init)`` before the first appearance, ``Bernoulli(p_upd)`` after.

    Parameters
    ----------
    p_init, p_upd
        The two probabilities of a one, with ``0 < p_init < p_upd < 1`` (paper, Section 4.2).

    Raises
    ------
    InputError
        If the probabilities are out of range.
    """

    p_init: float
    p_upd: float
    bits_per_cell: ClassVar[int] = 1
    dtype: ClassVar[type] = np.bool_

    def __post_init__(self) -> None:
        if not 0 < self.p_init < self.p_upd < 1:
            raise InputError(
                "the two probabilities of a cell must satisfy 0 < p_init < p_upd < 1 (paper, Section 4.2), "
                f"got {self.p_init:.6g} and {self.p_upd:.6g}"
            )

    @property
    def initial_mean(self) -> float:
        return self.p_init

    @property
    def updated_mean(self) -> float:
        return self.p_upd

    def total(self, values: CellValues) -> int:
        return int(np.count_nonzero(values))

    def draw_initial(self, randomness: Randomness, size: int) -> CellValues:
        return randomness.bernoulli(self.p_init, size)

    def draw_updated(self, randomness: Randomness, size: int) -> CellValues:
        return randomness.bernoulli(self.p_upd, size)

    def through_flip(self, flip: float) -> BernoulliCells:
        """The pair after every bit has been flipped with probability ``flip``, below 1/2."""
        keep = 1 - 2 * flip
        return BernoulliCells(flip + keep * self.p_init, flip + keep * self.p_upd)


@dataclass(frozen=True)
class LaplaceCells:
    """One real number per user: ``Laplace(mu_init, scale)`` before an appearance, ``Laplace(mu_upd, scale)`` after.

    Parameters
    ----------
    mu_init, mu_upd
        The two means, finite, with ``mu_init < mu_upd`` (thesis, Section 4.4.1).
    scale
        The scale of both. ``(mu_upd - mu_init)/scale`` is the budget of the state in nats, from 1e-9 to 500.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    mu_init: float
    mu_upd: float
    scale: float
    bits_per_cell: ClassVar[int] = 64
    dtype: ClassVar[type] = np.float64

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mu_init) and math.isfinite(self.mu_upd) and self.mu_init < self.mu_upd):
            raise InputError(
                "the two means of a Laplace cell must be finite with mu_init < mu_upd (thesis, Section 4.4.1), "
                f"got {self.mu_init!r} and {self.mu_upd!r}"
            )
        require_epsilon((self.mu_upd - self.mu_init) / self.scale)

    @property
    def initial_mean(self) -> float:
        return self.mu_init

    @property
    def updated_mean(self) -> float:
        return self.mu_upd

    def total(self, values: CellValues) -> Any:
        return values.sum()

    def draw_initial(self, randomness: Randomness, size: int) -> CellValues:
        return randomness.laplace(self.mu_init, self.scale, size)

    def draw_updated(self, randomness: Randomness, size: int) -> CellValues:
        return randomness.laplace(self.mu_upd, self.scale, size)
