"""The promise of the calibrated Bernoulli estimator: the least noise for a given joint loss."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import A, B, largest, q1, stated_largest
from pan_proofs.density.lemmas.intrusions.noise_limits import LIMITS, RATIOS
from pan_proofs.density.lemmas.intrusions.noise_limits import S as _S
from pan_proofs.density.lemmas.intrusions.noise_limits import u as _u
from pan_proofs.density.lemmas.intrusions.noise_limits import v as _v
from pan_proofs.density.lemmas.intrusions.one_user import geometric_limits, mixture
from pan_proofs.density.lemmas.losses.joint_loss import Setting
from pan_proofs.density.lemmas.losses.joint_loss_proofs import inversion, noise_factor, stated_noise_factor
from pan_proofs.density.lemmas.losses.observations import high, low, p0, p1
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import equal, lemma

_half = sp.Rational(1, 2)

_pair = (p0 > 0, p0 < p1, p1 < 1)
_region = (*_pair, _S > A, _S > B)
_at = {p0: sp.Rational(1, 3), p1: sp.Rational(2, 3), _S: 3}


def calibrated_joint_privacy() -> Claim:
    """The limits of the noise, that they are reached, and the symmetric case in closed form."""
    return Claim(
        id="calibrated.joint_privacy",
        title="A joint promise that is kept",
        references=(
            Reference("here", "for the calibrated Bernoulli estimator, in the place of the published promises"),
        ),
        statement=r"Let $0 < p_0 < p_1 < 1$, $A = p_1/p_0$, $B = q_0/q_1$, $T > \max\{\log A, \log B\}$ and $S = "
        r"e^T$. To the number of ones add integer noise with $P(N = k)$ proportional to $u^k$ for $k \ge 0$ and to "
        r"$v^{-k}$ for $k \le 0$, where $u = \max\left\{\frac{p_1}{S/B - q_1}, \frac{A/S - p_1}{q_1}\right\}$ and $v "
        r"= \max\left\{\frac{q_1}{S/A - p_1}, \frac{B/S - q_1}{p_1}\right\}$. Then $0 < u, v < 1$, and the joint "
        r"privacy loss of the state at one unannounced intrusion and the output, user-level, is exactly $T$; less of "
        r"either noise exceeds $T$. For the symmetric pair with $A = B = e^{\varepsilon_1}$ and $u = v = e^{-\eta}$ "
        r"the joint loss is $T$ for $\eta = \log\left(e^{T - \varepsilon_1} + e^{T - 2\varepsilon_1} - "
        r"e^{-\varepsilon_1}\right)$.",
        notation=(
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            (r"$\varepsilon_1$", r"$\log A$ for the symmetric pair"),
        ),
        hypotheses=(
            r"$0 < p_0 < p_1 < 1$",
            r"$T > \log A$ and $T > \log B$: the state alone must not use up the promise",
            r"the bits, the noise and the sample are independent",
        ),
        silent=(
            r"The intrusion comes before the output, after which the state is erased.",
            r"The intrusion falls at the same place among the other users' updates in both streams.",
        ),
        in_words=(
            (
                "geometric_limits",
                "both ends of the range of the ratio of the noise occur with positive probability, at counts above "
                "and below those of the bits, so that the largest ratio is attained",
            ),
            (
                "two_limits_candidates",
                r"a quotient that is monotone in $\rho$ is largest at an end of the range of $\rho$, also if the ends "
                r"are no inverses of each other",
            ),
            (
                "mixture",
                "the bits of different users are independent, and those of the others have one distribution in both "
                "streams; "
                "so the joint density is a mixture of shifts of that of one user, for every number of users",
            ),
            ("necessary", "the loss of state and output is at least that of the state alone"),
        ),
        uses=("joint_loss.tight",),
        parts=(_ratios(), _limits(), _symmetric()),
        remark=r"The published promise of $2\varepsilon$ is kept with $T = 2\varepsilon$. The formulas are for real "
        r"numbers; an implementation whose probabilities are rounded keeps the promise if the four ratios, computed "
        r"exactly for the rounded numbers, are at most $S$.",
    )


def _ratios() -> Part:
    return Part(
        Role.PUBLISHED,
        "the four ratios",
        r"With this noise, for any $0 < u, v < 1$, the joint loss is the logarithm of the largest of $B(q_1 + p_1/u)$, "
        r"$\frac{A}{p_1 + q_1 u}$, $A(p_1 + q_1/v)$ and $\frac{B}{q_1 + p_1 v}$. "
        r"In the formulas $\ell = u$ and $h = \frac1v$.",
        (
            geometric_limits(),
            *largest(
                Setting("general", symmetric_noise=False),
                "two_limits",
                r"Of the likelihood ratios with $\ell \le \rho \le h$, $\ell = v$, $h = 1/u$, four can be the "
                r"largest. They belong to (none, none) against (before, after) and (none, after) against (before, "
                r"none) at the bit 0, and (before, none) against (none, after) and (before, after) against (none, "
                r"none) at the bit 1.",
                (B / (q1 + p1 * low), B * (q1 + p1 * high), A / (p1 + q1 / high), A * (p1 + q1 / low)),
                (
                    r"& \frac{B}{q_1 + p_1\ell},\quad B\,(q_1 + p_1 h),\quad \frac{A}{p_1 + q_1/h},\quad A\,(p_1 + "
                    r"q_1/\ell)",
                ),
            ),
            mixture(),
        ),
        formal=stated_largest(Setting("general", symmetric_noise=False)),
    )


def _limits() -> Part:
    return Part(
        Role.PUBLISHED,
        "the least noise",
        r"The four ratios are at most $S$ if and only if $u$ and $v$ are at least the stated numbers, which lie in "
        r"$(0, 1)$. With these numbers the largest ratio is $S$.",
        (*_equivalences(), _reached(), _inside(), _necessary()),
        formal=_stated_limits(),
    )


def _stated_limits() -> tuple[str, ...]:
    """The least rates, formally: that they suffice and are needed, lie in (0, 1), and that the total is reached."""
    least = [sp.Max(*(LIMITS[f"{name}_{end}"] for name in ("zero", "one"))) for end in ("high", "low")]
    rates = (_u > 0, _u < 1, _v > 0, _v < 1)
    within = [le(ratio, _S) for ratio in RATIOS.values()]
    enough = [ge(share, one) for share, one in zip((_u, _v), least, strict=True)]
    largest_ones = [eq(sp.Max(*(RATIOS[f"{name}_{end}"] for name in ("zero", "one"))), _S) for end in ("high", "low")]
    reached = [
        symbolic(equation, given=(*_region, share > 0, eq(one, share)))
        for equation, share, one in zip(largest_ones, (_u, _v), least, strict=True)
    ]
    return (
        *symbolic(sp.Equivalent(sp.And(*within), sp.And(*enough), evaluate=False), given=(*_region, *rates)),
        *symbolic(*(sp.And(sp.Gt(one, 0), sp.Lt(one, 1)) for one in least), given=_region),
        *(text for texts in reached for text in texts),
    )


def _equivalences() -> tuple[Step, ...]:
    lines = {
        "zero_high": r"B\,(q_1 + p_1/u) \le S &\iff u \ge \frac{p_1}{S/B - q_1}",
        "one_high": r"\frac{A}{p_1 + q_1 u} \le S &\iff u \ge \frac{A/S - p_1}{q_1}",
        "one_low": r"A\,(p_1 + q_1/v) \le S &\iff v \ge \frac{q_1}{S/A - p_1}",
        "zero_low": r"\frac{B}{q_1 + p_1 v} \le S &\iff v \ge \frac{B/S - q_1}{p_1}",
    }
    steps = []
    for name, ratio in RATIOS.items():
        share = _u if name.endswith("high") else _v
        within = (*_region, share > 0, share < 1)
        touching = {**_at, share: LIMITS[name].subs(_at)}
        if touching[share] <= 0:
            # At this point the bound says nothing; take a pair whose state uses more of the promise.
            touching = _reaching(name, share)
        steps.append(
            lemma(
                f"limit_{name}",
                r"For $0 < p_0 < p_1 < 1$, $S > A$, $S > B$ and a rate in $(0, 1)$,",
                (
                    Inequality(
                        f"calibrated.{name}.if", ratio, _S, (*within, share >= LIMITS[name]), touching=touching
                    ).discharge(),
                    Inequality(
                        f"calibrated.{name}.only_if", LIMITS[name], share, (*within, ratio <= _S), touching=touching
                    ).discharge(),
                ),
                (lines[name],),
            )
        )
    return tuple(steps)


def _reaching(name: str, share: sp.Symbol) -> dict[sp.Symbol, sp.Expr]:
    """A point of the region at which the limit of a ratio is positive, and the share is that limit."""
    pair = (sp.Rational(1, 10), sp.Rational(3, 10)) if name == "one_high" else (sp.Rational(7, 10), sp.Rational(9, 10))
    point = {p0: pair[0], p1: pair[1], _S: sp.Rational(31, 10)}
    return {**point, share: LIMITS[name].subs(point)}


def _reached() -> Step:
    obligations = [
        one
        for name, ratio in RATIOS.items()
        for one in equal(
            f"calibrated.{name}.reached",
            "",
            "",
            partial(ratio.subs, _u if name.endswith("high") else _v, LIMITS[name]),
            _S,
        ).obligations
    ]
    return lemma(
        "reached",
        r"At its limit each ratio is $S$. As $u$ and $v$ are each the larger of two limits, none of the four ratios "
        r"exceeds $S$, and two of them reach it; with a smaller $u$, or a smaller $v$, one exceeds it.",
        obligations,
        (r"B \left(q_1 + p_1 \cdot \frac{S/B - q_1}{p_1}\right) &= S",),
    )


def _inside() -> Step:
    below = [
        Inequality(f"calibrated.{name}.below_one", limit, sp.S.One, _region, strict=True, touching=touching).discharge()
        for (name, limit), touching in zip(LIMITS.items(), _edges(), strict=True)
    ]
    positive = [
        Inequality(
            f"calibrated.{name}.denominator",
            one,
            other,
            _region,
            strict=True,
            touching=touching,
        ).discharge()
        for name, one, other, touching in (
            ("zero_high", sp.S.One, _S / B, _edges()[0]),
            ("one_low", sp.S.One, _S / A, _edges()[0]),
        )
    ]
    return lemma(
        "inside",
        r"The first limits of $u$ and of $v$ are positive, since $S/B > 1 > q_1$ and $S/A > 1 > p_1$; all four are "
        r"below 1, since $S$ exceeds $A$ and $B$.",
        [*below, *positive],
        (
            r"0 < \frac{p_1}{S/B - q_1} < 1,\quad \frac{A/S - p_1}{q_1} < 1 &,\quad 0 < \frac{q_1}{S/A - p_1} < "
            r"1,\quad \frac{B/S - q_1}{p_1} < 1",
        ),
    )


def _edges() -> tuple[dict[sp.Symbol, sp.Expr], ...]:
    """Points of the closure at which the limits are 1: S equal to B, or to A."""
    thirds = {p0: sp.Rational(1, 3), p1: sp.Rational(2, 3), _S: 2}
    return (thirds,) * 4


def _necessary() -> Step:
    return lemma(
        "necessary",
        r"If $S \le B$ or $S \le A$, no noise is enough: already the state, with $u \to 1$ or $v \to 1$, has these "
        r"ratios.",
        [
            Inequality(
                f"calibrated.{name}.state",
                one,
                RATIOS[name],
                (*_pair, share > 0, share < 1),
                strict=True,
                touching={p0: _half, p1: _half, share: 1},
            ).discharge()
            for name, one, share in (("zero_high", B, _u), ("one_low", A, _v))
        ],
        (r"B &< B\,(q_1 + p_1/u)", r"A &< A\,(p_1 + q_1/v)"),
    )


def _symmetric() -> Part:
    first, second, total = sp.symbols("epsilon_1 E T", positive=True)
    factor = noise_factor()
    symbols = {str(one): one for one in factor.free_symbols}
    stated = sp.exp(total - first) + sp.exp(total - 2 * first) - sp.exp(-first)
    solved = factor.subs({symbols["S"]: sp.exp(total), symbols["E"]: sp.exp(first)}, simultaneous=True)
    symmetric = {p0: 1 / (1 + second), p1: second / (1 + second)}
    general = 1 / LIMITS["zero_high"].subs(symmetric)
    step = equal("eta", "", "", solved, stated)
    same = equal(
        "same_limit", "", "", general, factor.subs({symbols["E"]: second, symbols["S"]: _S}, simultaneous=True)
    )
    return Part(
        Role.PUBLISHED,
        "the symmetric pair",
        r"For $A = B = E = e^{\varepsilon_1}$ and $u = v = 1/r$ the joint loss is $T$ if and only if $r = e^{T - "
        r"\varepsilon_1} + e^{T - 2\varepsilon_1} - e^{-\varepsilon_1}$, and there is such an $r > 1$ if and only if "
        r"$T > \varepsilon_1$.",
        (
            lemma(
                "inversion",
                r"With $S = e^T$, the equation $\frac{E (1 + E r)}{1 + E} = S$ is linear in $r$. Its solution "
                r"exceeds 1 just if $S > E$.",
                (*inversion(), *step.obligations),
                (
                    r"r &= \frac{S}{E} + \frac{S}{E^2} - \frac1E",
                    r"\eta = \log r &= \log\left(e^{T-\varepsilon_1} + e^{T-2\varepsilon_1} - "
                    r"e^{-\varepsilon_1}\right)",
                ),
            ),
            lemma(
                "same_limit",
                r"This is also the first limit above at the symmetric pair. The other limit of $u$ and both limits of "
                r"$v$ are not larger, so that $u$ and $v = u$ are as large as they must be.",
                (*same.obligations, *_other_limits()),
                (
                    r"\frac{S/B - q_1}{p_1} &= \frac{S}{E} + \frac{S}{E^2} - \frac1E",
                    r"\frac{A/S - p_1}{q_1},\ \frac{q_1}{S/A - p_1},\ \frac{B/S - q_1}{p_1} &\le \frac{p_1}{S/B - q_1}",
                ),
            ),
        ),
        formal=stated_noise_factor(sp.Symbol("r", positive=True), total, first),
    )


def _other_limits() -> list[Obligation]:
    odds = sp.Symbol("E", real=True)
    symmetric = {p0: 1 / (1 + odds), p1: odds / (1 + odds)}
    first, *others = (sp.cancel(one.subs(symmetric)) for one in LIMITS.values())
    return [
        Inequality(
            f"calibrated.symmetric.other.{number}", one, first, (odds > 1, odds < _S), touching={odds: 2, _S: 2}
        ).discharge()
        for number, one in enumerate(others)
    ]


CLAIMS = {"calibrated.joint_privacy": calibrated_joint_privacy}
