"""Steps that the claims on errors share: rows of equations, and the same error under each reading of what is random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.errors.estimate_errors import (
    CellEstimate,
    averaged,
    coin,
    coin_density,
    inclusion,
    sampled_density,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.foundations.distributions import Mixture, mean, variance
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import density, m, present, tex, universe
from pan_proofs.ledger.steps import at_most, equal, lemma

Row = tuple[str, str, str, sp.Expr | Callable[[], sp.Expr], sp.Expr]
"""An equation: name and text of its step, the quantity in LaTeX, its computed value, and the stated one."""

mean_squared_error = sp.Symbol("MSE")
"""The mean squared error, in formal statements."""

finite_population = (universe - m) / (universe - 1)
"""The part of the sampling variance that is left without replacement."""

MEAN = r"E[\hat{d} \mid M]"
VARIANCE = r"\operatorname{Var}(\hat{d} \mid M)"
UNBIASED = r"E[\tilde{d} \mid M]"
ERROR = r"E[(\tilde{d} - d(\mathcal{S}_M))^2 \mid M]"
ERROR_OF_STREAM = r"E[(\tilde{d} - d(\mathcal{S}))^2]"
ERROR_OF_COIN = r"E[(\tilde{d} - \delta)^2]"


def derived(name: str, text: str, left: str, computed: sp.Expr | Callable[[], sp.Expr], stated: sp.Expr) -> Step:
    """The computed value equals the stated one. Only the stated one is shown."""
    return replace(equal(name, text, left, computed, stated), lines=(f"{left} &= {shorter(stated)}",))


def derivations(*rows: Row) -> tuple[Step, ...]:
    """A step for each equation."""
    return tuple(derived(*row) for row in rows)


def equations(*rows: Row) -> tuple[str, ...]:
    """The equations, formally."""
    return symbolic(*(eq(sp.Symbol(left), value) for _, _, left, _, value in rows))


def shorter(expression: sp.Expr) -> str:
    """LaTeX with the positive terms of a sum first."""
    terms = sorted(sp.Add.make_args(expression), key=lambda term: (term.could_extract_minus_sign(), str(term)))
    signed = [f" - {tex(-term)}" if term.could_extract_minus_sign() else f" + {tex(term)}" for term in terms]
    printed = "".join(signed).removeprefix(" + ").strip()
    for letter in (r"\mu", "p"):
        low, high = (rf"{letter}_{{\mathrm{{{kind}}}}}" for kind in ("init", "upd"))
        printed = printed.replace(f"- {low} + {high}", f"{high} - {low}")
    return printed


def bounded(
    name: str,
    text: str,
    smaller: sp.Expr,
    larger: sp.Expr,
    hypotheses: Callable[..., tuple[Relational, ...]],
    touching: Mapping[sp.Symbol, sp.Expr | int],
    lines: Sequence[str],
    *,
    strict: bool = False,
) -> Step:
    """An inequality put to the solvers over plain real symbols, so that no assumption is made silently.

    Parameters
    ----------
    hypotheses
        Called with the plain symbols, in the order of their names.
    touching
        A point with equality, for the symbols as they are in the two sides.
    """
    symbols = sorted(smaller.free_symbols | larger.free_symbols | set(touching), key=str)
    plain = {symbol: sp.Symbol(symbol.name, real=True) for symbol in symbols}
    return at_most(
        name,
        text,
        Inequality(
            name,
            sp.together(smaller.xreplace(plain)),
            sp.together(larger.xreplace(plain)),
            hypotheses(*plain.values()),
            strict=strict,
            touching={plain[symbol]: sp.sympify(value) for symbol, value in touching.items()},
        ),
        lines=lines,
    )


def fixed_sample(estimate: CellEstimate, spread: sp.Expr, error: sp.Expr) -> tuple[Row, Row]:
    """Variance of the cells' mean, and the error, for a fixed sample."""
    return (
        (
            "fixed_mean_square",
            r"Given the sample the cells are independent, $m d(\mathcal{S}_M)$ of them of the one kind. The second "
            r"moment of their sum is a sum over ordered pairs; less the square of the first, over $m^2$, it is",
            VARIANCE,
            estimate.variance_of_cells,
            spread,
        ),
        (
            "fixed_error",
            r"The estimate is affine in $\hat{d}$, with independent noise of mean $0$.",
            ERROR,
            estimate.error(present),
            error,
        ),
    )


def unbiased(estimate: CellEstimate, average: sp.Expr) -> tuple[Row, Row, Row]:
    """Expectation of the cells' mean and of the output, for a fixed sample and on average over samples."""
    return (
        (
            "mean_of_cells",
            r"Fix the stream and the sample: $m d(\mathcal{S}_M)$ of the cells have the one mean and the others the "
            r"other. Nothing is assumed of which users appear.",
            MEAN,
            estimate.mean_of_cells,
            average,
        ),
        ("unbiased", r"The noise has mean $0$.", UNBIASED, estimate.expectation, present),
        (
            "unbiased_over_samples",
            r"A uniform sample has on average the density of the stream, hence also",
            r"E[\tilde{d}]",
            lambda: averaged(estimate.expectation(), sampled_density()),
            density,
        ),
    )


