"""Theorem 3.5 of the thesis: the bias of the entropy of noisy frequencies."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, counterexample
from pan_proofs.tables.lemmas.clipped_entropy import (
    above_minus_one,
    below_minus_one,
    one_symbol,
    orders,
    stated_terms,
    summed,
)
from pan_proofs.tables.lemmas.rare_symbols import bias_below, rare_family, stated_rare_symbols

_negative = sp.Symbol("P")
_at, _noise, _log = sp.symbols("q w L", nonnegative=True)
_small = sp.Symbol("eta", positive=True)
_CONDITIONS = (
    le(_noise, _small),
    le((1 + _log) * _at, _small),
    le(_small, 1),
)
"""Conditions on q = 1/(p n), w = M b^2/(p n) and L = -log p, for a small number."""


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
            Part(
                Role.COUNTEREXAMPLE,
                "negative noisy counts",
                r"Every noisy count is negative with a positive probability. Then $\tilde p_i \log \tilde p_i$, "
                r"and the expectation of $\tilde H$, are not defined. In the formula $P$ is this probability for one "
                r"record, $p = \frac12$, $M = 1$ and $b = 1$.",
                (_negative_count(),),
                formal=symbolic(gt(_negative, 0)),
            ),
            Part(
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
                (*bias_below(), *rare_family()),
                formal=stated_rare_symbols(),
            ),
            Part(
                Role.AMENDED,
                "negative counts are set to 0",
                r"Let $\tilde H$ be the entropy with negative noisy counts set to $0$. For every $n \ge 1$, $M \ge 1$ "
                r"and $b > 0$, $E[\tilde H - H] = -\frac{d-1}{2n} - \frac{Mb^2}{n^2} \sum_i \frac1{p_i} + \frac{2 - "
                r"3d + \sum_i \frac1{p_i}}{6n^2} + E$ with $|E| \le \sum_i \bigl(\frac13 + |\log p_i|\bigr) "
                r"\bigl(\frac{3}{p_in^2} + \frac{1 + 12Mb^2}{p_i^2n^3} + \frac{24M^2b^4}{p_i^3n^4}\bigr)$. In the "
                r"formulas $u = -v = \frac{\tilde p - p}{p}$ and $L = -\log p$; $W = Mb^2$ and $B = b^2$; $S$, $R$ "
                r"and $T$ are the sums of $p_i$, of $\frac1{p_i}$, and of the terms.",
                (*above_minus_one(), *below_minus_one(), *one_symbol(), summed(), *orders()),
                formal=stated_terms(),
            ),
            Part(
                Role.AMENDED,
                "the conditions",
                r"If $\frac{Mb^2}{p_{\min}n} \to 0$ and $\frac{1 + |\log p_{\min}|}{p_{\min}n} \to 0$, all terms but "
                r"the "
                r"first are $o(\frac dn)$. In the formula $q = \frac1{pn}$, $w = \frac{Mb^2}{pn}$, $L = |\log p|$, and "
                r"$\eta$ is a small number; the left side is $n$ times a bound on all other terms of a symbol.",
                (_dominated(),),
                formal=symbolic(le(_others(), 46 * _small), given=_CONDITIONS),
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


def _negative_count() -> Step:
    return counterexample(
        "negative_count",
        r"The sum over both counts: a count $c$ with noise is negative with probability $\frac12 e^{-c/b}$.",
        le(_negative, 0),
        {_negative: lambda: negative_chance(1, Fraction(1, 2), sp.S.One)},
    )


def _others() -> sp.Expr:
    rest = (sp.Rational(1, 3) + _log) * (3 * _at + (_at + 12 * _noise) * _at + 24 * _noise**2 * _at)
    return _noise + _at / 2 + rest


def _dominated() -> Step:
    return at_most(
        "dominated",
        r"All terms of a symbol but the first, times $n$: the noise of the second order, the third order, and the "
        r"rest.",
        Inequality(
            "noisy_bias.dominated",
            _others(),
            46 * _small,
            _CONDITIONS,
            gap=sp.Rational(99, 100),
            weaker=sp.Rational(1, 10),
        ),
        lines=r"w + \tfrac q2 + \bigl(\tfrac13 + L\bigr)\bigl(3q + (q + 12w)q + 24w^2q\bigr) &\le 46\,\eta",
    )


CLAIMS = {"bayesnet.entropy_bias": entropy_bias}
