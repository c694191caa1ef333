"""Events of positive probability by which the published promises fail: one user, one seen bit, one output."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines import Obligation
from pan_proofs.intrusions.maximal_ratio_steps import FIRST
from pan_proofs.intrusions.one_user import two_draws
from pan_proofs.joint_loss import limit
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import counterexample, equal
from pan_proofs.observations import Pattern, Update, p0, p1
from pan_proofs.published_losses import PublishedLoss, noise_eta, published_losses

NEVER: Pattern = (Update.NONE, Update.NONE)
AFTER: Pattern = (Update.NONE, Update.INSERT)
BEFORE: Pattern = (Update.INSERT, Update.NONE)
BOTH: Pattern = (Update.INSERT, Update.INSERT)


@cache
def tail(distance: sp.Expr) -> sp.Expr:
    """Probability that ``Laplace(0, 1/epsilon)`` exceeds a distance that is not negative, by integrating."""
    z, start = sp.Symbol("z", real=True), sp.Symbol("a", real=True)
    return sp.integrate(epsilon / 2 * sp.exp(-epsilon * z), (z, start, sp.oo)).subs(start, distance)


def probability(pair: tuple[sp.Expr, sp.Expr], pattern: Pattern, bit: int, *, above: bool = True) -> sp.Expr:
    """Probability that the bit is seen and the output lies beyond the places of both bits, for one sampled user.

    The output is ``(b - p_init)/(p_upd - p_init)`` plus ``Laplace(0, 1/epsilon)``.

    Parameters
    ----------
    pair
        The pair as expressions in epsilon.
    pattern, bit
        When the user appears, and what is seen.
    above
        Whether the output lies above the place of the bit 1, or else below that of the bit 0.
    """
    gap = pair[1] - pair[0]
    total: sp.Expr = sp.S.Zero
    for (first, final), chance in two_draws(pattern).items():
        if first == bit:
            total += chance * tail(sp.S.Zero if final == int(above) else 1 / gap)
    return total.subs({p0: pair[0], p1: pair[1]}, simultaneous=True)


def event_refutes(
    name: str,
    text: str,
    pair: tuple[sp.Expr, sp.Expr],
    patterns: tuple[Pattern, Pattern],
    at: sp.Expr,
    lines: Sequence[str],
    *,
    bit: int = 0,
    above: bool = True,
    promised: sp.Expr = 2 * epsilon,
    hypotheses: Sequence[Relational] = (),
) -> Step:
    """The event's probabilities under two patterns break a promise at one value of epsilon."""
    likelier, rarer = (probability(pair, pattern, bit, above=above) for pattern in patterns)
    claimed = sp.Le(likelier, sp.exp(promised) * rarer, evaluate=False)
    return counterexample(name, text, claimed, {epsilon: at}, hypotheses, lines)


def one_bits_weight(pair: tuple[sp.Expr, sp.Expr], stated: sp.Expr, line: str) -> Step:
    """How far one bit moves the output, in units of the noise's scale."""
    step = equal(
        "weight",
        r"The sensitivity of the density of the stream is $\frac1m$; but what is released is a multiple of the "
        r"number of ones. One bit moves it by $\frac{1}{m (p_{\mathrm{upd}} - p_{\mathrm{init}})}$. In units of the "
        r"noise's scale $\frac{1}{\varepsilon m}$ this is (in short $p_0 = p_{\mathrm{init}}$, $p_1 = "
        r"p_{\mathrm{upd}}$, $q_i = 1 - p_i$, $A = p_1/p_0$, $B = q_0/q_1$)",
        "",
        noise_eta(pair[1] - pair[0]),
        stated,
    )
    return Step(step.name, step.text, (line,), step.obligations)


def loss_formula(pair: tuple[sp.Expr, sp.Expr], eta: sp.Expr, stated: sp.Expr, line: str) -> Step:
    """The exponential of the joint loss at printed parameters, with ``p_init + p_upd >= 1``."""
    value = FIRST.subs({p0: pair[0], p1: pair[1], limit: sp.exp(eta)}, simultaneous=True)
    step = equal(
        "formula",
        r"Since $p_{\mathrm{init}} + p_{\mathrm{upd}} \ge 1$, the exponential of the joint loss is $B(q_1 + p_1 r)$ "
        r"with $r = e^\eta$:",
        "",
        value,
        stated,
    )
    return Step(step.name, step.text, (line,), step.obligations)


def entry(name: str) -> PublishedLoss:
    """The published estimator of this name."""
    (found,) = (one for one in published_losses() if one.name == name)
    return found


def is_the_entry(name: str, value: sp.Expr, eta: sp.Expr) -> tuple[Obligation, ...]:
    """That a stated ratio is the exponential of the loss that is listed for an estimator.

    Parameters
    ----------
    name
        Of the estimator.
    value
        The ratio, in terms of ``eta`` as it is given here.
    eta
        One bit's weight in units of the noise; compared with the listed one first.
    """
    listed = entry(name)
    ratio = sp.exp(listed.loss).subs(sp.exp(listed.eta), sp.exp(eta))
    return (
        *equal(f"listed.{name}.eta", "", "", listed.eta, eta).obligations,
        *equal(f"listed.{name}", "", "", ratio, value).obligations,
    )
