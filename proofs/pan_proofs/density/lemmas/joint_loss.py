"""The tight joint privacy loss of an estimator that keeps one random bit for each sampled user.

The mechanism: a sampled user has one bit, Bernoulli(p0) at first and drawn afresh as Bernoulli(p1) at each appearance
(and as Bernoulli(p0) at each deletion, where there are deletions). At each intrusion the bit is seen; after an
announced one it is flipped with a known probability. The output is the number of ones plus noise with density f. Where
the last draw comes after the last intrusion, the output has the density ``p f(y - 1) + q f(y)`` given all that was
seen. That one user suffices is a theorem of ``proofs/coq``.

The loss is the largest logarithm of all likelihood ratios of two patterns. Which of them can be the largest is proposed
by evaluating all of them at rational points, and proved by :func:`dominance`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, partial
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_promises.promise import Adjacency
from pan_proofs.engines.computations import computed_value, free_of, of_one_sign, together
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import at_most, equal, lemma

p0, p1, low, high = sp.symbols("p0 p1 ell h", real=True)
"""The two probabilities; the least and the largest value of ``f(y - 1)/f(y)``, both attained."""

shift = sp.Symbol("rho", real=True)
"""The value of ``f(y - 1)/f(y)`` at an output y."""


class Update(StrEnum):
    """The last update of the user in a phase of the stream, between two intrusions."""

    NONE = "none"
    INSERT = "insert"
    DELETE = "delete"


Pattern = tuple[Update, ...]
"""The last update in each phase: before the intrusions, between them, after the last."""


@dataclass(frozen=True)
class Phase:
    """A phase of the stream.

    Attributes
    ----------
    deleted, inserted
        Probability of a one after a deletion, and after an appearance.
    flip
        Probability by which the bit is flipped at the phase's end, once it has been seen.
    """

    deleted: sp.Expr
    inserted: sp.Expr
    flip: sp.Expr = sp.S.Zero


@dataclass(frozen=True)
class Sight:
    """The observations of one pattern.

    Attributes
    ----------
    chance
        Probability of the bits that were seen.
    one
        Probability, given them, that the bit counted by the output is a one.
    """

    chance: sp.Expr
    one: sp.Expr

    def density(self, rho: sp.Expr) -> sp.Expr:
        """Density of the bits and an output y, over f(y), where ``rho = f(y - 1)/f(y)``."""
        return self.chance * (self.one * rho + 1 - self.one)


@dataclass(frozen=True)
class Ratio:
    """A likelihood ratio at one end of the noise: a candidate for the worst.

    Attributes
    ----------
    value
        The ratio.
    likelier, rarer
        The user's pattern in the stream under which the observation is likelier, and in the other.
    bits
        The bits that were seen.
    at
        ``low`` or ``high``: the value of ``f(y - 1)/f(y)``.
    """

    value: sp.Expr
    likelier: Pattern
    rarer: Pattern
    bits: tuple[int, ...]
    at: sp.Expr

    def __str__(self) -> str:
        streams = " against ".join("(" + ", ".join(pattern) + ")" for pattern in (self.likelier, self.rarer))
        output = "above every count" if self.at == high else "below every count"
        return f"{streams}, bits {self.bits}, output {output}"


def sight(phases: tuple[Phase, ...], pattern: Pattern, bits: tuple[int, ...]) -> Sight:
    """Follow the bit of a user with this pattern through the phases, given what is seen of it."""
    chance: sp.Expr = sp.Integer(1)
    one = phases[0].deleted
    for phase, update, bit in itertools.zip_longest(phases, pattern, bits):
        if update is not Update.NONE:
            one = phase.inserted if update is Update.INSERT else phase.deleted
        if bit is not None:
            chance *= one if bit else 1 - one
            one = 1 - phase.flip if bit else phase.flip
    return Sight(chance, one)


def patterns(phases: int, *, deletions: bool = False) -> tuple[Pattern, ...]:
    """All patterns of a user."""
    updates = tuple(Update) if deletions else (Update.NONE, Update.INSERT)
    return tuple(itertools.product(updates, repeat=phases))


def adjacent(one: Pattern, other: Pattern, adjacency: Adjacency) -> bool:
    """Whether two streams that differ in one user can have these patterns.

    Updates can be removed from a phase so as to leave any last update that was there, or none; to
    a phase without any they can only be added.
    """
    if adjacency is Adjacency.USER_LEVEL:
        return True
    if adjacency is Adjacency.EVENT_LEVEL:
        return sum(a is not b for a, b in zip(one, other, strict=True)) <= 1
    return _contained(one, other) or _contained(other, one)


def _contained(less: Pattern, more: Pattern) -> bool:
    return all(a is Update.NONE or b is not Update.NONE for a, b in zip(less, more, strict=True))


def likelihood_ratios(phases: tuple[Phase, ...], adjacency: Adjacency, *, deletions: bool = False) -> Iterator[Ratio]:
    """Every likelihood ratio of adjacent patterns, at both ends of the noise.

    Between the ends there is nothing worse: every ratio is a Moebius function of ``f(y - 1)/f(y)``
    (:func:`moebius_derivative`).
    """
    every = patterns(len(phases), deletions=deletions)
    for bits in itertools.product((0, 1), repeat=len(phases) - 1):
        seen = {pattern: sight(phases, pattern, bits) for pattern in every}
        for likelier, rarer in itertools.permutations(every, 2):
            if adjacent(likelier, rarer, adjacency):
                for end in (low, high):
                    value = seen[likelier].density(end) / seen[rarer].density(end)
                    yield Ratio(value, likelier, rarer, bits, end)


@cache
def moebius_derivative() -> tuple[sp.Expr, sp.Expr]:
    """Derivative of the ratio of two sights in rho, as ``(numerator, denominator)``.

    The numerator is free of rho and the denominator is a square: a ratio is monotone, so that it
    is largest at an end of the range of rho.
    """
    chances = sp.symbols("c C", positive=True)
    ones = sp.symbols("a A", nonnegative=True)
    more, less = (Sight(chance, one) for chance, one in zip(chances, ones, strict=True))
    return sp.fraction(sp.factor(sp.diff(more.density(shift) / less.density(shift), shift)))


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
    needed is proved by :func:`dominance`.
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


total_factor = sp.Symbol("S", real=True)
"""``exp(T)`` for a total T."""


def monotone() -> Obligation:
    """Every likelihood ratio is monotone in the ratio of the two noise densities."""
    numerator, denominator = moebius_derivative()
    name = "joint_loss.monotone"
    return together(
        name,
        f"the derivative of a likelihood ratio in rho is ({numerator})/({denominator}), of one sign",
        free_of(f"{name}.numerator", "the numerator is free of rho", numerator, shift),
        of_one_sign(f"{name}.denominator", "the denominator is not negative", denominator, strict=False),
    )


def dominance(setting: Setting) -> tuple[Obligation, ...]:
    """Every likelihood ratio of the setting is at most one of the maximal ones.

    The bounds are approached where the two patterns cannot be distinguished: equal probabilities, and
    noise without end (``r = 1``).
    """
    alike = {limit: 1, low: 1, high: 1, state_factor: 1, p0: sp.Rational(1, 2), p1: sp.Rational(1, 2)}
    obligations = []
    maximal = maximal_ratios(setting)
    for number, ratio in enumerate(distinct_ratios(setting)):
        if ratio in maximal:
            continue
        obligations.append(
            Inequality(
                name=f"joint_loss.{setting}.{number}",
                smaller=ratio.value,
                larger=dominator(setting, ratio).value,
                hypotheses=setting.hypotheses,
                touching={symbol: alike[symbol] for symbol in setting.symbols},
            ).discharge()
        )
    return tuple(obligations)


def symmetric_pair() -> tuple[Obligation, ...]:
    """The closed form for ``p1 = E/(1 + E) = 1 - p0``, and that it is below the sum of the two budgets."""
    setting = Setting("symmetric")
    closed = state_factor * (1 + state_factor * limit) / (1 + state_factor)
    return (
        computed_value(
            "joint_loss.symmetric.closed_form",
            "the exponential of the loss eps1 + log((1 + E r)/(1 + E)), as the largest of all likelihood ratios",
            lambda: _largest(setting),
            closed,
            engine="sympy",
        ),
        computed_value(
            "joint_loss.symmetric.deletions",
            "the same with deletions, which do not add to the loss of the symmetric pair",
            lambda: _largest(replace(setting, deletions=True)),
            closed,
            engine="sympy",
        ),
        Inequality(
            name="joint_loss.symmetric.below_the_sum",
            smaller=_largest(setting),
            larger=state_factor * limit,
            hypotheses=setting.hypotheses,
            strict=True,
            touching={limit: sp.Integer(1)},
        ).discharge(),
    )


def noise_factor() -> sp.Expr:
    """``r`` as a function of ``S = exp(T)`` and E such that the symmetric pair's joint loss is T."""
    (solution,) = sp.solve(sp.Eq(_largest(Setting("symmetric")), total_factor), limit)
    return sp.expand(sp.cancel(solution))


