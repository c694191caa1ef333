"""Steps for the quantised Laplace estimator: its budget, its variance, and its output."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.real_cells.quantized_cells import induced_pair
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.analytic_lemmas import analytic_lemmas
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.foundations.laplace_integrals import laplace_integral
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import density, epsilon, m
from pan_proofs.ledger.steps import at_most, counterexample, equal, lemma

half = sp.Rational(1, 2)
_h, _y = sp.symbols("h y", real=True)
_positive = sp.Symbol("y", positive=True)
_root = sp.Symbol("h", positive=True)


def _in_root(expression: sp.Expr) -> sp.Expr:
    """An expression in ``exp(epsilon/2)`` as one in ``h``."""
    return sp.cancel(expression.subs(epsilon, 2 * sp.log(_root)))


def variance_of_bit(chance: sp.Expr) -> sp.Expr:
    """Variance of a bit, from its outcomes."""
    outcomes = ((sp.Integer(1), chance), (sp.Integer(0), 1 - chance))
    mean = sum(value * weight for value, weight in outcomes)
    return sp.expand(sum((value - mean) ** 2 * weight for value, weight in outcomes))


def user_variance() -> sp.Expr:
    """The variance that one user adds to the state's estimate, times the square of the sample size."""
    before, after = induced_pair()
    return variance_of_bit(before) / (after - before) ** 2


def budget() -> tuple[Step, ...]:
    """The loss of the quantised state."""
    before, after = induced_pair()
    return (
        equal(
            "both_bits",
            r"With $h = e^{\varepsilon/2}$ the largest ratio is the same for either bit.",
            r"\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}}} = \frac{1 - p_{\mathrm{init}}}{1 - p_{\mathrm{upd}}}",
            lambda: _in_root(after / before),
            lambda: _in_root((1 - before) / (1 - after)),
            2 * _root - 1,
        ),
        at_most(
            "below_budget",
            r"So the loss of the state is $\log(2 e^{\varepsilon/2} - 1)$, strictly below $\varepsilon$, as "
            r"$(h - 1)^2 > 0$.",
            Inequality("quantizer.budget", 2 * _h - 1, _h**2, (_h > 1,), strict=True, touching={_h: 1}),
        ),
    )


