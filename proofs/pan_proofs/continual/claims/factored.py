"""The counters that release ``R x`` with Gaussian noise: for a known flippancy, and for elements' last entries.

``R`` is lower triangular and Toeplitz with entries ``r_0 >= r_1 >= ... >= 0``, and ``S`` is the squared norm of its
first column. For the runs they are ``r_k = sum_m a_m f_m^k``, ``a_m > 0`` and ``0 <= f_m <= 1``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby, product
from typing import Any

import sympy as sp

from pan_proofs.continual.steps import noise_fits, stated
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    PAIRS,
    Bits,
    Stream,
    both,
    changes,
    differences,
    elements,
    last_entries,
    one_at_most,
    streams,
)
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, lemma

ROOT = (Fraction(1), Fraction(1, 2), Fraction(3, 8), Fraction(5, 16), Fraction(35, 128), Fraction(63, 256))
"""The first entries ``binom(2k, k)/4^k`` of the square root of the prefix sum."""


def image(changed: Sequence[Fraction | int], entries: Sequence[Fraction] = ROOT) -> tuple[Fraction, ...]:
    """``R x`` for a factor with these entries, by default the square root of the prefix sum and at most 6 steps."""
    return tuple(
        sum((entries[time - place] * changed[place] for place in range(time + 1)), Fraction(0))
        for time in range(len(changed))
    )


def squared(changed: Sequence[Fraction | int], entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The squared norm of ``R x``."""
    return sum((value * value for value in image(changed, entries)), Fraction(0))


@cache
def column(steps: int, entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The squared norm of the first column."""
    return squared((1, *[0] * (steps - 1)), entries)


def gap(one: Bits, other: Bits) -> tuple[int, ...]:
    """The changes of the difference of two vectors."""
    return tuple(a - b for a, b in zip(differences(one), differences(other), strict=True))


def largest(steps: int, bound: int, entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The largest squared distance of the images of two vectors with few changes, over ``S``."""
    followed = [bits for bits in product((0, 1), repeat=steps) if changes(bits) <= bound]
    return max(squared(gap(*pair), entries) for pair in product(followed, repeat=2)) / column(steps, entries)


def units(one: Bits, other: Bits) -> int:
    """The changes of two vectors."""
    return changes(one) + changes(other)


def bit_pairs(add: Callable[[int, int, int, int], int]) -> Machine:
    """Any two vectors of bits, read at once: what an entry adds depends on the bits before and after it in each."""

    def step(state: tuple[int, int], letter: tuple[int, int]) -> tuple[tuple[int, int], int]:
        return letter, add(state[0], letter[0], state[1], letter[1])

    return Machine((0, 0), tuple(product((0, 1), repeat=2)), step)


_square, _norm, _rho, _sigma, _columns = sp.symbols("q S rho sigma B", positive=True)
_first, _second, _inner = sp.symbols("A B C", nonnegative=True)
_distance, _delta, _root, _width, _grid, _allowed = sp.symbols("D Delta m eta h s", nonnegative=True)


def two_columns(name: str, text: str) -> Step:
    """Two opposite changes cost at most two columns."""
    relation = le(_first + _second - 2 * _inner, 2 * _norm)
    return bounded(name, text, relation, sp.Le(_first, _norm), sp.Le(_second, _norm))


def _rounding() -> Step:
    """The deviation that covers rounding."""
    return bounded(
        "rounding",
        r"Let rounding add at most $\eta$ to the difference of a value between two neighbours, and the grid of the "
        r"noise $h \sigma$. Over $m^2$ values the distance $D$ grows from $\Delta$ to at most $\Delta + m (\eta + h "
        r"\sigma)$. For $\sigma = (\Delta + m \eta) / (s - m h)$ and $s^2 = 2 \rho$ the loss $\frac{D^2}{2 \sigma^2}$ "
        r"is at most $\rho$:",
        le(_distance**2, 2 * _rho * _sigma**2),
        sp.Le(_distance, _delta + _root * (_width + _grid * _sigma)),
        sp.Eq(_sigma * (_allowed - _root * _grid), _delta + _root * _width),
        sp.Eq(_allowed**2, 2 * _rho),
    )


def _noise(columns: sp.Expr, text: str) -> Step:
    """The Gaussian mechanism for a squared sensitivity in columns."""
    return noise_fits("noise", text, _square, columns * _norm, _rho)


_state, _gap = sp.symbols("y g", real=True)
_left, _least, _rate, _other, _power = sp.symbols("p pprime f h X", nonnegative=True)
_decay = sp.Symbol("lambda", positive=True)
_number, _mean, _slope, _value, _total = sp.symbols("n G s M Gamma", nonnegative=True)
_end_of_all = sp.Symbol("E", nonnegative=True)
_SHARE = (sp.Ge(_left, 0), sp.Le(_left, 1))
_APART = sp.Eq(_gap**2, 1)

Mixture = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
"""The weights ``a_m`` and the rates ``f_m``."""
MIXTURES: tuple[Mixture, ...] = (
    ((Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)), (Fraction(1), Fraction(2, 3), Fraction(0))),
    ((Fraction(1, 2), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 3))),
    ((Fraction(1), Fraction(1)), (Fraction(1), Fraction(1, 2))),
)
"""Examples with few rates; one of them has no bound by the rates below 1 alone."""


