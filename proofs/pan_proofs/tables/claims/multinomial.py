"""Lemma 3.2 of the thesis: moments of the counts of a multinomial sample."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.independent_sums import Distribution, Powers, moment_of_sum
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.lengths_and_limits import moment
from pan_proofs.tables.lemmas.moments import COUNTS, PAIRS, chance, one_indicator, other, records

_ONE: Distribution = {(Fraction(1),): Fraction(1, 3), (Fraction(0),): Fraction(2, 3)}
_TWO: Distribution = {
    (Fraction(1), Fraction(0)): Fraction(1, 3),
    (Fraction(0), Fraction(1)): Fraction(1, 2),
    (Fraction(0), Fraction(0)): Fraction(1, 6),
}


def multinomial_moments() -> Claim:
    """All eight moments are right."""
    return Claim(
        id="bayesnet.multinomial_moments",
        title="Moments of multinomial counts",
        references=(Reference("networks", "Lemma 3.2, section 3.4.2", "derived here by induction over the records"),),
        statement=r"The first six moments of a multinomial count, $E[c_i c_j]$ and $E[c_i^2 c_j]$ for $i \ne j$, as "
        r"displayed.",
        hypotheses=("the records are independent, with the same distribution",),
        parts=(
            Part(
                Role.PUBLISHED,
                "one count",
                r"The moments of orders $1$ to $6$ are as displayed, for every number of records.",
                tuple(_moment((order,), stated) for order, stated in COUNTS.items()),
                formal=symbolic(*(eq(sp.Symbol(f"E_{order}", real=True), stated) for order, stated in COUNTS.items())),
            ),
            Part(
                Role.PUBLISHED,
                "two counts",
                r"The two mixed moments are as displayed, for every number of records.",
                tuple(_moment(powers, stated) for powers, stated in PAIRS.items()),
                formal=symbolic(
                    *(eq(sp.Symbol(f"E_{one}{two}", real=True), stated) for (one, two), stated in PAIRS.items())
                ),
            ),
        ),
    )


def _moment(powers: Powers, stated: sp.Expr) -> Step:
    shown = " ".join(f"c_{name}^{power}" for name, power in zip("ij", powers, strict=False))
    return moment(
        f"moment_{'_'.join(map(str, powers))}",
        (
            r"A count is a sum of independent indicators, one for each record. In one record at most one of two "
            r"different symbols occurs."
            if sum(powers) == len(powers)
            else r"The same induction over the records gives"
        ),
        moment_of_sum(
            f"multinomial.{'_'.join(map(str, powers))}",
            powers,
            one_indicator,
            records,
            stated,
            _ONE if len(powers) == 1 else _TWO,
            {records: 3, chance: sp.Rational(1, 3), other: sp.Rational(2, 5)},
        ),
        (rf"E[{shown}] &= {sp.latex(stated)}",),
    )


CLAIMS = {"bayesnet.multinomial_moments": multinomial_moments}