def inclusion_step() -> Step:
    """The probabilities that one user, and two, are in a uniform sample without replacement."""
    stated = (m / universe, m * (m - 1) / (universe * (universe - 1)))
    ratios = [
        equal(f"inclusion.ratio.{held}", "", "", partial(lambda held: inclusion()[held - 1], held), share)
        for held, share in enumerate(stated, start=1)
    ]
    one, two = inclusion()
    return lemma(
        "inclusion",
        r"Of the $\binom{U}{m}$ samples, $\binom{U-1}{m-1}$ hold a given user and $\binom{U-2}{m-2}$ two given users.",
        [obligation for step in ratios for obligation in step.obligations],
        lines=(rf"P(u \in M) &= {tex(one)}", rf"P(u, u' \in M) &= {tex(two)}"),
    )


def sampled_density_steps() -> tuple[Step, ...]:
    """Mean and variance of the density of a uniform sample."""
    return (
        inclusion_step(),
        derived(
            "sampled_mean",
            r"$m\,d(\mathcal{S}_M)$ is the sum of the indicators $1\{u \in M\}$ of the $dU$ users who have appeared, "
            r"where $d = d(\mathcal{S})$.",
            r"E[d(\mathcal{S}_M)]",
            lambda: sampled_density()[0],
            density,
        ),
        derived(
            "sampled_variance",
            r"Its square is the sum over the $dU$ pairs of a user with itself and the $dU(dU-1)$ others.",
            r"\operatorname{Var}(d(\mathcal{S}_M))",
            lambda: sampled_density()[1] - sampled_density()[0] ** 2,
            density * (1 - density) / m * finite_population,
        ),
    )


def over_samples(estimate: CellEstimate, error: sp.Expr) -> Row:
    """The error about the stream's density for a uniform sample."""
    return (
        "over_samples",
        r"For a uniform sample $d(\mathcal{S}_M)$ is random, with mean $d = d(\mathcal{S})$ and variance "
        r"$\frac{d(1-d)}{m} \frac{U-m}{U-1}$. Averaging the squared distance from $d$ adds this variance.",
        ERROR_OF_STREAM,
        estimate.averaged_error(density, sampled_density()),
        error,
    )


def coins(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr, error: sp.Expr, realised: sp.Expr) -> list[Row]:
    """One cell, the mean of the cells, and the error, when users appear independently with probability ``delta``."""
    cell = Mixture(coin, estimate.updated, estimate.initial)
    mixed = CellEstimate(cell, cell, estimate.noise)
    return [
        (
            "coin_cell",
            r"Let every sampled user appear independently with probability $\delta$. Each cell is then a draw from the "
            r"mixture of the two distributions,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        (
            "coin_mean",
            r"The cells are independent, all of one distribution.",
            r"\operatorname{Var}(\hat{d})",
            mixed.variance_of_cells,
            of_mean,
        ),
        (
            "coin_error",
            r"The same by way of the density of the sample, which has mean $\delta$ and variance $\delta(1-\delta)/m$:",
            ERROR_OF_COIN,
            estimate.averaged_error(coin, coin_density()),
            error,
        ),
        (
            "coin_scaled",
            r"This is the variance of $\hat{d}$ on the scale of the output, plus that of the noise.",
            r"\operatorname{Var}(\tilde{d})",
            mixed.variance_of_cells / estimate.gap**2 + variance(estimate.noise),
            error,
        ),
        (
            "coin_realised",
            r"About the density that the users of the sample happen to have, the term $\delta(1-\delta)/m$ is absent, "
            r"as it is for a fixed sample.",
            r"E[(\tilde{d} - d(\mathcal{S}_M))^2]",
            estimate.averaged_error(present, coin_density()),
            realised,
        ),
    ]


def random_order(estimate: CellEstimate, of_cell: sp.Expr, of_mean: sp.Expr) -> list[Row]:
    """A fixed sample in random order: each cell alone is a mixture, but the cells are not independent."""
    # Of the m places k hold a user who has appeared; of the m(m - 1) pairs of places k(k - 1) hold two of them.
    both = present * (m * present - 1) / (m - 1)
    low, high = mean(estimate.initial), mean(estimate.updated)
    product = both * high**2 + 2 * (present - both) * high * low + (1 - 2 * present + both) * low**2
    cell = Mixture(present, estimate.updated, estimate.initial)
    covariance = product - mean(cell) ** 2
    return [
        (
            "order_cell",
            r"Let the fixed sample be put in random order. The user in place $i$ has appeared with probability "
            r"$d(\mathcal{S}_M)$,",
            r"\operatorname{Var}(b_i)",
            variance(cell),
            of_cell,
        ),
        (
            "order_covariance",
            r"Two places hold two different users: for $i \ne j$ both have appeared with probability "
            r"$d(\mathcal{S}_M) \frac{m d(\mathcal{S}_M) - 1}{m - 1}$, and",
            r"\operatorname{Cov}(b_i, b_j)",
            covariance,
            -present * (1 - present) * sp.factor(high - low) ** 2 / (m - 1),
        ),
        (
            "order_mean",
            r"The mean does not depend on the order. With the covariances its variance is that for a fixed order; "
            r"without them it is too large.",
            r"\operatorname{Var}(\hat{d})",
            (m * variance(cell) + m * (m - 1) * covariance) / m**2,
            of_mean,
        ),
    ]