def middle(left: Any) -> Any:
    """The bound for one rate and a run of d steps between two others, with ``p = f^d``."""
    return 4 * (1 - left) / (1 + left)


def end(left: Any) -> Any:
    """The bound for the first run and for the last one."""
    return (1 - left) * (3 - left)


def single(left: Any) -> Any:
    """The bound for a run that is the first and the last one."""
    return 2 * (1 - left)


def entries_of(mixture: Mixture, steps: int) -> tuple[Fraction, ...]:
    """The first entries ``r_k``."""
    pairs = list(zip(*mixture, strict=True))
    return tuple(sum((share * rate**place for share, rate in pairs), Fraction(0)) for place in range(steps))


def bound_of(mixture: Mixture, length: int, bound: Callable[[Fraction], Fraction]) -> Fraction:
    """The bound for a run of a length, from that for one rate."""
    pairs = list(zip(*mixture, strict=True))

    def of(share: Fraction, rate: Fraction) -> Fraction:
        if rate == 1:
            return share**2 * length
        return share * sum(other / (1 - rate * second) for other, second in pairs) * bound(rate**length)

    return sum((of(*pair) for pair in pairs), Fraction(0))


def runs(one: Bits, other: Bits) -> list[int]:
    """The lengths of the runs of the difference of two vectors."""
    gaps = [a - b for a, b in zip(one, other, strict=True)]
    return [len(list(group)) for apart, group in groupby(gaps) if apart]


def bound_of_runs(lengths: Sequence[int], mixture: Mixture) -> Fraction:
    """The bound for runs of these lengths."""
    inner = range(1, len(lengths) - 1)
    kinds = (middle if place in inner else end for place in range(len(lengths)))
    return sum((bound_of(mixture, *one) for one in zip(lengths, kinds, strict=True)), Fraction(0))


def distance_of(one: Bits, other: Bits, mixture: Mixture) -> Fraction:
    """The squared distance of the images of two vectors."""
    return squared(gap(one, other), entries_of(mixture, len(one)))


def form(moved: Sequence[int], rate: Fraction) -> Fraction:
    """``Q(f)``: the sum of ``v_i v_j f^|i - j|``."""
    places = range(len(moved))
    return sum((moved[i] * moved[j] * rate ** abs(i - j) for i in places for j in places), Fraction(0))


