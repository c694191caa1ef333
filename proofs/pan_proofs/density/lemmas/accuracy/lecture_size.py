"""That the lecture's sample size is enough: by exponential bounds for small beta, by the variance for large beta."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms, rate
from pan_proofs.density.lemmas.losses.sampled_cells import bernoulli_moments
from pan_proofs.density.lemmas.losses.sampled_cells import m as draws
from pan_proofs.density.lemmas.losses.sampled_cells import noise as noise_scale
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, epsilon
from pan_proofs.ledger.steps import at_most, below_on_box, compared

_half = sp.Rational(1, 2)
SHARES = {delta_1: sp.Rational(2, 3), delta_2: _half}
"""The lecture gives a third of the accuracy to each source of error."""

_level = sp.Symbol("L", positive=True)
_real_level, _real_eps, _real_alpha, _real_m, _v = sp.symbols("L epsilon alpha m v", real=True)


def third_bounds() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The three bounds with a third of the accuracy each; the cells are those of the fair first bit."""
    terms = accuracy_terms("dwork")
    sampling, cells, noise = (one.subs(SHARES) for one in (terms.sampling, terms.cells, terms.noise))
    return sampling, cells, noise


_POWERS = (sp.Rational(100, 9), sp.Rational(25, 9), sp.Rational(100, 3))
_root = sp.Symbol("w", nonnegative=True)
"""The ninth root of beta."""


def _divided() -> sp.Expr:
    """The sum of the three bounds, as powers of beta, over beta."""
    first, second, third = (beta ** (power - 1) for power in _POWERS)
    return 2 * first + 2 * second + third


def stated_small_beta() -> tuple[str, ...]:
    """That the three powers together are less than beta, up to one half."""
    first, second, third = (beta**power for power in _POWERS)
    return (
        *symbolic(eq((2 * first + 2 * second + third) / beta, _divided())),
        *symbolic(lt(_divided(), 1), given=(beta <= _half,), where={_root: beta ** sp.Rational(1, 9)}),
    )


def stated_large_beta() -> tuple[str, ...]:
    """Chebyshev's bound at the size, and that it is less than beta from one half to 97/100."""
    level = sp.Symbol("L", positive=True)
    tail = 1 / (50 * level) + 1 / (5000 * level**2)
    size = 200 * level / (epsilon * alpha) ** 2
    return (
        *symbolic(
            le((4 + 2 / draws) / (draws * epsilon**2 * alpha**2), tail),
            given=(
                ge(draws, size),
                le(epsilon, 2),
                le(alpha, 1),
            ),
        ),
        *symbolic(
            lt(tail, sp.exp(-level)),
            given=(ge(level, sp.Rational(3, 100)), le(level, sp.Rational(7, 10))),
        ),
        *symbolic(
            gt(sp.log(sp.Rational(100, 97)), sp.Rational(3, 100)),
            lt(sp.log(2), sp.Rational(7, 10)),
        ),
    )


def small_beta() -> tuple[Step, ...]:
    """Up to one half the three exponentials are powers of beta whose sum is at most beta."""
    powers = _POWERS
    shown = (
        r"\tfrac29 m\alpha^2 &\ge \tfrac{100}{9} L",
        r"\tfrac{1}{72} m\alpha^2\varepsilon^2 &\ge \tfrac{25}{9} L",
        r"\tfrac13 \varepsilon m\alpha &\ge \tfrac{100}{3} L",
    )
    steps = []
    for name, bound, power, line in zip(("sample", "bits", "noise"), third_bounds(), powers, shown, strict=True):
        exponent = (rate(bound)[1] * 200 * _real_level / (epsilon * alpha) ** 2).subs(
            {epsilon: _real_eps, alpha: _real_alpha}
        )
        steps.append(
            at_most(
                f"power_{name}",
                rf"Let $\beta \le \frac12$ and $L = \log\frac1\beta$. The exponent of the {name} is at least that of "
                rf"$\beta^{{{power}}}$:",
                Inequality(
                    f"lecture.power_{name}",
                    power * _real_level,
                    sp.cancel(exponent),
                    (_real_level > 0, _real_eps > 0, _real_eps <= 2, _real_alpha > 0, _real_alpha <= 1),
                    touching={_real_eps: 2, _real_alpha: 1, _real_level: 1},
                ),
                lines=(line,),
            )
        )
    whole = 2 * beta ** powers[0] + 2 * beta ** powers[1] + beta ** powers[2]
    divided = _divided()
    at_half = divided.subs(beta, _half)
    return (
        *steps,
        equality(
            "divided",
            r"Divide the sum by $\beta$:",
            "",
            whole / beta,
            divided,
            lines=(
                r"\tfrac1\beta \left(2\beta^{100/9} + 2\beta^{25/9} + \beta^{100/3}\right) "
                r"&= 2\beta^{91/9} + 2\beta^{16/9} + \beta^{97/3}",
            ),
        ),
        compared(
            "at_one_half",
            r"All powers are positive, so that the quotient grows with $\beta$; at $\frac12$ it is less than $1$.",
            lt(at_half, sp.Rational(6, 10)),
            lines=(r"2\beta^{91/9} + 2\beta^{16/9} + \beta^{97/3} &< 0.6 \quad\text{at }\beta = \tfrac12",),
        ),
        below_on_box(
            "up_to_one_half",
            r"Balls show the same at once, with $w = \beta^{1/9}$; for $\beta \le \frac12$ it is at most $0.926$.",
            _divided().subs(beta, _root**9),
            sp.S.One,
            {_root: (sp.S.Zero, sp.Rational(926, 1000))},
            closest={_root: sp.Rational(926, 1000)},
            weaker=_half,
            lines=(r"2w^{91} + 2w^{16} + w^{291} &< 1 \qquad (0 \le w \le 0.926)",),
        ),
    )


