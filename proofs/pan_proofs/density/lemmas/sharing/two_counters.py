"""The final distributions of a pair of bits of two counters, after one of them was seen, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import sympy as sp

from pan_proofs.density.lemmas.intrusions.several_releases import E, p, q, r

Values = frozenset[tuple[int, int]]
"""Values of a pair of bits."""

VALUES: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
"""The values of a pair of bits."""


@dataclass(frozen=True)
class PairDistribution:
    """Two independent bits.

    Attributes
    ----------
    first, second
        The probabilities of a one.
    """

    first: sp.Expr
    second: sp.Expr

    def of(self, values: Values) -> sp.Expr:
        """The probability of a set of values."""
        bits = [(1 - chance, chance) for chance in (self.first, self.second)]
        return sp.sympify(sum(bits[0][one] * bits[1][other] for one, other in values))

    @property
    def any_one(self) -> sp.Expr:
        """The probability that one of the bits is a one."""
        return self.of(frozenset(VALUES) - {(0, 0)})


def final_distributions(*, seen: int) -> Mapping[Any, PairDistribution]:
    """The distributions of the bits in the end, by what was seen and whether each counter drew its bit again.

    Parameters
    ----------
    seen
        1 if the bit of the first counter was seen, 2 if both were.
    """
    distributions: dict[Any, PairDistribution] = {}
    for bits in product((0, 1), repeat=seen):
        for draws in product(("never", "drawn"), repeat=2):
            first = p if draws[0] == "drawn" else sp.Integer(bits[0])
            kept = sp.Integer(bits[1]) if seen == 2 else q
            distributions[(*bits, *draws)] = PairDistribution(first, p if draws[1] == "drawn" else kept)
    return distributions


def sets_of_values() -> tuple[Values, ...]:
    """All sets of values but the empty one and the whole."""
    return tuple(frozenset(one) for size in (1, 2, 3) for one in combinations(VALUES, size))


def differences(distributions: Mapping[Any, PairDistribution]) -> list[sp.Expr]:
    """All differences of the probabilities of a set, for two distributions with the same seen bits; each form once."""
    seen = len(next(iter(distributions))) - 2
    pairs = [(one, other) for one, other in product(distributions, repeat=2) if one[:seen] == other[:seen]]
    sets = sets_of_values()
    chances = {
        name: [sp.cancel(distribution.of(values)) for values in sets] for name, distribution in distributions.items()
    }
    # Most of them are the same before they are brought to one form.
    raw = {one - other for pair in pairs for one, other in zip(*(chances[name] for name in pair), strict=True)}
    return sorted({sp.cancel(one) for one in raw}, key=sp.default_sort_key)


def bounded(difference: sp.Expr, bound: sp.Expr) -> bool:
    """Whether a rational function of E is at most another for all ``E >= 1``, as the signs of coefficients tell.

    With ``E = 1 + h`` the numerator and the denominator of the rest must have no negative coefficient.
    """
    above = sp.Symbol("h", nonnegative=True)
    rest = sp.fraction(sp.cancel(sp.together((bound - difference).subs(E, 1 + above))))
    signs = [[one >= 0 for one in sp.Poly(part, above).all_coeffs()] for part in rest]
    return all(map(all, signs))


def loss_of_one() -> sp.Expr:
    """The exponential of the loss with an intrusion in one counter."""
    return E * (1 + E * r**2) / (1 + E)


def loss_of_both() -> sp.Expr:
    """The exponential of the loss with an intrusion in each counter."""
    return E**2 * (1 + (E**2 + 2 * E) * r**2) / (1 + E) ** 2
