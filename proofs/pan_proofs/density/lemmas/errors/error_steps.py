"""Steps that the claims on errors share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.errors.estimate_enumeration import Enumerated
from pan_proofs.density.lemmas.errors.estimate_errors import CellEstimate, averaged, inclusion, sampled_density
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import density, m, present, tex, universe
from pan_proofs.ledger.steps import at_most, enumerated, equal, lemma

_LARGEST = 8

mean_squared_error = sp.Symbol("MSE")
"""The mean squared error, in formal statements."""

finite_population = (universe - m) / (universe - 1)
"""The part of the sampling variance that is left without replacement."""

APPEARED = r"d(\mathcal{S}_M)"
MEAN = r"E[\hat{d} \mid M]"
VARIANCE = r"\operatorname{Var}(\hat{d} \mid M)"
UNBIASED = r"E[\tilde{d} \mid M]"
ERROR = r"E[(\tilde{d} - d(\mathcal{S}_M))^2 \mid M]"
ERROR_OF_STREAM = r"E[(\tilde{d} - d(\mathcal{S}))^2]"
ERROR_OF_COIN = r"E[(\tilde{d} - \delta)^2]"


def derived(name: str, text: str, left: str, computed_first: sp.Expr | Callable[[], sp.Expr], *stated: sp.Expr) -> Step:
    """The computed value equals the stated one. Only the stated one is shown."""
    step = equal(name, text, left, computed_first, *stated)
    shown = [shorter(one) for one in stated]
    return replace(step, lines=(f"{left} &= {shown[0]}", *(f"&= {one}" for one in shown[1:])))


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


def fixed_sample_steps(estimate: CellEstimate, spread: sp.Expr, error: sp.Expr) -> tuple[Step, ...]:
    """Variance of the cells' mean, and the error, for a fixed sample."""
    return (
        derived(
            "fixed_mean_square",
            r"Given the sample the cells are independent, $m d(\mathcal{S}_M)$ of them of the one kind. The second "
            r"moment of their sum is a sum over ordered pairs; less the square of the first, over $m^2$, it is",
            VARIANCE,
            estimate.variance_of_cells,
            spread,
        ),
        derived(
            "fixed_error",
            r"The estimate is affine in $\hat{d}$, with independent noise of mean $0$.",
            ERROR,
            estimate.error(present),
            error,
        ),
    )


def unbiased_steps(estimate: CellEstimate, average: sp.Expr) -> tuple[Step, ...]:
    """Expectation of the cells' mean and of the output, for a fixed sample and on average over samples."""
    return (
        derived(
            "mean_of_cells",
            r"Fix the stream and the sample: $m d(\mathcal{S}_M)$ of the cells have the one mean and the others the "
            r"other. Nothing is assumed of which users appear.",
            MEAN,
            estimate.mean_of_cells,
            average,
        ),
        derived("unbiased", r"The noise has mean $0$.", UNBIASED, estimate.expectation, present),
        derived(
            "unbiased_over_samples",
            r"A uniform sample has on average the density of the stream, hence also",
            r"E[\tilde{d}]",
            lambda: averaged(estimate.expectation(), sampled_density()),
            density,
        ),
    )


def inclusion_step() -> Step:
    """The probabilities that one user, and two, are in a uniform sample without replacement."""
    one, two = inclusion()
    stated = (m / universe, m * (m - 1) / (universe * (universe - 1)))
    ratios = [
        equal(f"inclusion.ratio.{held}", "", "", partial(_inclusion, held), share)
        for held, share in enumerate(stated, start=1)
    ]
    counted = in_every_case(
        "inclusion.counted",
        f"the shares of the samples with one given user, and with two, are so: U from 2 to {_LARGEST}, all m",
        [(population, size) for population in range(2, _LARGEST + 1) for size in range(1, population + 1)],
        lambda case: _inclusion_is(*case, *stated),
        # As if the two were drawn with replacement.
        mutant=lambda case: _inclusion_is(*case, stated[0], stated[0] ** 2),
    )
    return lemma(
        "inclusion",
        r"Of the $\binom{U}{m}$ samples, $\binom{U-1}{m-1}$ hold a given user and $\binom{U-2}{m-2}$ two given users.",
        (*(obligation for step in ratios for obligation in step.obligations), counted),
        lines=(
            rf"P(u \in M) &= {tex(one)}",
            rf"P(u, u' \in M) &= {tex(two)}",
        ),
    )


def _inclusion(held: int) -> sp.Expr:
    return inclusion()[held - 1]


def _inclusion_is(population: int, size: int, one: sp.Expr, two: sp.Expr) -> bool:
    samples = list(combinations(range(population), size))
    at = {universe: population, m: size}
    singles = sp.Rational(sum(0 in sample for sample in samples), len(samples))
    doubles = sp.Rational(sum(0 in sample and 1 in sample for sample in samples), len(samples))
    return bool(singles == one.subs(at) and doubles == two.subs(at))


def sampled_density_steps() -> tuple[Step, ...]:
    """Mean and variance of the density of a uniform sample."""

    def spread() -> sp.Expr:
        first, second = sampled_density()
        return second - first**2

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
            spread,
            density * (1 - density) / m * finite_population,
        ),
    )


def agrees(name: str, text: str, cases: Iterable[Enumerated]) -> Step:
    """A comparison of formulas with an enumeration."""
    return enumerated(
        name,
        text,
        "the expectation and the mean squared error by the formulas, and by all outcomes in fractions",
        cases,
        lambda case: case.agrees(),
        # With one more user in the sample.
        mutant=lambda case: case.agrees(more=1),
    )
