"""PrivBayes as it is printed. It breaks its promise, and is here so that it can be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.privbayes import PrivBayes
from pan_estimators.tables.structure import Choice, GreedyStructure
from pan_promises.errors import InputError


@dataclass(frozen=True)
class PrintedStructure(GreedyStructure):
    """The greedy structure with the printed weights: a candidate has a probability proportional to its score.

    The printed weight is ``I epsilon / (2 (N - 1) sensitivity)`` and not its exponential. A candidate with the score 0
    is then impossible, and one row can give it another score: the loss is infinite. If all scores are 0, the printed
    weights are no distribution, and all candidates are equally likely here. The parameters are those of
    :class:`~pan_estimators.tables.structure.GreedyStructure`.

    Source: thesis, Algorithm 3.2, line 12.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.score == "F":
            raise InputError("the printed weights need scores of at least 0, and the score F is never positive")

    def _choose(self, candidates: list[Choice], scores: list[Any], sensitivity: Any, randomness: Randomness) -> Choice:
        weights = [float(score) for score in scores]
        total = sum(weights)
        if total <= 0:
            return candidates[int(randomness.integers(len(candidates)))]
        return candidates[int(randomness.choice(len(candidates), p=[weight / total for weight in weights]))]


@dataclass(frozen=True)
class PrintedPrivBayes(PrivBayes):
    """PrivBayes with the printed weights of Algorithm 3.2. It promises epsilon, and its loss is infinite.

    The parameters are those of :class:`~pan_estimators.tables.privbayes.PrivBayes`.

    Source: thesis, Algorithms 3.2 and 3.3.
    """

    _structure_type: ClassVar[type[GreedyStructure]] = PrintedStructure
