"""Steps of the claim on counts that hold for every number of users: doubts that add, and noise that hides a user."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.density.lemmas.optimality.seen_counts import independent_part, without_a_hypothesis
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.foundations.partitioned_data import geometric
from pan_proofs.ledger.claim import Part, Step
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import x


def every_number_of_users() -> Part:
    """The part on independent cells, with the step from two users to any number of them."""
    part = independent_part()
    first, *rest = part.steps
    return replace(part, steps=(first, _one_more(), *rest))


def with_private_noise() -> tuple[Part, ...]:
    """The parts without a hypothesis; the one on the output alone begins with the privacy of its noise."""
    return tuple(
        replace(part, steps=(*_private_noise(), *part.steps)) if part.title == "privacy of the output alone" else part
        for part in without_a_hypothesis()
    )


def _one_more() -> Step:
    """Adding one user to a sum of any number."""
    guess, total, bit = sp.symbols("z T y", real=True)
    mean, doubt, chance = sp.symbols("mu D pi", real=True)
    moments = {total: mean, total**2: doubt + mean**2, bit: chance, bit**2: chance, total * bit: mean * chance}
    return equal_as(
        "one_more_user",
        r"In general it follows by induction. The step adds one user: let $T = y_1 + \cdots + y_j$ have mean $\mu$ "
        r"and variance $D = \sum_{u \le j} \pi_u (1 - \pi_u)$ given $s$, and let $y = y_{j+1}$ be independent of $T$ "
        r"given $s$, with mean $\pi$. With $z = \mu + \pi$ this is the variance of $T + y$; no other $z$ has a "
        r"smaller mean square.",
        (
            expectation((guess - total - bit) ** 2, (total, bit), moments),
            doubt + chance * (1 - chance) + (guess - mean - chance) ** 2,
        ),
        r"E[(z - T - y)^2 \mid s] &= D + \pi (1 - \pi) + (z - \mu - \pi)^2",
    )


def _private_noise() -> tuple[Step, ...]:
    """One user more or less changes the probability of an output by the factor ``x`` or its inverse."""
    count, above = sp.symbols("c n", integer=True, nonnegative=True)
    outputs = {1: count + 1 + above, -1: count - above}
    # For each side, the distribution of the noise on a count of c + 1 over that on a count of c.
    ratios = {side: geometric(at, count + 1, x) / geometric(at, count, x) for side, at in outputs.items()}
    return (
        equal_as(
            "noise_above",
            r"The noise is private: a user more or less changes the count by at most one, from $c$ to $c + 1$ or back. "
            r"For the outputs above $c$, $c + 1 + n$ with $n \ge 0$, the ratio of the two probabilities is",
            (ratios[1], x),
            r"\frac{P(c + 1 + Z = c + 1 + n)}{P(c + Z = c + 1 + n)} = \frac{x^{-n}}{x^{-(n+1)}} &= x",
        ),
        equal_as(
            "noise_below",
            r"For the others, $c - n$ with $n \ge 0$, it is the inverse. So no output has a ratio outside "
            r"$[x^{-1}, x]$, and the output is $\varepsilon$-differentially private at user level.",
            (ratios[-1], 1 / x),
            r"\frac{P(c + 1 + Z = c - n)}{P(c + Z = c - n)} = \frac{x^{-(n+1)}}{x^{-n}} &= \frac1x",
        ),
    )
