"""The cells of Algorithm 2: bits with the parameters ``(1 -+ tanh(epsilon/2))/2``."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.published_events import output_refutes
from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor
from pan_proofs.density.lemmas.losses.published_losses import optimal_pair
from pan_proofs.density.lemmas.optimality.private_pairs import bernoulli
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.analytic_lemmas import at_most as constant_at_most
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import lemma

_factor = sp.exp(epsilon)
PAIR = (1 / (1 + _factor), _factor / (1 + _factor))
"""The pair in powers of ``exp(epsilon)``."""

ETA = epsilon * (_factor + 1) / (_factor - 1)
"""One bit's weight over the noise's scale: ``epsilon/tanh(epsilon/2)``."""

EXAMPLE = sp.log(sp.Rational(3, 2))
"""The value of epsilon at which everything is a fraction: the pair is 2/5 and 3/5."""

ONCE = (1 + state_factor * limit) / (1 + state_factor)
"""``q1 + p1 r`` for this pair."""

WEIGHT = sp.Symbol("eta", positive=True)
IS_WEIGHT = (eq(WEIGHT * (_factor - 1), epsilon * (_factor + 1)),)
"""That a symbol is the weight of one bit, ``epsilon/tanh(epsilon/2)``, as an equation in ``exp(epsilon)``."""

ONCE_WEIGHED = (1 + sp.exp(epsilon + WEIGHT)) / (1 + _factor)
"""``q1 + p1 r`` in terms of this symbol."""

_e, _u, _w, _y = sp.symbols("e u w y", real=True)


def state_ratios() -> Step:
    """Both ratios of the bit's two distributions, from the printed parameters."""
    before, after = (bernoulli(one) for one in optimal_pair())
    stated = {
        "pair.before": (optimal_pair()[0], PAIR[0]),
        "pair.after": (optimal_pair()[1], PAIR[1]),
        "one": (after[1] / before[1], _factor),
        "zero": (after[0] / before[0], 1 / _factor),
    }
    return lemma(
        "ratios",
        r"With $\tanh\frac\varepsilon2 = \frac{e^\varepsilon - 1}{e^\varepsilon + 1}$ the parameters are "
        r"$p_{\mathrm{init}} = \frac{1}{1 + e^\varepsilon}$ and $p_{\mathrm{upd}} = \frac{e^\varepsilon}{1 + "
        r"e^\varepsilon}$, and the ratios of the two distributions of a bit are",
        [equality(f"tanh.{name}", *sides) for name, sides in stated.items()],
        (
            r"\frac{P(b_1(S) = 1)}{P(b_1(S') = 1)} = \frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} &= e^\varepsilon",
            r"\frac{P(b_1(S) = 0)}{P(b_1(S') = 0)} = \frac{1 - p_{\mathrm{upd}}}{1 - p_{\mathrm{init}}} &= "
            r"e^{-\varepsilon}",
        ),
    )


def _split() -> Obligation:
    return equality(
        "optbern.split",
        ETA,
        epsilon + 2 * epsilon / (_factor - 1),
        "eta = epsilon + 2 epsilon/(exp(epsilon) - 1)",
    )


def added_exceeds() -> Step:
    """``q1 + p1 exp(eta)`` exceeds ``exp(2 epsilon)`` for ``0 < epsilon <= 1/2``."""
    return lemma(
        "up_to_one_half",
        r"Let $E = e^\varepsilon$. For $0 < \varepsilon \le \frac12$ we have $E \le e^{1/2} \le \frac{33}{20}$. Let $y "
        r"= \frac{2\varepsilon}{E-1}$; by $\varepsilon \ge 1 - \frac1E$ it is at least $\frac2E$. As $\eta = "
        r"\varepsilon + y$, we have $e^\eta = E w$ with $w = e^y \ge 1 + y + \frac{y^2}{2}$. These suffice for",
        (
            *analytic_lemmas()[:2],
            _split(),
            constant_at_most("exp(1/2)", sp.exp(sp.Rational(1, 2)), sp.Rational(33, 20)),
            Inequality(
                "optbern.exponent",
                2 / state_factor,
                2 * _e / (state_factor - 1),
                (state_factor > 1, _e >= 1 - 1 / state_factor),
                touching={state_factor: sp.Integer(2), _e: sp.Rational(1, 2)},
            ).discharge(),
            Inequality(
                "optbern.added",
                state_factor**2,
                ONCE.subs(limit, state_factor * _w),
                (
                    state_factor > 1,
                    state_factor <= sp.Rational(33, 20),
                    _y >= 2 / state_factor,
                    _w >= 1 + _y + _y**2 / 2,
                ),
                strict=True,
                gap=sp.Rational(9, 10),
                weaker=sp.Rational(1, 2),
            ).discharge(),
        ),
        (r"E^2 &< \frac{1 + E\,e^\eta}{1 + E} \qquad (0 < \varepsilon \le \tfrac12)",),
    )


