"""The same errors in fractions, by going through every sample, every cell's content and every noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

import sympy as sp

from pan_proofs.density.lemmas.errors.estimate_errors import CellEstimate, averaged, coin, coin_density, sampled_density
from pan_proofs.foundations.distributions import FiniteDistribution
from pan_proofs.ledger.notation import density, m, present, universe

Weighted = tuple[Fraction, Fraction]
"""An outcome and its probability."""

_COIN = Fraction(1, 3)


@dataclass(frozen=True)
class ExactEstimate:
    """The estimator with finite distributions.

    Attributes
    ----------
    initial, updated, noise
        Outcomes and probabilities of a cell and of the noise.
    """

    initial: tuple[Weighted, ...]
    updated: tuple[Weighted, ...]
    noise: tuple[Weighted, ...]

    def outputs(self, appeared: Sequence[bool]) -> Iterator[Weighted]:
        """Every output of a sample, with its probability; some repeat."""
        low, high = (
            sum((value * weight for value, weight in distribution), Fraction(0))
            for distribution in (self.initial, self.updated)
        )
        distributions = [self.updated if one else self.initial for one in appeared]
        for *cells, (added, chance) in product(*distributions, self.noise):
            average = sum((value for value, _ in cells), Fraction(0)) / len(distributions)
            yield (average - low) / (high - low) + added, chance * prod(weight for _, weight in cells)

    def error(self, appeared: Sequence[bool], target: Fraction) -> tuple[Fraction, Fraction]:
        """Expectation and mean squared distance from the target, for one sample."""
        outputs = list(self.outputs(appeared))
        return (
            sum((value * weight for value, weight in outputs), Fraction(0)),
            sum(((value - target) ** 2 * weight for value, weight in outputs), Fraction(0)),
        )

    def symbolic(self) -> CellEstimate:
        """The estimator of the general formulas with these distributions."""
        return CellEstimate(*(_distribution(one) for one in (self.initial, self.updated, self.noise)))


def _distribution(outcomes: tuple[Weighted, ...]) -> FiniteDistribution:
    return FiniteDistribution(tuple((_rational(value), _rational(weight)) for value, weight in outcomes))


TESTED = (
    ExactEstimate(
        ((Fraction(0), Fraction(1, 2)), (Fraction(1), Fraction(1, 2))),
        ((Fraction(0), Fraction(3, 8)), (Fraction(1), Fraction(5, 8))),
        ((Fraction(-1), Fraction(1, 2)), (Fraction(1), Fraction(1, 2))),
    ),
    ExactEstimate(
        ((Fraction(-1), Fraction(1, 5)), (Fraction(0), Fraction(1, 2)), (Fraction(3), Fraction(3, 10))),
        ((Fraction(1, 2), Fraction(2, 3)), (Fraction(5), Fraction(1, 3))),
        ((Fraction(-1), Fraction(2, 3)), (Fraction(2), Fraction(1, 3))),
    ),
)
"""Two estimators with small finite distributions: bits with equal chances at first, and cells with three and two
contents.
"""


@dataclass(frozen=True)
class Enumerated:
    """One case: two formulas, and their values by going through all outcomes.

    Attributes
    ----------
    formulas
        The expectation and the mean squared error.
    found
        Their values.
    values
        The size of the sample, and the other symbols of the formulas.
    """

    formulas: tuple[sp.Expr, sp.Expr]
    found: tuple[Fraction, Fraction]
    values: Mapping[sp.Symbol, int | Fraction]

    def agrees(self, *, more: int = 0) -> bool:
        """Whether the formulas have the values, for a sample of the size or of a larger one.

        Parameters
        ----------
        more
            The number of users more.
        """
        values = {**self.values, m: self.values[m] + more}
        at = {symbol: _rational(Fraction(value)) for symbol, value in values.items()}
        return all(
            bool(sp.cancel(formula.subs(at)) == _rational(one))
            for formula, one in zip(self.formulas, self.found, strict=True)
        )


def fixed_samples(largest: int = 3) -> Iterator[Enumerated]:
    """The formulas for a fixed sample and the enumeration, for every density of a sample of up to 3 users."""
    for exact in TESTED:
        estimate = exact.symbolic()
        formulas = estimate.expectation(), estimate.error(present)
        for size in range(1, largest + 1):
            for count in range(size + 1):
                found = exact.error([i < count for i in range(size)], Fraction(count, size))
                yield Enumerated(formulas, found, {m: size, present: Fraction(count, size)})


def uniform_samples(largest: int = 3, users: int = 4) -> Iterator[Enumerated]:
    """The same about d(S), over all samples of up to 3 of up to 4 users without replacement."""
    for exact in TESTED:
        formulas = _over_samples(exact.symbolic())
        for population in range(2, users + 1):
            for size in range(1, min(largest, population) + 1):
                for count in range(population + 1):
                    found = _average(exact, population, size, count)
                    share = Fraction(count, population)
                    yield Enumerated(formulas, found, {m: size, universe: population, density: share})


def random_users(largest: int = 3) -> Iterator[Enumerated]:
    """The same about the chance of appearing, over all sets of users of a sample of up to 3."""
    for exact in TESTED:
        formulas = _over_coins(exact.symbolic())
        for size in range(1, largest + 1):
            found = [Fraction(0), Fraction(0)]
            for appeared in product((False, True), repeat=size):
                chance = prod(_COIN if one else 1 - _COIN for one in appeared)
                for place, part in enumerate(exact.error(appeared, _COIN)):
                    found[place] += chance * part
            yield Enumerated(formulas, (found[0], found[1]), {m: size, coin: _COIN})


def _over_samples(estimate: CellEstimate) -> tuple[sp.Expr, sp.Expr]:
    average = averaged(estimate.expectation(), sampled_density())
    return average, estimate.averaged_error(density, sampled_density())


def _over_coins(estimate: CellEstimate) -> tuple[sp.Expr, sp.Expr]:
    average = averaged(estimate.expectation(), coin_density())
    return average, estimate.averaged_error(coin, coin_density())


def _average(exact: ExactEstimate, population: int, size: int, count: int) -> tuple[Fraction, Fraction]:
    samples = list(combinations(range(population), size))
    parts = [exact.error([user < count for user in one], Fraction(count, population)) for one in samples]
    return (
        sum((one for one, _ in parts), Fraction(0)) / len(samples),
        sum((other for _, other in parts), Fraction(0)) / len(samples),
    )


def _rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)
