"""The loss rho of two Gaussian laws with one covariance: ``d' Sigma^-1 d / 2`` for means that differ by d.

The Rényi divergence of order alpha of the two laws is alpha times this number (Bun and Steinke 2016, Lemma 2.4). If d
lies outside the range of Sigma, a combination without noise tells the laws apart, and the loss is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from pan_audits.exact.gaussian_outputs import CLEAR, Covariance

_SAFE = 2**62
"""A bound on the sums that integers of 64 bits hold."""


@dataclass(frozen=True, eq=False)
class GaussianLoss:
    """The loss as a function of the difference of the means.

    Attributes
    ----------
    inverse
        An integer matrix: the inverse on a largest set of independent coordinates, times the denominator.
    denominator
        A positive integer.
    without_noise
        Integer rows. Each is a combination of coordinates that carries no noise.
    """

    inverse: NDArray[np.object_]
    denominator: int
    without_noise: NDArray[np.object_]

    @classmethod
    def of(cls, covariance: Covariance) -> GaussianLoss:
        """The loss for a covariance."""
        size = len(covariance)
        matrix = _matrix(covariance)
        reduced, rank = matrix.rref()
        pivots = [next(column for column in range(size) if reduced[row, column] != 0) for row in range(rank)]
        # The rows of the kernel, from the reduced rows: each free coordinate by the pivots.
        free = [column for column in range(size) if column not in pivots]
        kernel = [[Fraction(int(column == one)) for column in range(size)] for one in free]
        for combination, one in zip(kernel, free, strict=True):
            for place, pivot in enumerate(pivots):
                combination[pivot] = -_fraction(reduced[place, one])
        # A principal part of a positive semidefinite matrix on independent rows is positive definite.
        inverse = [[Fraction(0)] * size for _ in range(size)]
        if pivots:
            part = _matrix([[covariance[i][j] for j in pivots] for i in pivots]).inv()
            for i, row in enumerate(pivots):
                for j, column in enumerate(pivots):
                    inverse[row][column] = _fraction(part[i, j])
        whole, denominator = _integers(inverse, size)
        return cls(whole, denominator, np.array([_integers([row], size)[0][0] for row in kernel], dtype=object))

    def of_differences(self, differences: NDArray[np.object_], unit: int = 1) -> list[fmpq | None]:
        """The loss for each of several differences, ``None`` where it is infinite."""
        if not differences.shape[1]:
            return [fmpq(0)] * len(differences)
        rows = _narrow(differences, self.inverse)
        inverse = self.inverse.astype(rows.dtype)
        squares = ((rows @ inverse) * rows).sum(axis=1)
        apart = np.zeros(len(rows), dtype=bool)
        if len(self.without_noise):
            apart = (differences @ self.without_noise.T != 0).any(axis=1)
        below = 2 * self.denominator * unit**2
        return [
            None if one else fmpq(int(square), below)
            for one, square in zip(apart.tolist(), squares.tolist(), strict=True)
        ]

    def clearly_apart(self, difference: NDArray[np.object_]) -> bool:
        """Whether a combination without noise differs by more than the rounding of weights can explain."""
        row = difference.astype(float)
        for combination in self.without_noise:
            # Integers of any length, scaled to doubles.
            largest = max(abs(int(one)) for one in combination)
            weights = np.array([int(one) / largest for one in combination])
            if abs(weights @ row) > CLEAR * np.linalg.norm(weights) * np.linalg.norm(row):
                return True
        return False


def ranges_differ(one: Covariance, other: Covariance) -> bool:
    """Whether some combination of coordinates carries noise under one covariance alone."""
    if len(one) != len(other):
        return True
    if not one:
        return False
    both = _matrix([[*left, *right] for left, right in zip(one, other, strict=True)])
    ranks = {_matrix(one).rref()[1], _matrix(other).rref()[1], both.rref()[1]}
    return len(ranks) > 1


def _narrow(differences: NDArray[np.object_], inverse: NDArray[np.object_]) -> NDArray[np.object_]:
    """The differences as integers of 64 bits if no sum can overflow."""
    largest = max((abs(int(one)) for one in differences.flat), default=0)
    weight = max((abs(int(one)) for one in inverse.flat), default=0)
    bound = differences.shape[1] ** 2 * max(largest, 1) ** 2 * max(weight, 1)
    return differences.astype(np.int64) if bound < _SAFE else differences


def _matrix(rows: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    flat = [fmpq(one.numerator, one.denominator) for row in rows for one in row]
    return fmpq_mat(len(rows), len(rows[0]), flat) if rows else fmpq_mat(fmpz_mat(0, 0, []))


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _integers(rows: Sequence[Sequence[Fraction]], columns: int) -> tuple[NDArray[np.object_], int]:
    """Fractions over one denominator."""
    denominator = math.lcm(*(one.denominator for row in rows for one in row))
    made = np.array([[int(one * denominator) for one in row] for row in rows], dtype=object)
    return made.reshape(len(rows), columns), denominator
