"""Theorem 3.10: recomputing a function of sensitivity 1 every r steps."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.streams import NEIGHBOURS, Stream, distinct_counts, streams
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, found

_rho, _length, _period, _releases, _log = sp.symbols("rho T r m l", positive=True)
_cube, _root, _error, _square = sp.symbols("c s E q", nonnegative=True)
_change, _bound = sp.symbols("D B", nonnegative=True)

_last, _later, _steps = sp.symbols("k j r", positive=True, integer=True)
_WITHIN_PERIOD = le((_last + _later) ** 2 - _last**2, _steps)
"""The square of the time changes by at most the period since the last output."""
_LATER = (lt(_later, _steps),)

_SHORT = (
    sp.Ge(_cube, 1),
    sp.Le(_period, _cube + 1),
    sp.Le(_root**2, 2 * _cube**2),
    sp.Le(_error, _period + _root),
)


def held(counts: tuple[int, ...], period: int) -> tuple[int, ...]:
    """The outputs without noise: the value at the last multiple of the period, 0 before the first."""
    times = [time - time % period for time in range(1, len(counts) + 1)]
    return tuple(counts[time - 1] if time else 0 for time in times)


def drift(counts: tuple[int, ...], period: int) -> int:
    """The largest error of the outputs without noise."""
    return max(abs(one - other) for one, other in zip(counts, held(counts, period), strict=True))


def recompute() -> Claim:
    """Privacy, the error with a constant, and what a function of sensitivity 1 needs besides."""
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
            Part(
                Role.PUBLISHED,
                "privacy",
                r"For item-neighbours each of the $m$ values changes by at most $1$, and their squared $\ell_2$ "
                r"distance is at most $m$. By Lemma 2.9 the noise gives $\rho$-zCDP. What is put out in between is "
                r"post-processing.",
                privacy(),
                formal=symbolic(le(_square / (_releases / _rho), _rho), given=(_square <= _releases,)),
            ),
            Part(
                Role.PUBLISHED,
                "the error",
                r"For the distinct count and $T \ge 200$ the error is at most $5 (T \log T/\rho)^{1/3}$ with "
                r"probability $0.99$. The output $0$ at all times has an error of at most $T$.",
                error(),
                formal=symbolic(le(_error, 5 * _cube), given=_SHORT),
            ),
            Part(
                Role.READING,
                "functions that a no-op changes",
                r"If a no-op may change $f$, its last value bounds nothing. The function $f(x[1:t]) = t^2$ has "
                r"sensitivity $0$ and changes by more than $r$ within $r$ steps.",
                time_alone(),
                formal=symbolic(_WITHIN_PERIOD, given=_LATER, refuted=True),
                holds=False,
                departs="a no-op at the end does not change it",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.gaussian_max", "turnstile.post_processing"),
    )


def privacy() -> Steps:
    """The distinct count has sensitivity 1 at each time."""
    return (
        enumerated(
            "sensitivity_one",
            r"The distinct count is such a function: item-neighbours differ in one element, which is counted or not.",
            "item-neighbours of up to 4 entries over 2 elements: the distinct counts differ by at most 1 at each time",
            (
                (stream, other)
                for length in range(1, 5)
                for stream in streams(length, 2)
                for other in NEIGHBOURS["item"](stream)
            ),
            lambda pair: _distance(*pair) <= 1,
            mutant=lambda pair: _distance(*pair) == 0,
        ),
        at_most(
            "noise",
            r"For the squared distance $q \le m$ and noise of variance $m/(2 \rho)$ the loss is $\frac{q}{2} \cdot "
            r"\frac{2 \rho}{m}$.",
            Inequality(
                "recompute.noise",
                _square / (_releases / _rho),
                _rho,
                (sp.Le(_square, _releases),),
            ),
            lines=r"\frac{q \rho}{m} &\le \rho",
        ),
    )


def _distance(stream: Stream, other: Stream) -> int:
    return max(abs(one - two) for one, two in zip(distinct_counts(stream), distinct_counts(other), strict=True))


def error() -> Steps:
    """The drift between two outputs, and the largest of the m noises."""
    return (
        enumerated(
            "drift",
            r"An entry changes the distinct count by at most $1$. So it drifts by at most $r - 1$ after an output, and "
            r"before the first.",
            "streams of up to 5 entries over 2 elements, r from 1 to 5: the error of the last output without noise is "
            "at most r - 1",
            ((stream, period) for n in range(1, 6) for stream in streams(n, 2) for period in range(1, 6)),
            lambda case: drift(distinct_counts(case[0]), case[1]) <= case[1] - 1,
            mutant=lambda case: drift(distinct_counts(case[0]), case[1]) <= max(0, case[1] - 2),
        ),
        at_most(
            "largest_noise",
            r"Let $c = (T l/\rho)^{1/3}$ with $l = \log T$. By Lemma A.2 the $m \le T/r$ noises exceed $s$, $s^2 = "
            r"\frac{m}{\rho} \log(200 m)$, with probability at most $0.01$. As $\log(200 m) \le 2 l$ for $T \ge 200$, "
            r"$r \ge c$ and $T l/\rho = c^3$:",
            Inequality(
                "recompute.largest_noise",
                _root**2,
                2 * _cube**2,
                (
                    sp.Ge(_period, _cube),
                    sp.Gt(_cube, 0),
                    sp.Le(_releases, _length / _period),
                    sp.Le(_root**2, (_releases / _rho) * (2 * _log)),
                    sp.Eq(_length * _log, _rho * _cube**3),
                ),
            ),
            lines=r"s^2 \le \frac{2 T l}{\rho r} &\le 2 c^2",
        ),
        at_most(
            "logarithm",
            r"Here $200 m \le 200 T$, and for $T \ge 200$",
            Inequality("recompute.logarithm", 200 * _length, _length**2, (_length >= 200,)),
        ),
        at_most(
            "total",
            r"As $\rho \le 1$ and $T \ge 200$, $c \ge 1$ and $r \le c + 1$. The error is at most $r + s$:",
            Inequality("recompute.total", _error, 5 * _cube, _SHORT, gap=sp.Rational(9, 10), weaker=sp.Rational(1, 2)),
            lines=r"E \le c + 1 + \sqrt 2 c &\le 5 c",
        ),
        found(
            "least",
            r"The period $r$ weighs both parts of the error: $r + \sqrt{2 T l/(\rho r)}$ with equal parts.",
            "the positive solution r of r^3 = 2 T l / rho, over (T l / rho)^(1/3)",
            _best_period,
            sp.cbrt(2),
            engine="sympy",
        ),
        enumerated(
            "no_output",
            r"If $c > T$, the output $0$ is better: the distinct count is at most $t$.",
            "streams of up to 5 entries over 2 elements: the distinct count is from 0 to t at each time t",
            (stream for length in range(1, 6) for stream in streams(length, 2)),
            lambda stream: all(0 <= count <= time for time, count in enumerate(distinct_counts(stream), start=1)),
            mutant=lambda stream: all(count < time for time, count in enumerate(distinct_counts(stream), start=1)),
        ),
    )


def _best_period() -> sp.Expr:
    unit = _length * _log / _rho
    return sp.simplify(sp.solve(_period**3 - 2 * unit, _period)[0] / sp.cbrt(unit))


def time_alone() -> Steps:
    """The squares of the times."""
    squares = tuple(time**2 for time in range(1, 101))
    return (
        counterexample(
            "squares",
            r"For $T = 100$ and $r = 5$ the last output of the squares is up to $776$ too small. A mechanism "
            r"that knows $f$ repairs this: it puts out $f$ of the stream up to the last output, followed by no-ops.",
            le(_change, _bound),
            {_change: lambda: drift(squares, 5), _bound: sp.Integer(5)},
        ),
        counterexample(
            "last_squares",
            r"From the last output at the time $k = 95$ to the time $99$, $j = 4$ steps later:",
            _WITHIN_PERIOD,
            {_last: sp.Integer(95), _later: sp.Integer(4), _steps: sp.Integer(5)},
            _LATER,
        ),
    )


CLAIMS = {"turnstile.recompute": recompute}
