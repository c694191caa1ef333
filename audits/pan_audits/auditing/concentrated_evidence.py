"""The evidence that rho is larger than promised: the bound of a score, the bound of an event, and the larger of both.

A share of the error belongs to the score, and the rest to the event. It is fixed before the fresh runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from pan_audits.events import Score, ScoreBet
from pan_audits.events.table import Floats
from pan_audits.judging.reading import Field
from pan_audits.statistics import event_rho_bound, largest_fraction, proportion_lower, proportion_upper

MAIN_SHARE = 0.9
"""The share of the error for that of the two methods which is expected to show more."""

_LARGEST_RHO, _LARGEST_ORDER = 1e6, 1e6
_LARGEST_FRACTION = 1e12


@dataclass(frozen=True)
class EventBounds:
    """The bounds from the counts of an event.

    Attributes
    ----------
    left, right
        Lower bound of the probability on the left, upper bound on the right.
    loss
        Lower bound on the loss of the event, in nats.
    rho, order
        Lower bound on rho, and the order of the Rényi divergence that gives it.
    """

    left: float
    right: float
    loss: float
    rho: float
    order: float

    @classmethod
    def of(cls, x: int, y: int, runs: int, error: float) -> EventBounds:
        """The bounds from ``x`` runs with the event on the left and ``y`` on the right.

        They hold together, except with probability at most ``error``.
        """
        left, right = proportion_lower(x, runs, error=error / 2), proportion_upper(y, runs, error=error / 2)
        rho, order = event_rho_bound(x, runs, y, runs, error=error)
        return cls(left, right, max(0.0, log(left / right)) if left > 0 else 0.0, rho, order)


@dataclass(frozen=True)
class ConcentratedEvidence:
    """A lower bound on rho from fresh runs, and the way to compute it again.

    Attributes
    ----------
    rho
        The lower bound.
    order
        The order of the Rényi divergence that gives it; 1 is the Kullback-Leibler divergence.
    by_score
        Whether the score gives it, and not the event.
    score
        The score and its bet, if one was learned.
    share
        The share of the error that belongs to the score, in [0, 1); 0 without a score.
    """

    rho: float
    order: float
    by_score: bool
    score: ScoreBet | None
    share: float

    def describe(self) -> str:
        """The divergence that gives the bound, in words."""
        if self.by_score and self.score is not None:
            return (
                f"the Kullback-Leibler divergence of {'the other' if self.score.turned else 'the one'} from "
                f"{'the one' if self.score.turned else 'the other'}, which is at most rho, shown by the score "
                f"{self.score.score.describe()}"
            )
        if self.order == 1:
            return "the Kullback-Leibler divergence of this event, which is at most rho"
        return f"the Rényi divergence of order {self.order:.4g} of this event, which is at most {self.order:.4g} rho"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        score = None
        if self.score is not None:
            score = self.score.score.to_dict() | {"fraction": self.score.fraction, "turned": self.score.turned}
        return {
            "description": self.describe(),
            "rho_at_least": self.rho,
            "order": self.order,
            "by_score": self.by_score,
            "score": score,
            "share_of_score": self.share,
        }

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> ConcentratedEvidence:
        """Read the result of :meth:`to_dict`; :class:`InputError` names the place of a part that is wrong."""
        document = Field.of(values)
        score, field = None, document.get("score")
        if field is not None:
            fraction, read = field["fraction"].number(0, _LARGEST_FRACTION), Score.from_dict(field)
            score = ScoreBet(read, fraction, field["turned"].truth())
            if fraction > largest_fraction(read.low, read.high):
                field["fraction"].refuse("a fraction with which no factor is negative")
        share = document["share_of_score"].number(0, 1)
        if (share > 0) != (score is not None) or share == 1:
            document["share_of_score"].refuse("0 without a score, and more than 0 and less than 1 with one")
        return cls(
            document["rho_at_least"].number(0, _LARGEST_RHO),
            document["order"].number(1, _LARGEST_ORDER),
            document["by_score"].truth(),
            score,
            share,
        )


def evidence_of(
    event: EventBounds, score: ScoreBet | None, values: tuple[Floats, Floats] | None, *, share: float, error: float
) -> ConcentratedEvidence:
    """The larger of the two bounds."""
    shown = 0.0
    if score is not None and values is not None:
        shown = score.lower_bound(*values, error=share * error)
    if shown > event.rho:
        return ConcentratedEvidence(shown, 1.0, True, score, share)
    return ConcentratedEvidence(event.rho, event.order, False, score, share)
