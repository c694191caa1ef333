"""Comparisons of a feature with a number, and the numbers that are tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pan_audits.events.table import LIKELIHOOD_RATIO, Floats, is_mark, opposite
from pan_promises.errors import InputError, shown, suggestion

_QUANTILES = np.linspace(0, 1, 14)[1:-1]
_FINE_QUANTILES = np.concatenate([[0.005, 0.01], np.linspace(0, 1, 51)[1:-1], [0.99, 0.995]])
"""For the likelihood ratio alone: its sets are nested, so that many of them hardly fit better by chance than a few."""

_TAILS = np.array([0.01, 0.02, 0.04])
_ALL_QUANTILES = np.unique(np.concatenate([_TAILS, _QUANTILES, 1 - _TAILS]))
"""A loss may show in a tail alone."""

_RUNS_FOR_FINE_QUANTILES = 512

NO_VALUES = np.zeros(0)
"""For a comparison that is not tried."""

ONE_VALUE = np.zeros(1)
"""For a comparison that is tried and uses no value."""


@dataclass(frozen=True, eq=False)
class Column:
    """One feature of equally many runs on the two streams.

    Attributes
    ----------
    name
        Name of the feature.
    left, right
        Its values on the two streams; NaN where a run lacks it.
    learned
        Whether it is a learned score, whose single values mean nothing to a reader.
    """

    name: str
    left: Floats
    right: Floats
    learned: bool = False

    @property
    def runs(self) -> int:
        """Number of runs on each stream."""
        return self.left.size

    @cached_property
    def present(self) -> Floats:
        """All values of both streams that are not missing, in ascending order."""
        pooled = np.concatenate([self.left, self.right])
        absent = np.isnan(pooled)
        return np.sort(pooled[~absent] if absent.any() else pooled)

    @property
    def missing(self) -> bool:
        """Whether a run lacks the feature."""
        return self.present.size < self.left.size + self.right.size

    @cached_property
    def varies(self) -> bool:
        """Whether there are two different values, apart from missing ones."""
        return bool(self.present.size and self.present[0] != self.present[-1])

    @cached_property
    def quantiles(self) -> Floats:
        """Quantiles of the values of both streams; the column must vary."""
        if self.runs < _RUNS_FOR_FINE_QUANTILES:
            grid = _QUANTILES
        else:
            grid = _FINE_QUANTILES if self.name == LIKELIHOOD_RATIO else _ALL_QUANTILES
        return np.unique(self.present[(grid * (self.present.size - 1)).astype(np.int64)])

    @cached_property
    def gaps(self) -> Floats:
        """Numbers in the gaps at both ends of the longest stretch of values of one stream, for each stream.

        A threshold in a gap separates later runs better than the last value before it. A small gap is halved. A large
        one is divided near the narrower of its two stretches, in proportion to the root of its size: the values may
        have several orders of magnitude. Of many runs, the quantiles are close enough.
        """
        if self.runs >= _RUNS_FOR_FINE_QUANTILES:
            return NO_VALUES
        values = np.concatenate([self.left, self.right])
        order = np.argsort(values, kind="stable")[: self.present.size]
        values, ours = values[order], order < self.left.size
        last = np.flatnonzero(np.append(ours[1:] != ours[:-1], True))
        first = np.append(0, last[:-1] + 1)
        longest = [np.argmax((last - first + 1) * (ours[first] == side)) for side in (True, False)]
        places = np.unique([place for each in longest for place in (each - 1, each) if 0 <= place < last.size - 1])
        places = places.astype(np.int64)
        lower, upper = values[last[places]], values[first[places + 1]]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            width = values[last] - values[first]
            size, narrow = upper - lower, np.minimum(width[places], width[places + 1])
            step = np.where(narrow > 0, size / (1 + np.sqrt(1 + size / narrow)), size / 2)
            found = np.where(width[places] <= width[places + 1], lower + step, upper - step)
            whole = (lower == np.rint(lower)) & (upper == np.rint(upper))
            found = np.where(whole, np.floor(found), found)
            return np.asarray(found[(lower <= found) & (found < upper)])

    @cached_property
    def sides(self) -> tuple[Floats, ...]:
        """The values of each stream that are not missing; a stream without any is left out."""
        if not self.missing:
            return (self.left, self.right) if self.runs else ()
        return tuple(kept for side in (self.left, self.right) if (kept := side[~np.isnan(side)]).size)


_RUNS_FOR_VALUES = 96
_COMMON_VALUES = 6
_LEAST_OCCURRENCES = 3


@dataclass(frozen=True)
class Comparison:
    """A comparison of a feature with a number.

    Attributes
    ----------
    name
        Its name in JSON.
    words
        The words after the name of the feature, with ``{value}`` where the number stands, for example
        ``"is at most {value:.6g}"``. A comparison that uses no number has words without it.
    holds
        Whether it holds, for arrays of features and numbers that numpy can broadcast. It must be false where the
        feature is NaN, unless the comparison asks for that.
    values
        The numbers that the learner tries for a column; none if the comparison is not tried.
    """

    name: str
    words: str
    holds: Callable[[Any, Any], Any]
    values: Callable[[Column], Floats]
    of_a_mark: Callable[[str], str] | None = None
    """The words for a column that marks runs, in place of the others."""

    @property
    def uses_value(self) -> bool:
        """Whether the number has a meaning."""
        return "{value" in self.words

    def describe(self, feature: str, value: float) -> str:
        """The comparison of ``feature`` with ``value`` in words."""
        if self.of_a_mark is not None and is_mark(feature):
            return self.of_a_mark(feature)
        return f"{feature} {self.words.format(value=value)}"


def _once_of_a_mark(column: Column) -> Floats:
    return ONE_VALUE if column.missing and is_mark(column.name) else NO_VALUES


def _once(column: Column) -> Floats:
    return ONE_VALUE if column.missing else NO_VALUES


def _gaps_and_quantiles(column: Column) -> Floats:
    """The gaps, which come before a quantile that is worth the same, and the quantiles."""
    return np.concatenate([column.gaps, column.quantiles]) if column.varies else NO_VALUES


def _and_highest(column: Column) -> Floats:
    """The gaps, the quantiles, and the highest value of each stream, which the other stream may exceed."""
    if not column.varies:
        return NO_VALUES
    others = np.union1d(column.quantiles, [side.max() for side in column.sides])
    return np.concatenate([column.gaps, others])


def _lowest(column: Column) -> Floats:
    """The lowest value of each stream, below which the other stream may go."""
    return np.unique([side.min() for side in column.sides]) if column.varies else NO_VALUES


def _recurring(column: Column) -> Floats:
    """Values that recur, and much more often on one side."""
    if not column.varies or column.runs < _RUNS_FOR_VALUES or column.learned:
        return NO_VALUES
    values, place = np.unique(np.concatenate([column.left, column.right]), return_inverse=True)
    if values.size < 3 or values.size == place.size:
        return NO_VALUES
    left = np.bincount(place[: column.left.size], minlength=values.size)
    right = np.bincount(place[column.left.size :], minlength=values.size)
    contrast = np.abs(left - right) / np.sqrt(left + right)
    chosen = np.argsort(-contrast, kind="stable")[:_COMMON_VALUES]
    kept = (left[chosen] + right[chosen] >= _LEAST_OCCURRENCES) & ~np.isnan(values[chosen])
    return np.asarray(values[chosen[kept]])


COMPARISONS = (
    # A run has the feature, for a feature that marks runs.
    Comparison(
        name="marked",
        words="is there",
        holds=lambda column, value: ~np.isnan(column) & (value == value),
        values=_once_of_a_mark,
        of_a_mark=str,
    ),
    # A run lacks the feature, or its value is no number.
    Comparison(
        name="nan",
        words="is no number",
        holds=lambda column, value: np.isnan(column) & (value == value),
        values=_once,
        of_a_mark=opposite,
    ),
    # The feature is a number or less.
    Comparison(name="<=", words="is at most {value:.6g}", holds=np.less_equal, values=_gaps_and_quantiles),
    # The feature is more than a number.
    Comparison(name=">", words="is above {value:.6g}", holds=np.greater, values=_and_highest),
    # The feature is less than a number.
    Comparison(name="<", words="is below {value:.6g}", holds=np.less, values=_lowest),
    # The feature is exactly a number: an atom in the middle of a distribution.
    Comparison(name="==", words="is {value:.6g}", holds=np.equal, values=_recurring),
)
"""In the order in which they are tried. Of events that are worth the same, the first is learned."""

_NAMED = {comparison.name: comparison for comparison in COMPARISONS}


def comparison_named(name: str) -> Comparison:
    """The comparison of a name."""
    if name not in _NAMED:
        raise InputError(f"unknown comparison {shown(name)}; {suggestion(name, _NAMED)}")
    return _NAMED[name]