def without_end(moved: Sequence[int], rate: Fraction, other: Fraction) -> Fraction:
    """The sum of ``y_t z_t`` over all steps, where both decay with their rates after the last change."""
    one = two = total = Fraction(0)
    for changed in moved:
        one, two = rate * one + changed, other * two + changed
        total += one * two
    return total + one * two * rate * other / (1 - rate * other)


_RATES = (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1))


def _number_of_runs() -> Step:
    """At most half of the changes begin a run."""

    def added(before: int, after: int, other: int, other_after: int) -> int:
        apart, apart_after = before - other, after - other_after
        begins = apart_after not in (0, apart)
        return 2 * begins - abs(after - before) - abs(other_after - other) - abs(apart_after) + abs(apart)

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


def _rates() -> Steps:
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
            r"Q(h)}{2 (1 - f h)}$, as the terms with $i \le j$ have $X = f^{j - i}$, and the others $h^{i - j}$.",
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
            r"change, from $y$ on, these terms are $y^2 (1 - p^2)$ with $p = f^d$, by induction over $d$:",
            "",
            _state**2 * (1 - _left**2) + (1 - _rate**2) * (_left * _state) ** 2,
            _state**2 * (1 - (_rate * _left) ** 2),
        ),
    )


def _of_one_rate() -> Steps:
    """Each run adds at most its bound, with the potential ``2 (y - g)^2``."""
    grown = _state**2 * (1 - _left**2)
    before, after = 2 * (_state - _gap) ** 2, 2 * (_left * _state - _gap) ** 2
    return (
        bounded(
            "middle_run",
            r"The potential $2 (y - g)^2$ does not change where $y$ and $g$ change by the same $v$. In a run of $d$ "
            r"steps:",
            le(grown, middle(_left) + before - after),
            _APART,
            *_SHARE,
        ),
        bounded(
            "equal_vectors",
            r"While $g = 0$ they add no more than the potential falls:",
            le(grown, 2 * _state**2 - 2 * (_left * _state) ** 2),
            *_SHARE,
            raised=sp.Rational(1, 1000),
        ),
        equal(
            "first_run",
            r"The first run begins with $y = g$ and the potential $0$, and ends with the potential $2 (1 - p)^2$. It "
            r"adds:",
            "",
            1 - _left**2,
            end(_left) - 2 * (1 - _left) ** 2,
        ),
        bounded(
            "last_run",
            r"The last run is followed by the change $-g$ and all later steps, which add $(p y - g)^2$:",
            le(grown + (_left * _state - _gap) ** 2, end(_left) + before),
            _APART,
            *_SHARE,
        ),
        bounded(
            "single_run",
            r"A run that is the first and the last one adds $1 - p^2 + (1 - p)^2$:",
            le(1 - _left**2 + (1 - _left) ** 2, end(_left)),
            *_SHARE,
        ),
    )


def _one_run() -> Step:
    return bounded(
        "one_run",
        r"Let $g$ have one run, of $d \le T$ steps, from step $i$ to $i + d$, where $v_{i + d} = -v_i$. Then $Q(f) = "
        r"(1 - p^2) + (1 - p)^2$ with $p = f^d$, from $y = g$ on. With $p' = f^T \le p$:",
        le((1 - _left**2) + (1 - _left) ** 2, single(_least)),
        sp.Le(_least, _left),
        sp.Le(_left, 1),
    )


def _all_single_runs() -> Step:
    """All differences with one run, by their definition."""

    def norm(mixture: Mixture, begin: int, finish: int, steps: int) -> Fraction:
        moved = [int(place == begin) - int(place == finish) for place in range(steps)]
        return squared(moved, entries_of(mixture, steps))

    return enumerated(
        "all_single_runs",
        r"By brute force for few steps the bound is kept.",
        "three mixtures, 1 to 7 steps: all differences with one run are within the bound",
        [
            (mixture, begin, finish, steps)
            for mixture in MIXTURES
            for steps in range(1, 8)
            for begin in range(steps)
            for finish in range(begin + 1, steps + 1)
        ],
        lambda case: norm(*case) <= bound_of(case[0], case[3], single),
        mutant=lambda case: norm(*case) <= bound_of(case[0], case[3], single) / 2,
    )


