"""The gain ``delta(k) = k log k - (k - 1) log(k - 1)``: it rises, and its steps get smaller."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import gt, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.tables.lemmas.information import gain

_k = sp.Symbol("k", real=True)
_z = sp.Symbol("z", real=True)
_count = sp.Symbol("N", real=True)
_middle = sp.Symbol("m", real=True)
_half = sp.Rational(1, 2)


def rises() -> Step:
    """The gain is 0 for the first record, and rises."""
    return by_slopes(
        "gain_rises",
        r"$\delta(k) = k \log k - (k-1) \log(k-1)$ is $0$ at $k = 1$, since $x \log x$ tends to $0$ at $0$. It rises: "
        r"its derivative is $\log\frac{k}{k-1}$.",
        Slopes("gain.positive", gain(_k), _k, sp.S.One, {_k: sp.Rational(101, 100)}, _half, strict=True),
        Slopes("gain.rises", sp.diff(gain(_k), _k), _k, sp.S.One, {_k: sp.Integer(20)}, _half, strict=True),
        lines=(r"\delta(k) &> 0 \quad (k > 1)", r"\delta'(k) &> 0 \quad (k > 1)"),
    )


def steps_shrink() -> Step:
    """A step of the gain from 1 is at least as large as the same step from a later place."""
    later = gain(_count + _z) - gain(_count)
    return by_slopes(
        "gain_steps",
        r"Its steps get smaller: for $N > 1$ and $z > 0$ a step of $z$ from $N$ is at most the same step from $1$, "
        r"where $\delta(1) = 0$. For $N = 1$ or $z = 0$ the two sides are equal.",
        Slopes(
            "gain.steps",
            gain(1 + _z) - later,
            _z,
            sp.S.Zero,
            {_z: sp.Rational(1, 100), _count: sp.Rational(3, 2)},
            _half,
            conditions=(gt(_count, 1),),
        ),
        lines=r"\delta(N+z) - \delta(N) &\le \delta(1+z)",
    )


def middle() -> Step:
    """Two gains of a given total of counts are largest in the middle."""
    point = {_z: sp.Rational(1, 100), _middle: sp.Integer(3)}
    return by_slopes(
        "middle",
        r"Of all pairs with the sum $2m$ the two equal ones have the largest gains, and all others smaller ones.",
        Slopes(
            "gain.middle",
            2 * gain(_middle) - gain(_middle - _z) - gain(_middle + _z),
            _z,
            sp.S.Zero,
            point,
            _half,
            end=_middle - 1,
            conditions=(gt(_middle, 1),),
            strict=True,
        ),
        lines=r"\delta(m-z) + \delta(m+z) &< 2\delta(m) \quad (0 < z < m-1)",
    )


def stated_middle() -> tuple[str, ...]:
    """Two equal gains against others of the same total, formally."""
    inside = (
        gt(_z, 0),
        lt(_z, _middle - 1),
        gt(_middle, 1),
    )
    apart = 2 * gain(_middle) - gain(_middle - _z) - gain(_middle + _z)
    return symbolic(gt(apart, 0), given=inside)


def near_the_middle() -> Step:
    """Of the pairs at least one half away from the middle the nearest have the largest gains."""
    point = {_z: sp.Rational(51, 100), _middle: sp.Integer(3)}
    return by_slopes(
        "near_the_middle",
        r"Whole numbers with an odd sum $2m$ are at least $\frac12$ away from $m$. The nearest have the largest gains.",
        Slopes(
            "gain.near_the_middle",
            gain(_middle - _half) + gain(_middle + _half) - gain(_middle - _z) - gain(_middle + _z),
            _z,
            _half,
            point,
            _half,
            end=_middle - 1,
            conditions=(gt(_middle, sp.Rational(3, 2)),),
            strict=True,
        ),
        lines=r"\delta(m-z) + \delta(m+z) &< \delta(m-\tfrac12) + \delta(m+\tfrac12) \quad (\tfrac12 < z < m-1)",
    )
