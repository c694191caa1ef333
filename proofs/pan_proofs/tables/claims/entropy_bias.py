"""Theorem 3.5 of the thesis: the bias of the entropy of noisy frequencies."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Reference, Role, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, over_entries
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import bounded, counterexample, lemma
from pan_proofs.tables.lemmas.expansion import clipped_steps, remainder_steps, stated_remainder, terms_above
from pan_proofs.tables.lemmas.moments import FREQUENCIES, chance, count, holders, noisy_count, noisy_frequency, records

_L, _share, _noise_clipped, _square, _u, _log_records, _log_mean, _product, _square_rare, _bias, _one, _other = (
    sp.symbols("L p W B u l a X S G G_1 G_2", real=True)
)
_mean, _first, _second, _growing, _constant, _small = sp.symbols("lambda lambda_1 lambda_2 T C eta", positive=True)
_excess, _least, _at, _noise, _log = sp.symbols("g z q w L", nonnegative=True)
_doublings = sp.Symbol("K", integer=True, positive=True)
_negative = sp.Symbol("P")
_THIRD = sp.Rational(1, 3)
_PROBABILITY = (ge(_share, 0), le(_share, 1))
_T, _inverses = sp.symbols("T R", real=True)
_d = sp.Symbol("d", integer=True, nonnegative=True)
_spread = _share * (1 - _share)
_count, _place = sp.Symbol("c", nonnegative=True), sp.Symbol("y", positive=True)
_ONE_BIAS = (_mean + _excess) * _log_records - _product - _mean * (_log_records - _log_mean)
_ONE_BOUND = _excess * (_log_records - _log_mean) - 1 - 2 / _mean


def negative_chance(records: int, chance: Fraction, width: sp.Expr) -> sp.Expr:
    """The probability that the count of a symbol with the noise of one holder is negative, over all counts."""
    return sp.Add(
        *(
            sp.Rational(comb(records, count) * chance**count * (1 - chance) ** (records - count))
            * sp.exp(-count / width)
            / 2
            for count in range(records + 1)
        )
    )


def entropy_bias() -> Claim:
    """The estimator is not defined where a noisy count is negative; with such counts set to 0 there is a bound."""
    return Claim(
        id="bayesnet.entropy_bias",
        title="Bias of the entropy of noisy frequencies",
        notation=(("$u_i$", "relative deviation of the frequency of the symbol $i$"),),
        references=(Reference("networks", "Theorem 3.5, section 3.4.2"),),
        statement=r"$|E[\tilde H - H]| = \frac{d-1}{2n} + O\bigl(\frac{dMb^2}{p_{\min}n^2} + "
        r"\frac{dMb^2}{p_{\min}^2n^3} + \frac{dM^2b^4}{p_{\min}^3n^4}\bigr)$. If $p_{\min} = \omega(\frac1n)$ and "
        r"$\varepsilon = \omega\bigl(\sqrt{\frac{M}{p_{\min}n}}\,N^{k+1}\bigr)$, the noise terms are dominated by the "
        r"term of order $\frac dn$, and the bias tends to that of $\hat H$.",
        hypotheses=(
            "the records are independent, with distribution $p$, and the analyst divides the counts by $n$",
            r"the noise on each count is a sum of $M$ independent variables $\operatorname{Laplace}(0, b)$",
        ),
        silent=(
            r"all $d$ values have positive probability; logarithms are natural, and $0 \log 0 = 0$",
            r"$k$ is fixed",
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "negative noisy counts",
                r"Every noisy count is negative with a positive probability. Then $\tilde p_i \log \tilde p_i$, "
                r"and the expectation of $\tilde H$, are not defined. In the formula $P$ is this probability for one "
                r"record, $p = \frac12$, $M = 1$ and $b = 1$.",
                counterexample(
                    "negative_count",
                    r"The sum over both counts: a count $c$ with noise is negative with probability $\frac12 "
                    r"e^{-c/b}$.",
                    le(_negative, 0),
                    {_negative: lambda: negative_chance(1, Fraction(1, 2), sp.S.One)},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the printed conditions, where negative counts are set to 0",
                r"Setting negative counts to $0$ raises the expected count of a rare symbol, and the logarithm of its "
                r"small frequency multiplies this. There are distributions of two symbols with $p_{\min}n \to \infty$ "
                r"and noise "
                r"with $M = b = 1$, so that $\frac{Mb^2}{p_{\min}n} \to 0$, for which $n$ times the bias grows without "
                r"bound. The printed order and the printed conditions fail for them: no $C$ is large enough, as the "
                r"example $C = 1000$ shows. In the formulas $\lambda = np$, $g$ is the excess of the expected count "
                r"over $\lambda$, $z = e^{-\lambda}$, $l = \log n$, $a = \log\lambda$, $X$ and $S$ are $E[y\log y]$ "
                r"and $E[y^2]$ of a count $y$ that is set to $0$ where it is negative, $G$ is $n$ times the bias, "
                r"$G_1$ and $G_2$ its parts, $n = 2^K$, and $T = \log n$.",
                by_slopes(
                    "tangent_at_the_mean",
                    r"Let $y = \max(0, c + \eta)$ be the count of a symbol with the noise of one holder, $b = 1$, set "
                    r"to $0$ where it is negative, and $\lambda = np$. With $y = \lambda(1 + u)$ the logarithm of $y$ "
                    r"lies below its tangent at $\lambda$.",
                    *terms_above(1),
                    lines=r"\log y &\le \log\lambda + u \quad (u > -1)",
                ),
                equal_as(
                    "times_the_count",
                    r"Times $y$; for $y = 0$ both sides are $0$.",
                    (
                        lambda: sp.expand(_mean * (1 + _u) * (sp.log(_mean) + _u)),
                        sp.expand(
                            _mean * (1 + _u) * sp.log(_mean) + (_mean * (1 + _u)) ** 2 / _mean - _mean * (1 + _u)
                        ),
                    ),
                    r"y \log y \le y(\log\lambda + u) &= y\log\lambda + \frac{y^2}{\lambda} - y",
                ),
                equal_as(
                    "mean_set_to_zero",
                    r"Where the noise is below $-c$ by $x$, setting to $0$ adds $x$.",
                    (
                        lambda: (
                            _count + sp.exp(-_count) * sp.integrate(_place * sp.exp(-_place) / 2, (_place, 0, sp.oo))
                        ),
                        _count + sp.exp(-_count) / 2,
                    ),
                    r"E[y \mid c] = c + e^{-c} \int_0^\infty \frac x2\,e^{-x}\,dx &= c + \tfrac12 e^{-c}",
                ),
                equal_as(
                    "mean_of_the_exponential",
                    r"With $1 + u = e^{\lambda - c}$ the same tangent says $e^{\lambda - c} \ge 1 + \lambda - c$. So "
                    r"$E[e^{-c}] \ge e^{-\lambda}$, and $E[y] = \lambda + g$ with an excess $g \ge \frac z2$, $z = "
                    r"e^{-\lambda}$.",
                    (
                        lambda: sp.expand(sp.exp(-_mean) * (1 + _mean - count((1,)).subs(chance, _mean / records))),
                        sp.exp(-_mean),
                    ),
                    r"E[e^{-c}] \ge e^{-\lambda}\,E[1 + \lambda - c] &= e^{-\lambda}",
                ),
                equal_as(
                    "second_moment_of_the_count",
                    r"A square does not grow where a negative number is set to $0$: $S = E[y^2]$ is at most the second "
                    r"moment of the noisy count, and so at most $\lambda^2 + \lambda + 2$.",
                    (
                        lambda: sp.expand(noisy_count(2).subs({holders: 1, scale: 1}).subs(chance, _mean / records)),
                        _mean**2 + _mean - _mean**2 / records + 2,
                    ),
                    r"E[\tilde c_i^2] &= \lambda^2 + \lambda - \frac{\lambda^2}{n} + 2",
                ),
                bounded(
                    "bias_of_one",
                    r"The term of a symbol is $-\frac yn \log\frac yn$. With $X = E[y\log y]$, $l = \log n$ and $a = "
                    r"\log\lambda$, $n$ times its bias is $(\lambda + g)\,l - X - \lambda(l - a)$.",
                    le(_ONE_BOUND, _ONE_BIAS),
                    le(_product, (_mean + _excess) * _log_mean + _square_rare / _mean - _mean - _excess),
                    le(_square_rare, _mean**2 + _mean + 2),
                    lines=r"g\,(l - a) - 1 - \frac2\lambda &\le (\lambda + g)\,l - X - \lambda(l - a)",
                    raised=1,
                ),
                bounded(
                    "bias_of_two",
                    r"Two symbols with $\lambda_1, \lambda_2 \ge 1$. Let $G$ be $n$ times the bias of the entropy, "
                    r"and $L = \log\frac{n}{\lambda_1}$; the excess of the second symbol is not negative.",
                    le(_least * _L / 2 - 6, _bias),
                    eq(_bias, _one + _other),
                    ge(_one, _excess * _L - 1 - 2 / _first),
                    ge(_other, -1 - 2 / _second),
                    ge(_first, 1),
                    ge(_second, 1),
                    ge(_L, 0),
                    ge(_excess, _least / 2),
                    lines=r"\tfrac12 z L - 6 &\le G",
                    raised=1,
                ),
                lemma(
                    "grows_like_a_root",
                    r"Let $n = 2^K$, $T = \log n$ and $\lambda_1 = np_{\min} = \frac12 \log T$, so that $z = "
                    r"T^{-1/2}$ and $L = T - \log\lambda_1$. The bound $\frac12zL - 6$ grows like $\frac12\sqrt T$.",
                    tends_to("rare.root", _lower(_growing) / sp.sqrt(_growing), _growing, sp.oo, sp.Rational(1, 2)),
                    r"\lim_{T \to \infty} \frac{1}{\sqrt T} \Bigl(\frac{T - \log(\frac12\log T)}{2\sqrt T} - 6\Bigr) "
                    r"&= \tfrac12",
                ),
                counterexample(
                    "printed_conditions",
                    r"With $d = 2$, $M = b = 1$ the printed bound, times $n$, is $\frac12 + 2C\,(w + wq + w^2q)$ with "
                    r"$w = q = \frac{1}{\lambda_1}$. For $C = 1000$ and $K = 2^{30}$:",
                    _printed(),
                    {_doublings: sp.Integer(2) ** 30, _constant: 1000},
                ),
                only=(
                    "bias_of_one",
                    "bias_of_two",
                    "grows_like_a_root",
                    "printed_conditions",
                ),
            ),
            derived(
                Role.AMENDED,
                "negative counts are set to 0",
                r"Let $\tilde H$ be the entropy with negative noisy counts set to $0$. For every $n \ge 1$, $M \ge 1$ "
                r"and $b > 0$, $E[\tilde H - H] = -\frac{d-1}{2n} - \frac{Mb^2}{n^2} \sum_i \frac1{p_i} + \frac{2 - "
                r"3d + \sum_i \frac1{p_i}}{6n^2} + E$ with $|E| \le \sum_i \bigl(\frac13 + |\log p_i|\bigr) "
                r"\bigl(\frac{3}{p_in^2} + \frac{1 + 12Mb^2}{p_i^2n^3} + \frac{24M^2b^4}{p_i^3n^4}\bigr)$. In the "
                r"formulas $u = -v = \frac{\tilde p - p}{p}$ and $L = -\log p$; $W = Mb^2$ and $B = b^2$; $S$, $R$ "
                r"and $T$ are the sums of $p_i$, of $\frac1{p_i}$, and of the terms.",
                *remainder_steps(3),
                *clipped_steps(3),
                equal_as(
                    "terms_of_one",
                    r"By the moments of noisy frequencies the terms of orders two and three of one symbol have the "
                    r"expectation below. The terms $-(1 + \log p)(\tilde p - p)$ have the expectation $0$.",
                    (
                        lambda: sp.expand(
                            chance * (-noisy_frequency(2) / (2 * chance**2) + noisy_frequency(3) / (6 * chance**3))
                        ),
                        main_of_one(),
                    ),
                    r"p\,E\bigl[-\tfrac{u^2}2 + \tfrac{u^3}6\bigr] &= -\frac{1-p}{2n} - \frac{Mb^2}{n^2p} + "
                    r"\frac{2p - 3 + \frac1p}{6n^2}",
                ),
                equal_as(
                    "fourth_of_one",
                    r"The fourth moment, by which the rest is bounded.",
                    (
                        lambda: noisy_frequency(4) / chance**3,
                        FREQUENCIES[4] / chance**3,
                    ),
                    r"p\,E[u^4] &= \frac{3(1-p)^2}{n^2p} + \frac{(1-p)(1 - 6p(1-p)) + 12(1-p)Mb^2}{n^3p^2} + "
                    r"\frac{12(M^2+M)b^4}{n^4p^3}",
                ),
                over_entries(
                    "terms_of_all",
                    r"The terms of all symbols, with $S = \sum_i p_i$, which is $1$, and $R = \sum_i \frac1{p_i}$.",
                    eq(
                        _T,
                        -(_d - _square_rare) / (2 * records)
                        - holders * scale**2 * _inverses / records**2
                        + (2 * _square_rare - 3 * _d + _inverses) / (6 * records**2),
                    ),
                    _d,
                    {_T: main_of_one(), _square_rare: chance, _inverses: 1 / chance},
                    (chance,),
                    ((_THIRD,), (2 * _THIRD,)),
                    r"\sum_i p_i\,E\bigl[-\tfrac{u_i^2}2 + \tfrac{u_i^3}6\bigr] &= -\frac{d - S}{2n} - "
                    r"\frac{Mb^2R}{n^2} + \frac{2S - 3d + R}{6n^2}",
                    at={records: 2, holders: 3, scale: 1},
                ),
                bounded(
                    "first_part",
                    r"The three parts of the fourth moment, with $W = Mb^2$ and $B = b^2 \le W$.",
                    le(3 * _spread**2, 3 * _share**2),
                    *_PROBABILITY,
                    lines=r"3p^2(1-p)^2 &\le 3p^2",
                ),
                bounded(
                    "second_part",
                    r"The second one:",
                    le(
                        _spread * (1 - 6 * _spread) + 12 * _spread * _noise_clipped,
                        _share * (1 + 12 * _noise_clipped),
                    ),
                    *_PROBABILITY,
                    ge(_noise_clipped, 0),
                    lines=r"p(1-p)(1 - 6p(1-p)) + 12p(1-p)W &\le p\,(1 + 12W)",
                ),
                bounded(
                    "third_part",
                    r"The third one:",
                    le(12 * (_noise_clipped**2 + _noise_clipped * _square), 24 * _noise_clipped**2),
                    ge(_square, 0),
                    ge(_noise_clipped, _square),
                    lines=r"12(M^2 + M)b^4 = 12(W^2 + WB) &\le 24W^2",
                ),
                only=(
                    "set_to_zero_above",
                    "set_to_zero_below",
                    "terms_of_all",
                    "first_part",
                    "second_part",
                    "third_part",
                ),
                formal=stated_remainder(3),
            ),
            derived(
                Role.AMENDED,
                "the conditions",
                r"If $\frac{Mb^2}{p_{\min}n} \to 0$ and $\frac{1 + |\log p_{\min}|}{p_{\min}n} \to 0$, all terms but "
                r"the "
                r"first are $o(\frac dn)$. In the formula $q = \frac1{pn}$, $w = \frac{Mb^2}{pn}$, $L = |\log p|$, and "
                r"$\eta$ is a small number; the left side is $n$ times a bound on all other terms of a symbol.",
                bounded(
                    "dominated",
                    r"All terms of a symbol but the first, times $n$: the noise of the second order, the third order, "
                    r"and the rest.",
                    le(_others(), 46 * _small),
                    le(_noise, _small),
                    le((1 + _log) * _at, _small),
                    le(_small, 1),
                    lines=r"w + \tfrac q2 + \bigl(\tfrac13 + L\bigr)\bigl(3q + (q + 12w)q + 24w^2q\bigr) &\le 46\,\eta",
                    gap=sp.Rational(99, 100),
                    weaker=sp.Rational(1, 10),
                ),
            ),
        ),
        uses=("bayesnet.noisy_count_moments",),
        in_words=(
            (
                "terms_of_all",
                r"The rest of a symbol is at most $p(\frac13 + |\log p|)\,u^4$ for every value of $u$, so that its "
                r"expectation is at most $(\frac13 + |\log p|)\,p\,E[u^4]$; the rests of all symbols add up.",
            ),
        ),
        remark=r"The proof bounds its remainder with a number $c$ that depends on the noise, as if it were fixed, and "
        r"by $\frac{1}{(1-c)^3}$, which has no bound. The logarithm in the rest comes from negative counts alone.",
    )


def _others() -> sp.Expr:
    rest = (sp.Rational(1, 3) + _log) * (3 * _at + (_at + 12 * _noise) * _at + 24 * _noise**2 * _at)
    return _noise + _at / 2 + rest


def main_of_one() -> sp.Expr:
    """The expectation of the terms of one symbol, of orders two and three."""
    n, p = records, chance
    return -(1 - p) / (2 * n) - holders * scale**2 / (n**2 * p) + (2 * p - 3 + 1 / p) / (6 * n**2)


def _lower(growing: sp.Expr) -> sp.Expr:
    return (growing - sp.log(sp.log(growing) / 2)) / (2 * sp.sqrt(growing)) - 6


def _printed() -> sp.Basic:
    growing = _doublings * sp.log(2)
    inverse = 2 / sp.log(growing)
    return le(
        _lower(growing),
        sp.Rational(1, 2) + 2 * _constant * (inverse + inverse**2 + inverse**3),
    )


CLAIMS = {"bayesnet.entropy_bias": entropy_bias}
