"""The sum of the three bounds as a function of the shares and of the size: its edges, its slopes, and that it falls."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_steps import NAMES, bounds_of
from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms, rate, total_bound
from pan_proofs.density.lemmas.accuracy.certified_sizes import CLOSED, FIRST, SECOND
from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.exponentials import falling_sum
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import derivative_is
from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m, t
from pan_proofs.ledger.steps import lemma

_gap = sp.Symbol("g", positive=True)
_next = sp.Symbol("B", real=True)
"""A number that no value of the bound at ``m + 1`` is below, as its minimum."""


def _general() -> sp.Expr:
    """The sum of the three bounds for any gap ``g``: ``epsilon/4`` for the fair bit, ``t`` for the optimal pair."""
    return total_bound(accuracy_terms("optimal")).xreplace({sp.tanh(epsilon / 2): _gap})


def on_edges() -> list[sp.Expr]:
    """The sum less 1 on each edge."""
    edges = ((FIRST, 0), (FIRST, 1), (SECOND, 0), (SECOND, 1))
    return [(_general().xreplace(CLOSED) - 1).subs(share, end) for share, end in edges]


def above_one() -> Step:
    """On each edge of the square the sum is more than 1."""
    return lemma(
        "edges_again",
        r"On each edge one of the three positive terms is $1$ or $2$, for any gap $g$ of the two probabilities.",
        of_one_sign("edges_again", "the sum less 1 is positive on each edge", *on_edges(), shown=True),
        (r"\beta(\delta_1, \delta_2) - 1 &> 0 \quad\text{on the edges}",),
    )


def _slopes() -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    sampling, cells, noise = _terms()
    across = (
        4 * m * alpha**2 * (1 - delta_1) * sampling
        - 4 * m * _gap**2 * alpha**2 * delta_1 * (1 - delta_2) ** 2 * cells
        - epsilon * alpha * m * delta_2 * noise
    )
    along = 4 * m * _gap**2 * alpha**2 * delta_1**2 * (1 - delta_2) * cells - epsilon * alpha * m * delta_1 * noise
    return (delta_1, across), (delta_2, along)


def _terms() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    terms = accuracy_terms("optimal")
    return terms.sampling, terms.cells.xreplace({sp.tanh(epsilon / 2): _gap}), terms.noise


def stationary() -> tuple[Step, ...]:
    """The slopes along both shares."""
    lines = (
        r"0 = 4m\alpha^2(1-\delta_1)T_1 &- 4m g^2\alpha^2\delta_1(1-\delta_2)^2 T_2 - \varepsilon\alpha m\delta_2 T_3",
        r"0 = 4m g^2\alpha^2\delta_1^2(1-\delta_2)T_2 &- \varepsilon\alpha m\delta_1 T_3",
    )
    texts = (
        r"On the edges the value exceeds $1$, as above. With $T_1, T_2, T_3$ the three terms and the gap $g$, which is "
        r"$\frac\varepsilon4$ for the fair first bit and $t$ for the optimal pair, both slopes vanish at a minimum "
        r"within the square:",
        r"The other slope is",
    )
    return tuple(
        lemma(
            f"slope_{number + 1}",
            texts[number],
            derivative_is(f"slope_{number + 1}", _general(), share, slope),
            (lines[number],),
        )
        for number, (share, slope) in enumerate(_slopes())
    )


def stated_stationary() -> tuple[str, ...]:
    """The two slopes, formally: both vanish at a minimum within the square."""
    return symbolic(
        *(eq(sp.Derivative(_general(), share), slope) for share, slope in _slopes()),
        given=(delta_1 < 1, delta_2 < 1),
    )


def falls() -> Step:
    """The minimum falls with the size."""
    return lemma(
        "decreasing",
        r"The three rates are positive for shares within the square, so that each term $c\,e^{-rm}$ decreases in $m$. "
        r"The minimum at $m + 1$ is at most the value at the best shares for $m$, and this is less than at $m$.",
        [falling_sum(f"decreasing.{pair}", _rates(pair), m, _next) for pair in PAIRS],
        (r"\min \beta_{m + 1} \le \beta_{m + 1}(\delta_1, \delta_2) &< \beta_m(\delta_1, \delta_2) = \min \beta_m",),
    )


def _rates(pair: str) -> list[tuple[sp.Expr, Inequality]]:
    within = (delta_1 < 1, delta_2 < 1)
    found = []
    gap = {sp.tanh(epsilon / 2): t}
    for source, term in zip(NAMES, bounds_of(accuracy_terms(pair)), strict=True):
        factor, speed = rate(term)
        edge = {delta_1: 0 if source == "noise" else 1, delta_2: 1, alpha: 1, epsilon: 1, t: 1}
        positive = Inequality(
            f"decreasing.{pair}.{source}",
            sp.S.Zero,
            speed.xreplace(gap),
            within,
            strict=True,
            raised=sp.S.One,
            touching={one: edge[one] for one in speed.xreplace(gap).free_symbols},
        )
        found.append((factor, positive))
    return found


def stated_falling(pair: str) -> str:
    """That the minimum falls, formally: a bound of the values at ``m + 1`` is less than each value at ``m``."""
    total = total_bound(accuracy_terms(pair)).xreplace({sp.tanh(epsilon / 2): t})
    (text,) = symbolic(
        lt(_next, total),
        given=(delta_1 < 1, delta_2 < 1, le(_next, total.xreplace({m: m + 1}))),
    )
    return text
