"""Theorem 2.2 of the paper: Laplace noise scaled to the l1 sensitivity, for functions with any number of values."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.foundations.sums_over_terms import weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon, scale
from pan_proofs.ledger.steps import counterexample, equal, implied

output = sp.Symbol("y", real=True)
"""One coordinate of the output."""
value, other_value = sp.symbols("f fprime", real=True)
"""The same coordinate of the function for the two datasets."""
sensitivity = sp.Symbol("Delta", positive=True)
"""The l1 sensitivity."""

_loss, _change = sp.symbols("R T", real=True)
_next_loss = sp.Symbol("r", real=True)
_noise = sensitivity / epsilon


def density(at: sp.Expr, centre: sp.Expr) -> sp.Expr:
    """Density of one coordinate of the output: Laplace noise about the function's value."""
    return sp.exp(-sp.Abs(at - centre) / scale) / (2 * scale)


_ENTRY = (output, value, other_value)
_COORDINATES = sp.Symbol("N", integer=True, nonnegative=True)
_EXPONENTS = sp.Abs(output - other_value) - sp.Abs(output - value)
_CHANGES = sp.Abs(value - other_value)
_ratio = sp.Symbol(r"\frac{p(y)}{p'(y)}")

_any_factor = sp.Symbol("c", nonnegative=True)
_apart, _other_apart = sp.Symbol(r"P(\tilde f_1 - \tilde f_2 = 1)"), sp.Symbol(r"P(\tilde f'_1 - \tilde f'_2 = 1)")


def laplace_mechanism() -> Claim:
    """The bound, that it is attained, and what happens with one noise for all coordinates."""
    return Claim(
        id="density.laplace_mechanism",
        title="The Laplace mechanism",
        references=(
            Reference("paper", "Theorem 2.2, section 2.1.3"),
            Reference("thesis", "Theorem 2.6, section 2.2.2"),
        ),
        statement=r"Let $f$ map datasets to $\mathbb{R}^N$ and $\Delta = \max \lVert f(D) - f(D')\rVert_1$ over "
        r"adjacent pairs. Then $f(D) + (X_1, \ldots, X_N)$ with independent $X_i \sim \operatorname{Laplace}(0, "
        r"\Delta/\varepsilon)$ is $\varepsilon$-differentially private.",
        notation=(
            ("$p_i$, $p_i'$", "densities of the output's coordinate $i$ for $D$ and for $D'$"),
            ("$A$, $A'$", "integrals of the two densities over a part of $O$"),
            (
                r"$\tilde f_1$, $\tilde f_2$; $\tilde f_1'$, $\tilde f_2'$",
                "two coordinates of the output for $D$; the same for $D'$",
            ),
        ),
        hypotheses=(
            r"$\varepsilon > 0$",
            r"the $X_i$ are independent, $\operatorname{Laplace}(0, \Delta/\varepsilon)$",
        ),
        silent=(
            r"$0 < \Delta < \infty$",
            "the noise is independent of the data",
            r"outputs are real numbers: for floating-point noise the densities below do not exist, and the set of "
            r"values that can occur depends on $f(D)$",
            "adjacency is either of the two; the sensitivity is that of the one chosen",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the bound",
                r"For adjacent $D, D'$ the densities of the output satisfy $\frac{p(y)}{p'(y)} = e^{\frac{\varepsilon "
                r"R}{\Delta}} \le e^{\varepsilon}$ at every $y \in \mathbb{R}^N$, where $R = \sum_i (|y_i - f_i'| - "
                r"|y_i - f_i|)$. So $P(\tilde f(D) \in O) \le e^{\varepsilon} P(\tilde f(D') \in O)$ for every Borel "
                r"set $O$.",
                (*one_coordinate(), *all_coordinates()),
                formal=_stated_bound(),
            ),
            Part(
                Role.PUBLISHED,
                "the bound is attained",
                r"Let $D, D'$ be adjacent with $\lVert f(D) - f(D')\rVert_1 = \Delta$. For noise of scale $b$ the "
                r"ratio $\frac{p(y)}{p'(y)}$ is $e^{\Delta/b}$ on a set of positive measure: $e^{\varepsilon}$ for $b "
                r"= \Delta/\varepsilon$, and more for any smaller scale.",
                attained(),
                formal=_stated_attained(),
            ),
            Part(
                Role.READING,
                "one noise for all coordinates",
                r"If the same $X$ is added to all coordinates, the differences of the outputs are those of $f$, "
                r"without noise, and no $\varepsilon$ is large enough. Independence is needed.",
                (shared_noise(),),
                formal=symbolic(gt(_apart, _any_factor * _other_apart)),
                holds=False,
                departs=r"with independent $X_i \sim \operatorname{Laplace}(0, \Delta/\varepsilon)$",
            ),
        ),
        uses=("density.laplace_distribution",),
    )


