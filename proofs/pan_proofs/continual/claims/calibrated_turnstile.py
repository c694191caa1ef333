"""The counter for a known bound on the changes of existence, with the noise of a factorisation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.factored_steps import (
    NORM,
    RHO,
    ROOT,
    SQUARE,
    calibrated,
    column,
    columns,
    costs_below_changes,
    image,
    later_changes,
    parity,
    rounding,
)
from pan_proofs.continual.flippancy import changes
from pan_proofs.continual.run_steps import (
    FORMAL,
    FORMAL_GIVEN,
    ONE_RUN,
    ONE_RUN_GIVEN,
    many_runs,
    number_of_runs,
    of_one_rate,
    one_run,
    rates,
)
from pan_proofs.continual.streams import Bits, differences
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_bound, _changes, _apart, _cost = sp.symbols("w n h C", nonnegative=True)
_squared_bound = sp.Symbol("B", positive=True)
_farthest, _one_change = sp.Symbol("F"), sp.Symbol("w", integer=True, positive=True)
"""The largest squared distance in units of S, and the changes of each vector."""
_ENDS = sp.Or(sp.Eq(_apart, 0), sp.Eq(_apart, 1))
_GIVEN = (_ENDS, sp.Le(_changes, 2 * _bound - _apart), sp.Le(_cost, 2 * _changes - _apart - 2 * (1 - _apart)))


def followed(steps: int, bound: int) -> list[Bits]:
    """All vectors of bits with at most ``bound`` changes from 0."""
    return [bits for bits in product((0, 1), repeat=steps) if changes(bits) <= bound]


def largest(steps: int, bound: int, entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The largest squared distance of the images of two such vectors, over ``S``."""
    images = [image(differences(bits), entries) for bits in followed(steps, bound)]
    most = max(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) for one in images for other in images)
    return most / column(steps, entries)


