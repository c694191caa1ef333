"""The proof of the joint loss: which likelihood ratios are the largest, and the symmetric pair in closed form."""

from __future__ import annotations

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
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation, fact, identity

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
    square = all(factor.is_positive or factor.as_base_exp()[1] == 2 for factor in sp.Mul.make_args(denominator))
    return fact(
        "joint_loss.monotone",
        f"the derivative of a likelihood ratio in rho is ({numerator})/({denominator}), of one sign",
        "the numerator is free of rho and the denominator a positive number times a square",
        not numerator.has(shift) and square,
    )


def dominance(setting: Setting) -> tuple[Obligation, ...]:
    """Every likelihood ratio of the setting is at most one of the maximal ones.

    The bounds are approached where the two patterns cannot be distinguished: equal probabilities, and
    noise without end (``r = 1``).
    """
    together = {limit: 1, low: 1, high: 1, state_factor: 1, p0: sp.Rational(1, 2), p1: sp.Rational(1, 2)}
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
                touching={symbol: together[symbol] for symbol in setting.symbols},
            ).discharge()
        )
    return tuple(obligations)


def symmetric_pair() -> tuple[Obligation, ...]:
    """The closed form for ``p1 = E/(1 + E) = 1 - p0``, and that it is below the sum of the two budgets."""
    setting = Setting("symmetric")
    (worst,) = maximal_ratios(setting)
    closed = state_factor * (1 + state_factor * limit) / (1 + state_factor)
    (with_deletions,) = maximal_ratios(Setting("symmetric", deletions=True))
    return (
        identity(
            "joint_loss.symmetric.closed_form",
            "the loss is eps1 + log((1 + E r)/(1 + E))",
            worst.value - closed,
        ),
        identity(
            "joint_loss.symmetric.deletions",
            "deletions do not add to the loss of the symmetric pair",
            worst.value - with_deletions.value,
        ),
        Inequality(
            name="joint_loss.symmetric.below_the_sum",
            smaller=worst.value,
            larger=state_factor * limit,
            hypotheses=setting.hypotheses,
            strict=True,
            touching={limit: sp.Integer(1)},
        ).discharge(),
    )


def noise_factor() -> sp.Expr:
    """``r`` as a function of ``S = exp(T)`` and E such that the symmetric pair's joint loss is T."""
    (worst,) = maximal_ratios(Setting("symmetric"))
    (solution,) = sp.solve(sp.Eq(worst.value, total_factor), limit)
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
    (worst,) = maximal_ratios(Setting("symmetric"))
    factor = noise_factor()
    touching = {total_factor: sp.Integer(2), state_factor: sp.Integer(2)}
    return (
        identity(
            "joint_loss.inversion.solves",
            f"the loss is log(S) for r = {factor}",
            worst.value.subs(limit, factor) - total_factor,
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


_ADJACENCIES = (Adjacency.USER_LEVEL, Adjacency.USER_LEVEL_NESTED, Adjacency.EVENT_LEVEL)
