"""The tight joint privacy loss of an estimator that keeps one random bit for each sampled user, in closed form.

The mechanism: a sampled user has one bit, Bernoulli(p0) at first and drawn afresh as Bernoulli(p1) at each appearance
(and as Bernoulli(p0) at each deletion, where there are deletions). At each intrusion the bit is seen; after an
announced one it is flipped with a known probability. The output is the number of ones plus noise with density f.

The loss is the largest logarithm of finitely many likelihood ratios. Which ones, from the mechanism and for every
number of users, are theorems of ``proofs/coq``.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from pan_promises.promise import Adjacency
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, gt
from pan_proofs.ledger.claim import symbolic

p0, p1 = sp.symbols("p0 p1", real=True)
"""The two probabilities of a one."""
q0, q1 = 1 - p0, 1 - p1
"""Probabilities of a zero before and after an appearance."""
limit, state_factor, total_factor = sp.symbols("r E S", real=True)
"""``r``: the largest ratio of two noise densities one bit apart; ``E``: ``p1/p0`` of a symmetric pair; ``exp(T)``."""
E, r, S = state_factor, limit, total_factor
p, q = E / (1 + E), 1 / (1 + E)
"""The symmetric pair."""
u, v = sp.symbols("u v", real=True)
"""The rates of the noise above and below 0."""

A, B = p1 / p0, q0 / q1
"""The ratios of the two distributions of the bit, at 1 and at 0."""
FIRST, SECOND = B * (q1 + p1 * r), A * (p1 + q1 * r)
"""The two ratios of which the larger is the exponential of the joint loss."""
WITH_DELETIONS = A * (p0 + q0 * r)
"""The replacement of the second one, if users can be deleted."""
AFTER_A_FLIP = (
    E * ((1 + E**2) * r + 2 * E) / (2 * (1 + E)),
    E * (1 + E**2) * (1 + E**2 + 2 * E * r) / (1 + E) ** 3,
)
"""The two ratios for the symmetric pair and one announced intrusion, after which bits flip with probability ``q``."""

RATIOS = {
    "zero_high": B * (q1 + p1 / u),
    "one_high": A / (p1 + q1 * u),
    "one_low": A * (p1 + q1 / v),
    "zero_low": B / (q1 + p1 * v),
}
"""The four ratios of geometric noise with the rates u and v."""
LIMITS = {
    "zero_high": p1 / (S / B - q1),
    "one_high": (A / S - p1) / q1,
    "one_low": q1 / (S / A - p1),
    "zero_low": (B / S - q1) / p1,
}
"""The least u, or v, for which each is at most S."""


@dataclass(frozen=True)
class Ratio:
    """A likelihood ratio that can be the largest.

    Attributes
    ----------
    value
        The ratio.
    witness
        The last updates of the user in each phase between intrusions, in the likelier stream and in the other; the
        bits that are seen; and where the output lies.
    """

    value: sp.Expr
    witness: str


@dataclass(frozen=True)
class JointLoss:
    """A joint privacy loss.

    Attributes
    ----------
    loss
        The loss in nats, tight over all adjacent pairs.
    worst
        The likelihood ratios of which the largest is ``exp(loss)``, each with its witness.
    """

    loss: sp.Expr
    worst: tuple[Ratio, ...]


_ABOVE, _BELOW = "output above every count", "output below every count"
_SECOND = Ratio(SECOND, f"(insert, insert) against (none, none), bits (1,), {_BELOW}")
_HEAVY = (Ratio(FIRST, f"(none, insert) against (insert, none), bits (0,), {_ABOVE}"),)
_ADDED = Ratio(q1 + p1 * r, f"(none, insert) against (none, none), bits (0,), {_ABOVE}")
WORST: dict[tuple[Adjacency, bool], tuple[Ratio, ...]] = {
    (Adjacency.USER_LEVEL, False): (*_HEAVY, _SECOND),
    (Adjacency.USER_LEVEL, True): (
        *_HEAVY,
        Ratio(WITH_DELETIONS, f"(insert, delete) against (none, none), bits (1,), {_BELOW}"),
    ),
    (Adjacency.USER_LEVEL_NESTED, False): (
        Ratio(B / (q1 + p1 / r), f"(none, none) against (insert, insert), bits (0,), {_BELOW}"),
        _ADDED,
        _SECOND,
    ),
    (Adjacency.EVENT_LEVEL, False): (
        Ratio(A, f"(insert, none) against (none, none), bits (1,), {_BELOW}"),
        Ratio(B, f"(none, none) against (insert, none), bits (0,), {_BELOW}"),
        _ADDED,
        Ratio(p1 + q1 * r, f"(none, insert) against (none, none), bits (1,), {_BELOW}"),
    ),
}
"""By the adjacency, and by whether users can be deleted, the ratios of which one is the largest."""
_ANNOUNCED = (
    Ratio(AFTER_A_FLIP[0], f"(none, none, insert) against (insert, insert, none), bits (0, 0), {_ABOVE}"),
    Ratio(AFTER_A_FLIP[1], f"(none, insert, insert) against (insert, none, none), bits (0, 1), {_BELOW}"),
)


def joint_loss(
    before: sp.Expr,
    after: sp.Expr,
    eta: sp.Expr,
    *,
    adjacency: Adjacency = Adjacency.USER_LEVEL,
    deletions: bool = False,
    announced: int = 0,
) -> JointLoss:
    """The joint loss for given cells and noise.

    Parameters
    ----------
    before, after
        Probability of a one before and after an appearance.
    eta
        The largest logarithm of the ratio of two noise densities one bit apart, attained on both sides:
        for Laplace noise, one bit's weight in the output over the scale of the noise.
    adjacency
        The adjacency of streams.
    deletions
        Whether users can be deleted; at user level only.
    announced
        Announced intrusions before the unannounced one, 0 or 1, followed by a flip with probability
        ``1/(1 + after/before)``; for symmetric pairs. ``eta`` is then that of the final output.

    Raises
    ------
    ValueError
        For a case of which no theorem speaks.

    Notes
    -----
    Where sympy can show that ``before + after >= 1``, one ratio is the largest at user level, and the formula is
    shorter.
    """
    before, after = sp.sympify(before), sp.sympify(after)
    total = sp.simplify(before + after - 1)
    values: dict[sp.Symbol, sp.Expr] = {p0: before, p1: after, r: sp.exp(eta)}
    if total == 0:
        values[E] = sp.simplify((after / before).rewrite(sp.exp))
    if announced:
        if announced > 1 or total != 0 or deletions or adjacency is not Adjacency.USER_LEVEL:
            raise ValueError("an announced intrusion is derived for the symmetric pair, at user level, and once only")
        worst: tuple[Ratio, ...] = _ANNOUNCED
    elif (adjacency, deletions) not in WORST:
        raise ValueError(f"deletions are derived at user level only, got {adjacency}")
    else:
        heavy = adjacency is Adjacency.USER_LEVEL and total.is_nonnegative
        # The symmetric pair has a form with exponentials alone, which stays exact for a large epsilon.
        one = (Ratio(joint_ratio(), _HEAVY[0].witness),) if total == 0 else _HEAVY
        worst = one if heavy else WORST[adjacency, deletions]
    worst = tuple(Ratio(one.value.xreplace(values), one.witness) for one in worst)
    return JointLoss(sp.log(sp.Max(*(one.value for one in worst), evaluate=len(worst) == 1)), worst)


def joint_ratio(outputs: sp.Expr = sp.S.One) -> sp.Expr:
    """The exponential of the symmetric pair's joint loss, with deletions and without: ``E (1 + E r^R)/(1 + E)``."""
    return E * (1 + E * r**outputs) / (1 + E)


