"""Sentences of a source about its experiments, as data, and their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from experiments.toolkit.conditions import Condition
from experiments.toolkit.effects import Effect


class ReproductionVerdict(StrEnum):
    """Whether a repeated experiment agrees with the source."""

    REPRODUCED = "REPRODUCED"
    NOT_REPRODUCED = "NOT_REPRODUCED"
    UNDECIDED = "UNDECIDED"

    @classmethod
    def of(cls, holds: bool | None) -> ReproductionVerdict:
        """The verdict of a truth value; ``None`` is undecided."""
        return cls.UNDECIDED if holds is None else cls.REPRODUCED if holds else cls.NOT_REPRODUCED


def _not_asked(setting: object, seed: int) -> Condition:
    raise ValueError("the verdict on this sentence does not come from the bench")


@dataclass(frozen=True)
class Sentence:
    """One statement of a source about an experiment or a figure.

    Attributes
    ----------
    id
        The figure's name and a name of its own: ``figure-6.outperform``.
    source
        Its place in the source.
    states
        Its statement in other words.
    meaning
        The test of the statement, with the threshold and the reason for it.
    condition
        The condition, for a setting and a seed (which determines the streams). An experiment without a bench decides
        its sentences itself, and needs none.
    measured
        Whether runs decide it; else it is computed, without an error probability.
    """

    id: str
    source: str
    states: str
    meaning: str
    condition: Callable[[Any, int], Condition] = _not_asked
    measured: bool = True


@dataclass(frozen=True)
class Judgement:
    """The verdict on a sentence.

    Attributes
    ----------
    sentence
        The sentence.
    verdict
        The verdict.
    effect
        The size of the effect, in words and numbers.
    points, holding, failing
        Number of tested points, and number of points at which the condition holds or fails.
    runs
        Number of fresh runs, over all points.
    error
        Probability that the verdict is wrong; 0 for a computed verdict.
    assumes
        Assumptions about distributions; empty if there are none.
    """

    sentence: Sentence
    verdict: ReproductionVerdict
    effect: Effect
    points: int
    holding: int
    failing: int
    runs: int
    error: float
    assumes: str = ""

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        answers: Sequence[bool | None],
        effect: Effect,
        *,
        runs: int = 0,
        error: float = 0.0,
        assumes: str = "",
    ) -> Judgement:
        """The verdict on a sentence that holds if it holds at all points."""
        holds = False if False in answers else None if None in answers else True
        return cls(
            sentence=sentence,
            verdict=ReproductionVerdict.of(holds),
            effect=effect,
            points=len(answers),
            holding=answers.count(True),
            failing=answers.count(False),
            runs=runs,
            error=error,
            assumes=assumes,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "id": self.sentence.id,
            "verdict": str(self.verdict),
            "source": self.sentence.source,
            "states": self.sentence.states,
            "tested": self.sentence.meaning,
            "effect": self.effect.text,
            "worst": self.effect.worst,
            "points": self.points,
            "holds_at": self.holding,
            "fails_at": self.failing,
            "runs": self.runs,
            "error": self.error,
            "assumes": self.assumes,
        }


def how_certain(judgements: Iterable[Judgement], error: float) -> str:
    """The subject and the certainty of the verdicts, in words."""
    measured = [judgement.runs > 0 for judgement in judgements]
    if not any(measured):
        return "All verdicts are computed."
    words = (
        f"Verdicts on errors are about the streams that this seed draws; with probability at least 1 - {error:g}, "
        "if the stated assumptions hold, none of the measured verdicts is wrong."
    )
    return words if all(measured) else f"{words} The other verdicts are computed."


def worst_first(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements in the order of the report: not reproduced, open, and the rest."""
    order = (ReproductionVerdict.NOT_REPRODUCED, ReproductionVerdict.UNDECIDED, ReproductionVerdict.REPRODUCED)
    return sorted(judgements, key=lambda judgement: order.index(judgement.verdict))
