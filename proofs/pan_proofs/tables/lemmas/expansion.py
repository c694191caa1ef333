"""The expansion of ``(1 + u) log(1 + u)`` up to any order, with a bound on its remainder for all ``u`` from -1 on."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.steps import bounded

deviation, below, _log = sp.symbols("u v L", real=True)
"""Relative deviation of a frequency from its probability: at least -1; its opposite, where it is negative."""


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


def _around(above: sp.Expr, beneath: sp.Expr) -> tuple[Slopes, Slopes]:
    """That an expression is not negative above 0, and another one not between -1 and 0."""
    small, raised = sp.Rational(1, 100), sp.Rational(1, 1000)
    return (
        Slopes("above", above, deviation, sp.S.Zero, {deviation: small}, raised),
        Slopes("below", beneath.subs(deviation, -below), below, sp.S.Zero, {below: small}, raised, end=sp.S.One),
    )


def terms_above(order: int) -> tuple[Slopes, Slopes]:
    """The logarithm is at most its terms up to an odd order; up to an even one it is so below 0 alone."""
    apart = logarithm(order) - sp.log(1 + deviation)
    return _around(apart if order % 2 else -apart, apart)


def remainder_steps(order: int) -> Steps:
    """The remainder after an order, on both sides of 0: at most the next power over the order."""
    odd, terms, power = order % 2, tex(logarithm(order)), deviation ** (order + 1) / order
    rest, product = remainder(order), expansion(order) - (-1) ** order * power
    return (
        by_slopes(
            f"terms_of_{order}",
            r"The terms of the logarithm up to this order, on both sides of $0$.",
            *terms_above(order),
            lines=rf"\log(1+u) &\le {terms} \quad (u > -1)"
            if odd
            else rf"\pm\log(1+u) &\ge \pm\Bigl({terms}\Bigr) \quad (\pm u > 0)",
        ),
        equal_as(
            f"times_one_plus_{order}",
            r"This is multiplied by $1 + u > 0$.",
            (lambda: sp.expand((1 + deviation) * logarithm(order)), product),
            rf"(1+u)\Bigl({terms}\Bigr) &= {tex(product)}",
        ),
        by_slopes(
            f"remainder_{order}",
            rf"So the remainder $r(u) = (1+u)\log(1+u) - \bigl({tex(expansion(order))}\bigr)$ is bounded. It and its "
            r"derivative vanish at $0$, and its second derivative "
            rf"$\frac{{{tex((-deviation) ** (order - 1))}}}{{1+u}}$ has one sign on each side.",
            *_around(rest if odd else -rest, rest),
            lines=rf"0 \le r(u) &\le {tex(power)} \quad (u > -1)"
            if odd
            else rf"|r(u)| &\le \tfrac1{order} |u|^{order + 1} \quad (u > -1)",
        ),
    )


def clipped_steps(order: int) -> Steps:
    """A negative frequency is set to 0: what the terms up to an odd order miss."""
    missed, bound = _missed(order)
    beyond, power = (ge(below, 1), ge(_log, 0)), {1: r"(1 + L)\,v^2", 3: r"\bigl(\tfrac13 + L\bigr)\,v^4"}[order]
    return (
        bounded(
            "set_to_zero_above",
            r"A negative frequency $p(1 - v)$, $v > 1$, is set to $0$. With $L = -\log p$ the terms of its symbol miss "
            rf"$0$ by $p$ times ${tex(missed)}$.",
            le(missed, bound),
            *beyond,
            lines=rf"{tex(missed)} &\le {power}",
            gap=sp.Rational(1, 2),
            weaker=sp.Rational(1, 20),
        ),
        bounded(
            "set_to_zero_below", r"From below:", le(-missed, bound), *beyond, lines=rf"-({tex(missed)}) &\le {power}"
        ),
    )


def _missed(order: int) -> tuple[sp.Expr, sp.Expr]:
    missed = _log * (below - 1) + expansion(order).subs(deviation, -below)
    return missed, (sp.Rational(1, order) + _log) * below ** (order + 1)


def stated_remainder(order: int) -> tuple[str, ...]:
    """The remainder after an odd order, on both sides, formally."""
    rest, inside = remainder(order), (gt(below, 0), lt(below, 1))
    turned = rest.subs(deviation, -below)
    return (
        *symbolic(ge(rest, 0), le(rest, deviation ** (order + 1) / order), given=(deviation > 0,)),
        *symbolic(ge(turned, 0), le(turned, below ** (order + 1) / order), given=inside),
    )
