"""Entropy and the variance of the logarithm of a distribution with rational probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp


def exact(number: Fraction) -> sp.Rational:
    """A fraction for sympy."""
    return sp.Rational(number.numerator, number.denominator)


def entropy_of(distribution: Sequence[Fraction]) -> sp.Expr:
    """The entropy in nats."""
    return sp.Add(*(-exact(one) * sp.log(exact(one)) for one in distribution if one))


def log_variance(distribution: Sequence[Fraction]) -> sp.Expr:
    """The variance of the logarithm of the probability of a random value."""
    squares = sp.Add(*(exact(one) * sp.log(exact(one)) ** 2 for one in distribution if one))
    return sp.expand(squares - entropy_of(distribution) ** 2)
