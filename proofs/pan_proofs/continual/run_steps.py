"""Steps about the runs of the difference of two vectors of bits, for a right factor that is a mixture of decays.

``R`` is lower triangular and Toeplitz with entries ``r_k = sum_m a_m f_m^k``, ``a_m > 0`` and ``0 <= f_m <= 1``. The
difference has values -1, 0 and 1. A run is a longest row of steps with one value other than 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, product

import sympy as sp

from pan_proofs.continual.factored_steps import squared, units
from pan_proofs.continual.pair_machines import bit_pairs
from pan_proofs.continual.streams import Bits, differences
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.engines.walks import Word, bounded_for_every_length
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.steps import at_most, enumerated, equal, lemma

_state, _gap, _place = sp.symbols("y g u", real=True)
_left, _rate, _other, _power = sp.symbols("p f h X", nonnegative=True)
_least = sp.Symbol("pprime", nonnegative=True)
_decay = sp.Symbol("lambda", positive=True)
_number, _mean, _slope, _value, _total = sp.symbols("n G s M Gamma", nonnegative=True)
_distance, _first, _last, _middle, _end = sp.symbols("D A B C E", nonnegative=True)
_SHARE = (sp.Ge(_left, 0), sp.Le(_left, 1))
_APART = sp.Eq(_gap**2, 1)

MIDDLE = 4 * (1 - _left) / (1 + _left)
END = (1 - _left) * (3 - _left)
"""The bounds for one rate and a run of d steps, with ``p = f^d``."""


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

    def middle(self, length: int) -> Fraction:
        """The bound M for a run between two others."""
        return self._sum(length, lambda left: 4 * (1 - left) / (1 + left))

    def end(self, length: int) -> Fraction:
        """The bound E for the first run and for the last one."""
        return self._sum(length, lambda left: (1 - left) * (3 - left))

    def single(self, length: int) -> Fraction:
        """The bound for a run that is the first and the last one."""
        return self._sum(length, lambda left: 2 * (1 - left))

    def _sum(self, length: int, bound: Callable[[Fraction], Fraction]) -> Fraction:
        pairs = list(zip(self.shares, self.rates, strict=True))
        total = Fraction(0)
        for share, rate in pairs:
            if rate == 1:
                total += share**2 * length
            else:
                total += share * sum(other / (1 - rate * second) for other, second in pairs) * bound(rate**length)
        return total


MIXTURES = (
    Mixture((Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)), (Fraction(1), Fraction(2, 3), Fraction(0))),
    Mixture((Fraction(1, 2), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 3))),
    Mixture((Fraction(1), Fraction(1)), (Fraction(1), Fraction(1, 2))),
)
"""Examples with few rates; one of them has no bound by the rates below 1 alone."""


def runs(one: Bits, other: Bits) -> list[int]:
    """The lengths of the runs of the difference of two vectors."""
    gaps = [a - b for a, b in zip(one, other, strict=True)]
    return [len(list(group)) for gap, group in groupby(gaps) if gap]


def bound_of(lengths: Sequence[int], mixture: Mixture) -> Fraction:
    """The bound for runs of these lengths."""
    if len(lengths) < 2:
        return sum((mixture.end(length) for length in lengths), Fraction(0))
    middle = sum((mixture.middle(length) for length in lengths[1:-1]), Fraction(0))
    return mixture.end(lengths[0]) + middle + mixture.end(lengths[-1])


def distance_of(one: Bits, other: Bits, mixture: Mixture) -> Fraction:
    """The squared distance of the images of two vectors."""
    moved = [a - b for a, b in zip(differences(one), differences(other), strict=True)]
    return squared(moved, mixture.entries(len(one)))


def number_of_runs() -> Step:
    """At most half of the changes begin a run."""

    def added(before: int, after: int, other: int, other_after: int, first: bool) -> int:
        gap, gap_after = before - other, after - other_after
        begins = gap_after != 0 and gap_after != gap
        changed = abs(after - before) + abs(other_after - other)
        return 2 * begins - changed - abs(gap_after) + abs(gap)

    def computed(word: Word) -> int:
        one, other = zip(*word, strict=True)
        return 2 * len(runs(one, other)) - units(one, other) - abs(one[-1] - other[-1])

    return lemma(
        "number_of_runs",
        r"Let $g_t$ be the difference of the two vectors after step $t$, and $v_t = g_t - g_{t - 1}$. A run is a "
        r"longest row of steps at which $g$ has one value other than $0$. With $n \le 2 w - h$ changes of both "
        r"vectors, $h = \lvert g_T \rvert$, there are at most $w$ runs:",
        bounded_for_every_length(
            "runs.number",
            "pairs of vectors: twice the runs less the changes of both and the last difference are at most 0",
            bit_pairs(added),
            0,
            by_definition=computed,
            up_to=5,
        ),
        lines=r"2 \cdot \text{runs} &\le n + h \le 2 w",
    )


def rates() -> Steps:
    """The squared norm is a sum over rates, and each share a sum over steps."""
    return (
        equal(
            "two_rates",
            r"Let $v_{T + 1} = -g_T$ close the difference, and let the stream go on without an end. More steps do not "
            r"make $\lVert R v \rVert^2$ smaller. For two rates $f$ and $h$ of $R$, not both $1$, and $X = f^{j - i}$ "
            r"for steps $i \le j$ the sum of $f^{t - i} h^{t - j}$ over $t \ge j$ is $\frac{X}{1 - f h}$: it is $X$ "
            r"and $f h$ times itself. If both are $1$, the sum over all $i$ and $j$ is that of $g_t^2$.",
            "",
            _power + _rate * _other * _power / (1 - _rate * _other),
            _power / (1 - _rate * _other),
        ),
        enumerated(
            "pairs_of_rates",
            r"With $Q(f) = \sum_{i, j} v_i v_j f^{\lvert i - j \rvert}$ a pair of rates has the sum $\frac{Q(f) + "
            r"Q(h)}{2 "
            r"(1 - f h)}$, as the terms with $i \le j$ have $X = f^{j - i}$, and the others $h^{i - j}$.",
            "all v of 4 steps from -2 to 2 that add up to 0, five rates: the sum over all steps without an end",
            [
                (moved, rate, other)
                for moved in product(range(-2, 3), repeat=4)
                if sum(moved) == 0
                for rate, other in product(_RATES, repeat=2)
                if rate * other < 1
            ],
            lambda case: without_end(*case) == (form(*case[:2]) + form(case[0], case[2])) / (2 - 2 * case[1] * case[2]),
            mutant=lambda case: without_end(*case) == form(*case[:2]) / (1 - case[1] * case[2]),
        ),
        equal(
            "shares_of_steps",
            r"So $\lVert R v \rVert^2 = \sum_m c_m Q(f_m) + a^2 \sum_t g_t^2$ with the weight $a$ of the rate $1$, the "
            r"sum over the $m$ with $f_m < 1$, and $c_m = a_m \sum_n \frac{a_n}{1 - f_m f_n}$ over all rates, the "
            r"rate $1$ too: each of a pair of rates has half of the sum, and $Q(1) = (\sum_i v_i)^2 = 0$. With "
            r"$y_t = f y_{t - 1} + v_t$ the same sum gives $Q(f) = (1 - f^2) \sum_t y_t^2$. Over $d$ steps without a "
            r"change, from $y$ "
            r"on, these terms are $y^2 (1 - p^2)$ with $p = f^d$, by induction over $d$:",
            "",
            _state**2 * (1 - _left**2) + (1 - _rate**2) * (_left * _state) ** 2,
            _state**2 * (1 - (_rate * _left) ** 2),
        ),
    )


_RATES = (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1))


def form(moved: Sequence[int], rate: Fraction) -> Fraction:
    """``Q(f)``: the sum of ``v_i v_j f^|i - j|``."""
    places = range(len(moved))
    return sum((moved[i] * moved[j] * rate ** abs(i - j) for i in places for j in places), Fraction(0))


def without_end(moved: Sequence[int], rate: Fraction, other: Fraction) -> Fraction:
    """The sum of ``y_t z_t`` over all steps, where both decay with their rates after the last change."""
    one = two = total = Fraction(0)
    for change in moved:
        one, two = rate * one + change, other * two + change
        total += one * two
    return total + one * two * rate * other / (1 - rate * other)


def of_one_rate() -> Steps:
    """Each run adds at most its bound, with the potential ``2 (y - g)^2``."""
    grown = _state**2 * (1 - _left**2)
    before, after = 2 * (_state - _gap) ** 2, 2 * (_left * _state - _gap) ** 2
    return (
        at_most(
            "middle_run",
            r"The potential $2 (y - g)^2$ does not change where $y$ and $g$ change by the same $v$. In a run of $d$ "
            r"steps:",
            Inequality(
                "runs.middle",
                grown,
                MIDDLE + before - after,
                (_APART, *_SHARE),
            ),
            lines=r"y^2 (1 - p^2) &\le 4 \frac{1 - p}{1 + p} + 2 (y - g)^2 - 2 (p y - g)^2",
        ),
        at_most(
            "equal_vectors",
            r"While $g = 0$ they add no more than the potential falls:",
            Inequality(
                "runs.equal",
                grown,
                2 * _state**2 - 2 * (_left * _state) ** 2,
                _SHARE,
                raised=sp.Rational(1, 1000),
            ),
        ),
        equal(
            "first_run",
            r"The first run begins with $y = g$ and the potential $0$, and ends with the potential $2 (1 - p)^2$. It "
            r"adds:",
            "",
            1 - _left**2,
            END - 2 * (1 - _left) ** 2,
        ),
        at_most(
            "last_run",
            r"The last run is followed by the change $-g$ and all later steps, which add $(p y - g)^2$:",
            Inequality(
                "runs.last",
                grown + (_left * _state - _gap) ** 2,
                END + before,
                (_APART, *_SHARE),
            ),
            lines=r"y^2 (1 - p^2) + (p y - g)^2 &\le (1 - p)(3 - p) + 2 (y - g)^2",
        ),
        at_most(
            "single_run",
            r"A run that is the first and the last one adds $1 - p^2 + (1 - p)^2$:",
            Inequality("runs.single", 1 - _left**2 + (1 - _left) ** 2, END, _SHARE),
        ),
    )


def one_run() -> Steps:
    """A difference with one run."""
    return (
        at_most(
            "one_run",
            r"Let $g$ have one run, of $d \le T$ steps, from step $i$ to $i + d$, where $v_{i + d} = -v_i$. Then $Q(f) "
            r"= (1 - p^2) + (1 - p)^2$ with $p = f^d$, from $y = g$ on. With $p' = f^T \le p$:",
            Inequality("runs.one", ONE_RUN.lhs, ONE_RUN.rhs, ONE_RUN_GIVEN),
            lines=r"(1 - p^2) + (1 - p)^2 &\le 2 (1 - p')",
        ),
        enumerated(
            "all_single_runs",
            r"By brute force for few steps the bound is kept.",
            "three mixtures, 1 to 7 steps: all differences with one run are within the bound",
            [
                (mixture, begin, end, steps)
                for mixture in MIXTURES
                for steps in range(1, 8)
                for begin in range(steps)
                for end in range(begin + 1, steps + 1)
            ],
            lambda case: norm_of_run(*case) <= case[0].single(case[3]),
            mutant=lambda case: norm_of_run(*case) <= case[0].single(case[3]) / 2,
        ),
    )


def norm_of_run(mixture: Mixture, begin: int, end: int, steps: int) -> Fraction:
    """The squared norm for a difference that is 1 from one step to before another one."""
    moved = [int(place == begin) - int(place == end) for place in range(steps)]
    return squared(moved, mixture.entries(steps))


def many_runs() -> Steps:
    """From runs of given lengths to the bound for all."""
    return (
        enumerated(
            "all_pairs_by_runs",
            r"So with $M(d) = \sum_m 4 c_m \frac{1 - f_m^d}{1 + f_m^d} + a^2 d$ and $E(d) = \sum_m c_m (1 - f_m^d)(3 - "
            r"f_m^d) + a^2 d$ the squared distance is at most the sum of $M$ over all runs but two, and of $E$ over "
            r"the first and the last one.",
            "three mixtures, pairs of vectors of 5 entries: their squared distance is within the bound for their runs",
            [
                (mixture, one, other)
                for mixture in MIXTURES
                for one in vectors(5)
                for other in vectors(5)
                if one < other
            ],
            lambda case: distance_of(case[1], case[2], case[0]) <= bound_of(runs(*case[1:]), case[0]),
            mutant=lambda case: distance_of(case[1], case[2], case[0]) <= bound_of(runs(*case[1:]), case[0]) * 3 / 4,
        ),
        equal(
            "middle_bends",
            r"$M$ is concave and rises, and $M(0) = 0$. With $f = e^{-\lambda}$ the derivative of $p = f^d$ is "
            r"$-\lambda p$. The second derivative of a term is at most $0$, up to the factor $c_m$:",
            "",
            lambda: sp.simplify(along(along(MIDDLE))),
            -8 * _decay**2 * _left * (1 - _left) / (1 + _left) ** 3,
        ),
        equal(
            "end_bends",
            r"So does $E$:",
            "",
            lambda: sp.simplify(along(along(END))),
            -4 * _decay**2 * _left * (1 - _left),
        ),
        at_most(
            "equal_lengths",
            r"Let $n = w - 2$ lengths, some of which may be $0$, have a sum $\Gamma \le n G$. The concave $M$ lies "
            r"below its tangent at $G$ with the slope $s \ge 0$. So the sum of $M$ is at most $n M(G) + s (\Gamma - n "
            r"G)$, and that at most $n M(G)$. In the same way two ends add at most $2 E$ at their mean length $d$.",
            Inequality(
                "runs.equal_lengths",
                _number * _value + _slope * (_total - _number * _mean),
                _number * _value,
                (sp.Le(_total, _number * _mean),),
            ),
        ),
        at_most(
            "all_runs",
            r"All runs together have at most $T$ steps. So $2 d \le T$ and $n G = T - 2 d$. For the bounds $A$ and $B$ "
            r"of the first and the last run, $C$ of the others, $E = E(d)$ and $M = M(G)$:",
            Inequality(
                "runs.all",
                FORMAL.lhs,
                FORMAL.rhs,
                FORMAL_GIVEN,
            ),
        ),
    )


def along(term: sp.Expr) -> sp.Expr:
    """The derivative by the length d of a function of ``p = f^d``."""
    return -_decay * _left * sp.diff(term, _left)


def vectors(steps: int) -> list[Bits]:
    """All vectors of bits."""
    return [tuple(number >> place & 1 for place in range(steps)) for number in range(2**steps)]


FORMAL = le(_distance, 2 * _end + _number * _value)
FORMAL_GIVEN = (
    sp.Le(_distance, _first + _last + _middle),
    sp.Le(_first + _last, 2 * _end),
    sp.Le(_middle, _number * _value),
)
ONE_RUN = le((1 - _left**2) + (1 - _left) ** 2, 2 * (1 - _least))
ONE_RUN_GIVEN = (sp.Le(_least, _left), sp.Le(_left, 1))
