"""Exact distributions of sums of bits, as fractions, and rational bounds of the exponential function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import factorial

Distribution = dict[int, Fraction]
"""For each value of a sum its probability."""


def poisson_binomial(probabilities: Sequence[Fraction]) -> Distribution:
    """Distribution of a sum of independent bits with the given probabilities of a one."""
    distribution: Distribution = {0: Fraction(1)}
    for probability in probabilities:
        grown: Distribution = {}
        for value, weight in distribution.items():
            grown[value] = grown.get(value, Fraction(0)) + weight * (1 - probability)
            grown[value + 1] = grown.get(value + 1, Fraction(0)) + weight * probability
        distribution = grown
    return distribution


@cache
def hypergeometric(population: int, ones: int, draws: int) -> Distribution:
    """Distribution of the number of ones in a sample without replacement, drawn one after the other."""
    distribution: Distribution = {0: Fraction(1)}
    for drawn in range(draws):
        grown: Distribution = {}
        for value, weight in distribution.items():
            chance = Fraction(ones - value, population - drawn)
            if chance < 1:
                grown[value] = grown.get(value, Fraction(0)) + weight * (1 - chance)
            if chance > 0:
                grown[value + 1] = grown.get(value + 1, Fraction(0)) + weight * chance
        distribution = grown
    return distribution


def sampled_bits(population: int, ones: int, draws: int, before: Fraction, after: Fraction) -> Distribution:
    """The distribution of the sum of a sample's bits: ``after`` for users who have appeared, else ``before``."""
    distribution: Distribution = {}
    for present, weight in hypergeometric(population, ones, draws).items():
        for value, chance in poisson_binomial([after] * present + [before] * (draws - present)).items():
            distribution[value] = distribution.get(value, Fraction(0)) + weight * chance
    return distribution


def two_sided_tail(distribution: Distribution, centre: Fraction, distance: Fraction) -> Fraction:
    """Probability of a value at least ``distance`` from ``centre``."""
    return sum((weight for value, weight in distribution.items() if abs(value - centre) >= distance), Fraction(0))


def upper_tail(distribution: Distribution, centre: Fraction, distance: Fraction) -> Fraction:
    """Probability of a value at least ``distance`` above ``centre``."""
    return sum((weight for value, weight in distribution.items() if value - centre >= distance), Fraction(0))


def exponential_moment(distribution: Distribution, base: Fraction) -> Fraction:
    """Expectation of ``base`` to the power of the sum."""
    return sum((weight * base**value for value, weight in distribution.items()), Fraction(0))


_FACTORS = tuple(factorial(15) // factorial(degree) for degree in range(16))


@cache
def exp_below(exponent: Fraction) -> Fraction:
    """A fraction below ``exp(-exponent)``, close to it, for an exponent that is not negative.

    The Taylor polynomials of odd degree of ``exp(-y)`` are below it for all ``y >= 0``.
    """
    if exponent < 0:
        raise ValueError(f"the exponent must not be negative, got {exponent}")
    # Halve until the series is short, and square back: all factors stay positive and below.
    halvings = 0
    while exponent > 1:
        exponent /= 2
        halvings += 1
    top, bottom = exponent.numerator, exponent.denominator
    # The polynomial of degree 15 over one denominator, rounded down.
    terms = (_FACTORS[degree] * (-top) ** degree * bottom ** (15 - degree) for degree in range(16))
    total = Fraction(sum(terms) * 2**80 // (_FACTORS[0] * bottom**15), 2**80)
    return total ** (2**halvings)


@dataclass(frozen=True)
class Tail:
    """The probability that a sum of bits deviates from its expectation to one side.

    Attributes
    ----------
    draws
        The number of bits.
    distance
        The least deviation of the sum.
    chance
        The probability.
    """

    draws: int
    distance: Fraction
    chance: Fraction

    def below(self, rate: int) -> bool:
        """Whether it is at most ``exp(-rate m s^2)``, where ``m s`` is the deviation of the sum of ``m`` bits."""
        return self.chance <= exp_below(rate * self.distance**2 / self.draws)


def tails(distribution: Distribution, mean: Fraction, draws: int) -> Iterator[Tail]:
    """Every upper and lower tail of the distribution of a sum of ``draws`` bits."""
    for side in (1, -1):
        mirrored = {side * value: weight for value, weight in distribution.items()}
        for value in mirrored:
            distance = value - side * mean
            if distance > 0:
                yield Tail(draws, distance, upper_tail(mirrored, side * mean, distance))


def tails_below_bound(distribution: Distribution, mean: Fraction, draws: int) -> tuple[int, bool]:
    """Compare every upper and lower tail of a distribution with ``exp(-2 m s^2)``, exactly.

    Returns
    -------
    tuple of int and bool
        The number of tails, and whether all are below the bound.
    """
    held = [tail.below(2) for tail in tails(distribution, mean, draws)]
    return len(held), all(held)
