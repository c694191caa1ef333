"""The question of the analyst for noisy counts of some attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown

AT_SITE, AT_ANALYST = "site", "analyst"
"""The places at which negative counts become 0."""


def require_clip(clip: Any) -> None:
    """Raise :class:`InputError` unless negative counts become 0 at a known place."""
    if clip not in (AT_SITE, AT_ANALYST):
        raise InputError(f"negative counts become 0 at the {AT_SITE} or at the {AT_ANALYST}, got {shown(clip)}")


def are_counts(answer: Any, cells: int | None = None) -> bool:
    """Whether an answer is a list of finite numbers, and has a number of cells if one is given."""
    return (
        isinstance(answer, list)
        and (cells is None or len(answer) == cells)
        and all(isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one) for one in answer)
    )


@dataclass(frozen=True)
class Counts:
    """The joint counts of some attributes with Laplace noise, with pure epsilon for one replaced row.

    One replaced row changes them by at most 2 in the L1 norm. One added row changes them by 1.
    """

    places: tuple[int, ...]
    epsilon: float
    clip: str = AT_ANALYST
    cells: int | None = None

    @property
    def words(self) -> str:
        """The question as a text."""
        clipped = ", clipped" if self.clip == AT_SITE else ""
        return f"counts of {','.join(map(str, self.places))} (epsilon {self.epsilon!r}{clipped})"

    def answer(self, table: Table, randomness: Randomness) -> list[Any]:
        """The noisy counts, the last attribute running fastest."""
        noisy = [randomness.laplace(int(count), 2 / self.epsilon) for count in table.counts(self.places).ravel()]
        return [max(0.0, count) for count in noisy] if self.clip == AT_SITE else noisy

    def accepts(self, answer: Any) -> bool:
        """Whether an answer is a list of finite numbers, one for each cell."""
        return are_counts(answer, self.cells)
