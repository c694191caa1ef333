"""Conditions on ratios of quantities, with three answers: it holds, it does not, or the runs do not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from pan_audits.experiments.quantities import Interval, Ratio


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
    ratio: Ratio
    low: float = 0.0
    high: float = inf

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
        Whether it is so.
    value
        A number that tells how much.
    """

    where: str
    what: str
    true: bool
    value: float


@dataclass(frozen=True)
class All:
    """All parts hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Any:
    """At least one part holds."""

    parts: tuple[Condition, ...]


Leaf: TypeAlias = Within | Fact
Condition: TypeAlias = Within | Fact | All | Any


def everywhere(parts: Sequence[Condition]) -> All:
    """All parts, of which there must be one: nothing holds vacuously.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not parts:
        raise ValueError("a condition without parts says nothing")
    return All(tuple(parts))


def leaves(condition: Condition) -> Iterator[Leaf]:
    """All that is looked at."""
    if isinstance(condition, (All, Any)):
        for part in condition.parts:
            yield from leaves(part)
    else:
        yield condition


def truth(condition: Condition, of_leaf: Callable[[Leaf], bool | None]) -> bool | None:
    """Kleene's three-valued truth: ``None`` where the leaves that are known do not decide."""
    if isinstance(condition, All):
        known = [truth(part, of_leaf) for part in condition.parts]
        return False if False in known else None if None in known else True
    if isinstance(condition, Any):
        known = [truth(part, of_leaf) for part in condition.parts]
        return True if True in known else None if None in known else False
    return of_leaf(condition)
