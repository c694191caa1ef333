"""Untouched cells, by listing where all users fall; and the distribution of a level's count from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair


@dataclass(frozen=True)
class Cells:
    """Cells of one span in a small universe of indices, and a number of users whose indices are independent.

    Attributes
    ----------
    size
        The number of indices.
    cells
        The number of cells.
    span
        The number of indices of each cell; the other indices belong to none.
    users
        The number of users.
    """

    size: int
    cells: int
    span: int
    users: int

    @property
    def rate(self) -> Fraction:
        """The probability that a user touches a given cell."""
        return Fraction(self.span, self.size)

    def touched(self) -> Iterator[tuple[frozenset[int], Fraction]]:
        """For each way in which the users can fall: the touched cells, and its probability."""
        weight = Fraction(1, self.size**self.users)
        for indices in product(range(self.size), repeat=self.users):
            yield frozenset(one // self.span for one in indices if one < self.cells * self.span), weight

    def untouched(self, *places: int) -> Fraction:
        """The probability that all of some cells are untouched."""
        return sum((weight for touched, weight in self.touched() if not touched & {*places}), Fraction(0))

    def moments(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """The mean and the variance of the number of ones: bits are independent given the touched cells."""
        first = second = Fraction(0)
        for touched, weight in self.touched():
            chances = [pair[cell in touched] for cell in range(self.cells)]
            mean, spread = sum(chances, Fraction(0)), sum((one * (1 - one) for one in chances), Fraction(0))
            first, second = first + weight * mean, second + weight * (mean**2 + spread)
        return first, second - first**2


def stated_moments(cells: Cells, pair: Pair, *, dependent: bool = True) -> tuple[Fraction, Fraction]:
    """The mean and the variance by the formulas: with the covariance of two cells, or without it."""
    low, high = pair
    one, both = (1 - cells.rate) ** cells.users, (1 - 2 * cells.rate) ** cells.users
    chance = high - (high - low) * one
    covariance = (high - low) ** 2 * (both - one**2) * dependent
    return cells.cells * chance, cells.cells * chance * (1 - chance) + cells.cells * (cells.cells - 1) * covariance
