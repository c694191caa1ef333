"""Conditions on ratios of quantities, with three answers: it holds, it does not, or the runs do not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, log
from typing import TypeAlias

from pan_audits.reproduction.quantities import Interval, Ratio, RatioOfSums


@dataclass(frozen=True)
class Within:
    """A ratio lies in an interval.

    Attributes
    ----------
    where
        Where it is looked at: stream, sample size, epsilon.
    what
        The ratio in words; leaves of one sentence that say the same are summed up together.
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
        """How far inside the limits a value lies, on a logarithmic scale; negative outside."""
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
    """Something that was decided by computation.

    Attributes
    ----------
    where, what
        As of :class:`Within`.
    true
        Whether it is so; ``None`` if the computation was not sharp enough to tell.
    value
        A number that tells how much.
    low, high
        Between what it should be, if that is all that was decided.
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
    """AllOf parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


Leaf: TypeAlias = Within | Fact
Condition: TypeAlias = Within | Fact | AllOf | AnyOf


def everywhere(parts: Sequence[Condition]) -> AllOf:
    """AllOf parts, of which there must be one: nothing holds vacuously.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not parts:
        raise ValueError("a condition without parts says nothing")
    return AllOf(tuple(parts))


def leaves(condition: Condition) -> Iterator[Leaf]:
    """AllOf that is looked at."""
    if isinstance(condition, (AllOf, AnyOf)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def truth(condition: Condition, of_leaf: Callable[[Leaf], bool | None]) -> bool | None:
    """Kleene's three-valued truth: ``None`` where the leaves that are known do not decide."""
    if isinstance(condition, AllOf):
        known = [truth(part, of_leaf) for part in condition.parts]
        return False if False in known else None if None in known else True
    if isinstance(condition, AnyOf):
        known = [truth(part, of_leaf) for part in condition.parts]
        return True if True in known else None if None in known else False
    return of_leaf(condition)


def decisive(condition: Condition, of_leaf: Callable[[Leaf], bool | None]) -> Iterator[Leaf]:
    """The leaves from which the truth follows: of alternatives one of which holds, not those that fail."""
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
    """The leaves that are worth more runs, of a condition that is not decided.

    Where all parts have to hold and one seems not to, the worst one may decide; else all are needed. Where one
    part is enough and one seems to hold, the best one may decide; else all are needed. Which leaves are looked at
    changes no bound, but saves runs.

    Parameters
    ----------
    condition
        The condition.
    of_leaf
        The known values.
    margin
        Of the estimates of leaves: how far inside their limits they are.
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
    """The margin of the leaf on which a condition hangs."""
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