def error() -> tuple[Step, ...]:
    """Variance of the unbiased estimate, and its place between the other two estimators."""
    before, after = induced_pair()
    ratio = _in_root(user_variance()) / (_root**2 / (_root**2 - 1) ** 2)
    z = sp.Symbol("z", real=True)
    noise = laplace_integral(z**2, z, sp.Integer(0), 1 / (epsilon * m), -sp.oo, sp.oo)
    share = sp.exp(-epsilon / 2)
    return (
        equal(
            "same_variance",
            r"The two probabilities are complementary, so every bit has the same variance, whether its user appeared "
            r"or not.",
            r"p_{\mathrm{upd}} (1 - p_{\mathrm{upd}})",
            lambda: variance_of_bit(after),
            lambda: variance_of_bit(before),
        ),
        equal(
            "error",
            r"The estimate $(\hat d - p_{\mathrm{init}})/(p_{\mathrm{upd}} - p_{\mathrm{init}})$ plus "
            r"$\operatorname{Laplace}(0, \frac{1}{\varepsilon m})$ is unbiased for $d(\mathcal{S}_M)$. Its mean "
            r"squared error, the same for every density, is",
            r"\operatorname{var}(\tilde d)",
            user_variance() / m + noise,
            share * (2 - share) / (4 * m * (1 - share) ** 2) + 2 / (m**2 * epsilon**2),
        ),
        equal(
            "user_variance",
            r"In $h$, the first term times $m$ is",
            "v",
            _in_root(user_variance()),
            (2 * _root - 1) / (4 * (_root - 1) ** 2),
        ),
        at_most(
            "above_optimal",
            r"It is larger than for optimal bits, $h^2/(h^2-1)^2$, for every $\varepsilon > 0$: the difference of the "
            r"two sides is $(h - 1)(2 h^2 + h + 1)$.",
            Inequality(
                "quantizer.above_optimal",
                4 * _h**2,
                (2 * _h - 1) * (_h + 1) ** 2,
                (_h > 1,),
                strict=True,
                touching={_h: 1},
            ),
            lines=(r"\frac{h^2}{(h^2-1)^2} < \frac{2h - 1}{4 (h-1)^2} \iff 4 h^2 &< (2 h - 1)(h + 1)^2",),
        ),
        lemma(
            "ratio",
            r"The quotient of the two tends to $1$ for $\varepsilon \to 0$ and to infinity for $\varepsilon \to "
            r"\infty$.",
            (
                computed_value(
                    "ratio.small",
                    f"the limit of {sp.factor(ratio)} at h = 1",
                    lambda: sp.limit(ratio, _root, 1, "+"),
                    sp.Integer(1),
                    engine="sympy",
                ),
                computed_value(
                    "ratio.large",
                    "its limit at infinity",
                    lambda: sp.limit(ratio, _root, sp.oo),
                    sp.oo,
                    engine="sympy",
                ),
            ),
            lines=(r"\frac{(2 h - 1)(h + 1)^2}{4 h^2} &\to 1 \quad (h \to 1)",),
        ),
        lemma(
            "cubic",
            r"Let $y = \varepsilon/2$, so that $h = e^y$.",
            analytic_lemmas()[2],
            lines=(r"h &\ge 1 + y + \tfrac12 y^2 + \tfrac16 y^3",),
        ),
        at_most(
            "below_laplace",
            r"So the variance is smaller than that of the unquantised cells, $2/\varepsilon^2 = 1/(2 y^2)$, for every "
            r"$\varepsilon > 0$.",
            Inequality(
                "quantizer.below_laplace",
                (2 * _h - 1) * _y**2,
                2 * (_h - 1) ** 2,
                (_y > 0, _h >= 1 + _y + _y**2 / 2 + _y**3 / 6),
                strict=True,
                gap=sp.Rational(17, 20),
                weaker=sp.Rational(3, 5),
            ),
            lines=(r"\frac{2h - 1}{4 (h-1)^2} < \frac{1}{2 y^2} \iff (2 h - 1) y^2 &< 2 (h - 1)^2",),
        ),
    )


def unchanged_output(first: sp.Expr, second: sp.Expr) -> tuple[Step, ...]:
    """The bias if the stored values are 0 and 1 and the output is still computed from the two means."""
    before, after = induced_pair()
    expected = density * after + (1 - density) * before
    bias = (expected - first) / (second - first) - density
    share = sp.exp(-epsilon / 2)
    return (
        equal_as(
            "bias",
            r"With the means that make the levels $0$ and $1$, and $u = e^{-\varepsilon/2}$:",
            (bias, share * (2 * share + epsilon - 2) / epsilon * (half - density)),
            r"\frac{E q - \mu_{\mathrm{init}}}{\mu_{\mathrm{upd}} - \mu_{\mathrm{init}}} - d &= "
            r"\frac{u (2 u + \varepsilon - 2)}{\varepsilon} \left(\tfrac12 - d\right)",
        ),
        lemma(
            "bias_sign",
            r"The factor $2 u + \varepsilon - 2 = 2 (e^{-y} - 1 + y)$, $y = \varepsilon/2$, is positive: the output is "
            r"too large for sparse streams and too small for dense ones.",
            positive_ladder(
                "quantizer.bias",
                _positive,
                (sp.exp(-_positive) - 1 + _positive, 1 - sp.exp(-_positive), sp.exp(-_positive)),
                (sp.Integer(1), sp.Integer(1)),
            ),
            lines=(r"e^{-y} - 1 + y &> 0",),
        ),
        counterexample(
            "bias_by_hand",
            r"For $\varepsilon = 2 \log 2$, that is $u = \frac12$, and nobody present:",
            sp.Eq(bias, 0, evaluate=False),
            {epsilon: 2 * sp.log(2), density: sp.Integer(0)},
            lines=(r"\text{bias} &= \frac{2 \log 2 - 1}{8 \log 2} = 0.069\ldots",),
        ),
    )
