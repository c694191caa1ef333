"""Independence given only the density of the sample: the cells are dependent. Given the sample they are independent."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_steps import averaging
from pan_proofs.engines.relations import eq, ne
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import counterexample

_USERS = (1, 2, 3, 4)
_APPEARED = frozenset({2, 3})
_SIZE = 2

_product, _first, _second = (
    sp.Symbol(rf"E[{cells} \mid d(\mathcal{{S}}_M) = \frac{{1}}{{2}}]") for cells in ("b_1 b_2", "b_1", "b_2")
)
"""The expectations of the product of two cells and of each, given that half of the sample has appeared."""


def moments_given_density(before: Fraction, after: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Expectations of the product of two cells and of each, given that half of the sample has appeared.

    Of four users the second and the third have appeared, and two are sampled; the cells are in the order of the
    users. All samples of density 1/2 are gone through; given each of them the cells are independent.

    Parameters
    ----------
    before, after
        Mean of the cell of a user who has not appeared, and of one who has.
    """
    samples = [one for one in combinations(_USERS, _SIZE) if 2 * len(_APPEARED.intersection(one)) == _SIZE]
    means = [[after if user in _APPEARED else before for user in sample] for sample in samples]
    share = Fraction(1, len(samples))
    return (
        sum((share * first * second for first, second in means), Fraction(0)),
        sum((share * first for first, _ in means), Fraction(0)),
        sum((share * second for _, second in means), Fraction(0)),
    )


def cells_given_density(name: str, text: str, before: Fraction, after: Fraction, line: str) -> Step:
    """The expectation of a product is not the product of the expectations, given the density alone."""
    found = moments_given_density(before, after)
    values = (sp.Rational(one.numerator, one.denominator) for one in found)
    return counterexample(
        name,
        r"Let $U = 4$, $m = 2$; the users $2$ and $3$ have appeared, and the cells are in the order of the users. "
        r"Given "
        r"$d(\mathcal{S}_M) = \frac12$ the sample is one of $\{1,2\}$, $\{1,3\}$, $\{2,4\}$, $\{3,4\}$, each equally "
        rf"likely; just one of the two cells is of a user who has appeared. {text}",
        eq(_product, _first * _second),
        dict(zip((_product, _first, _second), values, strict=True)),
        lines=(line,),
    )


def stated_dependence() -> tuple[str, ...]:
    """That the two cells are not independent given the density, formally."""
    return symbolic(ne(_product, _first * _second))


def bound_given_density() -> Step:
    """The displayed conditional bound holds nevertheless."""
    return averaging(
        "averaging_given_density",
        r"Given the sample the cells are independent, and the bound $B$ holds, the same for all samples. The "
        r"probability given the density is the average over the samples of this density, and so at most $B$ as well.",
        r"P(\cdot \mid M) \le B &\implies P(\cdot \mid d(\mathcal{S}_M)) \le B",
    )