def _along(term: sp.Expr) -> sp.Expr:
    """The derivative by the length d of a function of ``p = f^d``."""
    return -_decay * _left * sp.diff(term, _left)


def _many_runs() -> Steps:
    """From runs of given lengths to the bound for all."""
    return (
        enumerated(
            "all_pairs_by_runs",
            r"So with $M(d) = \sum_m 4 c_m \frac{1 - f_m^d}{1 + f_m^d} + a^2 d$ and $E(d) = \sum_m c_m (1 - f_m^d)(3 - "
            r"f_m^d) + a^2 d$ the squared distance is at most the sum of $M$ over all runs but two, and of $E$ over "
            r"the first and the last one.",
            "three mixtures, pairs of vectors of 5 entries: their squared distance is within the bound for their runs",
            [
                (distance_of(one, other, mixture), bound_of_runs(runs(one, other), mixture))
                for mixture in MIXTURES
                for one, other in product(product((0, 1), repeat=5), repeat=2)
                if one < other
            ],
            lambda case: case[0] <= case[1],
            mutant=lambda case: case[0] <= case[1] * 3 / 4,
        ),
        *(
            equal(name, text, "", lambda of=of: sp.simplify(_along(_along(of(_left)))), bend)  # type: ignore[misc]
            for name, text, of, bend in (
                (
                    "middle_bends",
                    r"$M$ is concave and rises, and $M(0) = 0$. With $f = e^{-\lambda}$ the derivative of $p = f^d$ is "
                    r"$-\lambda p$. The second derivative of a term is at most $0$, up to the factor $c_m$:",
                    middle,
                    -8 * _decay**2 * _left * (1 - _left) / (1 + _left) ** 3,
                ),
                ("end_bends", r"So does $E$:", end, -4 * _decay**2 * _left * (1 - _left)),
            )
        ),
        bounded(
            "equal_lengths",
            r"Let $n = w - 2$ lengths, some of which may be $0$, have a sum $\Gamma \le n G$. The concave $M$ lies "
            r"below its tangent at $G$ with the slope $s \ge 0$. So the sum of $M$ is at most $n M(G) + s (\Gamma - n "
            r"G)$, and that at most $n M(G)$. In the same way two ends add at most $2 E$ at their mean length $d$.",
            le(_number * _value + _slope * (_total - _number * _mean), _number * _value),
            sp.Le(_total, _number * _mean),
        ),
        bounded(
            "all_runs",
            r"All runs together have at most $T$ steps. So $2 d \le T$ and $n G = T - 2 d$. For the bounds $A$ and $B$ "
            r"of the first and the last run, $C$ of the others, $E = E(d)$ and $M = M(G)$:",
            le(_distance, 2 * _end_of_all + _number * _value),
            sp.Le(_distance, _first + _second + _inner),
            sp.Le(_first + _second, 2 * _end_of_all),
            sp.Le(_inner, _number * _value),
        ),
    )


_farthest, _four = sp.symbols("F F_4")
"""The largest squared distance in units of S, and that of the example."""


