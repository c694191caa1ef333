"""Section 4.4.4 of the thesis: Laplace cells truncated to the unit interval."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.real_cells.truncated_distributions import (
    closed_mean,
    closed_total_variation,
    eta,
    normaliser,
    reach,
)
from pan_proofs.density.lemmas.real_cells.truncated_errors import (
    example,
    means_at_the_ends,
    small_budget,
    stated_example,
    stated_small_budget,
    stated_worse,
)
from pan_proofs.density.lemmas.real_cells.truncated_steps import NAMED, closer_means, normalised, variation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic


def truncated() -> Claim:
    """The effect of truncation on the ratio, the means, the distance of the distributions, and the error."""
    return Claim(
        id="thesis.truncated",
        title="Truncated Laplace cells",
        references=(Reference("thesis", "section 4.4.4, on truncated distributions"),),
        statement=r"Truncate both Laplace distributions to $[0, 1]$, with means symmetric about $\frac12$. Then the "
        r"normalisers cancel in $f_{\mathrm{upd}}/f_{\mathrm{init}}$, which stays within $e^{\pm \varepsilon}$. But "
        r"the means of the truncated distributions are closer to each other while the scale is the same, so that for "
        r"a fixed "
        r"budget the two distributions are harder to distinguish. The truncation is said to appear problematic.",
        notation=(
            (
                r"$Z$, $Z_{\mathrm{init}}$, $Z_{\mathrm{upd}}$",
                "probability of the interval under the two distributions, and its common value",
            ),
            (
                r"$\mathrm{TV}$, $\mathrm{TV}_L$",
                "total variation between the distributions, on the line and on the interval",
            ),
            (
                r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$",
                "densities of a cell before and after an appearance, without truncation",
            ),
        ),
        hypotheses=(
            r"$\mu_{\mathrm{init}} + \mu_{\mathrm{upd}} = 1$, $\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = \varepsilon "
            r"b > 0$",
        ),
        silent=(
            r"The means lie in $[0, 1]$, that is $\varepsilon b \le 1$.",
            r"What it means that distributions are harder to distinguish: judged by total variation. That the "
            r"sentence is about "
            r"the estimator's error, which depends on the variance of the unbiased estimate, is another reading.",
            r"What appears to be problematic is not defined. This is no statement that can be judged, so that the "
            r"verdict does not depend on it.",
        ),
        uses=("cell.variance_floor", "laplace_cells.state_privacy"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the ratio",
                r"The normalisers are equal, and the ratio is bounded by $e^{\pm \varepsilon}$.",
                normalised(),
                formal=_stated_ratio(),
            ),
            Part(
                Role.PUBLISHED,
                "the means",
                r"The truncated means are closer to each other than the untruncated ones.",
                closer_means(),
                formal=symbolic(
                    sp.Lt(closed_mean(), eta, evaluate=False),
                    given=(reach >= eta,),
                    where=NAMED,
                ),
            ),
            Part(
                Role.PUBLISHED,
                "harder to distinguish in total variation",
                r"No event is told apart as well as $\{x > \frac12\}$ without truncation, for any scale.",
                variation(),
                formal=symbolic(
                    sp.Lt(closed_total_variation(), 1 - sp.exp(-eta), evaluate=False),
                    given=(reach >= eta,),
                    where=NAMED,
                ),
            ),
            Part(
                Role.READING,
                "harder for the estimator",
                r"Read of the estimator's error it is false. The density is estimated from the mean of the cells. "
                r"Truncation brings the means closer, but it reduces the variance of a cell by more than that: the "
                r"error can become smaller.",
                example(),
                formal=stated_example(),
                holds=False,
                departs="harder to distinguish: judged by total variation",
            ),
            Part(
                Role.READING,
                "the estimator's error for a fixed scale and a small budget",
                r"For fixed $b$ and $\varepsilon \to 0$ a user adds $R/\varepsilon^2$ with $\frac43 < R < 2$ instead "
                r"of $2/\varepsilon^2$: truncation lowers the error, by at most a third.",
                small_budget(),
                formal=stated_small_budget(),
            ),
            Part(
                Role.READING,
                "the estimator's error for means at the ends",
                r"For means at $0$ and $1$ and every $\varepsilon \le 2$ truncation raises the error, for "
                r"$\varepsilon \to 0$ to $3/\varepsilon^2$.",
                means_at_the_ends(),
                formal=stated_worse(),
            ),
        ),
        remark=r"In no case does the error fall below that of optimal bits, by the bound on the variance for cells of "
        r"any kind: truncated cells remain at least $\frac43$ times as bad for fixed scale and small $\varepsilon$. "
        r"The printed formula for the truncated density is right.",
    )


def _stated_ratio() -> tuple[str, ...]:
    """Both bounds of the ratio of the truncated densities, for a budget of ``2 eta``."""
    content = sp.Symbol("z", real=True)
    inside, other = (sp.exp(-sp.Abs(content - mean)) / 2 for mean in (eta, -eta))
    ratio = (inside / normaliser()) / (other / normaliser(sign=-1))
    return symbolic(
        sp.Le(ratio, sp.exp(2 * eta), evaluate=False),
        sp.Ge(ratio, sp.exp(-2 * eta), evaluate=False),
    )


CLAIMS = {"thesis.truncated": truncated}