def _stated_bound() -> tuple[str, ...]:
    """The ratio of a coordinate, the bound for any number of coordinates, and one part more of an event."""
    first, second, factor = sp.symbols("p pprime c", real=True)
    rest, other_rest = sp.symbols("A Aprime", real=True)
    ratio = density(output, value) / density(output, other_value)
    return (
        *symbolic(eq(ratio, sp.exp(_EXPONENTS / scale))),
        *symbolic(
            le(sp.exp(epsilon * _loss / sensitivity), sp.exp(epsilon)),
            given=(le(_change, sensitivity),),
            where={
                _loss: sum_over_entries(_EXPONENTS, _ENTRY, _COORDINATES),
                _change: sum_over_entries(_CHANGES, _ENTRY, _COORDINATES),
            },
        ),
        *symbolic(
            le(rest + first, factor * (other_rest + second)),
            given=(
                factor >= 1,
                other_rest >= 0,
                second >= 0,
                le(rest, factor * other_rest),
                le(first, factor * second),
            ),
        ),
    )


def _stated_attained() -> tuple[str, ...]:
    """The ratio of a coordinate beyond the function's value, and that of all coordinates."""
    apart, beyond = sp.symbols("s h", positive=True)
    place = {value: other_value + apart, output: other_value + apart + beyond}
    ratio = (density(output, value) / density(output, other_value)).subs(place, simultaneous=True)
    return (
        *symbolic(eq(ratio, sp.exp(apart / scale))),
        *symbolic(eq(_ratio, sp.exp(epsilon))),
        *symbolic(
            gt(sp.exp(sensitivity / scale), sp.exp(epsilon)),
            given=(lt(scale, _noise),),
        ),
    )


def triangle() -> Step:
    """The loss of a coordinate is at most its change, in units of the scale."""
    width = sp.Symbol("b", real=True)
    return implied(
        "triangle",
        r"The exponent is bounded by the triangle inequality.",
        le((sp.Abs(output - other_value) - sp.Abs(output - value)) / width, sp.Abs(value - other_value) / width),
        width > 0,
    )


def one_coordinate() -> Steps:
    """The ratio of the densities of one coordinate."""
    ratio = density(output, value) / density(output, other_value)
    exponent = (sp.Abs(output - other_value) - sp.Abs(output - value)) / scale
    return (
        equal(
            "ratio",
            r"Let $f_i, f_i'$ be the $i$-th coordinates of $f(D), f(D')$, and $b$ the scale of the noise.",
            "",
            ratio,
            sp.exp(exponent),
            lines=(
                r"\frac{p_i(y_i)}{p_i'(y_i)} &= \frac{e^{-|y_i - f_i|/b}/(2b)}{e^{-|y_i - f_i'|/b}/(2b)}",
                r"&= \exp\left(\frac{|y_i - f_i'| - |y_i - f_i|}{b}\right)",
            ),
        ),
        triangle(),
    )


