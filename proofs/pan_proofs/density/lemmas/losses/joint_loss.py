"""The tight joint privacy loss of an estimator that keeps one random bit for each sampled user.

State at one unannounced intrusion and final output, together. The loss is the largest logarithm of
all the likelihood ratios of :mod:`pan_proofs.density.lemmas.losses.observations`; which of them can be the largest is
proposed by evaluating all of them at rational points, and proved in
:mod:`pan_proofs.density.lemmas.losses.joint_loss_proofs`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_promises.promise import Adjacency
from pan_proofs.density.lemmas.losses.observations import Phase, Ratio, high, likelihood_ratios, low, p0, p1

limit, state_factor = sp.symbols("r E", real=True)
"""``r``: the largest ratio of two noise densities one bit apart; ``E``: ``p1/p0`` of a symmetric pair."""

_POINTS, _NEAR = 200, 1e-9
"""The number of points that propose the largest ratios, and how near two ratios are counted as equal there.

The solvers decide whether the proposed ratios are the largest.
"""


@dataclass(frozen=True)
class Setting:
    """Assumptions on the parameters, and the adjacency.

    Attributes
    ----------
    pair
        ``"general"``: ``0 < p0 < p1 < 1``; ``"heavy"``: also ``p0 + p1 >= 1``; ``"symmetric"``:
        ``p1 = E/(1 + E) = 1 - p0``.
    adjacency
        The compared patterns of a user.
    deletions
        Whether a user can be deleted, which draws the bit from Bernoulli(p0) again.
    symmetric_noise
        Whether the noise's limits are ``1/r`` and ``r``; otherwise any ``low < 1 < high``.
    announced
        Number of announced intrusions, for the symmetric pair: after each, every bit is flipped
        with probability ``1/(1 + E)``, and later draws come from the pair after the same flip.
    """

    pair: str = "general"
    adjacency: Adjacency = Adjacency.USER_LEVEL
    deletions: bool = False
    symmetric_noise: bool = True
    announced: int = 0

    def __post_init__(self) -> None:
        if self.pair not in ("general", "heavy", "symmetric"):
            raise ValueError(f"the pair must be 'general', 'heavy' or 'symmetric', got {self.pair!r}")
        if self.announced and self.pair != "symmetric":
            raise ValueError("announced intrusions are derived for the symmetric pair only")

    def __str__(self) -> str:
        parts = [self.pair, str(self.adjacency)]
        parts += ["deletions"] if self.deletions else []
        parts += [] if self.symmetric_noise else ["two-limits"]
        parts += [f"announced-{self.announced}"] if self.announced else []
        return ".".join(parts)

    @property
    def probabilities(self) -> tuple[sp.Expr, sp.Expr]:
        """The pair as an expression of the setting's symbols."""
        if self.pair == "symmetric":
            return 1 / (1 + state_factor), state_factor / (1 + state_factor)
        return p0, p1

    @property
    def limits(self) -> tuple[sp.Expr, sp.Expr]:
        """The least and the largest ratio of two noise densities one bit apart."""
        return (1 / limit, limit) if self.symmetric_noise else (low, high)

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """The variables of the region."""
        pair = (state_factor,) if self.pair == "symmetric" else (p0, p1)
        return (*pair, limit) if self.symmetric_noise else (*pair, low, high)

    @property
    def hypotheses(self) -> tuple[Relational, ...]:
        """The region of the variables."""
        noise = (limit > 1,) if self.symmetric_noise else (low > 0, low < 1, high > 1)
        if self.pair == "symmetric":
            return (state_factor > 1, *noise)
        return (p0 > 0, p0 < p1, p1 < 1, *((p0 + p1 >= 1,) if self.pair == "heavy" else ()), *noise)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the stream."""
        before, after = self.probabilities
        phases = []
        for _ in range(self.announced):
            flip = 1 / (1 + state_factor)
            phases.append(Phase(before, after, flip))
            before, after = (sp.factor(flip + (1 - 2 * flip) * one) for one in (before, after))
        return (*phases, Phase(before, after), Phase(before, after))

    def sample_point(self, source: random.Random) -> dict[sp.Symbol, sp.Rational]:
        """A rational point of the region, over many orders of magnitude."""

        def above_one() -> Fraction:
            return 1 + Fraction(source.randint(1, 1000), 10 ** source.randint(0, 4))

        if self.pair == "symmetric":
            pair = [above_one()]
        else:
            first, last = sorted(source.sample(range(1, 2000), 2))
            if self.pair == "heavy" and first + last < 2000:
                first, last = 2000 - last, 2000 - first
            pair = [Fraction(first, 2000), Fraction(last, 2000)]
        noise = [above_one()] if self.symmetric_noise else [1 / above_one(), above_one()]
        return {s: sp.Rational(v.numerator, v.denominator) for s, v in zip(self.symbols, pair + noise, strict=True)}


@dataclass(frozen=True)
class JointLoss:
    """A joint privacy loss.

    Attributes
    ----------
    loss
        The loss in nats, tight over all adjacent pairs.
    worst
        The likelihood ratios of which the largest is ``exp(loss)``, each with its witness.
    setting
        The setting in which these were shown to be the largest.
    """

    loss: sp.Expr
    worst: tuple[Ratio, ...]
    setting: Setting


@cache
def distinct_ratios(setting: Setting) -> tuple[Ratio, ...]:
    """All the likelihood ratios of a setting, each expression once."""
    raw: dict[sp.Expr, Ratio] = {}
    for ratio in likelihood_ratios(setting.phases, setting.adjacency, deletions=setting.deletions):
        raw.setdefault(ratio.value, ratio)
    found: dict[sp.Expr, Ratio] = {}
    ends = dict(zip((low, high), setting.limits, strict=True))
    for ratio in raw.values():
        value = sp.factor(ratio.value.xreplace(ends))
        found.setdefault(value, replace(ratio, value=value))
    return tuple(found.values())


@cache
def maximal_ratios(setting: Setting) -> tuple[Ratio, ...]:
    """The ratios of which one is the largest, at every point of the setting's region.

    Each is the largest at some rational point, so that none can be left out; that no other is
    needed is proved by :func:`pan_proofs.density.lemmas.losses.joint_loss_proofs.dominance`.
    """
    ratios = distinct_ratios(setting)
    chosen: set[int] = set()
    for values in _values(setting):
        largest = max(values)
        winners = [index for index, value in enumerate(values) if value >= largest * (1 - _NEAR)]
        if len(winners) == 1:
            chosen.add(winners[0])
    return tuple(ratios[index] for index in sorted(chosen))


def dominator(setting: Setting, ratio: Ratio) -> Ratio:
    """The maximal ratio that is never exceeded by this one at the rational points.

    Raises
    ------
    ValueError
        If there is none; then only the largest of several may bound it.
    """
    ratios = distinct_ratios(setting)
    own = ratios.index(ratio)
    for candidate in maximal_ratios(setting):
        other = ratios.index(candidate)
        if all(values[own] <= values[other] * (1 + _NEAR) for values in _values(setting)):
            return candidate
    raise ValueError(f"in the setting {setting} no single maximal ratio bounds {ratio.value}")


def joint_loss(
    before: sp.Expr,
    after: sp.Expr,
    eta: sp.Expr,
    *,
    adjacency: Adjacency = Adjacency.USER_LEVEL,
    deletions: bool = False,
    announced: int = 0,
) -> JointLoss:
    """The joint loss for given cells and noise.

    Parameters
    ----------
    before, after
        Probability of a one before and after an appearance.
    eta
        The largest logarithm of the ratio of two noise densities one bit apart, attained on both sides:
        for Laplace noise, one bit's weight in the output over the scale of the noise.
    adjacency
        The adjacency of streams.
    deletions
        Whether users can be deleted.
    announced
        Announced intrusions before the unannounced one, each followed by a flip with probability
        ``1/(1 + after/before)``; for symmetric pairs. ``eta`` is then that of the final output.

    Notes
    -----
    Where sympy can show that the pair is symmetric, or that ``before + after >= 1``, fewer ratios
    need to be compared, and the formula is shorter.
    """
    before, after = sp.sympify(before), sp.sympify(after)
    total = sp.simplify(before + after - 1)
    pair = "symmetric" if total == 0 else "heavy" if total.is_nonnegative else "general"
    setting = Setting(pair, adjacency, deletions, announced=announced)
    values: dict[sp.Symbol, sp.Expr] = {p0: before, p1: after, limit: sp.exp(eta)}
    if pair == "symmetric":
        values[state_factor] = sp.simplify((after / before).rewrite(sp.exp))
    worst = tuple(replace(ratio, value=ratio.value.xreplace(values)) for ratio in maximal_ratios(setting))
    return JointLoss(sp.log(sp.Max(*(ratio.value for ratio in worst), evaluate=len(worst) == 1)), worst, setting)


@cache
def _values(setting: Setting) -> tuple[tuple[float, ...], ...]:
    """All distinct ratios at rational points of the region, nearly: they only propose which is the largest."""
    function: Callable[..., list[Any]] = sp.lambdify(
        setting.symbols, [r.value for r in distinct_ratios(setting)], "math"
    )
    source = random.Random(0)
    points = (setting.sample_point(source) for _ in itertools.repeat(None, _POINTS))
    return tuple(tuple(map(float, function(*map(float, point.values())))) for point in points)
