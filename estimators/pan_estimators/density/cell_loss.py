"""The tight privacy loss of one redrawn bit with a noisy count, for any order of looks and releases.

A short dynamic programme computes it in doubles, or exactly in fractions. A proof by enumeration and the exact
check of the code give the same number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, require_count

MOST_RELEASES, MOST_ANNOUNCED = 8, 4

Pair = tuple[Any, Any]
"""The probabilities of a one before and after an appearance: numbers, or arrays of one shape."""


def noise_limits(p_init: Any, p_upd: Any, ratio: Any) -> Pair:
    """The least ``up = 1/hi`` and the least ``down = lo`` for which the joint loss is at most ``log(ratio)``.

    One unannounced intrusion, one release, insertions only. The seen bit is 0 with weights ``q0`` or ``q1``,
    the output then has the distribution f or, after another appearance, ``(q1 + p1 rho) f``; for a 1 these are
    ``p0`` or ``p1``, and ``rho f`` or again ``(q1 + p1 rho) f``. With ``A = p1/p0``, ``B = q0/q1`` and
    ``S = ratio`` the conditions are ``B (q1 + p1 hi)``, ``B/(q1 + p1 lo)``, ``A (p1 + q1/lo)``,
    ``A/(p1 + q1/hi) <= S``.
    """
    one, zero = p_upd / p_init, (1 - p_init) / (1 - p_upd)
    rest = 1 - p_upd
    up = (p_upd / (ratio / zero - rest), (one / ratio - p_upd) / rest)
    down = (rest / (ratio / one - p_upd), (zero / ratio - rest) / p_upd)
    return _greater(*up), _greater(*down)


def tight_joint_loss(
    pairs: Sequence[Pair],
    *,
    up: Any,
    down: Any,
    flip: Any = 0.0,
    deletions: bool = False,
    releases: int = 1,
    sees_state: bool = True,
) -> float:
    """The tight privacy loss of all observations jointly, in nats: the logarithm of :func:`worst_ratio`.

    Parameters
    ----------
    pairs
        The pair of probabilities after 0, 1, ... announced intrusions, 1 to 5 pairs of floats or fractions in (0, 1).
    up, down
        Ratios of the noise of every release, in (0, 1): rho is from ``down`` to ``1/up``.
    flip
        Probability of a flip at an announced intrusion, in (0, 1).
    deletions
        Whether users are deleted too.
    releases
        Number of releases that are seen, from 0 to 8.
    sees_state
        Whether the adversary sees any state.

    Raises
    ------
    InputError
        If a number or the flip is out of range.
    """
    ratio = worst_ratio(
        pairs, up=up, down=down, flip=flip, deletions=deletions, releases=releases, sees_state=sees_state
    )
    return log_of(ratio)


def worst_ratio(
    pairs: Sequence[Pair],
    *,
    up: Any,
    down: Any,
    flip: Any = 0.0,
    deletions: bool = False,
    releases: int = 1,
    sees_state: bool = True,
) -> Any:
    """The largest ratio of the probabilities of one observation under two patterns of one user's updates.

    The observation is the state at each announced intrusion, after which every bit is flipped with probability
    ``flip``; the state once more at any time; and all releases, at public times, the last of them at the end.
    Intrusions are at any time among the releases. Between two of these events the user appears, is deleted,
    or does neither. Later observations depend on earlier updates through the seen bit only. The ratio is therefore
    the largest product, along the seen bits, of ratios for the stretches between intrusions.
    """
    require_count("the number of releases", releases, least=0, most=MOST_RELEASES)
    require_count("the number of announced intrusions", len(pairs) - 1, least=0, most=MOST_ANNOUNCED)
    if len(pairs) > 1 and not np.all((np.asarray(flip) > 0) & (np.asarray(flip) < 1)):
        raise InputError("after an announced intrusion bits must be flipped with a probability above 0 and below 1")
    table = [(_column(p_init), _column(p_upd)) for p_init, p_upd in pairs]
    noise, flip = (_column(up), _column(down)), _column(flip)
    first = (1 - table[0][0], table[0][0])
    if not sees_state:
        return _number(_stretch(first, table[0], noise, releases, deletions)[-1][2])
    # seen[r]: largest ratio up to an intrusion that shows a 0 or a 1, with r releases before it.
    latest = max(releases - 1, 0)
    seen = [(zero, one) for zero, one, _ in _stretch(first, table[0], noise, latest, deletions)]
    for pair in table[1:]:
        starts = ((1 - flip, flip), (flip, 1 - flip))
        after = [_stretch(start, pair, noise, latest, deletions) for start in starts]
        seen = [
            tuple(
                reduce(np.maximum, [seen[s][b] * after[b][r - s][end] for s in range(r + 1) for b in (0, 1)])
                for end in (0, 1)
            )
            for r in range(latest + 1)
        ]
    if releases == 0:
        return _number(np.maximum(*seen[0]))
    known = ((_column(1), _column(0)), (_column(0), _column(1)))
    last = [_stretch(start, table[-1], noise, releases, deletions) for start in known]
    ends = [seen[r][b] * last[b][releases - r][2] for r in range(releases) for b in (0, 1)]
    return _number(reduce(np.maximum, ends))


def _stretch(
    start: Pair, pair: Pair, noise: Pair, releases: int, deletions: bool
) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """The largest ratios between two looks at the state, for 0, 1, ... releases in between.

    Each entry has three: the next look at the state shows a 0, or a 1, or there is no look after
    the last of these releases. Arrays have one column for each choice of rho in ``{hi, lo}^r``. After a
    redraw only the total weight before it matters, so that only the greatest (or least) one is kept.
    """
    (p_init, p_upd), (up, down) = pair, noise
    draws = [(1 - p_upd, p_upd)] + [(1 - p_init, p_init)] * deletions
    extremes: list[tuple[Any, list[Pair]]] = [(np.maximum, [start]), (np.minimum, [start])]
    total = start[0] + start[1]
    entries = []
    for number in range(releases + 1):
        if number:
            extremes = [
                (pick, [(_join(zero * up, zero), _join(one, one * down)) for zero, one in vectors])
                for pick, vectors in extremes
            ]
            total = _largest(extremes, lambda vector: vector[0] + vector[1])
        for pick, vectors in extremes:
            weight = reduce(pick, [zero + one for zero, one in vectors])
            vectors += [(zero * weight, one * weight) for zero, one in draws]
        entries.append(
            (_largest(extremes, lambda vector: vector[0]), _largest(extremes, lambda vector: vector[1]), total)
        )
    return entries


def _largest(extremes: list[tuple[Any, list[Pair]]], value: Callable[[Pair], Any]) -> NDArray[Any]:
    greatest, least = (reduce(pick, [value(vector) for vector in vectors]) for pick, vectors in extremes)
    # A bit is impossible only right after it was seen, at the last intrusion, and then no state follows.
    ratios = greatest / np.where(least == 0, 1, least)
    return np.asarray(ratios.max(axis=-1, keepdims=True))


def _join(left: Any, right: Any) -> NDArray[Any]:
    return np.concatenate([*np.broadcast_arrays(left, right)], axis=-1)


def _column(value: Any) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value.reshape(-1, 1)
    return np.array([[value]], dtype=object if isinstance(value, Fraction) else None)


def _number(value: NDArray[Any]) -> Any:
    return value.item() if value.size == 1 else value[:, 0]


def _greater(left: Any, right: Any) -> Any:
    return np.maximum(left, right) if isinstance(left, np.ndarray) else max(left, right)


def log_of(ratio: Any) -> float:
    """The logarithm of a number above 1, accurate also for a fraction next to 1."""
    return math.log1p(float(ratio - 1))
