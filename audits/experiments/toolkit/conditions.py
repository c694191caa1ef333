"""Conditions on ratios of quantities, with three answers: it holds, it does not hold, or it is undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, log
from typing import TypeAlias

from experiments.toolkit.quantities import Interval, Ratio, RatioOfSums


@dataclass(frozen=True)
class Within:
    """A ratio lies in an interval.

    Attributes
    ----------
    where
        The place of the test: stream, sample size, epsilon.
    what
        The ratio in words; leaves of one sentence with equal words are summarised together.
    ratio
        The ratio.
    low, high
        The interval, ends included.
    """

    where: str
    what: str
    ratio: Ratio | RatioOfSums
    low: float = 0.0
    high: float = inf

    def margin(self, value: float) -> float:
        """The distance of a value from the limits, from inside, on a logarithmic scale; negative outside."""
        return _margin(value, self.low, self.high)

    def holds(self, found: Interval) -> bool | None:
        """Whether bounds of the ratio show that it is inside, or that it is outside."""
        if self.low <= found.low and found.high <= self.high:
            return True
        if found.low > self.high or found.high < self.low:
            return False
        return None


@dataclass(frozen=True)
class Fact:
    """A condition that was decided by computation.

    Attributes
    ----------
    where, what
        As of :class:`Within`.
    true
        Whether it holds; ``None`` if the computation was not precise enough.
    value
        The size of the effect.
    low, high
        The limits of the value, if only these were tested.
    """

    where: str
    what: str
    true: bool | None
    value: float
    low: float = 0.0
    high: float = inf

    def margin(self, value: float) -> float:
        """As of :class:`Within`."""
        return _margin(value, self.low, self.high)


@dataclass(frozen=True)
class AllOf:
    """All parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


Leaf: TypeAlias = Within | Fact
Condition: TypeAlias = Within | Fact | AllOf | AnyOf


def everywhere(parts: Sequence[Condition]) -> AllOf:
    """All parts hold. There must be at least one part."""
    if not parts:
        raise ValueError("a condition without parts says nothing")
    return AllOf(tuple(parts))


def leaves(condition: Condition) -> Iterator[Leaf]:
    """All leaves of a condition."""
    if isinstance(condition, (AllOf, AnyOf)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def truth(condition: Condition, of_leaf: Callable[[Leaf], bool | None]) -> bool | None:
    """Kleene's three-valued truth: ``None`` if the known leaves do not decide it."""
    if isinstance(condition, AllOf):
        known = [truth(part, of_leaf) for part in condition.parts]
        return False if False in known else None if None in known else True
    if isinstance(condition, AnyOf):
        known = [truth(part, of_leaf) for part in condition.parts]
        return True if True in known else None if None in known else False
    return of_leaf(condition)


def decisive(condition: Condition, of_leaf: Callable[[Leaf], bool | None]) -> Iterator[Leaf]:
    """The leaves from which the truth follows, without the failing alternatives of a true one."""
    if not isinstance(condition, (AllOf, AnyOf)):
        yield condition
        return
    answer = truth(condition, of_leaf)
    for part in condition.parts:
        if truth(part, of_leaf) is answer:
            yield from decisive(part, of_leaf)


def promising(
    condition: Condition, of_leaf: Callable[[Leaf], bool | None], margin: Callable[[Within], float]
) -> list[Within]:
    """The leaves of an undecided condition that need more runs.

    If all parts must hold and one seems to fail, the worst one may decide; else all are needed. If one
    part is enough and one seems to hold, the best one may decide; else all are needed. The choice of leaves
    saves runs, and changes no bound.
    """
    if isinstance(condition, Within):
        return [condition] if of_leaf(condition) is None else []
    if isinstance(condition, Fact):
        return []
    undecided = [part for part in condition.parts if truth(part, of_leaf) is None]
    scores = [_score(part, of_leaf, margin) for part in undecided]
    if isinstance(condition, AnyOf):
        if max(scores) >= 0:
            undecided = [undecided[scores.index(max(scores))]]
    elif min(scores) < 0:
        undecided = [undecided[scores.index(min(scores))]]
    return [leaf for part in undecided for leaf in promising(part, of_leaf, margin)]


def _score(condition: Condition, of_leaf: Callable[[Leaf], bool | None], margin: Callable[[Within], float]) -> float:
    """The margin of the leaf that decides a condition."""
    if isinstance(condition, AllOf):
        return min(_score(part, of_leaf, margin) for part in condition.parts)
    if isinstance(condition, AnyOf):
        return max(_score(part, of_leaf, margin) for part in condition.parts)
    known = of_leaf(condition)
    if known is not None:
        return inf if known else -inf
    # Runs do not decide a comparison that computation left open.
    return margin(condition) if isinstance(condition, Within) else 0.0


def _margin(value: float, low: float, high: float) -> float:
    if isnan(value):
        return 0.0
    if value <= 0 or isinf(value):
        return inf if low <= value <= high else -inf
    above = log(high / value) if high < inf else inf
    below = log(value / low) if low > 0 else inf
    return min(above, below)
