"""Section 4.2 of the paper: the family of Bernoulli pairs around a centre c."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.intrusions.published_events import added_appearance, event_refutes, with_values
from pan_proofs.density.lemmas.intrusions.tanh_cells import EXAMPLE, small_centres, tanh_below_quarter
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.losses.published_loss_proofs import family_fails, stated_family
from pan_proofs.density.lemmas.optimality.private_pairs import bernoulli, density_variance
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, counterexample, equal, lemma

_c, _x, _f, _t = sp.symbols("c x F t", real=True)
_gap = (_f - 1) / (_f + 1)
_centre, _half_gap = sp.symbols("c x", positive=True)
_half = sp.Rational(1, 2)
_fifth = sp.Rational(1, 5)
_defined = (_f > 1, _x > 0, _c - _x > 0, _c + _x < 1)
_touching = {_c: _half, _x: sp.Rational(1, 10), _f: sp.Rational(3, 2)}


def ratio(bit: int) -> sp.Expr:
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
        parts=(_one(), _parameters(), _printed_zero(), _example(), _repaired(), _variance(), _joint()),
        remark=r"The second of the two printed ratios is the inverse of the first, and says nothing new. For $c \le "
        r"\frac12$, and so for Algorithm 2 with $c = \frac12$, the printed condition is right. Of all centres $c = "
        r"\frac12$ gives the largest gap.",
    )


def _one() -> Part:
    necessary = at_most(
        "necessary",
        r"If $\frac{c+x}{c-x} \le F = e^\varepsilon$, then $x \le c \tanh\frac\varepsilon2 = c\frac{F-1}{F+1}$.",
        Inequality("family.necessary", _x, _c * _gap, (*_defined, ratio(1) <= _f), touching=_touching),
        (r"x &\le c\,\frac{F-1}{F+1}",),
    )
    sufficient = at_most(
        "sufficient",
        r"The converse holds as well.",
        Inequality("family.sufficient", ratio(1), _f, (*_defined, _x <= _c * _gap), touching=_touching),
        (r"\frac{c+x}{c-x} &\le F",),
    )
    return Part(
        Role.PUBLISHED,
        "the bit 1",
        r"The ratio of the bit 1 lies between $e^{-\varepsilon}$ and $e^\varepsilon$ if and only if $x \le c "
        r"\tanh\frac\varepsilon2$. So this is necessary for privacy, as the thesis has it.",
        (
            equal(
                "ratio_of_one",
                r"From the two distributions,",
                r"\frac{f_{\mathrm{upd}}(1)}{f_{\mathrm{init}}(1)}",
                lambda: ratio(1),
                (_c + _x) / (_c - _x),
            ),
            necessary,
            sufficient,
        ),
        formal=symbolic(sp.Equivalent(ratio(1) <= _f, _x <= _c * _gap), given=_defined),
    )


def _parameters() -> Part:
    tangent = sp.Symbol("t", real=True)
    named = {tangent: sp.tanh(epsilon / 2)}
    return Part(
        Role.PUBLISHED,
        "the range of the centre",
        r"For $0 < \varepsilon \le \frac12$: $0 < \tanh\frac\varepsilon2 < \frac14$, and for $x = c "
        r"\tanh\frac\varepsilon2$ and $c \in (0, \frac45]$ both parameters lie in $(0, 1)$.",
        (
            tanh_below_quarter(),
            at_most(
                "parameters",
                r"Then $c (1 + t) < \frac45 \cdot \frac54 = 1$ for $t = \tanh\frac\varepsilon2$, and $c (1-t) > 0$.",
                Inequality(
                    "family.parameters",
                    _c * (1 + _t),
                    sp.S.One,
                    (_c > 0, _c <= sp.Rational(4, 5), _t > 0, _t < sp.Rational(1, 4)),
                    strict=True,
                    touching={_c: sp.Rational(4, 5), _t: sp.Rational(1, 4)},
                ),
                (r"c\,(1 + t) &< 1",),
            ),
        ),
        formal=(
            *symbolic(sp.Gt(tangent, 0), sp.Lt(tangent, sp.Rational(1, 4)), given=(epsilon <= _half,), where=named),
            *symbolic(
                lt(_c * (1 + _t), 1),
                gt(_c * (1 - _t), 0),
                given=(_c > 0, _c <= sp.Rational(4, 5), _t > 0, _t < sp.Rational(1, 4)),
            ),
        ),
    )


def _printed_zero() -> Part:
    printed = (_centre - _half_gap) / (_centre + _half_gap)
    actual = (1 - _centre - _half_gap) / (1 - _centre + _half_gap)
    distributions = (bernoulli(_centre + _half_gap), bernoulli(_centre - _half_gap))
    at = {_centre: sp.Rational(4, 5), _half_gap: sp.Rational(4, 25)}
    return Part(
        Role.COUNTEREXAMPLE,
        "the bit 0",
        r"The ratio of the bit 0 is $\frac{1-c-x}{1-c+x}$, and not $\frac{c-x}{c+x}$ as printed.",
        (
            equal(
                "ratio_of_zero",
                r"From the two distributions,",
                r"\frac{f_{\mathrm{upd}}(0)}{f_{\mathrm{init}}(0)}",
                lambda: distributions[0][0] / distributions[1][0],
                actual,
            ),
            with_values(
                counterexample(
                    "zero_differs",
                    r"The two are the same only for $c = \frac12$.",
                    eq(actual, printed),
                    at,
                    lines=(r"c = \tfrac45,\ x = \tfrac{4}{25}:\quad \tfrac{0.04}{0.36} = \tfrac19 &\ne \tfrac23",),
                ),
                (partial(actual.subs, at), sp.Rational(1, 9)),
                (partial(printed.subs, at), sp.Rational(2, 3)),
            ),
        ),
        formal=(
            *symbolic(sp.Eq(sp.Symbol(r"\frac{f_{\mathrm{upd}}(0)}{f_{\mathrm{init}}(0)}"), actual)),
            *symbolic(ne(actual, printed), where=at),
        ),
    )


def _example() -> Part:
    budget = sp.Symbol("F", positive=True)
    at = {_centre: sp.Rational(4, 5), _half_gap: sp.Rational(4, 25)}
    inverse = (1 - _centre + _half_gap) / (1 - _centre - _half_gap)
    slope = sp.tanh(epsilon / 2)
    return Part(
        Role.COUNTEREXAMPLE,
        "large centres",
        r"For every $c > \frac12$ and every $\varepsilon$ the proposed pair, $x = c\tanh\frac\varepsilon2$, violates "
        r"$\varepsilon$-differential privacy at the bit 0.",
        (
            with_values(
                counterexample(
                    "nine",
                    r"With $e^\varepsilon = \frac32$, $\tanh\frac\varepsilon2 = \frac15$, $c = \frac45$, $x = "
                    r"\frac{4}{25}$ the parameters are $0.64$ and $0.96$. A zero is 9 times as likely before an "
                    r"appearance as after it.",
                    le(inverse, budget),
                    {**at, budget: sp.Rational(3, 2)},
                    (_half_gap <= _centre * (budget - 1) / (budget + 1), _centre + _half_gap < 1),
                    lines=(r"\frac{1 - 0.64}{1 - 0.96} = 9 &> \tfrac32 = e^\varepsilon",),
                ),
                (partial(inverse.subs, at), sp.Integer(9)),
            ),
            lemma(
                "all_large_centres",
                r"In general, with $t = \tanh\frac\varepsilon2$, for $c > \frac12$ the ratio of the bit 0 exceeds "
                r"that of the bit 1, which is $e^\varepsilon$; for $c \le \frac12$ it does not.",
                [
                    *(one for one in family_fails() if one.name.startswith("published.family.bit")),
                    equality(
                        "family.exponential",
                        ((1 + _t) / (1 - _t)).subs(_t, sp.tanh(epsilon / 2)),
                        sp.exp(epsilon),
                        "(1 + t)/(1 - t) = exp(epsilon) for t = tanh(epsilon/2)",
                    ),
                ],
                (r"\frac{1 - c(1-t)}{1 - c(1+t)} &> \frac{1+t}{1-t} = e^\varepsilon \qquad (c > \tfrac12)",),
            ),
        ),
        formal=symbolic(
            gt(1 - _c * (1 - slope), sp.exp(epsilon) * (1 - _c * (1 + slope))),
            given=(_c > _half,),
        ),
    )


def _repaired() -> Part:
    bound = {"one": _c * _gap, "zero": (1 - _c) * _gap}
    slack_one, slack_zero = (_x <= one for one in bound.values())
    inverse_zero = 1 / ratio(0)
    conditions = (*_defined, ratio(1) <= _f, inverse_zero <= _f)
    steps = [
        at_most(
            "only_if",
            r"The other two of the four bounds are implied, since $\frac{c+x}{c-x} > 1$ and $\frac{1-c-x}{1-c+x} < "
            r"1$. If the pair is private, then the bit 1 gives $x \le c\,\frac{F-1}{F+1}$ as above, and the bit 0",
            Inequality("family.zero_necessary", _x, bound["zero"], conditions, touching=_touching),
            (r"x &\le (1-c)\,\frac{F-1}{F+1}",),
        ),
        at_most(
            "if_one",
            r"Conversely, if $x$ is at most both bounds, then the ratio of the bit 1 is at most $F$.",
            Inequality("family.one_again", ratio(1), _f, (*_defined, slack_one, slack_zero), touching=_touching),
            (r"\frac{c+x}{c-x} &\le F",),
        ),
        at_most(
            "if_zero",
            r"So is the ratio of the bit 0.",
            Inequality(
                "family.zero_sufficient", inverse_zero, _f, (*_defined, slack_one, slack_zero), touching=_touching
            ),
            (r"\frac{1-c+x}{1-c-x} &\le F",),
        ),
        _implied(),
        small_centres(),
    ]
    return Part(
        Role.AMENDED,
        "the condition",
        r"For $0 < c-x < c+x < 1$ the pair is $\varepsilon$-differentially private if and only if $x \le \min\{c, "
        r"1-c\} \tanh\frac\varepsilon2$. With $x = c\tanh\frac\varepsilon2$ it is so if and only if $c \le \frac12$.",
        tuple(steps),
        formal=(
            *symbolic(
                sp.Equivalent(sp.And(ratio(1) <= _f, inverse_zero <= _f), _x <= sp.Min(_c, 1 - _c) * _gap),
                given=_defined,
            ),
            *symbolic(sp.Equivalent(_c * _t <= (1 - _c) * _t, _c <= _half), given=(_t > 0, _t < 1, _c > 0, _c < 1)),
        ),
    )


def _implied() -> Step:
    return lemma(
        "implied",
        r"The lower bounds $e^{-\varepsilon}$ of the ratio above 1, and the upper one of the ratio below 1, hold.",
        [
            Inequality(
                f"family.implied_{name}", sp.S.One, value, _defined, strict=True, touching={_c: _half, _x: 0, _f: 2}
            ).discharge()
            for name, value in (("one", ratio(1)), ("zero", 1 / ratio(0)))
        ],
        (r"\frac{1-c-x}{1-c+x} < 1 &< \frac{c+x}{c-x}",),
    )


def _variance() -> Part:
    at_zero = density_variance(sp.S.Zero, (p0, p1))

    def variance(centre: sp.Expr) -> sp.Expr:
        return at_zero.subs({p0: centre * (1 - _fifth), p1: centre * (1 + _fifth)}, simultaneous=True)

    quarter, (first, second) = sp.Rational(1, 4), sp.symbols("V_1 V_2")
    return Part(
        Role.READING,
        "the choice of the centre",
        r"The thesis says with reserve that the choice of $c$ does not seem to matter. It does: the variance of the "
        r"estimate depends on it. In the formula $V_1$ and $V_2$ are variances for two values of $c$.",
        (
            with_values(
                counterexample(
                    "centre_matters",
                    r"With $e^\varepsilon = \frac32$, $d = 0$: $m$ times the variance of the estimate without noise is "
                    r"$\frac{p_{\mathrm{init}}(1-p_{\mathrm{init}})}{(p_{\mathrm{upd}}-p_{\mathrm{init}})^2}$. For $c "
                    r"= \frac14$ the pair is $0.2, 0.3$, for $c = \frac12$ it is $0.4, 0.6$.",
                    eq(first, second),
                    {first: lambda: variance(quarter), second: lambda: variance(_half)},
                    lines=(r"\frac{0.2 \cdot 0.8}{0.1^2} = 16 &\ne 6 = \frac{0.4 \cdot 0.6}{0.2^2}",),
                ),
                (lambda: variance(quarter), sp.Integer(16)),
                (lambda: variance(_half), sp.Integer(6)),
            ),
        ),
        formal=symbolic(ne(first, second)),
        holds=False,
    )


def _joint() -> Part:
    centre, share = sp.Rational(1, 4), sp.tanh(epsilon / 2)
    return Part(
        Role.READING,
        "the family in place of Algorithm 2's pair",
        r"For every $c \in (0, \frac45]$ and every $0 < \varepsilon \le \frac12$ state and output jointly lose more "
        r"than $2\varepsilon$.",
        (
            lemma(
                "joint",
                r"One bit weighs $\eta = \frac{\varepsilon}{2 c \tanh(\varepsilon/2)} \ge \frac1c$ in units of the "
                r"noise of scale $\frac{1}{\varepsilon m}$. The lower bound $B(q_1 + p_1 e^\eta)$ for the joint "
                r"loss, with $p_1 \ge c$ and the Taylor polynomial of degree 3 of $e^{1/c}$, exceeds $e \ge "
                r"e^{2\varepsilon}$.",
                [one for one in family_fails() if "bit" not in one.name],
                (r"e^{2\varepsilon} \le e &< B\,(q_1 + p_1 e^\eta)",),
            ),
            event_refutes(
                "joint_event",
                r"By hand, with $e^\varepsilon = \frac32$ and $c = \frac14$, where the state keeps its budget: the "
                r"pair is $0.2, 0.3$, and one bit weighs $\eta = 10\varepsilon$. Let $m = U = 2$, $S = (v, u)$ and $S' "
                r"= (v)$, with the intrusion after the first update. The event: the bit of $u$ is seen as 0, and the "
                r"output exceeds its value for two ones without noise.",
                added_appearance((centre * (1 - share), centre * (1 + share))),
                EXAMPLE,
                sp.Rational(36863, 2048),
                (
                    r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= 0.7 + 0.3 \left(\tfrac32\right)^{10} = "
                    r"\tfrac{36863}{2048} > \tfrac94 = e^{2\varepsilon}",
                ),
                hypotheses=(epsilon <= _half,),
            ),
        ),
        formal=stated_family(),
        holds=False,
    )


CLAIMS = {"density.bernoulli_family": bernoulli_family}