def calibrated_turnstile() -> Claim:
    """The sensitivity, by Coq and by runs, and the noise."""
    one_run, many, noise = (
        _one_run(),
        _many_runs(),
        _noise(_columns, r"With $q = \lVert R (x - x') \rVert^2$ and $\Delta^2 = B S$ the loss is:"),
    )
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
                r"$\lVert R (x - x') \rVert^2 \le (4 w - 2) S$.",
                (),
                theorems=("factored_sensitivity",),
            ),
            derived(
                Role.PUBLISHED,
                "one change",
                r"For $w = 1$ and entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$: $\lVert R (x - "
                r"x') \rVert^2 \le \sum_m 2 c_m (1 - f_m^T) + a^2 T$. There is at most one run. The formula "
                r"is about one rate, with $p = f^d$ for the length $d$ of the run and $p' = f^T$.",
                _number_of_runs(),
                *_rates(),
                one_run,
                _all_single_runs(),
                only=("one_run",),
            ),
            derived(
                Role.PUBLISHED,
                "many changes",
                r"For $w \ge 2$ and entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$, the squared "
                r"distance $D = \lVert R (x - x') \rVert^2$ is at most $2 E(d) + (w - 2)\, M(\frac{T - 2 d}{w - 2})$ "
                r"for some $d$ with $0 \le d \le \frac{T}{2}$. Below, $n = w - 2$; runs and rates are those of the "
                r"part before.",
                *_of_one_rate(),
                *many,
                only=("all_runs",),
            ),
            Part(
                Role.PUBLISHED,
                "the noise",
                r"With this variance the loss is at most $\rho$. The outputs $M R^{-1} (R x + z)$ for the prefix sum "
                r"$M$ are post-processing.",
                (noise, _rounding()),
                formal=stated(noise),
            ),
            derived(
                Role.READING,
                "the changes of one vector alone",
                r"Read as: two vectors with $w$ changes each have a squared distance $F S$ of at most $w S$, as a "
                r"vector with $w$ changes has from none. For $w = 1$, six steps and the square root, $F > w$.",
                counterexample(
                    "two_appearances",
                    r"For $w = 1$, six steps and the square root, in units of $S$:",
                    le(_farthest, 1),
                    {_farthest: lambda: largest(6, 1)},
                ),
                holds=False,
                departs=r"\le (4 w - 2) S$",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.post_processing"),
        in_words=(
            (
                "two_rates",
                r"a squared norm is a sum over pairs of rates, and more steps do not make it smaller",
            ),
            ("shares_of_steps", r"an induction over the steps without a change"),
            ("all_pairs_by_runs", r"the shares of all runs and of the steps between them are added"),
            ("equal_lengths", r"a concave function lies below its tangents"),
        ),
    )


def moved(one: Stream, other: Stream) -> tuple[int, ...]:
    """The changes of the difference of the two counts of elements whose last entry is an insertion."""
    known = {*elements(one), *elements(other)}
    counts = [tuple(map(sum, zip(*(last_entries(of, e) for e in known), strict=True))) for of in (one, other)]
    return gap(*counts)


def last_entry_changes(name: str, text: str) -> Step:
    """Event-neighbours: the differences of the changes of what the last entries tell, squared, are at most 2."""

    def step(state: tuple[int, int, bool], letter: tuple[int, int]) -> tuple[tuple[int, int, bool], int] | None:
        one, other, differed = state
        differs = letter[0] != letter[1]
        if differs and differed:
            return None
        after, after_other = (int(sign == 1) if sign else bit for bit, sign in zip(state[:2], letter, strict=True))
        return (after, after_other, differed or differs), ((after - one) - (after_other - other)) ** 2

    return lemma(
        name,
        text,
        bounded_for_every_length(
            "last_entries",
            "event-neighbours of one element: the squared differences of the changes of the vectors",
            Machine((0, 0, False), PAIRS, step),
            2,
            by_definition=lambda word: sum(one**2 for one in moved(*both(word))),
            allowed=one_at_most,
            up_to=5,
        ),
    )