def noise_factor() -> sp.Expr:
    """``r`` as a function of ``S = exp(T)`` and E such that the symmetric pair's joint loss is T."""
    (solution,) = sp.solve(sp.Eq(joint_ratio(), S), r)
    return sp.expand(sp.cancel(solution))


def inversion() -> tuple[Obligation, ...]:
    """The noise for a total: it solves the equation, and is there just if the total exceeds the state's loss."""
    factor = noise_factor()
    return (
        equality(
            "joint_loss.inversion.solves", joint_ratio().subs(r, factor), S, f"the loss is log(S) for r = {factor}"
        ),
        Inequality("joint_loss.inversion.exists", sp.Integer(1), factor, (E > 1, S > E), strict=True).discharge(),
        Inequality("joint_loss.inversion.only_then", factor, sp.Integer(1), (E > 1, S > 1, S <= E)).discharge(),
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
    promised = sp.exp(total)
    solution = sp.exp(total - state) + sp.exp(total - 2 * state) - sp.exp(-state)
    loss = joint_ratio().subs({E: sp.exp(state), r: factor}, simultaneous=True)
    return symbolic(
        sp.Equivalent(eq(loss, promised), eq(factor, solution), evaluate=False),
        sp.Equivalent(gt(solution, 1), gt(total, state), evaluate=False),
        given=given,
    )
