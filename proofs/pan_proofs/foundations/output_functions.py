"""The lemma behind post-processing and composition: a budget that binds every event binds every expectation.

Let ``P(E) <= c P'(E)`` for all events E, with ``c >= 1``. Then ``E g <= c E' g`` for every function g of the output
with values in [0, 1]. The proof needs sums only: g is compared with the steps ``floor(n g)/n``.
"""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import at_most

more, fewer = sp.symbols("A Aprime", real=True)
"""Sums so far, for the two datasets."""
term, other_term = sp.symbols("p pprime", real=True)
"""The next term, for the two datasets."""
value = sp.Symbol("g", real=True)
"""A value of the function."""

_touching = {more: 2, fewer: 1, term: 2, other_term: 1, x: 2}


def added(name: str, text: str) -> Step:
    """If two terms keep the factor, so does their sum."""
    return at_most(
        name,
        text,
        Inequality(
            f"output_functions.{name}",
            more + term,
            x * (fewer + other_term),
            (x >= 1, fewer >= 0, other_term >= 0, more <= x * fewer, term <= x * other_term),
            touching=_touching,
        ),
        lines=r"A \le xA',\ p \le xp' &\implies A + p \le x\,(A' + p')",
    )


def expectations() -> Steps:
    """The lemma on functions of the output, for outputs of any kind."""
    level, steps = sp.symbols("k n", real=True)
    mean, mean_low, other_mean, other_low = sp.symbols("G L Gprime Lprime", real=True)
    whole = sp.Symbol("n", positive=True, integer=True)
    limit = sp.Symbol("Gprime", nonnegative=True)
    return (
        at_most(
            "steps_below",
            r"Let $0 \le g \le 1$ and $g_n = \frac1n \lfloor ng \rfloor$, which is $\frac1n$ times the number of "
            r"$k \in \{1, \ldots, n\}$ with $g \ge \frac kn$. With $k = \lfloor ng \rfloor$, it is not above $g$,",
            Inequality(
                "output_functions.steps_below",
                level / steps,
                value,
                (steps >= 1, level >= 0, value <= 1, level <= steps * value, steps * value < level + 1),
                touching={level: 1, steps: 1, value: 1},
            ),
            lines=r"k \le ng &\implies \tfrac kn \le g",
        ),
        at_most(
            "steps_close",
            r"It is less than $\frac1n$ below $g$.",
            Inequality(
                "output_functions.steps_close",
                value,
                level / steps + 1 / steps,
                (steps >= 1, level >= 0, value <= 1, level <= steps * value, steps * value < level + 1),
                strict=True,
                touching={level: 0, steps: 1, value: 1},
            ),
            lines=r"ng < k + 1 &\implies g < \tfrac kn + \tfrac1n",
        ),
        added(
            "levels_added",
            r"The expectation of $g_n$ is $\frac1n \sum_{k=1}^n P(g \ge \frac kn)$, a sum of probabilities of events "
            r"of the output. Each is at most $x = e^{\varepsilon}$ times that for $D'$, and by induction so is the "
            r"sum.",
        ),
        at_most(
            "steps_refined",
            r"Write $G, G'$ for the expectations of $g$ and $L, L'$ for those of $g_n$. Then",
            Inequality(
                "output_functions.steps_refined",
                mean,
                x * other_mean + 1 / steps,
                (
                    x >= 1,
                    steps >= 1,
                    mean <= mean_low + 1 / steps,
                    mean_low <= x * other_low,
                    other_low <= other_mean,
                    other_low >= 0,
                ),
                touching={mean: 3, mean_low: 2, other_low: 1, other_mean: 1, x: 2, steps: 1},
            ),
            lines=r"G \le L + \tfrac1n \le xL' + \tfrac1n &\le xG' + \tfrac1n",
        ),
        equal_as(
            "steps_gone",
            r"This holds for every $n$, and hence $G \le xG'$.",
            (
                lambda: sp.limit(x * limit + 1 / whole, whole, sp.oo),
                x * limit,
            ),
            r"G \le \lim_{n \to \infty} \left(xG' + \tfrac1n\right) &= xG'",
        ),
    )
