"""Kinds of steps of the continual family: bounds, sums over streams of every length, and what steps show, formally."""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.relations import le, read
from pan_proofs.engines.word_sums import Definitions, Words, bounded_sums
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.steps import bounded, lemma

_SIGNS = {sp.Le: r"\le", sp.Ge: r"\ge", sp.Eq: "="}


def noise_fits(name: str, text: str, square: sp.Expr, most: sp.Expr, rho: sp.Symbol, *given: sp.Basic) -> Step:
    """Gaussian noise of variance ``most / (2 rho)`` at a squared distance of at most ``most`` is rho-zCDP."""
    return bounded(name, text, le(square / (2 * (most / (2 * rho))), rho), le(square, most), *given)


def two_neighbours() -> Step:
    """Group privacy for two steps between neighbours."""
    far, between, near, delta = sp.symbols("P H Pprime delta", nonnegative=True)
    factor = sp.Symbol("x", positive=True)
    return bounded(
        "budget_of_two_steps",
        r"With $x = e^{\varepsilon}$ two steps give $P \le x H + \delta$ and $H \le x P' + \delta$. So",
        le(far, factor**2 * near + (1 + factor) * delta),
        sp.Ge(factor, 1),
        sp.Le(far, factor * between + delta),
        sp.Le(between, factor * near + delta),
    )


def by_sums(
    name: str, text: str, words: Words, *relations: Relational, by_definition: Definitions, up_to: int = 5
) -> Step:
    """Relations between sums over the entries of vectors of every length, which are displayed."""
    asked = [
        bounded_sums(f"{name}.{number}", one, words, by_definition=by_definition, up_to=up_to)
        for number, one in enumerate(relations)
    ]
    return lemma(name, text, asked, [f"{tex(one.lhs)} &{_SIGNS[one.func]} {tex(one.rhs)}" for one in relations])


def positive_root(difference: sp.Expr, unknown: sp.Symbol) -> sp.Expr:
    """The only positive number at which a difference vanishes, for positive symbols."""
    (root,) = sp.solve(difference, unknown)
    return root


def stated(*steps: Step) -> tuple[str, ...]:
    """The relations that steps show first, formally."""
    shown = [(read(one.shows[0].relation), one.shows[0].given) for step in steps for one in step.obligations]
    return tuple(
        text
        for relation, given in shown
        for text in symbolic(
            relation.args[0] if isinstance(relation, sp.Not) else relation,
            given=map(read, given),
            refuted=isinstance(relation, sp.Not),
        )
    )
