"""The three sources of error of a sampled density estimator, with the bound on each and the size that it asks for.

The steps here are those that several claims share; they differ in the gap of the two probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from pan_proofs.ledger.steps import lemma

PAIRS: dict[str, tuple[sp.Expr, sp.Expr]] = {
    "dwork": (sp.Rational(1, 2), sp.Rational(1, 2) + epsilon / 4),
    "optimal": ((1 - sp.tanh(epsilon / 2)) / 2, (1 + sp.tanh(epsilon / 2)) / 2),
}
"""Probabilities of a one before and after an appearance."""


SHARES = (1 - delta_1, delta_1 * (1 - delta_2), delta_1 * delta_2)
"""The shares of the accuracy: the lemma on sums is applied twice, and the second share is split by ``delta_2``."""
GOALS = (delta_3 * beta, delta_4 * beta, (1 - delta_3 - delta_4) * beta)
"""The bounds on the three probabilities."""
NAMES = ("sampling", "cells", "noise")
"""The three sources of error, numbered 1, 2, 3 in the sources."""
plain = {symbol: sp.Symbol(symbol.name, real=True) for symbol in (epsilon, alpha, delta_1, delta_2)}
"""The symbols without assumptions, which the solvers are told instead."""


@dataclass(frozen=True)
class AccuracyTerms:
    """The split of the error and what follows from it.

    Attributes
    ----------
    gap
        Difference of the two probabilities.
    thresholds
        The least deviation of the sample, of the cells and of the noise for each event.
    sampling, cells, noise
        The bounds on the three probabilities; the last is the probability itself.
    sizes
        The least real sample sizes for which they are at most ``delta_3 beta``, ``delta_4 beta`` and the rest.
    """

    gap: sp.Expr
    thresholds: tuple[sp.Expr, sp.Expr, sp.Expr]
    sampling: sp.Expr
    cells: sp.Expr
    noise: sp.Expr
    sizes: tuple[sp.Expr, sp.Expr, sp.Expr]


@cache
def accuracy_terms(pair: str) -> AccuracyTerms:
    """Compute everything from the two probabilities."""
    gap = PAIRS[pair][1] - PAIRS[pair][0]
    thresholds = (alpha * SHARES[0], gap * alpha * SHARES[1], alpha * SHARES[2])
    sampling, cells = (two_sided(m, distance) for distance in thresholds[:2])
    noise = laplace_tail(1 / (epsilon * m), thresholds[2])
    sizes = tuple(map(least_size, (sampling, cells, noise), GOALS))
    return AccuracyTerms(gap, thresholds, sampling, cells, noise, sizes)


def total_bound(terms: AccuracyTerms) -> sp.Expr:
    """The sum of the three bounds."""
    return terms.sampling + terms.cells + terms.noise


def rate(bound: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Factor and rate of a bound ``factor * exp(-rate * m)``."""
    factor = bound.subs(m, 0)
    speed = sp.simplify(-sp.diff(bound, m) / bound)
    return factor, speed


def least_size(bound: sp.Expr, goal: sp.Expr) -> sp.Expr:
    """The size at which ``factor * exp(-rate * m)`` equals the goal, by solving for the exponent."""
    factor, speed = rate(bound)
    return sp.log(factor / goal) / speed


def bounds_of(terms: AccuracyTerms) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The bounds on the three probabilities."""
    return terms.sampling, terms.cells, terms.noise


def stated_total(pair: str, total: sp.Symbol, third: sp.Symbol) -> tuple[str, ...]:
    """The bound on the probability of an error, formally: the lemmas on sums and on tails are assumptions."""
    tails = (*sp.symbols("p_1 p_2", nonnegative=True), third)
    bounds = bounds_of(accuracy_terms(pair))
    given = (sp.Le(total, sum(tails)), *(sp.Le(tail, bound) for tail, bound in zip(tails, bounds, strict=True)))
    return symbolic(sp.Le(total, sum(bounds)), given=given)


_JUST_FROM = (
    r"A bound $c\,e^{-rm}$ with $r > 0$ decreases in $m$. So it is at most its goal if and only if $m \ge m_i$."
)


def decreasing(pair: str) -> tuple[Step, ...]:
    """The three bounds decrease with the size of the sample."""
    factor, speed = sp.symbols("c r", positive=True)
    generic = factor * sp.exp(-speed * m)
    return (
        equality("decreasing", _JUST_FROM, r"\frac{d}{dm}\, c\,e^{-rm}", lambda: sp.diff(generic, m), -speed * generic),
        rates(pair),
    )


_POSITIVE = r"The three rates are positive for $\delta_1, \delta_2$ in the open interval."


def rates(pair: str, name: str = "rates", text: str = _POSITIVE) -> Step:
    """The rates of the three bounds are positive."""
    terms, gap = accuracy_terms(pair), sp.Symbol("g", real=True)
    inside = (
        *(plain[one] > 0 for one in (delta_1, delta_2, alpha, epsilon)),
        *(plain[one] < 1 for one in (delta_1, delta_2)),
    )
    edge = {plain[delta_1]: 1, plain[alpha]: 1, plain[epsilon]: 1, gap: 1, plain[delta_2]: 1}
    positive = [
        Inequality(
            f"accuracy.{pair}.rate_{source}",
            sp.Integer(0),
            rate(bound)[1].subs(terms.gap, gap).subs(plain),
            (*inside, gap > 0),
            strict=True,
            raised=sp.Integer(1),
            touching=edge | {plain[delta_1]: int(source != "noise")},
        ).discharge()
        for source, bound in zip(NAMES, bounds_of(terms), strict=True)
    ]
    return lemma(name, text, positive, (r"r_1, r_2, r_3 &> 0",))


def goals_add_up() -> Step:
    """The three goals add up to beta."""
    return equality(
        "goals_add_up",
        r"The three goals add up; so for an integer $m \ge \max(m_1, m_2, m_3)$, $m \le U$:",
        r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \delta_3\beta + \delta_4\beta + (1-\delta_3-\delta_4)\beta",
        sum(GOALS),
        beta,
        lines=(
            r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) &\le \delta_3\beta + \delta_4\beta + "
            r"(1-\delta_3-\delta_4)\beta = \beta",
        ),
    )