def inversion() -> tuple[Obligation, ...]:
    """The noise for a total: it solves the equation, and is there just if the total exceeds the state's loss."""
    factor = noise_factor()
    touching = {total_factor: sp.Integer(2), state_factor: sp.Integer(2)}
    return (
        equality(
            "joint_loss.inversion.solves",
            _largest(Setting("symmetric")).subs(limit, factor),
            total_factor,
            f"the loss is log(S) for r = {factor}",
        ),
        Inequality(
            name="joint_loss.inversion.exists",
            smaller=sp.Integer(1),
            larger=factor,
            hypotheses=(state_factor > 1, total_factor > state_factor),
            strict=True,
            touching=touching,
        ).discharge(),
        Inequality(
            name="joint_loss.inversion.only_then",
            smaller=factor,
            larger=sp.Integer(1),
            hypotheses=(state_factor > 1, total_factor > 1, total_factor <= state_factor),
            touching=touching,
        ).discharge(),
    )


def stated_noise_factor(factor: sp.Symbol, total: sp.Symbol, state: sp.Symbol, *given: sp.Basic) -> tuple[str, ...]:
    """The noise for a total, formally: the factor for which the joint loss is the total, and whether there is one.

    Parameters
    ----------
    factor
        The factor that the noise loses by one bit.
    total, state
        The total and the state's budget, both positive.
    *given
        Further facts about the factor.
    """
    odds, promised = sp.exp(state), sp.exp(total)
    solution = sp.exp(total - state) + sp.exp(total - 2 * state) - sp.exp(-state)
    loss = odds * (1 + odds * factor) / (1 + odds)
    return symbolic(
        sp.Equivalent(eq(loss, promised), eq(factor, solution), evaluate=False),
        sp.Equivalent(gt(solution, 1), gt(total, state), evaluate=False),
        given=given,
    )