def all_coordinates() -> Steps:
    """From one coordinate to N, and from densities to events."""
    # The solvers need the signs as hypotheses: those of sympy's symbols do not reach them.
    budget, largest = sp.symbols("epsilon Delta", real=True)
    return (
        equal(
            "product",
            r"Independent coordinates have the product of the densities. Let $R$ be the sum of the numerators so "
            r"far and $r$ the next one.",
            "",
            sp.exp(_loss / scale) * sp.exp(_next_loss / scale),
            sp.exp((_loss + _next_loss) / scale),
            lines=r"e^{R/b} \cdot e^{r/b} &= e^{(R + r)/b}",
        ),
        for_every_length(
            "sum",
            r"With $T = \sum |f_i - f_i'|$ so far and $\tau$ its next term, induction over the coordinates gives "
            r"$R \le T$ for all $N$ of them.",
            Induction(
                "laplace_mechanism.sum",
                le(_loss, _change),
                _COORDINATES,
                _ENTRY,
                {_loss: _loss + _EXPONENTS, _change: _change + _CHANGES},
                ((1, 1, 0), (2, 3, 5)),
            ),
            r"R \le T,\ r \le \tau &\implies R + r \le T + \tau",
        ),
        implied(
            "budget",
            r"At the end $T = \lVert f(D) - f(D')\rVert_1 \le \Delta$, and $b = \frac{\Delta}{\varepsilon}$.",
            le(_change / (largest / budget), budget),
            budget > 0,
            largest > 0,
            _change >= 0,
            _change <= largest,
        ),
        weighted_sums(
            "events",
            r"So $p \le F\,p'$ with $F = e^{\varepsilon}$ everywhere. Integrating over $O$ keeps this: sums of "
            r"finitely many values $x$, $y$ times measures $a$ do. The integrals are limits of such sums $X$ and $Y$.",
        ),
    )


def attained() -> Steps:
    """Beyond f on the side away from f' every coordinate contributes its whole change."""
    step, beyond = sp.symbols("s h", positive=True)
    steps = []
    for name, sign, word in (("above", 1, r"f_i > f_i'"), ("below", -1, r"f_i < f_i'")):
        place = {value: other_value + sign * step, output: other_value + sign * (step + beyond)}
        ratio = (density(output, value) / density(output, other_value)).subs(place, simultaneous=True)
        shift = "+" if sign == 1 else "-"
        steps.append(
            equal(
                f"attained_{name}",
                rf"Let ${word}$ differ by $s$, and let $y_i$ lie beyond $f_i$ by any $h > 0$.",
                "",
                ratio,
                sp.exp(step / scale),
                lines=rf"\frac{{p_i(f_i {shift} h)}}{{p_i'(f_i {shift} h)}} &= e^{{s/b}} = e^{{|f_i - f_i'|/b}}",
            )
        )
    return (
        *steps,
        equal(
            "attained_product",
            r"Coordinates with $f_i = f_i'$ contribute the factor $1$. The product over all is $e^{\Delta/b}$, at "
            r"every such $y$: it is $e^{\varepsilon}$ for the scale of the theorem, and more for any smaller one.",
            "",
            partial(sp.exp(sensitivity / scale).subs, scale, _noise),
            sp.exp(epsilon),
            lines=r"e^{\Delta/b} &= e^{\varepsilon} \quad \left(b = \tfrac{\Delta}{\varepsilon}\right)",
        ),
    )


def shared_noise() -> Step:
    """Two coordinates and one noise: their difference tells the data."""
    noise = sp.Symbol("X", real=True)

    def chance(values: tuple[int, int]) -> int:
        """Probability that the two outputs differ by one; the noise cancels, or this fails."""
        return int(sp.expand((values[0] + noise) - (values[1] + noise)) == 1)

    return counterexample(
        "shared_noise",
        r"Let $f(D) = (1, 0)$ and $f(D') = (0, 0)$, so that $\Delta = 1$. The event is that the first output exceeds "
        r"the second by exactly $1$; $c = e^{\varepsilon}$ may be any number.",
        le(_apart, _any_factor * _other_apart),
        {_apart: lambda: chance((1, 0)), _other_apart: lambda: chance((0, 0)), _any_factor: sp.Integer(10) ** 9},
        (ge(_any_factor, 1),),
        free=(_any_factor,),
        lines=r"P(\tilde f_1 - \tilde f_2 = 1) = 1 &> e^{\varepsilon} \cdot 0",
    )


CLAIMS = {"density.laplace_mechanism": laplace_mechanism}
