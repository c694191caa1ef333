"""Section 4.2 of the paper: the family of Bernoulli pairs around a centre c."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.private_pairs import bernoulli, density_variance
from pan_proofs.density.lemmas.published_events import EXAMPLE, added_appearance, event_refutes, with_values
from pan_proofs.engines.relations import eq, gt, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import below_on_box, bounded, counterexample, equal

_c, _x, _f, _t = sp.symbols("c x F t", real=True)
_gap = (_f - 1) / (_f + 1)
_half, _quarter, _largest = sp.Rational(1, 2), sp.Rational(1, 4), sp.Rational(4, 5)
_defined = (_f > 1, _x > 0, _c - _x > 0, _c + _x < 1)


def _ratio(bit: int) -> sp.Expr:
    """``f_upd(b)/f_init(b)`` for ``Bernoulli(c - x)`` and ``Bernoulli(c + x)``."""
    return bernoulli(_c + _x)[bit] / bernoulli(_c - _x)[bit]


def bernoulli_family() -> Claim:
    """The condition, with the ratio of the bit 0 as it is and as it is printed."""
    return Claim(
        id="density.bernoulli_family",
        title="The family of Bernoulli pairs",
        references=(
            Reference("paper", "section 4.2"),
            Reference("thesis", "section 4.3.2", "the last equivalence is printed as an implication"),
        ),
        statement=r"Let $f_{\mathrm{init}} = \operatorname{Bernoulli}(c-x)$ and $f_{\mathrm{upd}} = "
        r"\operatorname{Bernoulli}(c+x)$ with $0 < c-x < c+x < 1$. Then $e^{-\varepsilon} \le "
        r"\frac{f_{\mathrm{upd}}(b)}{f_{\mathrm{init}}(b)} \le e^\varepsilon$ for both $b$ if and only if both "
        r"$\frac{c+x}{c-x}$ and $\frac{c-x}{c+x}$ lie in $[e^{-\varepsilon}, e^\varepsilon]$, that is, if and only "
        r"if $x \le c \tanh\frac\varepsilon2$. For $0 < \varepsilon \le \frac12$ we have $0 < \tanh\frac\varepsilon2 "
        r"< \frac14$, so that with $x = c \tanh\frac\varepsilon2$ any $c \in (0, \frac45]$ can be picked. The choice "
        r"of $c$ does not seem to affect the algorithm (thesis).",
        hypotheses=(r"$\varepsilon > 0$", r"$0 < c - x < c + x < 1$"),
        parts=(_one(), _parameters(), _printed_zero(), _large_centres(), _repaired(), _variance(), _joint()),
        remark=r"The second of the two printed ratios is the inverse of the first, and says nothing new. For $c \le "
        r"\frac12$, and so for Algorithm 2 with $c = \frac12$, the printed condition is right. Of all centres $c = "
        r"\frac12$ gives the largest gap.",
    )


def _both_ways(name: str, ratio: sp.Expr, bound: sp.Expr, bit: int) -> tuple[Step, Step]:
    """A ratio is at most ``F`` if and only if the half gap ``x`` is at most a bound."""
    return (
        bounded(
            f"{name}_only_if",
            rf"If the ratio of the bit {bit}, or its inverse, is at most $F = e^\varepsilon$, then",
            le(_x, bound),
            *_defined,
            ratio <= _f,
        ),
        bounded(f"{name}_if", r"The converse holds as well.", le(ratio, _f), *_defined, _x <= bound),
    )


def _one() -> Part:
    return Part(
        Role.PUBLISHED,
        "the bit 1",
        r"The ratio of the bit 1 lies between $e^{-\varepsilon}$ and $e^\varepsilon$ if and only if $x \le c "
        r"\tanh\frac\varepsilon2 = c\,\frac{F-1}{F+1}$, $F = e^\varepsilon$. So this is necessary for privacy, as the "
        r"thesis has it.",
        (
            equal(
                "ratio_of_one",
                r"From the two distributions,",
                r"\frac{f_{\mathrm{upd}}(1)}{f_{\mathrm{init}}(1)}",
                lambda: _ratio(1),
                (_c + _x) / (_c - _x),
            ),
            *_both_ways("one", _ratio(1), _c * _gap, 1),
        ),
        formal=symbolic(sp.Equivalent(_ratio(1) <= _f, _x <= _c * _gap), given=_defined),
    )


def _parameters() -> Part:
    slope = sp.tanh(epsilon / 2)
    within = (_c > 0, _c <= _largest, _t > 0, _t < _quarter)
    return Part(
        Role.PUBLISHED,
        "the range of the centre",
        r"For $0 < \varepsilon \le \frac12$: $0 < \tanh\frac\varepsilon2 < \frac14$, and for $x = c "
        r"\tanh\frac\varepsilon2$ and $c \in (0, \frac45]$ both parameters lie in $(0, 1)$.",
        (
            below_on_box(
                "tanh_below_quarter",
                r"By balls,",
                slope,
                _quarter,
                {epsilon: (sp.S.Zero, _half)},
                closest={epsilon: _half},
                weaker=sp.Rational(9, 10),
            ),
            bounded(
                "parameters",
                r"Then $c (1 + t) < \frac45 \cdot \frac54 = 1$ for $t = \tanh\frac\varepsilon2$, and $c (1-t) > 0$.",
                lt(_c * (1 + _t), sp.S.One),
                *within,
            ),
        ),
        formal=(
            *symbolic(lt(slope, _quarter), given=(epsilon <= _half,)),
            *symbolic(lt(_c * (1 + _t), 1), gt(_c * (1 - _t), 0), given=within),
        ),
    )


_centre, _half_gap = sp.symbols("c x", positive=True)
_EXAMPLE = {_centre: _largest, _half_gap: sp.Rational(4, 25)}
_ACTUAL = (1 - _centre - _half_gap) / (1 - _centre + _half_gap)


def _printed_zero() -> Part:
    printed = (_centre - _half_gap) / (_centre + _half_gap)
    distributions = (bernoulli(_centre + _half_gap), bernoulli(_centre - _half_gap))
    left = r"\frac{f_{\mathrm{upd}}(0)}{f_{\mathrm{init}}(0)}"
    return Part(
        Role.COUNTEREXAMPLE,
        "the bit 0",
        r"The ratio of the bit 0 is $\frac{1-c-x}{1-c+x}$, and not $\frac{c-x}{c+x}$ as printed.",
        (
            equal(
                "ratio_of_zero",
                r"From the two distributions,",
                left,
                lambda: distributions[0][0] / distributions[1][0],
                _ACTUAL,
            ),
            with_values(
                counterexample(
                    "zero_differs",
                    r"The two are the same only for $c = \frac12$.",
                    eq(_ACTUAL, printed),
                    _EXAMPLE,
                    lines=(r"c = \tfrac45,\ x = \tfrac{4}{25}:\quad \tfrac{0.04}{0.36} = \tfrac19 &\ne \tfrac23",),
                ),
                (partial(_ACTUAL.subs, _EXAMPLE), sp.Rational(1, 9)),
                (partial(printed.subs, _EXAMPLE), sp.Rational(2, 3)),
            ),
        ),
        formal=(*symbolic(sp.Eq(sp.Symbol(left), _ACTUAL)), *symbolic(ne(_ACTUAL, printed), where=_EXAMPLE)),
    )


def _large_centres() -> Part:
    budget = sp.Symbol("F", positive=True)
    return Part(
        Role.COUNTEREXAMPLE,
        "large centres",
        r"For every $c > \frac12$ and every $\varepsilon > 0$ for which $c + x < 1$ the proposed pair, $x = "
        r"c\tanh\frac\varepsilon2$, violates $\varepsilon$-differential privacy.",
        (
            with_values(
                counterexample(
                    "nine",
                    r"With $e^\varepsilon = \frac32$, $\tanh\frac\varepsilon2 = \frac15$, $c = \frac45$, $x = "
                    r"\frac{4}{25}$ the parameters are $0.64$ and $0.96$. A zero is 9 times as likely before an "
                    r"appearance as after it.",
                    le(1 / _ACTUAL, budget),
                    {**_EXAMPLE, budget: sp.Rational(3, 2)},
                    (_half_gap <= _centre * (budget - 1) / (budget + 1), _centre + _half_gap < 1),
                    lines=(r"\frac{1 - 0.64}{1 - 0.96} = 9 &> \tfrac32 = e^\varepsilon",),
                ),
                (partial((1 / _ACTUAL).subs, _EXAMPLE), sp.Integer(9)),
            ),
        ),
        theorems=("centre",),
    )


def _repaired() -> Part:
    return Part(
        Role.AMENDED,
        "the condition",
        r"For $0 < c-x < c+x < 1$ the pair is $\varepsilon$-differentially private if and only if $x \le \min\{c, "
        r"1-c\} \tanh\frac\varepsilon2$. With $x = c\tanh\frac\varepsilon2$ it is so if and only if $c \le \frac12$.",
        (
            *_both_ways("one_again", _ratio(1), _c * _gap, 1),
            *_both_ways("zero", 1 / _ratio(0), (1 - _c) * _gap, 0),
        ),
        formal=symbolic(
            sp.Equivalent(sp.And(_ratio(1) <= _f, 1 / _ratio(0) <= _f), _x <= sp.Min(_c, 1 - _c) * _gap),
            given=_defined,
        ),
        theorems=("centre",),
    )


def _variance() -> Part:
    fifth = sp.Rational(1, 5)

    def variance(centre: sp.Expr) -> sp.Expr:
        return density_variance(sp.S.Zero, (centre * (1 - fifth), centre * (1 + fifth)))

    first, second = sp.symbols("V_1 V_2")
    return derived(
        Role.READING,
        "the choice of the centre",
        r"The thesis says with reserve that the choice of $c$ does not seem to matter. It does: the variance of the "
        r"estimate depends on it. In the formula $V_1$ and $V_2$ are variances for two values of $c$.",
        counterexample(
            "centre_matters",
            r"With $e^\varepsilon = \frac32$, $d = 0$: $m$ times the variance of the estimate without noise is "
            r"$\frac{p_{\mathrm{init}}(1-p_{\mathrm{init}})}{(p_{\mathrm{upd}}-p_{\mathrm{init}})^2}$. For $c "
            r"= \frac14$ the pair is $0.2, 0.3$, and $V_1 = \frac{0.2 \cdot 0.8}{0.1^2}$; for $c = \frac12$ it is "
            r"$0.4, 0.6$, and $V_2 = \frac{0.4 \cdot 0.6}{0.2^2}$.",
            eq(first, second),
            {first: partial(variance, _quarter), second: partial(variance, _half)},
        ),
        holds=False,
    )


def _joint() -> Part:
    share = sp.tanh(epsilon / 2)
    return Part(
        Role.READING,
        "the family in place of Algorithm 2's pair",
        r"For every $c \in (0, \frac45]$ and every $0 < \varepsilon \le \frac12$ state and output jointly lose more "
        r"than $2\varepsilon$, for every number of users and every sample size.",
        (
            event_refutes(
                "joint_event",
                r"By hand, with $e^\varepsilon = \frac32$ and $c = \frac14$, where the state keeps its budget: the "
                r"pair is $0.2, 0.3$, and one bit weighs $\eta = 10\varepsilon$. Let $m = U = 2$, $S = (v, u)$ and $S' "
                r"= (v)$, with the intrusion after the first update. The event: the bit of $u$ is seen as 0, and the "
                r"output exceeds its value for two ones without noise.",
                added_appearance((_quarter * (1 - share), _quarter * (1 + share))),
                EXAMPLE,
                sp.Rational(36863, 2048),
                (
                    r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= 0.7 + 0.3 \left(\tfrac32\right)^{10} = "
                    r"\tfrac{36863}{2048} > \tfrac94 = e^{2\varepsilon}",
                ),
                hypotheses=(epsilon <= _half,),
            ),
        ),
        theorems=("family_refuted",),
        holds=False,
    )


CLAIMS = {"density.bernoulli_family": bernoulli_family}