def _largest(setting: Setting) -> sp.Expr:
    """The only maximal ratio of a setting that has one."""
    (worst,) = maximal_ratios(setting)
    return worst.value


q0, q1 = 1 - p0, 1 - p1
"""Probabilities of a zero before and after an appearance."""

A, B = p1 / p0, q0 / q1
"""The ratios of the two distributions of the bit, at 1 and at 0."""

FIRST, SECOND = B * (q1 + p1 * limit), A * (p1 + q1 * limit)
"""The two ratios of which the larger is the exponential of the joint loss."""

WITH_DELETIONS = A * (p0 + q0 * limit)
"""The replacement of the second one, if users can be deleted."""


def largest(
    setting: Setting, name: str, text: str, stated: tuple[sp.Expr, ...], lines: tuple[str, ...]
) -> tuple[Step, Step]:
    """The stated maximal ratios of a setting, which bound all others.

    Parameters
    ----------
    setting
        Assumptions on the parameters, and the adjacency.
    name, text, lines
        Of the first step.
    stated
        The maximal ratios in the order in which they are found.
    """
    maximal = maximal_ratios(setting)
    if len(stated) != len(maximal):
        raise ValueError(f"{name}: {len(stated)} ratios are stated, and {len(maximal)} are maximal")
    equalities = [
        equal(f"{name}.{number}", "", "", partial(_maximal, setting, number), one) for number, one in enumerate(stated)
    ]
    count = len(distinct_ratios(setting))
    return (
        lemma(f"{name}_candidates", text, [one for step in equalities for one in step.obligations], lines),
        lemma(
            f"{name}_dominance",
            f"There are {count} different ratios of two likelihoods at the ends of the noise. Each of the other "
            f"{count - len(maximal)} is bounded by one of those named, for all parameters.",
            dominance(setting),
        ),
    )


def stated_largest(setting: Setting) -> tuple[str, ...]:
    """That no ratio exceeds those named, formally."""
    maximal = maximal_ratios(setting)
    others = (one for one in distinct_ratios(setting) if one not in maximal)
    below = (le(one.value, dominator(setting, one).value) for one in others)
    return symbolic(sp.And(*below), given=setting.hypotheses)


def _maximal(setting: Setting, number: int) -> sp.Expr:
    return maximal_ratios(setting)[number].value


def heavy_first(name: str, text: str, *, deletions: bool = False) -> Step:
    """For ``p0 + p1 >= 1`` the first of the two maximal ratios is the larger, with and without deletions."""
    half = sp.Rational(1, 2)
    second = WITH_DELETIONS if deletions else SECOND
    shown = r"A\,(p_0 + q_0 r)" if deletions else r"A\,(p_1 + q_1 r)"
    return at_most(
        name,
        text,
        Inequality(
            f"maximal.{name}",
            second,
            FIRST,
            (p0 > 0, p0 < p1, p1 < 1, p0 + p1 >= 1, limit > 1),
            touching={p0: half, p1: half, limit: 1},
        ),
        (rf"{shown} &\le B\,(q_1 + p_1 r) \qquad (p_0 + p_1 \ge 1)",),
    )


S, u, v = sp.symbols("S u v", real=True)
"""The exponential of the total; the rates of the noise above and below 0."""

RATIOS = {
    "zero_high": B * (q1 + p1 / u),
    "one_high": A / (p1 + q1 * u),
    "one_low": A * (p1 + q1 / v),
    "zero_low": B / (q1 + p1 * v),
}
"""The four ratios, for ``hi = 1/u`` and ``lo = v``."""

LIMITS = {
    "zero_high": p1 / (S / B - q1),
    "one_high": (A / S - p1) / q1,
    "one_low": q1 / (S / A - p1),
    "zero_low": (B / S - q1) / p1,
}
"""The least u, or v, for which each is at most S."""


E, r = state_factor, limit
p, q = E / (1 + E), 1 / (1 + E)


def level(factor: sp.Expr) -> sp.Expr:
    """``q + p a``: the likelihood of outputs of total ratio a after a draw as present."""
    return q + p * factor


def joint_ratio(outputs: sp.Expr = sp.S.One) -> sp.Expr:
    """The exponential of the joint loss: ``E (1 + E r^R)/(1 + E)``."""
    return E * (1 + E * r**outputs) / (1 + E)
