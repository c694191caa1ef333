"""Comparisons of a feature with a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events.column import NO_VALUES, ONE_VALUE, Column
from pan_audits.events.names import is_mark, opposite
from pan_audits.events.table import Floats
from pan_promises.errors import InputError, shown, suggestion

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
