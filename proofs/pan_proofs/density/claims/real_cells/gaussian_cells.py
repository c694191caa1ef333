"""Section 4.4.4 of the thesis: Gaussian cells, and their truncation to the unit interval."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.real_cells.gaussian_errors import (
    approached,
    explicit,
    flat_is_widest,
    least_constant,
    tilting,
)
from pan_proofs.density.lemmas.real_cells.gaussian_steps import (
    stated_truncated,
    stated_whole_line,
    truncated,
    whole_line,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import epsilon

_user, _square = sp.symbols("r q", positive=True)


def gaussian() -> Claim:
    """The ratio on the line and on the interval, and how good the estimate can be."""
    return Claim(
        id="thesis.gaussian",
        title="Gaussian cells",
        references=(Reference("thesis", "section 4.4.4, on Gaussian distributions"),),
        statement=r"The ratio of two Gaussian densities of the same variance cannot be kept within $e^{\pm "
        r"\varepsilon}$. Truncated to $[0, 1]$, with properly selected means and variance, it can. (Our reading of "
        r"the selection: the means are symmetric about the middle of $[0, 1]$, at the distance $2 \sigma^2 "
        r"\varepsilon$.) The performance of the estimator is said not to be promising.",
        notation=(
            (r"$f_{\mathrm{init}}$, $f_{\mathrm{upd}}$", "densities of a cell before and after an appearance"),
            ("$A$, $B$; $W_A$, $W_B$", "squares of two places, and their weights"),
            (r"$\mu_{\mathrm{init}}$, $\mu_{\mathrm{upd}}$", "means of a cell before and after an appearance"),
        ),
        hypotheses=(r"The variance $\sigma^2$ is common to both distributions",),
        silent=(
            r"The proper selection is not given. The judgement is about means symmetric about $\frac12$ with "
            r"$\mu_{\mathrm{upd}} - \mu_{\mathrm{init}} = 2 \sigma^2 \varepsilon$, which use the whole budget, for "
            r"every $\sigma > 0$; the means need not lie in $[0, 1]$.",
            r"What is promising is not defined, so that the verdict does not depend on the performance. Its parts "
            r"judge the variance of the unbiased estimate that is linear in the cells.",
        ),
        uses=("cell.variance_floor",),
        parts=(
            Part(
                Role.PUBLISHED,
                "on the whole line",
                r"For different means the ratio is unbounded, above and towards $0$: the cells satisfy no budget.",
                whole_line(),
                formal=stated_whole_line(),
            ),
            Part(
                Role.PUBLISHED,
                "truncated to the unit interval",
                r"With symmetric means at the distance $2 \sigma^2 \varepsilon$ the truncated cells satisfy "
                r"$\varepsilon$-differential privacy, and use the whole budget.",
                truncated(),
                formal=stated_truncated(),
            ),
            Part(
                Role.READING,
                "the performance",
                r"Whatever $\sigma$ is, a user adds at least $\frac{3}{\varepsilon^2} - \frac{7}{20}$ where "
                r"unquantised Laplace cells add $\frac{2}{\varepsilon^2}$ and optimal bits less than "
                r"$\frac{1}{\varepsilon^2}$: for $\varepsilon \le \frac85$ the estimate is worse than from plain "
                r"Laplace cells, for $\varepsilon \le \frac12$ at least $2.9$ times as bad as from optimal bits.",
                (*tilting(), *flat_is_widest(), *explicit()),
                formal=symbolic(
                    sp.Ge(_user, 3 / epsilon**2 - sp.Rational(7, 20)),
                    given=(sp.Ge(_user, (1 / (sp.Rational(1, 3) + 2 * _square / 45) - _square) / (4 * _square)),),
                    where={_square: epsilon**2 / 4},
                ),
            ),
            Part(
                Role.READING,
                "the constant of the performance",
                r"The constant $3$ cannot be improved: it is approached for large $\sigma$ and small "
                r"$\varepsilon$.",
                approached(),
                formal=symbolic(sp.Eq(least_constant, 3, evaluate=False)),
            ),
        ),
        remark=r"For no $\varepsilon$ can the estimate be better than from optimal bits, by the bound on the variance "
        r"for cells of any kind.",
    )


CLAIMS = {"thesis.gaussian": gaussian}
