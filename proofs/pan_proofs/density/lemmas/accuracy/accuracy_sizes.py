"""Explicit sample sizes that suffice: the three sizes at fixed shares, compared with one formula."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.accuracy.accuracy_steps import plain
from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, gt
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m, tex
from pan_proofs.ledger.steps import at_most, lemma

long_log, short_log = sp.symbols("L K", real=True)
"""``log(6/beta)`` and ``log(3/beta)``."""
slope = sp.Symbol("t", real=True)
"""``tanh(epsilon/2)``."""


def logarithms() -> Step:
    """``log(3/beta)`` is positive and below ``log(6/beta)``."""
    return equality(
        "logarithms",
        r"Each source gets a third of $\beta$. Let $L = \log\frac6\beta$ and $K = \log\frac3\beta$; they differ by "
        r"$\log 2 > 0$, and $K > 0$ for $\beta < 1$.",
        r"L - K",
        sp.log(6 / beta) - sp.log(3 / beta),
        sp.log(2),
    )


def sizes_at(pair: str, shares: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Expr, ...]:
    """The three sizes at given shares, a third of ``beta`` for each; the logarithms as plain symbols."""
    fixed = {**shares, delta_3: sp.Rational(1, 3), delta_4: sp.Rational(1, 3)}
    table = {sp.log(6 / beta): long_log, sp.log(3 / beta): short_log, sp.tanh(epsilon / 2): slope}
    return tuple(sp.factor(size.subs(fixed).subs(table).subs(plain)) for size in accuracy_terms(pair).sizes)


def size_bounds(
    pair: str,
    name: str,
    shares: Mapping[sp.Symbol, sp.Expr],
    target: sp.Expr,
    region: tuple[Relational, ...],
    corner: Mapping[sp.Symbol, sp.Expr],
) -> tuple[Step, ...]:
    """The three sizes are at most the target, whose slack is least at a corner of the region.

    Parameters
    ----------
    shares
        Values of ``delta_1`` and ``delta_2``.
    target
        The size that is to suffice, in plain symbols, with the logarithm ``L``.
    region
        Assumptions on epsilon and ``t``.
    corner
        Where the ratio of a size to the target is greatest, besides ``alpha = 1`` and ``K = L``.
    """
    known = (*region, plain[alpha] > 0, plain[alpha] <= 1, short_log > 0, short_log <= long_log)
    at = {**corner, plain[alpha]: sp.Integer(1), short_log: sp.Integer(1), long_log: sp.Integer(1)}
    chosen = rf"$\delta_1 = {tex(shares[delta_1])}$, $\delta_2 = {tex(shares[delta_2])}$"
    steps = []
    for number, size in enumerate(sizes_at(pair, shares), start=1):
        greatest = sp.Rational(sp.cancel((size / target).subs(at)))
        steps.append(
            at_most(
                f"{name}_{number}",
                rf"At {chosen}, $m_{number}$ is at most the stated size, with a factor of at most ${tex(greatest)}$:",
                Inequality(
                    f"accuracy.{pair}.{name}_{number}",
                    size,
                    target,
                    known,
                    gap=greatest if greatest < 1 else None,
                    touching=at if greatest >= 1 else None,
                    weaker=greatest * sp.Rational(99, 100),
                ),
                lines=(rf"m_{number} = {tex(size)} &\le {tex(target)}",),
            )
        )
    return tuple(steps)


def order_for_small_beta(factor: sp.Expr | int, stated: int) -> tuple[Step, ...]:
    """``factor log(6/beta)`` is at most ``stated log(1/beta)`` for ``beta <= 1/2``."""
    two, six, level = sp.symbols("l_2 l_6 L", real=True)
    return (
        at_most(
            "log_ratio",
            r"Let $L = \log\frac1\beta \ge l_2 = \log 2$ and $l_6 = \log 6$: the ratio of $L + l_6$ to $L$ is "
            r"greatest at $\beta = \frac12$.",
            Inequality(
                "accuracy.log_ratio",
                level + six,
                (two + six) / two * level,
                (two > 0, six > 0, level >= two),
                touching={level: 1, two: 1, six: 1},
            ),
        ),
        lemma(
            "log_constant",
            rf"There it is $\frac{{\log 12}}{{\log 2}}$, which times ${tex(factor)}$ is less than ${stated}$.",
            (
                constant_at_most("log_ratio", sp.sympify(factor) * sp.log(12) / sp.log(2), sp.Integer(stated)),
                constant_at_most("log_six", factor * sp.log(6), (stated - factor) * sp.log(2)),
            ),
            (rf"{tex(factor)}\, \frac{{\log 12}}{{\log 2}} &\le {stated}",),
        ),
    )


def stated_order_for_small_beta(target: sp.Expr, order: sp.Expr) -> tuple[str, ...]:
    """A size of the stated order is one that suffices, formally.

    Parameters
    ----------
    target
        The factor of ``log(6/beta)`` in the size that suffices.
    order
        The factor of ``log(1/beta)``.
    """
    logarithm = sp.log(1 / beta)
    return (
        *symbolic(ge(logarithm, sp.log(2)), given=(beta <= sp.Rational(1, 2),)),
        *symbolic(
            ge(m, target * sp.log(6 / beta)),
            given=(
                ge(m, order * logarithm),
                ge(logarithm, sp.log(2)),
            ),
        ),
    )


def stated_no_order(pair: str) -> tuple[str, ...]:
    """For each constant a probability of failure for which the first size is larger than that order, formally."""
    constant = sp.Symbol("C", positive=True)
    witness = sp.exp(-(epsilon**2) / (5 * constant))
    return symbolic(
        gt(
            accuracy_terms(pair).sizes[0],
            constant * sp.log(1 / beta) / (epsilon * alpha) ** 2,
        ),
        given=(delta_1 < 1, delta_3 < 1),
        where={beta: witness},
    )
