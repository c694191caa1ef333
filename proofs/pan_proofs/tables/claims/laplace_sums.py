"""Lemma 3.3 of the thesis: moments of a Laplace variable, and of the sum of M of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import comb, factorial

import sympy as sp

from pan_proofs.engines.independent_sums import Distribution, moment_of_sum, sum_moment
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import moment
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import counterexample, enumerated, equal
from pan_proofs.tables.lemmas.moments import holders, laplace_moment

_sixth, _quantity = sp.Symbol("E_6", positive=True), sp.Symbol("E_6")
_THREE_VALUES: Distribution = {
    (Fraction(-1),): Fraction(1, 2),
    (Fraction(2),): Fraction(1, 4),
    (Fraction(0),): Fraction(1, 4),
}


def by_integration(order: int) -> sp.Expr:
    """The same from the density, both sides of 0 added up."""
    place = sp.Symbol("x", positive=True)
    one_side = sp.integrate(place**order * sp.exp(-place), (place, 0, sp.oo)) * scale**order / 2
    return one_side + (-1) ** order * one_side


def by_multinomial_theorem(order: int, copies: int) -> Fraction:
    """The moment of a sum of copies with scale 1, over all ways to split the order among them."""
    total = Fraction(0)
    for split in splits(order, copies):
        term = Fraction(factorial(order))
        for part in split:
            term *= Fraction(0 if part % 2 else factorial(part), factorial(part))
        total += term
    return total


def splits(order: int, copies: int) -> Iterator[tuple[int, ...]]:
    """All tuples of numbers with the given sum, one number for each copy."""
    if copies == 0:
        if order == 0:
            yield ()
        return
    for first in range(order + 1):
        yield from ((first, *rest) for rest in splits(order - first, copies - 1))


def printed_sixth() -> sp.Expr:
    """The sixth moment as it is printed."""
    return 240 * (holders**3 + 2 * holders) * scale**6


def laplace_sum_moments() -> Claim:
    """The sixth moment is wrong from three variables on; all others are right."""
    return Claim(
        id="bayesnet.laplace_sum_moments",
        title="Moments of sums of Laplace variables",
        references=(Reference("networks", "Lemma 3.3, section 3.4.2"),),
        statement=r"For independent $\eta_i \sim \operatorname{Laplace}(0, b)$: $E[\eta_i^\kappa] = b^\kappa \kappa!$ "
        r"for even $\kappa$ and $0$ for odd $\kappa$. The moments of $\sum_{i=1}^M \eta_i$ of orders $1$ to $6$ are "
        r"$0$, $2Mb^2$, $0$, $12(M^2+M)b^4$, $0$ and $240(M^3+2M)b^6$.",
        notation=(
            (
                r"$\kappa_1, \ldots, \kappa_M$, $\kappa_i$",
                r"orders of the variables, with the sum $\kappa$, and one of them",
            ),
            ("$E_6$", "sixth moment of the sum"),
        ),
        hypotheses=(r"$b > 0$", "the variables are independent"),
        uses=("density.laplace_distribution",),
        parts=(
            Part(
                Role.PUBLISHED,
                "one variable, and orders up to five",
                r"All moments of one variable, the multinomial formula, and the moments of the sum of orders $1$ to "
                r"$5$ are as stated.",
                (
                    *tuple(
                        equal_as(
                            f"one_variable_{order}",
                            rf"One variable, order ${order}$, by integration; all orders are derived with the "
                            rf"distribution.",
                            (
                                partial(by_integration, order),
                                laplace_moment((order,)),
                            ),
                            rf"E[\eta_i^{order}] &= {sp.latex(laplace_moment((order,)))}",
                        )
                        for order in range(1, 7)
                    ),
                    enumerated(
                        "multinomial",
                        r"The sum over all splits of the order, as printed, is the recursion with one copy more, in "
                        r"which the powers of the last copy are chosen first. This is tested in fractions up to order "
                        r"$6$ and four copies.",
                        "the sum over all splits is that over the powers of the last copy",
                        ((order, copies) for order in range(7) for copies in range(1, 5)),
                        lambda case: by_multinomial_theorem(*case) == _last_copy(*case),
                        mutant=lambda case: (
                            by_multinomial_theorem(*case) == by_multinomial_theorem(case[0], case[1] - 1)
                        ),
                        lines=r"E\Bigl[\bigl(\sum_i \eta_i\bigr)^\kappa\Bigr] &= \sum \frac{\kappa!}{\kappa_1! \cdots "
                        r"\kappa_M!} \prod_i E[\eta_i^{\kappa_i}]",
                    ),
                    *(_of_sum(order, stated) for order, stated in _RIGHT.items()),
                ),
                formal=symbolic(*(eq(sp.Symbol(f"E_{order}", real=True), stated) for order, stated in _RIGHT.items())),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the sixth moment of three variables",
                r"For $M = 3$ the sixth moment is $7200 b^6$, not $7920 b^6$. For $M = 1$ and $M = 2$ the printed "
                r"value is right.",
                counterexample(
                    "three_variables",
                    r"The moment is the sum over all splits of the order $6$ among three variables of scale $1$.",
                    eq(_quantity, printed_sixth()),
                    {
                        _quantity: lambda: sp.Rational(by_multinomial_theorem(6, 3)),
                        holders: 3,
                        scale: 1,
                    },
                ),
            ),
            Part(
                Role.AMENDED,
                "the sixth moment",
                r"$E\bigl[(\sum \eta_i)^6\bigr] = 120\,M(M+1)(M+2)\,b^6$. The printed value is larger by "
                r"$120\,M(M-1)(M-2)\,b^6$.",
                (
                    _of_sum(6, _TRUE_SIXTH),
                    equal(
                        "excess",
                        r"The difference of the printed value from the true one vanishes for $M = 1$ and $M = 2$ "
                        r"alone.",
                        r"240(M^3+2M)b^6 - 120M(M+1)(M+2)b^6",
                        lambda: printed_sixth() - sum_moment((6,), laplace_moment, holders),
                        120 * holders * (holders - 1) * (holders - 2) * scale**6,
                    ),
                ),
                formal=symbolic(eq(_sixth, _TRUE_SIXTH)),
            ),
        ),
        remark=r"The sixth moments of the noisy counts and frequencies in the proof of Theorem 3.5 repeat the "
        r"printed value.",
    )


_RIGHT = {
    1: sp.S.Zero,
    2: 2 * holders * scale**2,
    3: sp.S.Zero,
    4: 12 * (holders**2 + holders) * scale**4,
    5: sp.S.Zero,
}
_TRUE_SIXTH = 120 * holders * (holders + 1) * (holders + 2) * scale**6


def _last_copy(order: int, copies: int) -> Fraction:
    return sum(
        (
            comb(order, power) * factorial(power) * by_multinomial_theorem(order - power, copies - 1)
            for power in range(0, order + 1, 2)
        ),
        Fraction(0),
    )


def _of_sum(order: int, stated: sp.Expr) -> Step:
    # A moment that is 0 for all numbers of copies has no mutant: the distribution's own moment is asked in its place.
    single = laplace_moment
    if stated == 0:
        return equal_as(
            f"sum_{order}",
            r"Odd orders vanish with the odd moments of each variable, for every $M$.",
            (
                lambda: sum_moment((order,), single, holders),
                stated,
            ),
            rf"E\Bigl[\bigl(\sum_i \eta_i\bigr)^{order}\Bigr] &= 0",
        )
    return moment(
        f"sum_{order}",
        r"Induction over the number of copies, from the moments of one, gives",
        moment_of_sum(
            f"laplace_sums.{order}",
            (order,),
            single,
            holders,
            stated,
            _THREE_VALUES,
            {holders: 3, scale: 1},
        ),
        (rf"E\Bigl[\bigl(\sum_i \eta_i\bigr)^{order}\Bigr] &= {sp.latex(sp.factor(stated))}",),
    )


CLAIMS = {"bayesnet.laplace_sum_moments": laplace_sum_moments}
