"""Pure differential privacy: no event is more than ``exp(epsilon)`` times as likely on one side as on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, ClassVar

import numpy as np

from pan_audits.choices.numbers import ONE, Number
from pan_audits.events import Objective, bound_objective
from pan_audits.events.table import Floats
from pan_audits.judging.reading import Field
from pan_audits.notions.loss import Loss
from pan_audits.notions.notion import Evidence, Exactly, LowerBounds, Notion, ScoreRuns
from pan_audits.statistics import loss_lower_bound, proportion_lower, proportion_upper
from pan_promises.exact_epsilon import LogFraction

SHARE_OF_LOSS, _SHARE_OF_A_SIDE = 0.9, 0.05
"""Shares of the error of a witness: the bound of the loss, and each of those of the two probabilities."""


def number_in_words(value: Any) -> str:
    """A budget as the command line takes it: the logarithm of a fraction stays exact."""
    if isinstance(value, LogFraction) and value.power == 1:
        return str(value)
    return repr(float(value)) if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Pure(Notion):
    """A promise of an epsilon."""

    unit: ClassVar[str] = "epsilon"
    quantity: ClassVar[str] = "privacy loss in nats"
    bets: ClassVar[bool] = True
    exactly: ClassVar[Exactly] = Exactly.RATIOS
    why_upper: ClassVar[str] = (
        "the loss is not known: an output has integer noise with several step sizes, or no noise on some runs, and "
        "different noise may give the same output"
    )

    @property
    def promised(self) -> float:
        return float(self.promise.epsilon)

    def least(self, p: Floats, q: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log((p - self.promise.delta) / q))

    def objective(self, runs: int, deviations: float, caution: float | None = None) -> Objective:
        return bound_objective(runs, self.promise.delta, deviations, caution=caution, epsilon=self.promise.epsilon)

    def measured(self, x: int, y: int, runs: int, error: float, score: ScoreRuns | None = None) -> LowerBounds:
        loss = loss_lower_bound(x, runs, y, runs, error=error * SHARE_OF_LOSS, delta=self.promise.delta)
        left = proportion_lower(x, runs, error=error * _SHARE_OF_A_SIDE)
        return LowerBounds(left, proportion_upper(y, runs, error=error * _SHARE_OF_A_SIDE), loss, loss)

    def evidence_in(self, document: Field) -> Evidence | None:
        return None

    @property
    def none(self) -> Loss:
        return Loss(ONE)

    def broken_by(self, loss: Loss, delta: Number | None = None, *, exact: bool) -> bool:
        return loss.exceeds(self.promise.epsilon, exact=exact)

    def compared(self, loss: Loss, where: str = "") -> str:
        return f"{loss.describe()}{where}, promised {self.promised:.6g}"

    @property
    def short(self) -> str:
        return f"{self.promised:.3g}"

    def at_least(self, bound: float) -> str:
        return f"loss at least {bound:.3g}"

    def conclusion(self, loss: float, evidence: Evidence | None) -> str:
        promised = f"promised {self.promised:.3g}{self._up_to}"
        if loss > self.promise.epsilon:
            return f"{self.at_least(loss)}, {promised}"
        # The search refuted the promise; the few runs of the measurement alone show less.
        return f"loss above the promise ({promised}), by the bets of the search; these counts alone show {loss:.3g}"

    def bound_to_dict(self, bound: float | None) -> dict[str, Any]:
        return {}

    def about_bound(self, bound: float | None, detectable: float | None) -> dict[str, Any]:
        return {}

    def not_refuted(self, bound: float | None, detectable: float | None, digits: int = 3) -> Sequence[str]:
        return ()

    @property
    def words(self) -> str:
        return f"epsilon={number_in_words(self.promise.epsilon)}"

    def sentence(self, adjacent: str, seen: str) -> str:
        factor = f"{exp(self.promised):.4g}" if self.promised < 20 else "an enormous number of"
        odds = f"at most {factor} times (e to the {self.promised:.6g}) as likely on the one as on the other"
        return f"For any {adjacent}: each observation of {seen} is {odds}{self._up_to_probability}."

    @property
    def _up_to(self) -> str:
        return ""

    @property
    def _up_to_probability(self) -> str:
        return ""


NOTION = Pure
