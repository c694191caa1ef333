"""The size of an effect, in words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan

from experiments.toolkit.conditions import Condition, Fact, Leaf, decisive, leaves
from experiments.toolkit.quantities import Interval


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


def describe_effect(
    condition: Condition, of_leaf: Callable[[Leaf], bool | None], found: Mapping[Leaf, Interval]
) -> Effect:
    """The finding, summed up for all leaves with the same text, with the worst point of each."""
    looked_at = list(leaves(condition))
    parts = (
        _summary(what, [leaf for leaf in looked_at if leaf.what == what], of_leaf, found)
        for what in dict.fromkeys(leaf.what for leaf in looked_at)
    )
    return Effect("; ".join(parts), _worst(list(decisive(condition, of_leaf)), of_leaf, found))


def _worst(
    those_that_decide: Sequence[Leaf], of_leaf: Callable[[Leaf], bool | None], found: Mapping[Leaf, Interval]
) -> str:
    """The leaf with the least margin among those that fail, or else are open, or else hold."""
    values = {leaf: value for leaf in those_that_decide if (value := _value(leaf, found)) is not None}
    for answer in (False, None, True):
        those = [leaf for leaf in values if of_leaf(leaf) is answer]
        if those:
            leaf = min(those, key=lambda one: one.margin(values[one]))
            return f"{leaf.what}{_limits(leaf)}: {leaf.where}{_bounds(leaf, values, found)}"
    return "not examined"


def _summary(
    what: str, alike: Sequence[Leaf], of_leaf: Callable[[Leaf], bool | None], found: Mapping[Leaf, Interval]
) -> str:
    values = {leaf: _value(leaf, found) for leaf in alike}
    looked_at = [value for value in values.values() if value is not None]
    if not looked_at:
        return f"{what}: not examined"
    known = [value for value in looked_at if not isnan(value)] or looked_at
    text = f"{what}{_limits(alike[0])}: {_value_text(alike[0], min(known))}"
    if len(known) > 1:
        text += f" to {_value_text(alike[0], max(known))} at {len(known)} points"
    return "; ".join((text, *_remarks(alike, values, of_leaf, found)))


def _remarks(
    alike: Sequence[Leaf],
    values: Mapping[Leaf, float | None],
    of_leaf: Callable[[Leaf], bool | None],
    found: Mapping[Leaf, Interval],
) -> Iterator[str]:
    for answer, words in ((False, "outside"), (None, "open")):
        those = [leaf for leaf in alike if of_leaf(leaf) is answer and values[leaf] is not None]
        if those:
            worst = min(those, key=lambda leaf: _margin(leaf, values[leaf]))
            how_many = f" at {len(those)} of them, most" if len(alike) > 1 else ""
            yield f"{words}{how_many}: {worst.where}{_bounds(worst, values, found)}"
    limited = any(leaf.low > 0 or leaf.high < inf for leaf in alike)
    if len(alike) > 1 and limited and all(of_leaf(leaf) for leaf in alike):
        nearest = min(alike, key=lambda leaf: _margin(leaf, values[leaf]))
        yield f"nearest to the limit: {nearest.where}{_bounds(nearest, values, found)}"


def _value(leaf: Leaf, found: Mapping[Leaf, Interval]) -> float | None:
    if isinstance(leaf, Fact):
        return leaf.value
    return found[leaf].estimate if leaf in found else None


def _bounds(leaf: Leaf, values: Mapping[Leaf, float | None], found: Mapping[Leaf, Interval]) -> str:
    value = values[leaf]
    assert value is not None
    if isinstance(leaf, Fact) or found[leaf].low == found[leaf].high:
        return f" ({_value_text(leaf, value)})"
    return f" ({_number(value)}, surely {_number(found[leaf].low)} to {_number(found[leaf].high)})"


def _margin(leaf: Leaf, value: float | None) -> float:
    return inf if value is None else leaf.margin(value)


def _limits(leaf: Leaf) -> str:
    """The limits of the value."""
    if leaf.low > 0:
        return (
            f", {_number(leaf.low)} to {_number(leaf.high)}" if leaf.high < inf else f", at least {_number(leaf.low)}"
        )
    return f", at most {_number(leaf.high)}" if leaf.high < inf else ""


def _value_text(leaf: Leaf, value: float) -> str:
    """A computed number, with one more digit."""
    return f"{value:.4g}" if isinstance(leaf, Fact) else _number(value)


def _number(value: float) -> str:
    """Three digits; 0/0 for a ratio of events in no run."""
    return "0/0" if isnan(value) else "infinite" if isinf(value) else f"{value:.3g}"
