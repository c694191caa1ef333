"""Zero-concentrated differential privacy: the Rényi divergence of every order alpha is at most ``rho alpha``.

By data processing, the divergence of an event bounds rho from below; so does a bet on a score, whose mean is at most
the divergence of order 1. A share of the error belongs to the score, and the rest to the event. It is fixed before the
fresh runs, and the larger bound counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pan_audits.events import Score, ScoreBet, Table, learn_score
from pan_audits.events.table import Floats
from pan_audits.judging.documents import document
from pan_audits.judging.reading import Field
from pan_audits.notions.gaussian_losses import Candidate, OutputDistribution, Places, candidates
from pan_audits.notions.loss import Loss
from pan_audits.notions.notion import CONVERSION_DELTA, Evidence, LowerBounds, Notion, ScoreRuns
from pan_audits.problems.problem import JudgedProblem
from pan_audits.statistics import (
    bernoulli_divergence,
    detectable_rho,
    event_rho_bound,
    largest_fraction,
    proportion_lower,
    proportion_upper,
)
from pan_promises.errors import InputError
from pan_promises.promise import EVERY, Promise

_LARGEST_RHO, _LARGEST_ORDER = 1e6, 1e6
_LARGEST_FRACTION = 1e12
_ORDERS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 16.0, 32.0, 64.0)


@dataclass(frozen=True)
class RhoEvidence:
    """A lower bound on rho from fresh runs, and the way to compute it again.

    Attributes
    ----------
    bound
        The lower bound on rho.
    order
        The order of the Rényi divergence that gives it; 1 is the Kullback-Leibler divergence.
    by_score
        Whether the score gives it, and not the event.
    score
        The score and its bet, if one was learned.
    share
        The share of the error that belongs to the score, in [0, 1); 0 without a score.
    """

    bound: float
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
        described = document(self, "description=describe rho_at_least=bound order by_score")
        return described | {"score": score, "share_of_score": self.share}

    @classmethod
    def from_dict(cls, document: Field) -> RhoEvidence:
        """Read the result of :meth:`to_dict`; :class:`InputError` names the place of a part that is wrong."""
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


@dataclass(frozen=True)
class ZeroConcentrated(Notion):
    """A promise of a rho."""

    unit: ClassVar[str] = "rho"
    quantity: ClassVar[str] = "rho of zero-concentrated differential privacy"
    evidence_key: ClassVar[str] = "concentrated"
    why_upper: ClassVar[str] = (
        "the rho is not known: only an upper bound is computed where an output shows random choices"
    )

    @property
    def promised(self) -> float:
        assert self.promise.rho is not None
        return self.promise.rho

    def least(self, p: Floats, q: Floats) -> Floats:
        found = np.zeros(np.shape(p))
        for order in _ORDERS:
            forth, back = bernoulli_divergence(p, q, order), bernoulli_divergence(q, p, order)
            found = np.maximum(found, np.maximum(forth, back) / order)
        return found

    def learn_score(self, left: Table, right: Table, *, runs: int, error: float) -> ScoreBet | None:
        return learn_score(left, right, runs=runs, error=error)

    def measured(self, x: int, y: int, runs: int, error: float, score: ScoreRuns | None = None) -> LowerBounds:
        share = 0.0 if score is None else score.share
        of_event = (1 - share) * error
        left, right = proportion_lower(x, runs, error=of_event / 2), proportion_upper(y, runs, error=of_event / 2)
        rho, order = event_rho_bound(x, runs, y, runs, error=of_event)
        shown = 0.0 if score is None else score.bet.lower_bound(*score.values, error=share * error)
        by_score = shown > rho
        bet = None if score is None else score.bet
        found = RhoEvidence(max(rho, shown), 1.0 if by_score else order, by_score, bet, share)
        return LowerBounds(left, right, max(0.0, math.log(left / right)) if left > 0 else 0.0, found.bound, found)

    def evidence_in(self, document: Field) -> Evidence | None:
        field = document.get(self.evidence_key)
        if field is None:
            raise InputError(f"{document.place or 'the document'}: a bound on rho belongs to a promise of a rho alone")
        return RhoEvidence.from_dict(field)

    def detectable(self, runs: int, error: float) -> float | None:
        found = detectable_rho(runs, error=error, rho=self.promised)
        return found if math.isfinite(found) else None

    @property
    def implied(self) -> tuple[Promise, str]:
        implied, conversion = self.promise.implied(CONVERSION_DELTA)
        return implied, f"By conversion, {conversion}"

    @property
    def coin(self) -> float:
        """If two seeming outcomes have a probability of at least p >= 3/4, rho >= (2 p - 1) log(p / (1 - p))."""
        return max(2 * self.promised, math.log(3))

    def losses(self, distributions: Sequence[OutputDistribution], pairs: Places, *, exact: bool) -> Iterable[Candidate]:
        return candidates(
            distributions, pairs, lambda rho: self.broken_by(Loss(rho, unit=self.unit), exact=False), exact=exact
        )

    def why_not_checked(self, problem: JudgedProblem) -> str:
        if not problem.whole:
            return (
                "the exact check has no test of zero-concentrated differential privacy of a stream of ids, and an "
                f"audit has one (panproof gate). {self.implied[1]}; --promise can name that promise, and a "
                "refutation of it refutes this one"
            )
        if self.promise.outputs not in (1, EVERY):
            return (
                f"panproof has an exact check of zero-concentrated promises for one output, got {self.promise.outputs}"
            )
        return super().why_not_checked(problem)

    def sentence(self, adjacent: str, seen: str) -> str:
        return f"For any {adjacent}: the outputs keep rho-zCDP with rho {self.promised:.6g}."


NOTION = ZeroConcentrated