def calibrated_turnstile() -> Claim:
    """The sensitivity by summation by parts, and the noise."""
    return Claim(
        id="continual.calibrated",
        title="The noise for a known flippancy, by a factorisation",
        references=(Reference("here", "for the counter calibrated-turnstile"),),
        statement=r"The existence vector of an element is followed for its first $w$ changes, the first appearance "
        r"included, and keeps its value from then on. Let $x_t$ be the change of the sum of the followed vectors at "
        r"step $t$, and $R$ lower triangular and Toeplitz with entries $r_0 \ge r_1 \ge \dots \ge 0$, $r_0 > 0$, and "
        r"$S = \sum_k r_k^2$. For all item-neighbours $\lVert R (x - x') \rVert^2 \le (4 w - 2) S$. If $r_k = "
        r"\sum_m a_m f_m^k$ with $a_m > 0$ and $0 \le f_m \le 1$, another bound holds as well. For $w = 1$ it is "
        r"$\sum_m 2 c_m (1 - f_m^T) + a^2 T$, for $w = 2$ it is $2 E(\frac{T}{2})$, and for $w \ge 3$ the largest $2 "
        r"E(d) + (w - 2)\, M(\frac{T - 2 d}{w - 2})$ over $0 \le d \le \frac{T}{2}$. Here $M(d) = \sum_m 4 c_m "
        r"\frac{1 - f_m^d}{1 + f_m^d} + a^2 d$ and $E(d) = \sum_m c_m (1 - f_m^d)(3 - f_m^d) + a^2 d$, with $c_m = a_m "
        r"\sum_n \frac{a_n}{1 - f_m f_n}$, where $n$ runs over all rates and $m$ over those with $f_m < 1$, and the "
        r"weight $a$ of the rate $1$. "
        r"The release of $R x$ with independent Gaussian noise of variance $\Delta^2 / (2 \rho)$, where $\Delta^2$ is "
        r"one of these bounds, and of all that is computed from it, is $\rho$-item-level-zCDP, for all streams.",
        notation=(
            ("$D$", r"in the step on rounding, the bound $\Delta + m\,(\eta + h\,\sigma)$ on the distance"),
            (r"$\lambda$", r"$-\log f$, for a rate $f$"),
        ),
        hypotheses=(r"$w \ge 1$ is a whole number", r"$\rho > 0$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the sensitivity",
                r"$\lVert R (x - x') \rVert^2 \le (4 w - 2) S$. If the two vectors of the element are different, let "
                r"$C$ bound the costs of all their changes in units of $S$, $n$ be the number of these changes, and "
                r"$h = \lvert g_T \rvert$ the last difference. The steps give $n \le 2 w - h$ and $C \le 2 n - h - 2 "
                r"(1 - h)$.",
                (*columns(), *later_changes(), costs_below_changes(), parity(), last_change(), total(), brute_force()),
                formal=symbolic(le(_cost, 4 * _bound - 2), given=_GIVEN),
            ),
            Part(
                Role.PUBLISHED,
                "one change",
                r"For $w = 1$ and entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$: $\lVert R (x - "
                r"x') \rVert^2 \le \sum_m 2 c_m (1 - f_m^T) + a^2 T$. There is at most one run. The formula "
                r"is about one rate, with $p = f^d$ for the length $d$ of the run and $p' = f^T$.",
                (number_of_runs(), *rates(), *one_run()),
                formal=symbolic(ONE_RUN, given=ONE_RUN_GIVEN),
            ),
            Part(
                Role.PUBLISHED,
                "many changes",
                r"For $w \ge 2$ and entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$, the squared "
                r"distance $D = \lVert R (x - x') \rVert^2$ is at most $2 E(d) + (w - 2)\, M(\frac{T - 2 d}{w - 2})$ "
                r"for some $d$ with $0 \le d \le \frac{T}{2}$. Below, $n = w - 2$; runs and rates are those of the "
                r"part before.",
                (*of_one_rate(), *many_runs()),
                formal=symbolic(FORMAL, given=FORMAL_GIVEN),
            ),
            Part(
                Role.PUBLISHED,
                "the noise",
                r"With this variance the loss is at most $\rho$. The outputs $M R^{-1} (R x + z)$ for the prefix sum "
                r"$M$ are post-processing.",
                (
                    calibrated(
                        "noise",
                        _squared_bound,
                        r"With $q = \lVert R (x - x') \rVert^2$ and $\Delta^2 = B S$ the loss is:",
                        {SQUARE: 2, _squared_bound: 2},
                    ),
                    rounding(),
                ),
                formal=symbolic(
                    le(SQUARE / (2 * (_squared_bound * NORM / (2 * RHO))), RHO),
                    given=(sp.Le(SQUARE, _squared_bound * NORM), sp.Gt(NORM, 0), sp.Gt(_squared_bound, 0)),
                ),
            ),
            Part(
                Role.READING,
                "the changes of one vector alone",
                r"Read as: two vectors with $w$ changes each have a squared distance $F S$ of at most $w S$, as a "
                r"vector with $w$ changes has from none. For $w = 1$, six steps and the square root, $F > w$.",
                (
                    counterexample(
                        "two_appearances",
                        r"For $w = 1$, six steps and the square root, in units of $S$:",
                        le(_farthest, _one_change),
                        {
                            _farthest: lambda: sp.Rational(str(largest(6, 1))),
                            _one_change: sp.Integer(1),
                        },
                    ),
                ),
                formal=symbolic(gt(_farthest, _one_change), given=(eq(_one_change, 1),)),
                holds=False,
                departs=r"\le (4 w - 2) S$",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.post_processing"),
        in_words=(
            ("first_later_change", r"by symmetry the fixed change is positive"),
            (
                "two_rates",
                r"a squared norm is a sum over pairs of rates, and more steps do not make it smaller",
            ),
            ("shares_of_steps", r"an induction over the steps without a change"),
            ("all_pairs_by_runs", r"the shares of all runs and of the steps between them are added"),
            ("equal_lengths", r"a concave function lies below its tangents"),
        ),
    )


def last_change() -> Step:
    """Nothing follows the last change."""
    return enumerated(
        "last_change",
        r"No later change adds to the last one: it costs $v^2$, that is $2$ less than $c(v, g)$ if it leads to $g = "
        r"0$. So if there is a change, the costs are at most $C = 2 n - h - 2 (1 - h)$ with $h = \lvert g_T \rvert$. "
        r"In each vector there are at most $w$ changes, and $n$ has the parity of $h$, so that $n \le 2 w - h$.",
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
        ),
        lines=r"C \le 2 (2 w - h) - 2 + h &\le 4 w - 2",
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
