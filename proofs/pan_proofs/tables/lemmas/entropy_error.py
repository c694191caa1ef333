"""The mean squared error of the entropy of frequencies: its first two orders, and the order of the rest."""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Steps
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.lemmas.count_moments import chance, other, proved, records, relative
from pan_proofs.tables.lemmas.symbol_sums import (
    alphabet,
    log_chance,
    log_other,
    over_pairs,
    over_symbols,
    pairs_of_symbols,
    spread,
)

_FACTORS = {1: -log_chance, 2: -sp.Rational(1, 2), 3: sp.Rational(1, 6), 4: -sp.Rational(1, 12)}
"""The factors of ``p u^k`` in the expansion of the error of one symbol; the first one is with the logarithm."""
_EXACT = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4))
"""The products of powers of two deviations whose expectations are taken exactly."""


@cache
def exact_part() -> sp.Expr:
    """The expectation of all products of order five at most in the squared sum over the symbols."""
    total = sp.S.Zero
    for one, two in _EXACT:
        ways = 1 if one == two else 2
        factor = ways * _FACTORS[one] * _FACTORS[two].subs(log_chance, log_other)
        total += over_pairs(factor * chance * other * relative((one, two)))
        total += over_symbols(factor.subs(log_other, log_chance) * chance**2 * relative((one + two,)))
    return sp.expand(total)


def coefficient(order: int) -> sp.Expr:
    """The coefficient of a power of ``1/n``."""
    return sp.factor(exact_part().coeff(records, -order))


def main_terms() -> Steps:
    """The terms of orders one and two."""
    return (
        pairs_of_symbols(),
        *(proved(powers) for powers in _EXACT),
        equal_as(
            "order_one",
            r"The squared sum over the symbols of $-p_i\bigl(u_i \log p_i + \frac{u_i^2}2 - \frac{u_i^3}6 + "
            r"\frac{u_i^4}{12}\bigr)$, with $\sum p_i = 1$ and $\sum p_i u_i = 0$: all products of order five at "
            r"most give, at order $\frac1n$,",
            (
                lambda: coefficient(1),
                spread**2,
            ),
            r"\lim_{n \to \infty} n\,E[(\hat H - H)^2] &= \sigma^2 = \sum_i p_i \log^2 p_i - H^2",
        ),
        equal_as(
            "order_two",
            r"At order $\frac1{n^2}$ they give",
            (lambda: coefficient(2), (alphabet**2 - 1) / 4),
            r"\lim_{n \to \infty} n^2 \bigl(E[(\hat H - H)^2] - \tfrac{\sigma^2}n\bigr) &= \frac{d^2-1}{4}",
        ),
        equal_as(
            "no_lower_order",
            r"There is no other order below three among them.",
            (
                lambda: sp.limit(
                    records**2 * (exact_part() - coefficient(1) / records - coefficient(2) / records**2),
                    records,
                    sp.oo,
                ),
                sp.S.Zero,
            ),
            r"\lim_{n \to \infty} n^2 \Bigl(\text{exact part} - \frac{\sigma^2}n - \frac{d^2-1}{4n^2}\Bigr) &= 0",
        ),
    )


def small_products() -> Steps:
    """All other products are of order six or more, and of order three in ``1/n``."""
    first, second = sp.symbols("x y", nonnegative=True)
    frequency = sp.Symbol("f", nonnegative=True)
    within = (frequency <= 1, chance < 1)
    return (
        *(
            at_most(
                f"product_{power}",
                rf"A product of orders ${power}$ and ${6 - power}$ of absolute deviations is at most the sum of their "
                r"sixth powers.",
                Inequality(
                    f"entropy_error.product_{power}",
                    first**power * second ** (6 - power),
                    first**6 + second**6,
                    (first >= 0, second >= 0),
                    touching={first: 0, second: 0},
                    weaker=sp.Rational(1, 4),
                ),
                lines=rf"x^{power} y^{6 - power} &\le x^6 + y^6",
            )
            for power in (1, 2, 3)
        ),
        at_most(
            "largest_deviation",
            r"A deviation $u = \frac fp - 1$ is bounded above",
            Inequality(
                "entropy_error.largest_deviation",
                frequency / chance - 1,
                1 / chance - 1,
                within,
                touching={frequency: 1, chance: sp.Rational(1, 2)},
            ),
            lines=r"u &\le \tfrac1p - 1",
        ),
        at_most(
            "least_deviation",
            r"It is bounded below. Its absolute value is at most $\frac1p$. So a product of a higher order is at most "
            r"a constant times one of order six. Its expectation is at most a constant times $E[u_i^6] + E[u_j^6]$, "
            r"and $E[u^6] \le \frac{1}{n^3p^5}$ by the part on the bias.",
            Inequality(
                "entropy_error.least_deviation",
                1 - frequency / chance,
                sp.S.One,
                within,
                touching={frequency: 0, chance: sp.Rational(1, 2)},
            ),
            lines=r"-u &\le 1",
        ),
    )
