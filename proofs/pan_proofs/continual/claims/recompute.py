"""Theorem 3.10: recomputing a function of sensitivity 1 every r steps; and from which flippancy on that wins."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.steps import noise_fits, positive_root
from pan_proofs.continual.streams import NEIGHBOURS, distinct_counts, streams
from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, found

_rho, _length, _period, _releases, _log = sp.symbols("rho T r m l", positive=True)
_cube, _root, _error = sp.symbols("c s E", nonnegative=True)
_square = sp.Symbol("q", nonnegative=True)
_change, _bound = sp.symbols("D B", nonnegative=True)
_last, _later, _steps = sp.symbols("k j r", positive=True, integer=True)
_WITHIN_PERIOD = le((_last + _later) ** 2 - _last**2, _steps)
"""The square of the time changes by at most the period since the last output."""
_LATER = (lt(_later, _steps),)


def held(counts: tuple[int, ...], period: int) -> tuple[int, ...]:
    """The outputs without noise: the value at the last multiple of the period, 0 before the first."""
    times = [time - time % period for time in range(1, len(counts) + 1)]
    return tuple(counts[time - 1] if time else 0 for time in times)


def drift(counts: tuple[int, ...], period: int) -> int:
    """The largest error of the outputs without noise."""
    return max(abs(one - other) for one, other in zip(counts, held(counts, period), strict=True))


def recompute() -> Claim:
    """Privacy, the error with a constant, and what a function of sensitivity 1 needs besides."""
    noise = noise_fits(
        "noise",
        r"For the squared distance $q \le m$ and noise of variance $m/(2 \rho)$ the loss is $\frac{q}{2} \cdot "
        r"\frac{2 \rho}{m}$.",
        _square,
        _releases,
        _rho,
    )
    total = bounded(
        "total",
        r"As $\rho \le 1$ and $T \ge 200$, $c \ge 1$ and $r \le c + 1$. The error is at most $r + s$:",
        le(_error, 5 * _cube),
        sp.Ge(_cube, 1),
        sp.Le(_period, _cube + 1),
        sp.Le(_root**2, 2 * _cube**2),
        sp.Le(_error, _period + _root),
        gap=sp.Rational(9, 10),
        weaker=sp.Rational(1, 2),
    )
    return Claim(
        id="turnstile.recompute",
        title="Recomputing every r steps",
        references=(Reference("turnstile", "Theorem 3.10, section 3.3", "the formulas are lost"),),
        statement=r"Let $f$ be a function of streams whose value changes by at most $1$ between item-neighbours. There "
        r"is a $\rho$-item-level-zCDP mechanism that estimates $f(x[1:t])$ for all $t \le T$ with an error of $O(\min("
        r"(T \log T/\rho)^{1/3}, T))$ with probability $0.99$.",
        notation=(("$D$, $B$", "difference of the last output from the value, and the bound on it"),),
        hypotheses=(r"$0 < \rho \le 1$", r"$T$ is sufficiently large"),
        silent=(
            r"the mechanism is that of the cited work, read as: with $r = \lceil (T \log T/\rho)^{1/3} \rceil$ it puts "
            r"out $f(x[1:t])$ with noise $N(0, m/(2 \rho))$ at the $m = \lfloor T/r \rfloor$ multiples $t$ of $r$, and "
            r"its last output in between",
            r"$f$ is $0$ on the empty stream, and a no-op at the end does not change it, as it is for the distinct "
            r"count",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "privacy",
                r"For item-neighbours each of the $m$ values changes by at most $1$, and their squared $\ell_2$ "
                r"distance is at most $m$. By Lemma 2.9 the noise gives $\rho$-zCDP. What is put out in between is "
                r"post-processing.",
                enumerated(
                    "sensitivity_one",
                    r"The distinct count is such a function: item-neighbours differ in one element, which is "
                    r"counted or not.",
                    "item-neighbours of up to 4 entries over 2 elements: the distinct counts differ by at most 1 "
                    "at each time",
                    [
                        [abs(a - b) for a, b in zip(*map(distinct_counts, (stream, other)), strict=True)]
                        for length in range(1, 5)
                        for stream in streams(length, 2)
                        for other in NEIGHBOURS["item"](stream)
                    ],
                    lambda gaps: max(gaps) <= 1,
                    mutant=lambda gaps: max(gaps) == 0,
                ),
                noise,
            ),
            derived(
                Role.PUBLISHED,
                "the error",
                r"For the distinct count and $T \ge 200$ the error is at most $5 (T \log T/\rho)^{1/3}$ with "
                r"probability $0.99$. The output $0$ at all times has an error of at most $T$.",
                enumerated(
                    "drift",
                    r"An entry changes the distinct count by at most $1$. So it drifts by at most $r - 1$ after an "
                    r"output, and before the first; and it is at most $t$.",
                    "streams of up to 5 entries over 2 elements, r from 1 to 5: the error of the last output "
                    "without noise is at most r - 1",
                    [
                        (drift(distinct_counts(stream), period), period)
                        for n in range(1, 6)
                        for stream in streams(n, 2)
                        for period in range(1, 6)
                    ],
                    lambda case: case[0] <= case[1] - 1,
                    mutant=lambda case: case[0] <= max(0, case[1] - 2),
                ),
                bounded(
                    "largest_noise",
                    r"Let $c = (T l/\rho)^{1/3}$ with $l = \log T$. By Lemma A.2 the $m \le T/r$ noises exceed "
                    r"$s$, $s^2 = \frac{m}{\rho} \log(200 m)$, with probability at most $0.01$. As $\log(200 m) "
                    r"\le 2 l$ for $T \ge 200$, $r \ge c$ and $T l/\rho = c^3$:",
                    le(_root**2, 2 * _cube**2),
                    sp.Ge(_period, _cube),
                    sp.Gt(_cube, 0),
                    sp.Le(_releases, _length / _period),
                    sp.Le(_root**2, (_releases / _rho) * (2 * _log)),
                    sp.Eq(_length * _log, _rho * _cube**3),
                ),
                bounded(
                    "logarithm",
                    r"Here $200 m \le 200 T$, and for $T \ge 200$",
                    le(200 * _length, _length**2),
                    sp.Ge(_length, 200),
                ),
                total,
                found(
                    "least",
                    r"The period $r$ weighs both parts of the error: $r + \sqrt{2 T l/(\rho r)}$ with equal parts.",
                    "the positive solution r of r^3 = 2 T l / rho, over (T l / rho)^(1/3)",
                    _best_period,
                    sp.cbrt(2),
                    engine="sympy",
                ),
                only=("total",),
            ),
            derived(
                Role.READING,
                "functions that a no-op changes",
                r"If a no-op may change $f$, its last value bounds nothing. The function $f(x[1:t]) = t^2$ has "
                r"sensitivity $0$ and changes by more than $r$ within $r$ steps.",
                counterexample(
                    "squares",
                    r"For $T = 100$ and $r = 5$ the last output of the squares is up to $776$ too small. A "
                    r"mechanism that knows $f$ repairs this: it puts out $f$ of the stream up to the last output, "
                    r"followed by no-ops.",
                    le(_change, _bound),
                    {
                        _change: lambda: drift(tuple(time**2 for time in range(1, 101)), 5),
                        _bound: sp.Integer(5),
                    },
                ),
                counterexample(
                    "last_squares",
                    r"From the last output at the time $k = 95$ to the time $99$, $j = 4$ steps later:",
                    _WITHIN_PERIOD,
                    {_last: sp.Integer(95), _later: sp.Integer(4), _steps: sp.Integer(5)},
                    _LATER,
                ),
                only=("last_squares",),
                holds=False,
                departs="a no-op at the end does not change it",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.gaussian_max", "turnstile.post_processing"),
    )


def _best_period() -> sp.Expr:
    unit = _length * _log / _rho
    return sp.simplify(positive_root(_period**3 - 2 * unit, _period) / sp.cbrt(unit))


_flips, _height, _threshold = sp.symbols("w L s", positive=True)
_tree, _recomputed = sp.symbols("A B", positive=True)
ADAPTIVE = 10 * sp.sqrt(_flips) * _height**2 + 137 * _height**4
"""The derived error of Algorithm 3 for rho = 1, T = 2^L."""
RECOMPUTED = 5 * sp.cbrt(2**_height * _height * sp.log(2))
"""The derived error of recomputing for rho = 1, T = 2^L."""
_NO_WORSE = le(ADAPTIVE, RECOMPUTED)
_FAR_BELOW = (le(_flips, 2 ** (sp.Rational(2, 3) * _height)),)
"""``w`` is below the threshold ``T^(2/3)``."""
_AT_100 = le(ADAPTIVE.subs({_flips: 1, _height: 100}), RECOMPUTED.subs(_height, 100))


def _sides() -> tuple[Step, Step]:
    """One inequality on each side of the threshold."""
    equations = (sp.Eq(_tree**2, _flips), sp.Eq(_recomputed, _threshold))
    return (
        bounded(
            "below",
            r"In units in which $\rho = 1$, let $A = \sqrt w$ and $B = s$, where $s^2$ is the threshold. Below:",
            le(_tree, _recomputed),
            sp.Le(_flips, _threshold**2),
            *equations,
        ),
        bounded("above", r"Above:", le(_recomputed, _tree), sp.Ge(_flips, _threshold**2), *equations),
    )


def _equal_at(name: str, text: str, difference: sp.Expr, at: sp.Expr, line: str) -> Step:
    """The flippancy at which a difference of powers vanishes."""
    return equal_as(name, text, (lambda: positive_root(difference, _flips), at), line)


def crossover() -> Claim:
    """Where the two terms are equal, and from which length on that matters."""
    below, above = _sides()
    third = sp.Rational(2, 3)
    return Claim(
        id="turnstile.crossover",
        title="From which flippancy on recomputing wins",
        references=(
            Reference("turnstile", "section 3.3", "the threshold is lost"),
            Reference("turnstile", "section 1.1 and 1.4", "the ranges are lost"),
        ),
        statement=r"If the maximum flippancy is larger than roughly $\rho^{1/3} T^{2/3}$, recomputing has a smaller "
        r"error than Algorithm 3, and a larger one if it is smaller. At the event level the lower bound has the order "
        r"of the error up to $w = \sqrt T$, for $\varepsilon = 1$.",
        hypotheses=(r"$T$ is sufficiently large",),
        silent=(
            r"the lost numbers are read as the places where the terms without logarithms are equal: $\sqrt{w/\rho}$, "
            r"$(T/\rho)^{1/3}$ and $T^{1/4}$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the terms without logarithms",
                r"$\sqrt{w/\rho}$ and $(T/\rho)^{1/3}$ are equal at $w = \rho^{1/3} T^{2/3}$. Below, the first is "
                r"smaller, and above, the second.",
                _equal_at(
                    "equal_terms",
                    r"The sixth powers of $\sqrt{w/\rho}$ and $(T/\rho)^{1/3}$ are equal at",
                    (_flips / _rho) ** 3 - (_length / _rho) ** 2,
                    sp.cbrt(_rho) * _length**third,
                    r"w &= \rho^{1/3} T^{2/3}",
                ),
                below,
                above,
                only=(
                    "below",
                    "above",
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the event-level range",
                r"$\sqrt w$ and $T^{1/4}$ are equal at $w = \sqrt T$; $\sqrt w$ and $T^{1/3}$ at $w = T^{2/3}$.",
                (
                    _equal_at(
                        "lower_bound",
                        r"The fourth powers of $\sqrt w$ and $T^{1/4}$ are equal at",
                        _flips**2 - _length,
                        sp.sqrt(_length),
                        r"w &= \sqrt T",
                    ),
                    _equal_at(
                        "upper_bound",
                        r"The sixth powers of $\sqrt w$ and $T^{1/3}$ are equal at",
                        _flips**3 - _length**2,
                        _length**third,
                        r"w &= T^{2/3}",
                    ),
                    compared(
                        "gap",
                        r"The exponents of $T$ in between differ: the lower bound stays at $\frac14$.",
                        lt(sp.Rational(1, 4), sp.Rational(1, 3)),
                    ),
                ),
                formal=(
                    *symbolic(eq(_flips, sp.sqrt(_length)), given=(eq(_flips**2, _length),)),
                    *symbolic(eq(_flips, _length**third), given=(eq(_flips**3, _length**2),)),
                ),
            ),
            derived(
                Role.READING,
                "with the logarithms and constants that are derived",
                r"With the bounds of turnstile.adaptive and turnstile.recompute, $\rho = 1$ and $w = 1$, recomputing "
                r"has the smaller bound for $T = 2^{64}$ and $2^{80}$. Algorithm 3 has it for $T = 2^{100}$.",
                *(
                    counterexample(
                        f"recomputing_wins_{height}",
                        rf"For $w = 1$ and $L = \log_2 T = {height}$ the threshold is far above $w$.",
                        _NO_WORSE,
                        {_flips: sp.Integer(1), _height: sp.Integer(height)},
                        _FAR_BELOW,
                    )
                    for height in (64, 80)
                ),
                compared("algorithm_3_wins", r"For $L = 100$ it is the reverse.", _AT_100),
                holds=False,
                departs="where the terms without logarithms are equal",
            ),
        ),
        uses=("turnstile.adaptive", "turnstile.recompute"),
    )


CLAIMS = {"turnstile.recompute": recompute, "turnstile.crossover": crossover}
