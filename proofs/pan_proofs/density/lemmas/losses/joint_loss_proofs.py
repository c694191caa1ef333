"""The proof of the joint loss: which likelihood ratios are the largest, and the symmetric pair in closed form."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_promises.promise import Adjacency
from pan_proofs.density.lemmas.losses.joint_loss import (
    Setting,
    distinct_ratios,
    dominator,
    limit,
    maximal_ratios,
    state_factor,
)
from pan_proofs.density.lemmas.losses.observations import high, low, moebius_derivative, p0, p1, shift
from pan_proofs.engines.computations import computed_value, free_of, of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, gt
from pan_proofs.ledger.claim import symbolic

total_factor = sp.Symbol("S", real=True)
"""``exp(T)`` for a total T."""

SETTINGS = (
    Setting("general"),
    Setting("heavy"),
    Setting("symmetric"),
    Setting("general", symmetric_noise=False),
    Setting("general", Adjacency.USER_LEVEL_NESTED),
    Setting("heavy", Adjacency.USER_LEVEL_NESTED),
    Setting("symmetric", Adjacency.USER_LEVEL_NESTED),
    Setting("general", Adjacency.EVENT_LEVEL),
    Setting("heavy", Adjacency.EVENT_LEVEL),
    Setting("symmetric", Adjacency.EVENT_LEVEL),
    Setting("general", deletions=True),
    Setting("heavy", deletions=True),
    Setting("symmetric", deletions=True),
    Setting("symmetric", announced=1),
)
"""The settings for which dominance is proved in the tests."""


def monotone() -> Obligation:
    """Every likelihood ratio is monotone in the ratio of the two noise densities."""
    numerator, denominator = moebius_derivative()
    name = "joint_loss.monotone"
    return together(
        name,
        f"the derivative of a likelihood ratio in rho is ({numerator})/({denominator}), of one sign",
        free_of(f"{name}.numerator", "the numerator is free of rho", numerator, shift),
        of_one_sign(f"{name}.denominator", "the denominator is not negative", denominator, strict=False),
    )


def dominance(setting: Setting) -> tuple[Obligation, ...]:
    """Every likelihood ratio of the setting is at most one of the maximal ones.

    The bounds are approached where the two patterns cannot be distinguished: equal probabilities, and
    noise without end (``r = 1``).
    """
    alike = {limit: 1, low: 1, high: 1, state_factor: 1, p0: sp.Rational(1, 2), p1: sp.Rational(1, 2)}
    obligations = []
    maximal = maximal_ratios(setting)
    for number, ratio in enumerate(distinct_ratios(setting)):
        if ratio in maximal:
            continue
        obligations.append(
            Inequality(
                name=f"joint_loss.{setting}.{number}",
                smaller=ratio.value,
                larger=dominator(setting, ratio).value,
                hypotheses=setting.hypotheses,
                touching={symbol: alike[symbol] for symbol in setting.symbols},
            ).discharge()
        )
    return tuple(obligations)


def symmetric_pair() -> tuple[Obligation, ...]:
    """The closed form for ``p1 = E/(1 + E) = 1 - p0``, and that it is below the sum of the two budgets."""
    setting = Setting("symmetric")
    closed = state_factor * (1 + state_factor * limit) / (1 + state_factor)
    return (
        computed_value(
            "joint_loss.symmetric.closed_form",
            "the exponential of the loss eps1 + log((1 + E r)/(1 + E)), as the largest of all likelihood ratios",
            lambda: _largest(setting),
            closed,
            engine="sympy",
        ),
        computed_value(
            "joint_loss.symmetric.deletions",
            "the same with deletions, which do not add to the loss of the symmetric pair",
            lambda: _largest(replace(setting, deletions=True)),
            closed,
            engine="sympy",
        ),
        Inequality(
            name="joint_loss.symmetric.below_the_sum",
            smaller=_largest(setting),
            larger=state_factor * limit,
            hypotheses=setting.hypotheses,
            strict=True,
            touching={limit: sp.Integer(1)},
        ).discharge(),
    )


def noise_factor() -> sp.Expr:
    """``r`` as a function of ``S = exp(T)`` and E such that the symmetric pair's joint loss is T."""
    (solution,) = sp.solve(sp.Eq(_largest(Setting("symmetric")), total_factor), limit)
    return sp.expand(sp.cancel(solution))


def noise_for_total(total: sp.Expr, state: sp.Expr) -> sp.Expr:
    """The eta of the output's noise that makes the symmetric pair's joint loss ``total``.

    Parameters
    ----------
    total
        The required joint loss T.
    state
        eps1, the loss of the state alone; positive and below T.

    Returns
    -------
    sympy.Expr
        ``log(exp(T - eps1) + exp(T - 2 eps1) - exp(-eps1))``, derived by solving.
    """
    factor = noise_factor().subs({total_factor: sp.exp(total), state_factor: sp.exp(state)})
    return sp.log(sp.powsimp(sp.expand(factor)))


def inversion() -> tuple[Obligation, ...]:
    """The noise for a total: it solves the equation, and is there just if the total exceeds the state's loss."""
    factor = noise_factor()
    touching = {total_factor: sp.Integer(2), state_factor: sp.Integer(2)}
    return (
        equality(
            "joint_loss.inversion.solves",
            _largest(Setting("symmetric")).subs(limit, factor),
            total_factor,
            f"the loss is log(S) for r = {factor}",
        ),
        Inequality(
            name="joint_loss.inversion.exists",
            smaller=sp.Integer(1),
            larger=factor,
            hypotheses=(state_factor > 1, total_factor > state_factor),
            strict=True,
            touching=touching,
        ).discharge(),
        Inequality(
            name="joint_loss.inversion.only_then",
            smaller=factor,
            larger=sp.Integer(1),
            hypotheses=(state_factor > 1, total_factor > 1, total_factor <= state_factor),
            touching=touching,
        ).discharge(),
    )


def stated_noise_factor(factor: sp.Symbol, total: sp.Symbol, state: sp.Symbol, *given: sp.Basic) -> tuple[str, ...]:
    """The noise for a total, formally: the factor for which the joint loss is the total, and whether there is one.

    Parameters
    ----------
    factor
        The factor that the noise loses by one bit.
    total, state
        The total and the state's budget, both positive.
    *given
        Further facts about the factor.
    """
    odds, promised = sp.exp(state), sp.exp(total)
    solution = sp.exp(total - state) + sp.exp(total - 2 * state) - sp.exp(-state)
    loss = odds * (1 + odds * factor) / (1 + odds)
    return symbolic(
        sp.Equivalent(eq(loss, promised), eq(factor, solution), evaluate=False),
        sp.Equivalent(gt(solution, 1), gt(total, state), evaluate=False),
        given=given,
    )


def _largest(setting: Setting) -> sp.Expr:
    """The only maximal ratio of a setting that has one."""
    (worst,) = maximal_ratios(setting)
    return worst.value
