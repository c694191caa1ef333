"""The expansion of ``(1 + u) log(1 + u)`` with its remainder, for all ``u`` from -1 on."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes

deviation, _below = sp.symbols("u v", real=True)
_SMALL = sp.Rational(1, 100)
_RAISED = sp.Rational(1, 1000)


def expansion(order: int) -> sp.Expr:
    """The terms of ``(1 + u) log(1 + u)`` up to an order."""
    u = deviation
    return u + sp.Add(*(sp.Rational((-1) ** k, k * (k - 1)) * u**k for k in range(2, order + 1)))


def logarithm(order: int) -> sp.Expr:
    """The terms of ``log(1 + u)`` up to an order."""
    return sp.Add(*(sp.Rational((-1) ** (k + 1), k) * deviation**k for k in range(1, order + 1)))


def remainder(order: int) -> sp.Expr:
    """The part of ``(1 + u) log(1 + u)`` that its terms up to an order leave."""
    return (1 + deviation) * sp.log(1 + deviation) - expansion(order)


def even_remainder() -> Steps:
    """The remainder after order five lies between 0 and a fifth of the sixth power."""
    return (
        by_slopes(
            "logarithm_above",
            r"An odd number of terms is at least the logarithm, on both sides of $0$.",
            *_both_sides("logarithm_above", logarithm(5) - sp.log(1 + deviation)),
            lines=r"\log(1+u) &\le u - \tfrac{u^2}2 + \tfrac{u^3}3 - \tfrac{u^4}4 + \tfrac{u^5}5 \quad (u > -1)",
        ),
        equal_as(
            "times_one_plus",
            r"This is multiplied by $1 + u > 0$.",
            (
                lambda: sp.expand((1 + deviation) * logarithm(5)),
                expansion(5) + deviation**6 / 5,
            ),
            r"(1+u)\bigl(u - \tfrac{u^2}2 + \tfrac{u^3}3 - \tfrac{u^4}4 + \tfrac{u^5}5\bigr) &= "
            r"u + \tfrac{u^2}2 - \tfrac{u^3}6 + \tfrac{u^4}{12} - \tfrac{u^5}{20} + \tfrac{u^6}5",
        ),
        by_slopes(
            "remainder_above_zero",
            r"So the remainder $r(u) = (1+u)\log(1+u) - u - \frac{u^2}2 + \frac{u^3}6 - \frac{u^4}{12} + "
            r"\frac{u^5}{20}$ is at most $\frac15 u^6$. It is not negative: it and its derivative vanish at $0$, and "
            r"its second derivative is $\frac{u^4}{1+u}$.",
            *_both_sides("remainder_above_zero", remainder(5)),
            lines=r"0 \le r(u) &\le \tfrac15 u^6 \quad (u > -1)",
        ),
        equal_as(
            "remainder_at_the_end",
            r"A frequency of $0$ is $u = -1$, with $0 \log 0 = 0$. That is the limit, where the bound is attained.",
            (
                lambda: sp.limit(remainder(5), deviation, -1, "+"),
                sp.Rational(1, 5),
            ),
            r"r(-1) = \lim_{u \to -1} r(u) &= \tfrac15",
        ),
    )


def odd_remainder() -> Steps:
    """The remainder after order four is at most a quarter of the fifth power, in absolute value."""
    u = deviation
    after = sp.log(1 + u) - logarithm(4)
    return (
        by_slopes(
            "fourth_logarithm",
            r"An even number of terms is at most the logarithm above $0$, and at least the logarithm below $0$.",
            _above("fourth_logarithm.above", after),
            _beneath("fourth_logarithm.below", -after),
            lines=r"\pm\log(1+u) &\ge \pm\bigl(u - \tfrac{u^2}2 + \tfrac{u^3}3 - \tfrac{u^4}4\bigr) \quad (\pm u > 0)",
        ),
        equal_as(
            "fourth_times_one_plus",
            r"This is multiplied by $1 + u > 0$.",
            (
                lambda: sp.expand((1 + u) * logarithm(4)),
                expansion(4) - u**5 / 4,
            ),
            r"(1+u)\bigl(u - \tfrac{u^2}2 + \tfrac{u^3}3 - \tfrac{u^4}4\bigr) &= "
            r"u + \tfrac{u^2}2 - \tfrac{u^3}6 + \tfrac{u^4}{12} - \tfrac{u^5}4",
        ),
        by_slopes(
            "fourth_remainder",
            r"The remainder $\rho(u)$ after the fourth order has the sign of $-u$: its second derivative is "
            r"$-\frac{u^3}{1+u}$. So it lies between $0$ and $-\frac14 u^5$.",
            _above("fourth_remainder.above", -remainder(4)),
            _beneath("fourth_remainder.below", remainder(4)),
            lines=r"|\rho(u)| &\le \tfrac14 |u|^5 \quad (u > -1)",
        ),
    )


def _both_sides(name: str, expression: sp.Expr) -> tuple[Slopes, Slopes]:
    return _above(f"{name}.above", expression), _beneath(f"{name}.below", expression)


def _above(name: str, expression: sp.Expr) -> Slopes:
    return Slopes(name, expression, deviation, sp.S.Zero, {deviation: _SMALL}, _RAISED)


def _beneath(name: str, expression: sp.Expr) -> Slopes:
    turned = expression.subs(deviation, -_below)
    return Slopes(name, turned, _below, sp.S.Zero, {_below: _SMALL}, _RAISED, end=sp.S.One)