def large_beta() -> tuple[Step, ...]:
    """From one half to 97/100 by Chebyshev's inequality, with the exact variance."""
    moments = bernoulli_moments()
    before, after = PAIRS["dwork"]
    p, q = moments.parameters
    real = {symbol: sp.Symbol(symbol.name, real=True) for symbol in moments.variance_random_sample.free_symbols}
    real_m, users, share = (sp.Symbol(name, real=True) for name in ("m", "U", "d"))
    variance = moments.variance_random_sample.subs({p: before, q: after, noise_scale: 1 / (epsilon * draws)})
    variance = sp.factor(variance.subs({**real, epsilon: _real_eps}))
    bound = (4 + 2 / real_m) / (real_m * _real_eps**2)
    tail = 1 / (50 * _level) + 1 / (5000 * _level**2)
    return (
        equality(
            "unbiased",
            r"Let $\frac12 \le \beta \le \frac{97}{100}$. Given the sample the estimate's expectation is",
            r"E\,\hat\theta",
            lambda: moments.expectation_fixed_sample.subs({p: before, q: after}),
            sp.Symbol("d_M", nonnegative=True),
        ),
        at_most(
            "variance",
            r"Computed from the distributions of the bits, the noise and the sample, its variance is largest when "
            r"nobody "
            r"appears (for a single user the sample adds nothing, and the rest is smaller):",
            Inequality(
                "lecture.variance",
                variance,
                bound,
                (share >= 0, share <= 1, real_m >= 1, users >= real_m, users >= 2, _real_eps > 0, _real_eps <= 2),
                touching={share: 0, real_m: 1, users: 2, _real_eps: 1},
            ),
            lines=(r"\operatorname{Var}\hat\theta &\le \frac{1}{m\varepsilon^2}\left(4 + \frac2m\right)",),
        ),
        at_most(
            "chebyshev",
            r"With $v = m\varepsilon^2\alpha^2$, so that $m \ge v/4$, Chebyshev's inequality gives",
            Inequality(
                "lecture.chebyshev",
                (4 + 2 / _real_m) / _v,
                (4 + 8 / _v) / _v,
                (_v > 0, _real_m >= _v / 4),
                touching={_v: 4, _real_m: 1},
            ),
            lines=(
                r"P(|\hat\theta - d(\sigma)| \ge \alpha) \le \frac1v\left(4 + \frac2m\right) &"
                r"\le \frac1v\left(4 + \frac8v\right)",
            ),
        ),
        at_most(
            "larger_samples",
            r"This falls as $v \ge 200L$ grows; at $200L$ it is",
            Inequality(
                "lecture.larger_samples",
                (4 + 8 / _v) / _v,
                sp.cancel(tail.subs(_level, _real_level)),
                (_real_level > 0, _v >= 200 * _real_level),
                touching={_v: 200, _real_level: 1},
            ),
            lines=(r"\frac1v\left(4 + \frac8v\right) &\le \frac{1}{50L} + \frac{1}{5000L^2}",),
        ),
        below_on_box(
            "below_beta",
            r"That is less than $\beta = e^{-L}$, by balls for $\frac{3}{100} \le L \le \frac{7}{10}$,",
            tail,
            sp.exp(-_level),
            {_level: (sp.Rational(3, 100), sp.Rational(7, 10))},
            closest={_level: sp.Rational(3, 100)},
            weaker=sp.Rational(9, 10),
        ),
        compared(
            "ends",
            r"The interval holds $\log\frac{100}{97}$ and $\log 2$.",
            gt(sp.log(sp.Rational(100, 97)), sp.Rational(3, 100)),
            lt(sp.log(2), sp.Rational(7, 10)),
            lines=(r"\tfrac{3}{100} < \log\tfrac{100}{97},\quad \log 2 &< \tfrac{7}{10}",),
        ),
    )