def given_exceeds() -> Step:
    """``q1 + p1 exp(eta)`` exceeds ``exp(epsilon)`` for all positive epsilon."""
    relative = sp.cancel((ONCE / state_factor).subs({limit: _w / _u, state_factor: 1 / _u}))
    return lemma(
        "given_is_large",
        r"With $E = e^\varepsilon$ this exceeds $E$ just if $e^\eta > E + 1 - \frac1E$. Indeed $e^\eta = E w$ "
        r"with $w = e^{2\varepsilon/(E-1)} \ge 1 + \frac{2\varepsilon}{E-1}$, and $\varepsilon \ge 1 - "
        r"\frac1E$ (tangents of the exponential), so that $e^\eta \ge E + 2$. At $e^\varepsilon = \frac32$ the "
        r"probabilities of an output above every count, given a seen 0, break the promise $e^\varepsilon$.",
        (
            output_refutes("optbern.given_at_example", optimal_pair(), EXAMPLE),
            analytic_lemmas()[0],
            _split(),
            Inequality(
                "optbern.given",
                sp.Integer(1),
                relative,
                (_u > 0, _u < 1, _e > 0, 1 - _u <= _e, _w >= 1 + 2 * _e * _u / (1 - _u)),
                strict=True,
                touching={_u: sp.Integer(0), _w: sp.Integer(1)},
            ).discharge(),
        ),
        (r"e^\varepsilon &< \frac{1 + e^{\varepsilon + \eta}}{1 + e^\varepsilon} \qquad (\varepsilon > 0)",),
    )


def tanh_below_quarter() -> Step:
    """``0 < tanh(epsilon/2) < 1/4`` for ``0 < epsilon <= 1/2``."""
    return lemma(
        "tanh_at_quarter",
        r"$\tanh\frac\varepsilon2 = \frac{E-1}{E+1} > 0$ for $E = e^\varepsilon > 1$. It is increasing, so "
        r"that $\tanh\frac\varepsilon2 \le \tanh\frac14$, which is less than $\frac14$ (balls).",
        (
            equality(
                "family.tanh",
                sp.tanh(epsilon / 2),
                (_factor - 1) / (_factor + 1),
                "tanh(epsilon/2) = (E - 1)/(E + 1) at E = exp(epsilon)",
            ),
            Inequality(
                "family.positive",
                sp.S.Zero,
                (state_factor - 1) / (state_factor + 1),
                (state_factor > 1,),
                strict=True,
                touching={state_factor: sp.S.One},
                raised=sp.Integer(1),
            ).discharge(),
            constant_at_most("tanh(1/4)", sp.tanh(sp.Rational(1, 4)), sp.Rational(245, 1000)),
            equality(
                "family.increasing",
                sp.diff(sp.tanh(epsilon / 2), epsilon),
                1 / (2 * sp.cosh(epsilon / 2) ** 2),
                "the derivative of tanh(epsilon/2) is 1/(2 cosh(epsilon/2)^2)",
            ),
        ),
        (r"\tanh\tfrac14 \le 0.245 &< \tfrac14",),
    )


def small_centres() -> Step:
    """Of the two bounds on the half gap around a centre c, which is the smaller."""
    centre, gap = sp.symbols("c t", real=True)
    half = sp.Rational(1, 2)
    within = (gap > 0, gap < 1, centre > 0, centre < 1)
    ends = {centre: half, gap: half}
    return lemma(
        "small_centres",
        r"For $x = c\,t$ with $t = \tanh\frac\varepsilon2 > 0$ the first of the two bounds is attained, and the second "
        r"holds just if $c \le \frac12$.",
        [
            Inequality(
                "family.small", centre * gap, (1 - centre) * gap, (*within, centre <= half), touching=ends
            ).discharge(),
            Inequality(
                "family.large", (1 - centre) * gap, centre * gap, (*within, centre > half), strict=True, touching=ends
            ).discharge(),
        ],
        (
            r"c\,t &\le (1-c)\,t \qquad (c \le \tfrac12)",
            r"c\,t &> (1-c)\,t \qquad (c > \tfrac12)",
        ),
    )
