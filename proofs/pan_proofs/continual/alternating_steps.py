"""Steps about changes that alternate, for a right factor that is a mixture of decays.

``R`` is lower triangular and Toeplitz with entries ``r_k = sum_m a_m f_m^k``, ``a_m > 0`` and ``0 <= f_m <= 1``. Two
columns at a distance d differ by a squared norm of at most e(d), that for a stream without an end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import at_most, enumerated, equal

_x, _y, _first, _second = sp.symbols("x y X Y", nonnegative=True)
_rate, _share = sp.symbols("f a", nonnegative=True)
_partial, _weight, _lower = sp.symbols("P u uprime", nonnegative=True)
_sum, _term = sp.symbols("Z q", real=True)
_norm, _odd, _even, _column = sp.symbols("F A B S", nonnegative=True)
_number, _mean, _slope, _value, _total = sp.symbols("n G s e Gamma", nonnegative=True)
_distance, _other = sp.symbols("D Fprime", nonnegative=True)
_left, _right = sp.symbols("alpha beta", real=True)


@dataclass(frozen=True)
class Mixture:
    """A mixture of decays.

    Attributes
    ----------
    shares, rates
        The weights ``a_m`` and the rates ``f_m``.
    """

    shares: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]

    def entries(self, steps: int) -> tuple[Fraction, ...]:
        """The first entries ``r_k``."""
        pairs = list(zip(self.shares, self.rates, strict=True))
        return tuple(sum((share * rate**place for share, rate in pairs), Fraction(0)) for place in range(steps))

    def interval(self, distance: int) -> Fraction:
        """The squared norm of the difference of two columns, for a stream without an end."""
        total = Fraction(0)
        for one, rate in zip(self.shares, self.rates, strict=True):
            for other, second in zip(self.shares, self.rates, strict=True):
                if rate == second == 1:
                    total += one * other * distance
                else:
                    total += one * other * (2 - rate**distance - second**distance) / (1 - rate * second)
        return total


MIXTURES = (
    Mixture((Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)), (Fraction(1), Fraction(2, 3), Fraction(0))),
    Mixture((Fraction(1, 2), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 3))),
)
"""Examples with few rates."""


def alternating(places: Sequence[int], steps: int) -> tuple[int, ...]:
    """Changes 1, -1, 1, ... at these steps."""
    found = [0] * steps
    for number, place in enumerate(places):
        found[place] = (-1) ** number
    return tuple(found)


def inner_of_intervals(entries: Sequence[Fraction], places: Sequence[int], steps: int) -> Fraction:
    """The inner product of two pairs of changes, the second after the first."""
    from pan_proofs.continual.factored_steps import image

    one, other = (image(alternating(pair, steps), entries) for pair in (places[:2], places[2:]))
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def pairs_of_changes() -> tuple[Step, ...]:
    """Two pairs of changes have an inner product of at most 0."""
    return (
        equal(
            "entries_bend",
            r"The entries are convex: their second differences are sums of positive multiples of $f^k (1 - f)^2$. So "
            r"$u_t = r_{t - j} - r_{t - i}$ for $i < j \le t$ is not negative and does not grow with $t$.",
            "",
            1 - 2 * _rate + _rate**2,
            (1 - _rate) ** 2,
        ),
        at_most(
            "later_pairs",
            r"Let $i < j < k < l$ be steps of changes $1, -1, 1, -1$. The inner product of the images of both pairs is "
            r"$-\sum_{t \ge k} u_t q_t$ with $q_t = r_{t - k} - r_{t - l}$. The partial sums $P$ of $q$ are sums of "
            r"entries of a longer column less those of a shorter one, so that $P \ge 0$. The sum $Z$ of $u q$ up to a "
            r"step is at least $u P$ for the last $u$, by induction. With one term more, for $u' \le u$:",
            Inequality(
                "alternating.later_pairs",
                _lower * (_partial + _term),
                _sum + _lower * _term,
                (sp.Ge(_sum, _weight * _partial), sp.Le(_lower, _weight)),
                touching={_sum: 1, _weight: 1, _lower: 1, _partial: 1, _term: 1},
                raised=sp.Rational(1, 1000),
            ),
            lines=(r"u' (P + q) &\le Z + u' q",),
        ),
        enumerated(
            "all_pairs_of_pairs",
            r"So the inner product is at most $0$. With a single change before or after a pair it is at most $0$ as "
            r"well, since inner products of columns fall with the distance.",
            "two mixtures, 7 steps: two pairs of changes in order have an inner product of at most 0",
            [
                (mixture, (i, j, k, one))
                for mixture in MIXTURES
                for i in range(7)
                for j in range(i + 1, 7)
                for k in range(j + 1, 7)
                for one in range(k + 1, 7)
            ],
            lambda case: inner_of_intervals(case[0].entries(7), case[1], 7) <= 0,
            mutant=lambda case: inner_of_intervals(case[0].entries(7), case[1], 7) <= Fraction(-1, 5),
        ),
    )


def interval_norm() -> tuple[Step, ...]:
    """The norm of a pair, and that it is concave."""
    return (
        equal(
            "norm_of_a_pair",
            r"Without an end, two columns at a distance $d$ differ by a squared norm of $e(d) = \sum_{m, n} a_m a_n "
            r"\frac{2 - f_m^d - f_n^d}{1 - f_m f_n}$, where $f_m = f_n = 1$ gives $a_m a_n d$: with $X = f_m^d$ and $Y "
            r"= f_n^d$ the first $d$ steps give $1 - X Y$ over the denominator, and the others $(1 - X)(1 - Y)$.",
            "",
            (1 - _first * _second) + (1 - _first) * (1 - _second),
            2 - _first - _second,
        ),
        enumerated(
            "norms_with_an_end",
            r"With an end, steps are missing, and the norm is not larger. As $-f^d$ rises with $d$ and is concave, so "
            r"is $e$.",
            "two mixtures, distances from 1 to 5: e is at least the norm of 7 steps, rises, and is concave",
            [(mixture, distance) for mixture in MIXTURES for distance in range(1, 6)],
            lambda case: norm_of_pair(*case) <= case[0].interval(case[1]) and bends(*case),
            mutant=lambda case: norm_of_pair(*case) <= case[0].interval(case[1]) / 2,
        ),
    )


def norm_of_pair(mixture: Mixture, distance: int, steps: int = 7) -> Fraction:
    """The squared norm for a pair of changes at the start of a few steps."""
    from pan_proofs.continual.factored_steps import squared

    return squared(alternating((0, distance), steps), mixture.entries(steps))


def bends(mixture: Mixture, distance: int) -> bool:
    """Whether e rises, and less from step to step."""
    before, here, after = (mixture.interval(one) for one in (distance - 1, distance, distance + 1))
    return before <= here <= after and after - here <= here - before


def two_vectors() -> tuple[Step, ...]:
    """From pairs to a vector, and to two vectors."""
    return (
        at_most(
            "two_pairings",
            r"Let a vector have $w$ changes. Paired from the first on, its squared norm $F$ is at most the sum $A$ of "
            r"$e$ over every second distance, and $S$ if one change is left. Paired from the second on, it is at most "
            r"the sum $B$ of $e$ over the other distances, and $S$ for each change that is left. In all there are $2 "
            r"S$. For even $w$:",
            Inequality(
                "alternating.pairings",
                _norm,
                _column + (_odd + _even) / 2,
                (sp.Le(_norm, _odd), sp.Le(_norm, 2 * _column + _even)),
                touching={_norm: 2, _odd: 2, _even: 0, _column: 1},
            ),
        ),
        at_most(
            "odd_number",
            r"For odd $w$:",
            Inequality(
                "alternating.odd",
                _norm,
                _column + (_odd + _even) / 2,
                (sp.Le(_norm, _column + _odd), sp.Le(_norm, _column + _even)),
                touching={_norm: 2, _odd: 1, _even: 1, _column: 1},
            ),
        ),
        at_most(
            "equal_distances",
            r"The $n = w - 1$ distances have a sum $\Gamma \le T - 1 = n G$. The concave $e$ lies below its tangent at "
            r"$G$ with the slope $s \ge 0$. So the sum of $e$ is at most $n e(G) + s (\Gamma - n G)$, and that at most "
            r"$n e(G)$. Fewer changes give a smaller bound, as $n e((T - 1)/n)$ rises with $n$.",
            Inequality(
                "alternating.equal",
                _number * _value + _slope * (_total - _number * _mean),
                _number * _value,
                (sp.Le(_total, _number * _mean),),
                touching={_number: 1, _value: 1, _slope: 1, _total: 1, _mean: 1},
            ),
        ),
        at_most(
            "both_vectors",
            r"In each coordinate $(\alpha - \beta)^2 \le 2 \alpha^2 + 2 \beta^2$. So two vectors differ by a squared "
            r"norm of at most $2 F + 2 F'$.",
            Inequality(
                "alternating.both",
                (_left - _right) ** 2,
                2 * _left**2 + 2 * _right**2,
                (),
                touching={_left: 1, _right: -1},
            ),
        ),
        at_most(
            "four_times",
            r"With $F, F' \le S + \frac{n}{2} e(G)$:",
            Inequality(
                "alternating.four",
                _distance,
                4 * _column + 2 * _number * _value,
                (
                    sp.Le(_distance, 2 * _norm + 2 * _other),
                    sp.Le(_norm, _column + _number * _value / 2),
                    sp.Le(_other, _column + _number * _value / 2),
                ),
                touching={
                    _distance: 6,
                    _norm: sp.Rational(3, 2),
                    _other: sp.Rational(3, 2),
                    _column: 1,
                    _number: 1,
                    _value: 1,
                },
            ),
        ),
    )


FORMAL = sp.Le(_distance, 4 * _column + 2 * _number * _value, evaluate=False)
FORMAL_GIVEN = (
    sp.Le(_distance, 2 * _norm + 2 * _other),
    sp.Le(_norm, _column + _number * _value / 2),
    sp.Le(_other, _column + _number * _value / 2),
)
