"""Noisy counts of some attributes, as they stand in a transcript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class NoisyCounts:
    """Noisy counts that leave the holder of a table.

    Attributes
    ----------
    places
        One or two attributes, by their places in the schema.
    deviation
        The standard deviation of the noise of a count.
    epsilon
        The epsilon of the choice of a pair, in nats; 0 for one attribute, which is not chosen.
    counts
        The noisy counts, the values of the last attribute running fastest.
    """

    places: tuple[int, ...]
    deviation: float
    epsilon: float
    counts: list[Any]