def presence() -> Claim:
    """Two opposite changes, and the noise for them."""
    two = two_columns(
        "two_changes",
        r"Two opposite changes, at steps $i < j$, or one of them. No entry of $R$ is negative, so that $C \ge 0$, and "
        r"no column has more entries than the first:",
    )
    noise, one_run = _noise(sp.Integer(2), r"With $q = \lVert R (x - x') \rVert^2$ the loss is:"), _one_run()
    return Claim(
        id="continual.presence",
        title="The present elements if the last entry decides",
        references=(Reference("here", "for the counter presence"),),
        statement=r"An element is present if its last entry is an insertion. Let $x_t$ be the change of the number of "
        r"present elements at step $t$, and $R$ lower triangular and Toeplitz with entries $r_0 \ge r_1 \ge \dots \ge "
        r"0$, $r_0 > 0$, and $S = \sum_k r_k^2$. The release of $R x$ with independent Gaussian noise of variance $2 S "
        r"/ (2 \rho)$, and of all that is computed from it, is $\rho$-event-level-zCDP, for all streams. If $r_k = "
        r"\sum_m a_m f_m^k$ with $a_m > 0$ and $0 \le f_m \le 1$, the bound for $w = 1$ of continual.calibrated can "
        r"take the place of $2 S$.",
        hypotheses=(r"$\rho > 0$", "a neighbour has a no-op in place of one entry"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the noise",
                r"For event-neighbours $\lVert R (x - x') \rVert^2 \le 2 S$, and the loss is at most $\rho$. The "
                r"outputs $M R^{-1} (R x + z)$ for the prefix sum $M$ are post-processing. Rounding costs what it "
                r"costs in continual.calibrated. Below, $A$ and $B$ are the "
                r"squared norms of the columns of the two changes, $C$ is their inner product, and $q = \lVert R (x - "
                r"x') \rVert^2$.",
                (
                    last_entry_changes(
                        "one_interval",
                        r"Neighbours differ in one entry of one element. From its next entry on both streams agree "
                        r"about the element. So the difference of the counts changes at most twice.",
                    ),
                    enumerated(
                        "opposite_signs",
                        r"The difference is a bit minus a bit, $0$ before the entry, and $0$ again after the second "
                        r"change. So the changes are $1$ and $-1$.",
                        "event-neighbours of up to 4 entries over 2 elements: the changes that are not 0 are 1 or -1 "
                        "and add up to 0, or there is one of them",
                        [
                            moved(one, other)
                            for length in range(1, 5)
                            for one in streams(length, 2)
                            for other in NEIGHBOURS["event"](one)
                        ],
                        lambda found: [one for one in found if one] in ([], [1], [-1], [1, -1], [-1, 1]),
                        mutant=lambda found: [one for one in found if one] in ([], [1], [-1]),
                    ),
                    two,
                    noise,
                ),
                formal=stated(two, noise),
            ),
            derived(
                Role.PUBLISHED,
                "mixtures of decays",
                r"For entries $r_k = \sum_m a_m f_m^k$ with $a_m > 0$, $0 \le f_m \le 1$, weights $c_m$ and the weight "
                r"$a$ of the rate $1$ as in continual.calibrated: $\lVert R (x - x') \rVert^2 \le \sum_m 2 c_m (1 - "
                r"f_m^T) + a^2 T$. By "
                r"the steps above the difference $g_t$ of the counts has at most one run, a row of steps at which it "
                r"is $1$ or $-1$. Let $v_t = g_t - g_{t - 1}$. The formula is about one rate, with $p = f^d$ for the "
                r"length $d$ of the run and $p' = f^T$.",
                one_run,
            ),
            Part(
                Role.READING,
                "item level",
                r"At item level the noise is too small: a neighbour may lack every entry of the element, and the "
                r"counts then differ by more changes than two. For $R = I$ and two insertions and deletions in turn "
                r"the squared distance $F_4$ is four.",
                (
                    counterexample(
                        "four_changes",
                        r"For one column of $R = I$ the squared distance is the number of changes: four, and not two.",
                        le(_four, 2),
                        {_four: lambda: sum(map(abs, moved(((0, 1), (0, -1), (0, 1), (0, -1)), (None,) * 4)))},
                    ),
                ),
                formal=symbolic(eq(_four, 4), gt(_four, 2)),
                holds=False,
                departs=r"$\rho$-event-level-zCDP",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.post_processing", "continual.calibrated"),
    )


CLAIMS = {"continual.calibrated": calibrated_turnstile, "continual.presence": presence}
