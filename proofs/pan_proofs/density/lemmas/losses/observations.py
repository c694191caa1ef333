"""The observations of one user, and all likelihood ratios of two patterns.

The mechanism: a sampled user has one bit, Bernoulli(p0) at first and drawn afresh as Bernoulli(p1)
at each appearance (and as Bernoulli(p0) at each deletion, where there are deletions). At each
intrusion the bit is seen; after an announced one it is flipped with a known probability. The output
is the number of ones plus noise with density f. Where the last draw comes after the last
intrusion, the output has the density ``p f(y - 1) + q f(y)`` given all that was seen.

The other users' cells are seen as well, and their later redraws are independent of this user:
adding them to the output is post-processing, and there may be none. So the loss of one user alone,
with the noise alone, is the loss.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import sympy as sp

from pan_promises.promise import Adjacency

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
