"""The form of a comparison of a feature with a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pan_audits.events.column import Column
from pan_audits.events.names import is_mark
from pan_audits.events.table import Floats


@dataclass(frozen=True)
class Comparison:
    """A comparison of a feature with a number.

    Attributes
    ----------
    name
        Its name in JSON.
    order
        Comparisons with a smaller number are tried first. Of events that are worth the same, the first is learned.
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
    order: int
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
