"""For which epsilon published promises are false: for every one that the theorems are about, and beyond.

Of Algorithm 1, the lecture and the family Coq says so, from the mechanism on (``proofs/coq/Refuted.v``). The formulas
hold ``exp(epsilon)`` and the noise's ``r = exp(eta)``. Each claim is reduced to a polynomial inequality by the facts of
:mod:`pan_proofs.foundations.analytic_lemmas`, named with it.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, p0, p1, state_factor
from pan_proofs.density.lemmas.losses.published_losses import (
    PublishedLoss,
    announced_gap,
    epsilon,
    noise_eta,
    optimal_pair,
    published_loss,
)
from pan_proofs.engines.computations import computed_value, positive_everywhere, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import ge, gt, le
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas, at_most
from pan_proofs.ledger.claim import symbolic

_e, _u, _w, _c, _x, _h, _t, _promise = sp.symbols("e u w c x h t F", real=True)
_half = sp.Rational(1, 2)
_e_at_most = sp.Rational(2719, 1000)

QUANTIZED_FALSE_UP_TO = sp.Rational(272, 100)
QUANTIZED_TRUE_FROM = sp.Rational(273, 100)


def _heavy() -> sp.Expr:
    """The ratio of (only after) against (only before) at the bit 0: ``B (q1 + p1 r)``, a lower bound for any pair."""
    (worst,) = maximal_ratios(Setting("heavy"))
    return worst.value


@cache
def optimal_pair_fails() -> tuple[Obligation, ...]:
    """Theorem 4.1's promise, also with deletions, is false for every epsilon: the loss exceeds 2 epsilon.

    With ``u = exp(-epsilon)``, ``r = w/u`` and ``w = exp(2 epsilon u/(1 - u))``; ``w >= 1 + 2 epsilon u/(1 - u)``
    and ``1 - u <= epsilon`` by the tangent of the exponential.
    """
    before, after = optimal_pair()
    (worst,) = maximal_ratios(Setting("symmetric"))
    rate = sp.exp(-epsilon)
    excess = 2 * epsilon * rate / (1 - rate)
    relative = sp.cancel((worst.value / state_factor**2).subs({limit: _w / _u, state_factor: 1 / _u}))
    return (
        equality(
            "published.optimal.noise",
            noise_eta(after - before),
            epsilon + excess,
            "eta = epsilon + 2 epsilon u/(1 - u)",
        ),
        Inequality(
            name="published.optimal.exceeds",
            smaller=sp.Integer(1),
            larger=relative,
            hypotheses=(_u > 0, _u < 1, _e > 0, 1 - _u <= _e, _w >= 1 + 2 * _e * _u / (1 - _u)),
            strict=True,
            touching={_u: sp.Integer(0), _w: sp.Integer(1)},
        ).discharge(),
    )


@cache
def quantized_fails() -> tuple[Obligation, ...]:
    """The promise for the quantised cells is false up to 2.72, by far all that the theorem is about; true from 2.73.

    Below 1/2: ``p1 >= 1/2`` and ``eta >= 2`` since ``1 - exp(-x) <= x``. Up to 3.2 by balls. From there, with
    ``x = epsilon/2``, ``h = exp(x)`` and ``w = exp(2 x/(h - 1))``: ``h - 1 >= x + x^2/2 + x^3/6``.
    """
    entry = published_loss("quantized-laplace")
    far = sp.Rational(8, 5)
    x = sp.Symbol("x", positive=True)
    assert entry.before is not None
    assert entry.after is not None
    pair = {p0: 1 / (2 * _h), p1: 1 - 1 / (2 * _h)}
    decay = 2 / (1 + far / 2 + far**2 / 6)
    eta = entry.eta.subs(epsilon, 2 * x)
    return (
        together(
            "published.quantized.noise",
            "eta (1 - exp(-x))/x = 2 and, the same, eta = 2x + 2x/(exp(x) - 1)",
            equality("published.quantized.noise.product", eta * (1 - sp.exp(-x)) / x, sp.Integer(2)),
            equality("published.quantized.noise.sum", eta, 2 * x + 2 * x / (sp.exp(x) - 1)),
        ),
        Inequality(
            name="published.quantized.exceeds_up_to_half",
            smaller=_promise,
            larger=_heavy(),
            hypotheses=(
                p0 > 0,
                p0 < p1,
                p1 < 1,
                p1 >= _half,
                limit >= sp.Rational(19, 3),
                _promise >= 1,
                _promise <= _e_at_most,
            ),
            strict=True,
            gap=sp.Rational(3, 4),
            weaker=sp.Rational(7, 10),
        ).discharge(),
        _by_balls("exceeds_beyond_half", entry.loss - 2 * epsilon, _half, QUANTIZED_FALSE_UP_TO),
        _by_balls("kept", 2 * epsilon - entry.loss, QUANTIZED_TRUE_FROM, 2 * far),
        at_most("e^(8/5)", sp.Rational(495, 100), sp.exp(far)),
        at_most("w", sp.exp(decay), sp.Rational(2456, 1000)),
        Inequality(
            name="published.quantized.kept_beyond",
            smaller=_heavy().subs({**pair, limit: _h**2 * _w}),
            larger=_h**4,
            hypotheses=(_h >= sp.Rational(495, 100), _w >= 1, _w <= sp.Rational(2456, 1000)),
            gap=sp.Rational(999, 1000),
            weaker=sp.Rational(4, 5),
        ).discharge(),
    )


@cache
def announced_fails() -> tuple[Obligation, ...]:
    """With an announced intrusion: which ratio is the larger, and that 3 epsilon is exceeded for ``epsilon <= 1/2``.

    ``eta = epsilon/t^2 >= 2/t`` with ``t = tanh(epsilon/2) = (E - 1)/(E + 1)``; r is at least the square Taylor
    polynomial there.
    """
    first, second = maximal_ratios(Setting("symmetric", announced=1))
    gap = (state_factor - 1) / (state_factor + 1)
    least = 1 + 2 / gap + 2 / gap**2
    return (
        computed_value(
            "published.announced.noise",
            "eta, from the gap that is left after the flip",
            lambda: noise_eta(announced_gap()),
            epsilon / sp.tanh(epsilon / 2) ** 2,
            engine="sympy",
        ),
        Inequality(
            name="published.announced.dominates",
            smaller=second.value,
            larger=first.value,
            hypotheses=(state_factor > 1, limit >= 3),
            touching={state_factor: sp.Integer(1), limit: sp.Integer(3)},
        ).discharge(),
        Inequality(
            name="published.announced.noise_suffices",
            smaller=sp.Integer(3),
            larger=least,
            hypotheses=(state_factor > 1,),
            strict=True,
            gap=sp.Rational(3, 5),
            weaker=sp.Rational(59, 100),
        ).discharge(),
        at_most("exp(1/2)", sp.exp(_half), sp.Rational(33, 20)),
        Inequality(
            name="published.announced.exceeds",
            smaller=state_factor**3,
            larger=first.value,
            hypotheses=(state_factor > 1, state_factor <= sp.Rational(33, 20), limit >= least),
            strict=True,
            gap=_half,
            weaker=sp.Rational(1, 20),
        ).discharge(),
    )


def promise_fails() -> tuple[Obligation, ...]:
    """All obligations of this module, and the lemmas that they use. Coq carries the other published promises."""
    return analytic_lemmas() + optimal_pair_fails() + quantized_fails() + announced_fails()


def false_below(entry: PublishedLoss) -> sp.Expr:
    """The promise of this estimator is proved false for all epsilon below this (and defined there)."""
    if entry.loss is sp.oo:
        return sp.oo
    proved = {
        "bernoulli-family": _half,
        "quantized-laplace": QUANTIZED_FALSE_UP_TO,
        "announced-intrusions": _half,
    }
    return proved.get(entry.name, entry.below)


def loss_at_zero(entry: PublishedLoss) -> sp.Expr:
    """The limit of the joint loss as epsilon tends to 0, where both promises would be worth most."""
    if entry.loss is sp.oo or entry.before is None or entry.after is None:
        return sp.oo
    eta = sp.limit(entry.eta, epsilon, 0, "+")
    if eta is sp.oo:
        return sp.oo
    # The ratio is continuous in the pair and in r, and the pair's limit lies inside (0, 1).
    values = {p0: sp.limit(entry.before, epsilon, 0, "+"), p1: sp.limit(entry.after, epsilon, 0, "+")}
    general = [ratio.value.subs({**values, limit: sp.exp(eta)}) for ratio in maximal_ratios(Setting("general"))]
    return sp.log(sp.simplify(sp.Max(*general)))


def stated_quantized() -> tuple[str, ...]:
    """The lower bound for the joint loss exceeds promises up to ``e``, and the joint loss exceeds them from 1/2 on."""
    entry = published_loss("quantized-laplace")
    small = (
        p0 > 0,
        p0 < p1,
        p1 < 1,
        p1 >= _half,
        limit >= sp.Rational(19, 3),
        _promise >= 1,
        _promise <= _e_at_most,
    )
    return (
        *symbolic(gt(_heavy(), _promise), given=small),
        *symbolic(
            gt(entry.loss - 2 * epsilon, 0),
            given=(
                ge(epsilon, _half),
                le(epsilon, QUANTIZED_FALSE_UP_TO),
            ),
        ),
    )


def _by_balls(name: str, expression: sp.Expr, start: sp.Expr, end: sp.Expr) -> Obligation:
    statement = f"{expression} > 0 for all epsilon in [{start}, {end}]"
    return positive_everywhere(f"published.quantized.{name}", expression, {epsilon: (start, end)}, statement)
