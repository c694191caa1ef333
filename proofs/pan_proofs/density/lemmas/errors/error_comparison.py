"""Where the error of the Laplace density estimator lies among those of the two estimators with bits."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.errors.published_estimates import dwork, half, laplace_cells, optimal_bernoulli
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.notation import epsilon, m, present, t
from pan_proofs.ledger.steps import at_most, equal, lemma

_laplace = 2 / epsilon**2
_fair = 4 / epsilon**2 - present
_optimal = (1 - t**2) / (4 * t**2)
_share, _sinh, _budget = sp.symbols("d_M s epsilon", real=True)
_positive = sp.Symbol("y", positive=True)


def laplace_among_the_others() -> Part:
    """The comparison of the three errors, for the same fixed sample."""
    return Part(
        Role.PUBLISHED,
        "its error among the others",
        r"For the same fixed sample and $0 < \varepsilon \le \frac12$ the mean squared error is below that of the "
        r"estimator with a fair first bit: per user $\frac{2}{\varepsilon^2} < \frac{4}{\varepsilon^2} - "
        r"d(\mathcal{S}_M)$. For every $\varepsilon > 0$ it is above that of the estimator with the optimal pair: with "
        r"$t = \tanh(\varepsilon/2)$, $\frac{1-t^2}{4t^2} < \frac{1}{\varepsilon^2} < \frac{2}{\varepsilon^2}$.",
        (*_below_the_fair_bit(), *_above_the_optimal_pair()),
        formal=(
            *symbolic(sp.Lt(_laplace, _fair), given=(present <= 1, epsilon <= half)),
            *symbolic(sp.Eq(_optimal, 1 / (4 * sp.sinh(epsilon / 2) ** 2)), where={t: sp.tanh(epsilon / 2)}),
            *symbolic(sp.Lt(1 / (4 * sp.sinh(epsilon / 2) ** 2), 1 / epsilon**2)),
        ),
    )


def _below_the_fair_bit() -> tuple[Step, ...]:
    return (
        displayed(
            equal(
                "gap_to_the_fair_bit",
                r"The noise of the output is the same in all three errors. The error with a fair first bit less that "
                r"with Laplace cells, times $m$, is",
                "",
                m * (dwork().error(present) - laplace_cells().error(present)),
                _fair - _laplace,
            ),
            r"m \left(E_{\mathrm{fair}} - E_{\mathrm{Laplace}}\right) &= "
            r"\frac{4}{\varepsilon^2} - d(\mathcal{S}_M) - \frac{2}{\varepsilon^2}",
        ),
        at_most(
            "below_the_fair_bit",
            r"This is positive, since",
            Inequality(
                "laplace_error.below_the_fair_bit",
                _share,
                2 / _budget**2,
                (_share >= 0, _share <= 1, _budget > 0, _budget <= half),
                strict=True,
                gap=sp.Rational(1, 8),
                weaker=sp.Rational(1, 9),
            ),
            lines=(r"d(\mathcal{S}_M) \le 1 < 8 &\le \frac{2}{\varepsilon^2}",),
        ),
    )


def _above_the_optimal_pair() -> tuple[Step, ...]:
    return (
        displayed(
            equal(
                "gap_to_the_optimal_pair",
                r"The error with Laplace cells less that with the optimal pair, times $m$, is",
                "",
                m * (laplace_cells().error(present) - optimal_bernoulli().error(present)),
                _laplace - _optimal,
            ),
            r"m \left(E_{\mathrm{Laplace}} - E_{\mathrm{opt}}\right) &= "
            r"\frac{2}{\varepsilon^2} - \frac{1-t^2}{4t^2}",
        ),
        displayed(
            equal(
                "optimal_by_sinh",
                r"The second fraction, with $1 - \tanh^2 = 1/\cosh^2$:",
                "",
                _optimal.subs(t, sp.tanh(epsilon / 2)),
                1 / (4 * sp.sinh(epsilon / 2) ** 2),
            ),
            r"\frac{1-t^2}{4t^2} &= \frac{1}{4\sinh^2(\varepsilon/2)}",
        ),
        lemma(
            "sinh_above",
            r"For $y > 0$, $\sinh y > y$: the difference vanishes at $0$ and its derivatives are positive.",
            positive_ladder(
                "laplace_error.sinh",
                _positive,
                (sp.sinh(_positive) - _positive, sp.cosh(_positive) - 1, sp.sinh(_positive)),
                (sp.Integer(1), sp.Integer(1)),
            ),
            lines=(r"\sinh\tfrac\varepsilon2 &> \tfrac\varepsilon2",),
        ),
        at_most(
            "optimal_below_one",
            r"So, with $s = \sinh\frac\varepsilon2$, the fraction is below $\frac{1}{\varepsilon^2}$,",
            Inequality(
                "laplace_error.optimal_below_one",
                1 / (4 * _sinh**2),
                1 / _budget**2,
                (_budget > 0, _sinh > _budget / 2),
                strict=True,
                touching={_budget: sp.Integer(1), _sinh: half},
            ),
            lines=(r"\frac{1}{4s^2} &< \frac{1}{\varepsilon^2}",),
        ),
        at_most(
            "above_the_optimal_pair",
            r"This is less than half of what Laplace cells give:",
            Inequality(
                "laplace_error.above_the_optimal_pair",
                1 / (4 * _sinh**2),
                2 / _budget**2,
                (_budget > 0, _sinh > _budget / 2),
                strict=True,
                gap=half,
                weaker=sp.Rational(1, 4),
            ),
            lines=(r"\frac{1}{4s^2} &< \frac12 \cdot \frac{2}{\varepsilon^2}",),
        ),
    )
