"""Theorem 3.6 of the thesis: the mean squared error of the entropy of noisy frequencies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Claim, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import bounded, compared, counterexample, lemma
from pan_proofs.tables.lemmas.expansion import clipped_steps, remainder_steps, stated_remainder
from pan_proofs.tables.lemmas.information import entropy_of, exact, log_variance
from pan_proofs.tables.lemmas.moments import holders, noisy_frequency, noisy_pair, records
from pan_proofs.tables.lemmas.symbol_sums import (
    log_chance,
    log_other,
    over_pairs,
    over_symbols,
    pairs_of_symbols,
    spread,
)

_size, _constant, _variance_squared, _small, _width = sp.symbols("d C s eta w", positive=True)
_E, _A, _cross, _R, _L, _cross_squared = sp.symbols("E A C_Z R L C", real=True)
_x, _y = sp.symbols("x y", nonnegative=True)
_error, _variance = sp.symbols("E V")
_records = sp.Symbol("n", integer=True, positive=True)
_QUARTER = sp.Rational(1, 4)
_variance_many = 3 * sp.log(3) ** 2 / 16
"""The variance of the logarithm: a quarter of the mass at one probability, the rest at three times that."""
_log_least = sp.log(2 * _size)


def _noise_part() -> sp.Expr:
    """The noise in n A, for noise with W = n / (sqrt(d) L^2)."""
    low = 1 - _log_least
    return (low**2 + (low + sp.log(3)) ** 2) * sp.sqrt(_size) / _log_least**2


_UNIFORM = (Fraction(1, 8),) * 8


def entropy_mse() -> Claim:
    """False for the uniform distribution; the linear part gives the leading term with explicit bounds."""
    return Claim(
        id="bayesnet.entropy_mse",
        title="Mean squared error of the entropy of noisy frequencies",
        notation=(
            ("$a_i$, $b_i$", "entries of two vectors"),
            ("$w$", r"$\sqrt{\sigma^2/n}$"),
        ),
        references=(Reference("networks", "Theorem 3.6, section 3.4.2"),),
        statement=r"If $p_{\min} < e^{-2}$, $p_{\min} = \omega(\frac{1}{\sqrt n})$, $\sigma^2 = O(d^2)$ and "
        r"$\varepsilon = \omega\bigl(\sqrt{\frac Mn}\,N^{k+1}|\log p_{\min}|\bigr)$, then $E[(\tilde H - H)^2] = "
        r"\frac{\sigma^2}{n} + o\bigl(\frac{\sigma^2}{n}\bigr)$.",
        hypotheses=(
            "the records are independent, with distribution $p$, and the analyst divides the counts by $n$",
            r"the noise on each count is a sum of $M$ independent variables $\operatorname{Laplace}(0, b)$",
        ),
        silent=(
            r"all $d$ values have positive probability; logarithms are natural",
            r"negative noisy counts are set to $0$; otherwise $\tilde H$ is not defined",
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "the uniform distribution",
                r"For the uniform distribution $\sigma^2 = 0$, so that the theorem says that the error is $0$. All "
                r"hypotheses hold for $8$ values, a growing $n$ and little noise, and the error is positive for every "
                r"$n$. In the formula $E$ is the error of two records without noise, $n = 2$, and $V = \sigma^2$.",
                counterexample(
                    "uniform",
                    r"Over all $64$ samples of two records. For every $n$ all records are equal with the probability "
                    r"$8^{1-n}$, and then the error is $\log^2 8$. Small noise changes neither.",
                    eq(_error, _variance / _records),
                    {
                        _error: lambda: error_without_noise(_UNIFORM, 2),
                        _variance: lambda: log_variance(_UNIFORM),
                        _records: 2,
                    },
                ),
                compared(
                    "small_least",
                    r"The hypothesis on $p_{\min}$ holds:",
                    lt(sp.Rational(1, 8), sp.exp(-2)),
                    lines=r"\tfrac18 &< e^{-2}",
                ),
                only=("uniform",),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "a variance that does not vanish",
                r"The theorem fails for a positive variance as well. There are distributions of a growing number $d$ "
                r"of values, "
                r"all with $\sigma^2 = \frac{3}{16}\log^2 3$, and noise for which all hypotheses hold and "
                r"$\frac{n}{\sigma^2}E[(\tilde H - H)^2] \to \infty$: the noise adds $d$ terms, and the printed "
                r"condition on $\varepsilon$ does not know their number. In the formulas $L = \log(2d)$, and $E$, $A = "
                r"x^2$ and $R$ are the error, its linear part and the square of the rest, with $C_Z$ for their product "
                r"and $y$ for the root of $B$.",
                equal_as(
                    "two_levels",
                    r"Half of $d$ values have the probability $\frac{1}{2d}$, and the others $\frac{3}{2d}$. For every "
                    r"$d$:",
                    (
                        _spread_of_two_levels,
                        _variance_many,
                    ),
                    r"\sigma^2 &= \tfrac{3}{16} \log^2 3",
                ),
                bounded(
                    "noise_grows",
                    r"Let $n = d^4$, $L = |\log p_{\min}| = \log(2d)$ and $Mb^2 = \frac{n}{\sqrt d\,L^2}$. Then "
                    r"$p_{\min}\sqrt n = \frac d2 \to \infty$ and $n\theta L^2 = \frac{1}{\sqrt d} \to 0$, so that all "
                    r"hypotheses hold. The noise in $nA$ is at least $2n\theta \cdot \frac d2 (1 - L)^2 \ge "
                    r"\frac{\sqrt d}{4}$.",
                    le(_L**2 / 4, (1 - _L) ** 2),
                    ge(_L, 2),
                    lines=r"\tfrac14 L^2 &\le (1 - L)^2 \quad (L \ge 2)",
                ),
                lemma(
                    "rest_vanishes",
                    r"By the bounds on the fourth moment, $p_i \ge \frac{1}{2d}$ and $|\log p_i| \le L$, the rest $B$ "
                    r"of the amended statement has $nB \le (1 + L)^2\bigl(\frac{3}{d^2} + \frac{2}{d^5} + "
                    r"\frac{24}{d^{3/2}L^2} + \frac{96}{dL^4}\bigr)$, which tends to $0$. So $B \le \frac{A}{16}$ for "
                    r"large $d$.",
                    tends_to("many.rest", _rest(), _size, sp.oo, sp.S.Zero),
                    r"\lim_{d \to \infty} (1 + L)^2 \Bigl(\frac{3}{d^2} + \frac{2}{d^5} + \frac{24}{d^{3/2}L^2} + "
                    r"\frac{96}{dL^4}\Bigr) &= 0",
                ),
                bounded(
                    "half_is_left",
                    r"The error is $E = A + 2C_Z + R$ with $A = x^2$, $C_Z \ge -xy$ and $R \ge 0$, where $y = \sqrt B "
                    r"\le \frac x4$.",
                    le(_A / 2, _E),
                    eq(_E, _A + 2 * _cross + _R),
                    eq(_A, _x**2),
                    ge(_cross, -_x * _y),
                    ge(_R, 0),
                    le(_y, _x / 4),
                    lines=r"\tfrac A2 &\le E",
                ),
                counterexample(
                    "noise_dominates",
                    r"So $nE \ge \frac{nA}{2}$ is at most $C\sigma^2$ for no $C$. For $C = 1000$ and $d = 10^8$:",
                    le((_variance_many + _noise_part()) / 2, _constant * _variance_many),
                    {_size: sp.Integer(10) ** 8, _constant: 1000},
                ),
            ),
            derived(
                Role.AMENDED,
                "the leading term, with bounds",
                r"Let negative noisy counts be set to $0$. With $A = \frac{\sigma^2}{n} + \frac{2Mb^2}{n^2} \sum_i (1 "
                r"+ \log p_i)^2$ and $B = d \sum_i (1 + |\log p_i|)^2\,p_i^{-2}\,E[(\tilde p_i - p_i)^4]$, "
                r"$|E[(\tilde H - H)^2] - A| \le 2\sqrt{AB} + B$. In the formulas $u = -v = \frac{\tilde p - p}{p}$, "
                r"$L = -\log p$, $x = \sqrt A$ and $y = \sqrt B$; $E$ is the error, $A = A_Z$ its linear part, $C$ "
                r"and $R$ the others; $S_{01}$ and $S_{02}$ are the sums of $\log p_i$ and of $\log^2 p_i$.",
                *remainder_steps(1),
                *clipped_steps(1),
                pairs_of_symbols(),
                equal_as(
                    "linear_square",
                    r"The linear part is $-\sum_i (1 + \log p_i)(\tilde p_i - p_i)$. By the moments of noisy "
                    r"frequencies, with $E[(\tilde p_i - p_i)(\tilde p_j - p_j)] = -\frac{p_ip_j}{n}$:",
                    (
                        linear_square,
                        stated_linear_square(),
                    ),
                    r"E\Bigl[\Bigl(\sum_i (1 + \log p_i)(\tilde p_i - p_i)\Bigr)^2\Bigr] &= \frac{\sigma^2}{n} + "
                    r"\frac{2Mb^2}{n^2} \sum_i (1 + \log p_i)^2",
                ),
                *together(),
                only=("set_to_zero_above", "set_to_zero_below", "whole_error", "all_terms"),
                formal=(
                    *stated_remainder(1),
                    *symbolic(eq(sp.Symbol("A_Z", real=True), stated_linear_square())),
                ),
            ),
        ),
        uses=("bayesnet.noisy_count_moments", "bayesnet.cauchy_schwarz"),
        in_words=(
            (
                "uniform",
                r"With noise the entropy of the frequencies differs from $H$ as well: the noisy counts have a density, "
                r"so that $\tilde H = H$ has a probability below $1$ for every $n$.",
            ),
            (
                "whole_error",
                r"The rest is $|\rho| \le \sum_i p_i(1 + |\log p_i|)u_i^2$ for all values of $u$. The square of a sum "
                r"of $d$ terms is at most $d$ times the sum of their squares, which is the inequality of Cauchy and "
                r"Schwarz for the uniform distribution on the terms; so $E[\rho^2] \le B$.",
            ),
        ),
        remark=r"So the error is $\frac{\sigma^2}{n}(1 + o(1))$ if $\frac{Mb^2}{n\sigma^2} \sum_i (1 + \log p_i)^2 "
        r"\to 0$ and $\frac{nB}{\sigma^2} \to 0$. Both ask for a variance $\sigma^2$ that is not too small; the claim "
        r"on the conditions says which steps of the printed proof use $\sigma^2 = O(d^2)$ in the wrong direction.",
    )


def error_without_noise(distribution: tuple[Fraction, ...], records: int) -> sp.Expr:
    """The mean squared error of the entropy of frequencies, over all samples."""
    true, found = entropy_of(distribution), sp.S.Zero
    for sample in product(range(len(distribution)), repeat=records):
        chance = Fraction(1)
        for one in sample:
            chance *= distribution[one]
        seen = entropy_of([Fraction(count, records) for count in Counter(sample).values()])
        found += exact(chance) * (seen - true) ** 2
    return sp.expand(sp.expand_log(found, force=True))


def _spread_of_two_levels() -> sp.Expr:
    low = -_log_least
    levels = ((_QUARTER, low), (1 - _QUARTER, low + sp.log(3)))
    mean = sp.Add(*(mass * one for mass, one in levels))
    return sp.Add(*(mass * one**2 for mass, one in levels)) - mean**2


def _rest() -> sp.Expr:
    """A bound on n B for n = d^4."""
    d, log = _size, _log_least
    return (1 + log) ** 2 * (3 / d**2 + 2 / d**5 + 24 / (d ** sp.Rational(3, 2) * log**2) + 96 / (d * log**4))


@cache
def linear_square() -> sp.Expr:
    """The expectation of the square of ``sum (1 + log p)(noisy frequency - p)``."""
    alone = over_symbols(sp.expand((1 + log_chance) ** 2 * noisy_frequency(2)))
    pairs = over_pairs(sp.expand((1 + log_chance) * (1 + log_other) * noisy_pair((1, 1), centred=True)))
    return sp.expand(alone + pairs)


def stated_linear_square() -> sp.Expr:
    """The variance of the logarithm over n, and the noise."""
    squares = over_symbols(sp.expand((1 + log_chance) ** 2))
    return spread**2 / records + 2 * holders * scale**2 / records**2 * squares


def together() -> Steps:
    """The whole error from its linear part and the rest."""
    bound = 2 * _x * _y + _y**2
    return (
        bounded(
            "whole_error",
            r"The error is the linear part $Z$ and a rest $\rho$: $E = A + 2C + R$ with $A = E[Z^2] = x^2$, $C = "
            r"E[Z\rho]$ and $R = E[\rho^2] \le y^2 = B$. By the inequality of Cauchy and Schwarz $|C| \le xy$.",
            le(sp.Abs(_E - _A), bound),
            eq(_E, _A + 2 * _cross_squared + _R),
            le(sp.Abs(_cross_squared), _x * _y),
            ge(_R, 0),
            le(_R, _y**2),
            lines=r"|E - A| &\le 2xy + y^2",
        ),
        bounded(
            "mixed_term",
            r"If $A \le (1 + \eta)s$ and $B \le \eta^2 s$ with $s = \frac{\sigma^2}{n} = w^2$, the mixed term is "
            r"small.",
            le(2 * _x * _small * _width, _small * (_x**2 + _width**2)),
            gt(_small, 0),
            gt(_width, 0),
            lines=r"2x \cdot \eta w &\le \eta\,(x^2 + w^2)",
        ),
        bounded(
            "all_terms",
            r"So $|E - s| \le \eta s + \eta((1 + \eta)s + s) + \eta^2 s$.",
            le(
                _small * _variance_squared * (1 + (2 + _small) + _small),
                5 * _small * _variance_squared,
            ),
            le(_small, 1),
            lines=r"\eta s + \eta\,(2 + \eta)\,s + \eta^2 s &\le 5\,\eta s",
        ),
    )


CLAIMS = {"bayesnet.entropy_mse": entropy_mse}
