"""Two-sided geometric noise on an integer: its mean and variance, from the series of its weights."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.errors.error_steps import derived
from pan_proofs.foundations.distributions import TwoSidedGeometric, mean, power_series_tail, variance
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import equal, lemma

up, down = sp.symbols("r s", positive=True)
"""The ratios by which the weights fall above 0 and below it."""

noise_variance = up / (1 - up) ** 2 + down / (1 - down) ** 2
"""The variance of the noise."""

_index = sp.Symbol("n", integer=True, positive=True)


def noise_steps() -> tuple[Step, ...]:
    """The series, the mean, and the variance, also for equal ratios."""
    distribution = TwoSidedGeometric(up, down)
    same = TwoSidedGeometric(up, up)
    return (
        _series(),
        derived(
            "noise_mean",
            r"The weights above $0$ and below it are summed with $n = 1$, those below with the sign of $k^j$; the "
            r"weight of $0$ is $1$. Divided by the sum of all weights,",
            r"E[N]",
            mean(distribution),
            up / (1 - up) - down / (1 - down),
        ),
        derived(
            "noise_variance",
            r"The second central moment is",
            r"\operatorname{Var}(N)",
            variance(distribution),
            noise_variance,
        ),
        derived(
            "noise_symmetric",
            r"For $r = s$",
            r"\operatorname{Var}(N)",
            variance(same),
            2 * up / (1 - up) ** 2,
        ),
    )


def _series() -> Step:
    steps = [
        equal(
            f"series_{power}",
            "",
            "",
            power_series_tail(power, up, _index) - power_series_tail(power, up, _index + 1),
            _index**power * up**_index,
        )
        for power in range(3)
    ]
    return lemma(
        "series",
        r"The series $T_j(n) = \sum_{k \ge n} k^j r^k$, $j = 0, 1, 2$, have the closed forms below. In each case the "
        r"form at $n$ less that at $n+1$ is $n^j r^n$, and it tends to $0$, being a polynomial in $n$ times $r^n$.",
        [obligation for step in steps for obligation in step.obligations],
        lines=(
            r"T_0(n) &= \frac{r^n}{1-r}",
            r"T_1(n) &= r^n \left(\frac{n}{1-r} + \frac{r}{(1-r)^2}\right)",
            r"T_2(n) &= r^n \left(\frac{n^2}{1-r} + \frac{2nr}{(1-r)^2} + \frac{r(1+r)}{(1-r)^3}\right)",
        ),
    )
