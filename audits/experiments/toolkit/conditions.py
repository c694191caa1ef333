"""Conditions on ratios of quantities: each holds, does not hold, or is undecided. The size of the effect in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, log
from typing import TypeAlias

from experiments.toolkit.quantities import Interval, Ratio


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
    ratio: Ratio
    low: float = 0.0
    high: float = inf

    def margin(self, value: float) -> float:
        """The distance of a value from the limits, from inside, on a logarithmic scale; negative outside."""
        return _distance(value, self.low, self.high)

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
        return _distance(value, self.low, self.high)


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


def _distance(value: float, low: float, high: float) -> float:
    if isnan(value):
        return 0.0
    if value <= 0 or isinf(value):
        return inf if low <= value <= high else -inf
    above = log(high / value) if high < inf else inf
    below = log(value / low) if low > 0 else inf
    return min(above, below)


@dataclass(frozen=True)
class Effect:
    """The values.

    Attributes
    ----------
    text
        All of it.
    worst
        The point that decides the verdict most clearly, in brief.
    """

    text: str
    worst: str


@dataclass(frozen=True)
class _Examined:
    """A leaf with its answer and the bounds of its value; a computed value is its own bounds."""

    leaf: Leaf
    answer: bool | None
    bounds: Interval

    @property
    def margin(self) -> float:
        return self.leaf.margin(self.bounds.estimate)

    def value(self, value: float) -> str:
        """A number in words; a computed one has one more digit."""
        return f"{value:.4g}" if isinstance(self.leaf, Fact) else _number(value)

    @property
    def words(self) -> str:
        """The place and the value, with its bounds if it was measured."""
        low, estimate, high = self.bounds.low, self.bounds.estimate, self.bounds.high
        if isinstance(self.leaf, Fact) or low == high:
            return f"{self.leaf.where} ({self.value(estimate)})"
        return f"{self.leaf.where} ({_number(estimate)}, surely {_number(low)} to {_number(high)})"


def describe_effect(
    condition: Condition, of_leaf: Callable[[Leaf], bool | None], found: Mapping[Leaf, Interval]
) -> Effect:
    """The finding, summed up for all leaves with the same text, with the worst point of each."""

    def examined(those: Iterable[Leaf]) -> list[_Examined]:
        known = ((leaf, Interval.of(leaf.value) if isinstance(leaf, Fact) else found.get(leaf)) for leaf in those)
        return [_Examined(leaf, of_leaf(leaf), bounds) for leaf, bounds in known if bounds is not None]

    by_text: dict[str, list[Leaf]] = {}
    for leaf in leaves(condition):
        by_text.setdefault(leaf.what, []).append(leaf)
    parts = (_summary(what, len(alike), examined(alike)) for what, alike in by_text.items())
    return Effect("; ".join(parts), _worst(examined(decisive(condition, of_leaf))))


def _worst(those_that_decide: Sequence[_Examined]) -> str:
    """The leaf with the least margin among those that fail, or else are open, or else hold."""
    for answer in (False, None, True):
        those = [one for one in those_that_decide if one.answer is answer]
        if those:
            worst = min(those, key=lambda one: one.margin)
            return f"{worst.leaf.what}{_limits(worst.leaf)}: {worst.words}"
    return "not examined"


def _summary(what: str, count: int, examined: Sequence[_Examined]) -> str:
    if not examined:
        return f"{what}: not examined"
    every = [one.bounds.estimate for one in examined]
    values = [value for value in every if not isnan(value)] or every
    text = f"{what}{_limits(examined[0].leaf)}: {examined[0].value(min(values))}"
    if len(values) > 1:
        text += f" to {examined[0].value(max(values))} at {len(values)} points"
    return "; ".join((text, *_remarks(count, examined)))


def _remarks(count: int, examined: Sequence[_Examined]) -> Iterator[str]:
    for answer, words in ((False, "outside"), (None, "open")):
        those = [one for one in examined if one.answer is answer]
        if those:
            how_many = f" at {len(those)} of them, most" if count > 1 else ""
            yield f"{words}{how_many}: {min(those, key=lambda one: one.margin).words}"
    holding = [one for one in examined if one.answer]
    if 1 < count == len(holding) and any(_limits(one.leaf) for one in holding):
        yield f"nearest to the limit: {min(holding, key=lambda one: one.margin).words}"


def _limits(leaf: Leaf) -> str:
    """The limits of the value."""
    if leaf.low > 0:
        return (
            f", {_number(leaf.low)} to {_number(leaf.high)}" if leaf.high < inf else f", at least {_number(leaf.low)}"
        )
    return f", at most {_number(leaf.high)}" if leaf.high < inf else ""


def _number(value: float) -> str:
    """Three digits; 0/0 for a ratio of events in no run."""
    return "0/0" if isnan(value) else "infinite" if isinf(value) else f"{value:.3g}"
