"""Theorem 3.6 of the thesis: the mean squared error of the entropy of noisy frequencies."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import compared, counterexample
from pan_proofs.tables.lemmas.many_values import noise_exceeds, stated_many_values
from pan_proofs.tables.lemmas.squared_error import (
    linear_part,
    rest_of_one,
    stated_error,
    stated_small,
    together,
)
from pan_proofs.tables.lemmas.uncertainty import entropy_of, exact, log_variance

_error, _variance = sp.symbols("E V")
_records = sp.Symbol("n", integer=True, positive=True)
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
            Part(
                Role.COUNTEREXAMPLE,
                "the uniform distribution",
                r"For the uniform distribution $\sigma^2 = 0$, so that the theorem says that the error is $0$. All "
                r"hypotheses hold for $8$ values, a growing $n$ and little noise, and the error is positive for every "
                r"$n$. In the formula $E$ is the error of two records without noise, $n = 2$, and $V = \sigma^2$.",
                (_uniform(), _small_least()),
                formal=symbolic(ne(_error, _variance / _records), where={_records: sp.Integer(2)}),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "a variance that does not vanish",
                r"The theorem fails for a positive variance as well. There are distributions of a growing number $d$ "
                r"of values, "
                r"all with $\sigma^2 = \frac{3}{16}\log^2 3$, and noise for which all hypotheses hold and "
                r"$\frac{n}{\sigma^2}E[(\tilde H - H)^2] \to \infty$: the noise adds $d$ terms, and the printed "
                r"condition on $\varepsilon$ does not know their number. In the formulas $L = \log(2d)$, and $E$, $A = "
                r"x^2$ and $R$ are the error, its linear part and the square of the rest, with $C_Z$ for their product "
                r"and $y$ for the root of $B$.",
                noise_exceeds(),
                formal=stated_many_values(),
            ),
            Part(
                Role.AMENDED,
                "the leading term, with bounds",
                r"Let negative noisy counts be set to $0$. With $A = \frac{\sigma^2}{n} + \frac{2Mb^2}{n^2} \sum_i (1 "
                r"+ \log p_i)^2$ and $B = d \sum_i (1 + |\log p_i|)^2\,p_i^{-2}\,E[(\tilde p_i - p_i)^4]$, "
                r"$|E[(\tilde H - H)^2] - A| \le 2\sqrt{AB} + B$. In the formulas $u = -v = \frac{\tilde p - p}{p}$, "
                r"$L = -\log p$, $x = \sqrt A$ and $y = \sqrt B$; $E$ is the error, $A = A_Z$ its linear part, $C$ "
                r"and $R$ the others; $S_{01}$ and $S_{02}$ are the sums of $\log p_i$ and of $\log^2 p_i$.",
                (*rest_of_one(), *linear_part(), *together()),
                formal=(*stated_error(), *stated_small()),
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


def _uniform() -> Step:
    return counterexample(
        "uniform",
        r"Over all $64$ samples of two records. For every $n$ all records are equal with the probability $8^{1-n}$, "
        r"and then the error is $\log^2 8$. Small noise changes neither.",
        eq(_error, _variance / _records),
        {
            _error: lambda: error_without_noise(_UNIFORM, 2),
            _variance: lambda: log_variance(_UNIFORM),
            _records: sp.Integer(2),
        },
    )


def _small_least() -> Step:
    return compared(
        "small_least",
        r"The hypothesis on $p_{\min}$ holds:",
        lt(sp.Rational(1, 8), sp.exp(-2)),
        lines=r"\tfrac18 &< e^{-2}",
    )


CLAIMS = {"bayesnet.entropy_mse": entropy_mse}
