"""The counter for a known bound on the changes of existence, with the noise of a factorisation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.factored_steps import (
    NORM,
    RHO,
    SQUARE,
    calibrated,
    column,
    columns,
    costs_below_changes,
    later_changes,
    parity,
    rounding,
    squared,
)
from pan_proofs.continual.flippancy import changes
from pan_proofs.continual.streams import Bits, differences
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_bound, _changes, _apart, _cost = sp.symbols("w n h C", nonnegative=True)
_found, _stated = sp.symbols("F E", nonnegative=True)
_ENDS = sp.Or(sp.Eq(_apart, 0), sp.Eq(_apart, 1))
_GIVEN = (_ENDS, sp.Le(_changes, 2 * _bound - _apart), sp.Le(_cost, 2 * _changes - _apart - 2 * (1 - _apart)))


def followed(steps: int, bound: int) -> list[Bits]:
    """All vectors of bits with at most so many changes from 0."""
    return [bits for bits in product((0, 1), repeat=steps) if changes(bits) <= bound]


def largest(steps: int, bound: int) -> Fraction:
    """The largest squared distance of the images of two such vectors, over ``S``, for the square root."""
    images = [differences(bits) for bits in followed(steps, bound)]
    most = max(squared([a - b for a, b in zip(one, other, strict=True)]) for one in images for other in images)
    return most / column(steps)


def calibrated_turnstile() -> Claim:
    """The sensitivity by summation by parts, and the noise."""
    return Claim(
        id="continual.calibrated",
        title="The noise for a known flippancy, by a factorisation",
        references=(Reference("here", "for the counter calibrated-turnstile"),),
        statement=r"The existence vector of an element is followed for its first $w$ changes, the first appearance "
        r"included, and keeps its value from then on. Let $x_t$ be the change of the sum of the followed vectors at "
        r"step $t$, and $R$ lower triangular and Toeplitz with entries $r_0 \ge r_1 \ge \dots \ge 0$, $r_0 > 0$, and "
        r"$S = \sum_k r_k^2$. For all item-neighbours $\lVert R (x - x') \rVert^2 \le (4 w - 2) S$. The release of $R "
        r"x$ with independent Gaussian noise of variance $(4 w - 2) S / (2 \rho)$, and of all that is computed from "
        r"it, is $\rho$-item-level-zCDP, for all streams.",
        hypotheses=(r"$w \ge 1$ is a whole number", r"$\rho > 0$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sensitivity",
                r"$\lVert R (x - x') \rVert^2 \le (4 w - 2) S$.",
                (*columns(), *later_changes(), costs_below_changes(), parity(), last_change(), total(), brute_force()),
                formal=symbolic(sp.Le(_cost, 4 * _bound - 2, evaluate=False), given=_GIVEN),
            ),
            Part(
                Role.PUBLISHED,
                "the noise",
                r"With this variance the loss is at most $\rho$. The outputs $M R^{-1} (R x + z)$ for the prefix sum "
                r"$M$ are post-processing.",
                (
                    calibrated(
                        "noise",
                        4 * _bound - 2,
                        r"With $q = \lVert R (x - x') \rVert^2$ the loss is:",
                        {SQUARE: 2, _bound: 1},
                    ),
                    rounding(),
                ),
                formal=symbolic(
                    sp.Le(SQUARE / (2 * ((4 * _bound - 2) * NORM / (2 * RHO))), RHO, evaluate=False),
                    given=(sp.Le(SQUARE, (4 * _bound - 2) * NORM), sp.Gt(NORM, 0), sp.Gt(4 * _bound - 2, 0)),
                ),
            ),
            Part(
                Role.READING,
                "the changes of one vector alone",
                r"A vector with $w$ changes has a squared norm of at most $w S$. Two vectors with $w$ changes each "
                r"differ by more.",
                (
                    counterexample(
                        "two_appearances",
                        r"For $w = 1$, six steps and the square root, in units of $S$:",
                        sp.Le(_found, _stated, evaluate=False),
                        {_found: lambda: sp.Rational(str(largest(6, 1))), _stated: sp.Integer(1)},
                    ),
                ),
                holds=False,
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.post_processing"),
    )


def last_change() -> Step:
    """Nothing follows the last change."""
    return enumerated(
        "last_change",
        r"No later change adds to the last one: it costs $v^2$, that is $2$ less than $c(v, g)$ if it leads to $g = "
        r"0$. So the costs are at most $C = 2 n - h - 2 (1 - h)$ with $h = \lvert g_T \rvert$. In each vector there "
        r"are at most $w$ changes, and $n$ has the parity of $h$, so that $n \le 2 w - h$.",
        "w from 1 to 3, pairs of vectors of 5 entries with at most w changes: n is at most 2 w - h",
        [(one, other, bound) for bound in (1, 2, 3) for one in followed(5, bound) for other in followed(5, bound)],
        lambda case: changes(case[0]) + changes(case[1]) <= 2 * case[2] - abs(case[0][-1] - case[1][-1]),
        mutant=lambda case: changes(case[0]) + changes(case[1]) <= 2 * case[2] - 1,
    )


def total() -> Step:
    """From the number of changes to the bound."""
    return at_most(
        "total",
        r"Together:",
        Inequality(
            "calibrated.total",
            _cost,
            4 * _bound - 2,
            _GIVEN,
            touching={_cost: 2, _bound: 1, _changes: 2, _apart: 0},
        ),
        lines=(r"C \le 2 (2 w - h) - 2 + h &\le 4 w - 2",),
    )


def brute_force() -> Step:
    """All pairs of vectors."""
    return enumerated(
        "all_pairs",
        r"By brute force for the square root and few steps the bound is kept.",
        "1 to 6 steps, w from 1 to 3: all pairs of vectors with at most w changes are within (4 w - 2) S",
        [(steps, bound) for steps in range(1, 7) for bound in (1, 2, 3)],
        lambda case: largest(*case) <= 4 * case[1] - 2,
        mutant=lambda case: largest(*case) <= Fraction(4 * case[1] - 2, 4),
    )


CLAIMS = {"continual.calibrated": calibrated_turnstile}
