"""A notion of privacy: what an event must exceed, and how counts and exact probabilities become a bound.

Each notion is a class in a file of this folder. Everything else asks it, and knows no notion by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import log
from typing import Any, ClassVar, Protocol

import numpy as np
from flint import fmpq

from pan_audits.choices.numbers import ZERO, Number, is_simple, rational
from pan_audits.events import Objective, ScoreBet, Table
from pan_audits.events.learner import upper_proportion
from pan_audits.events.table import Floats
from pan_audits.judging.reading import Field
from pan_audits.notions.gaussian_losses import Candidate, OutputDistribution, Places
from pan_audits.notions.loss import Loss
from pan_audits.problems.problem import JudgedProblem
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_promises.promise import Promise

CONVERSION_DELTA = 1e-6
"""The delta at which a conversion is shown."""

_RELATIVE = fmpq(1, 10**9)
"""An excess, relative to the promised number, that the rounding of an estimator's doubles explains."""


class Exactly(Enum):
    """The way in which the exact check compares inputs.

    ``RATIOS``
        The largest ratio of the probabilities of one observation.
    ``PROFILE``
        The delta of the whole observation, at the promised epsilon.
    ``OUTPUTS``
        The distributions of whole outputs, by :meth:`Notion.losses`.
    """

    RATIOS = "ratios"
    PROFILE = "profile"
    OUTPUTS = "outputs"


class Evidence(Protocol):
    """The way to compute a bound again, for a notion whose counts alone do not say it."""

    @property
    def bound(self) -> float:
        """The lower bound on the promised number."""

    @property
    def score(self) -> ScoreBet | None:
        """The score and its bet, if one was learned."""

    @property
    def share(self) -> float:
        """The share of the error that belongs to the score; 0 without one."""

    def describe(self) -> str:
        """The bound in words."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""


@dataclass(frozen=True)
class OfEvent:
    """The evidence of an event alone: its counts give the bound again."""

    bound: float
    score: None = None
    share: float = 0.0

    def describe(self) -> str:
        return "these probabilities"

    def to_dict(self) -> dict[str, Any]:
        return {"at_least": self.bound}


@dataclass(frozen=True, eq=False)
class ScoreRuns:
    """A score in the fresh runs: its bet, its values on the left and on the right, and its share of the error."""

    bet: ScoreBet
    values: tuple[Floats, Floats]
    share: float


@dataclass(frozen=True)
class LowerBounds:
    """Lower bounds from fresh runs.

    Attributes
    ----------
    left, right
        Lower bound of the event's probability on the left, upper bound on the right.
    loss
        Lower bound on the loss of the event, in nats.
    bound
        Lower bound on the number that is promised.
    evidence
        The way to compute it again, if the counts do not say it.
    """

    left: float
    right: float
    loss: float
    bound: float
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Notion(ABC):
    """A promise, under the notion by which it bounds the loss."""

    promise: Promise

    unit: ClassVar[str]
    """The name of the promised number."""
    quantity: ClassVar[str]
    """The promised number in the words of a plot."""
    bets: ClassVar[bool] = False
    """Whether a bet on an event refutes the promise during a search. Else one pair is chosen, and bounded on fresh
    runs."""
    exactly: ClassVar[Exactly] = Exactly.OUTPUTS
    evidence_key: ClassVar[str] = "evidence"
    """The key of the evidence in the document of a witness."""
    why_upper: ClassVar[str] = "only an upper bound of the loss is known"
    """The reason why an upper bound above the promise refutes nothing."""

    @property
    @abstractmethod
    def promised(self) -> float:
        """The promised number."""

    @abstractmethod
    def least(self, p: Floats, q: Floats) -> Floats:
        """The least number that allows events the probabilities ``p`` on the one side and ``q < p`` on the other."""

    # The audit

    def objective(self, runs: int, deviations: float, caution: float = 1.0) -> Objective:
        """The bound that an event can be expected to show in ``runs`` fresh runs on each side."""

        def worth(x: Floats, y: Floats, n: int) -> Floats:
            q = upper_proportion(upper_proportion(y / n, n, caution), runs, deviations)
            p = 1 - upper_proportion(upper_proportion(1 - x / n, n, caution), runs, deviations)
            # An event that shows nothing is the better the nearer it is to showing something.
            return np.asarray(np.where(p > q, self.least(p, np.minimum(p, q)), p - q))

        return worth

    def learn_score(self, left: Table, right: Table, *, runs: int, error: float) -> ScoreBet | None:
        """A score whose bet can be expected to show a bound, where a notion has such bets."""
        return None

    def measured(self, x: int, y: int, runs: int, error: float, score: ScoreRuns | None = None) -> LowerBounds:
        """The bounds from ``x`` runs with the event on the left and ``y`` on the right.

        They hold together, except with probability at most ``error``.
        """
        p, q = proportion_lower(x, runs, error=error / 2), proportion_upper(y, runs, error=error / 2)
        bound = float(self.least(np.array(p), np.array(q))) if p > q else 0.0
        return LowerBounds(p, q, max(0.0, log(p / q)) if p > 0 else 0.0, bound, OfEvent(bound))

    def evidence_in(self, document: Field) -> Evidence | None:
        """The evidence in the document of a witness."""
        return OfEvent(document[self.evidence_key]["at_least"].number(0))

    def detectable(self, runs: int, error: float) -> float | None:
        """The smallest number above the promise that the audit of one pair would have shown with 95% power."""
        return None

    @property
    def implied(self) -> tuple[Promise, str]:
        """A promise of an epsilon that this one implies, and the conversion in words; empty words for itself."""
        return self.promise, ""

    # The exact check

    @property
    def none(self) -> Loss:
        """The loss 0."""
        return Loss(ZERO, unit=self.unit)

    @property
    def coin(self) -> float:
        """The logarithm of the odds to which the promise holds a mechanism with two outcomes."""
        return float(self.implied[0].epsilon)

    def losses(self, distributions: Sequence[OutputDistribution], pairs: Places, *, exact: bool) -> Iterable[Candidate]:
        """The largest numbers that pairs of different distributions of outputs show, given by their places.

        Only a notion that compares inputs by ``Exactly.OUTPUTS`` has them.
        """
        raise TypeError(f"{type(self).__name__} compares inputs by {self.exactly.value}, not by whole outputs")

    def why_not_checked(self, problem: JudgedProblem) -> str:
        """The reason why there is no exact check on a kind of input, in a sentence; empty if there is one."""
        return problem.why_not_judged(self.promise, exactly=True)

    def broken_by(self, loss: Loss, delta: Number | None = None, *, exact: bool) -> bool:
        """Whether an exact loss is larger than the promise; ``exact`` says that no number was rounded."""
        if loss.ratio is None:
            return True
        # An upper bound is a rounded number.
        certain = exact and not loss.upper and is_simple(self.promised)
        promised = rational(self.promised)
        return bool(loss.ratio - promised > (ZERO if certain else promised * _RELATIVE))

    def compared(self, loss: Loss, where: str = "") -> str:
        """An exact loss beside the promise: ``rho 0.5, promised rho 1 (50% of it)``."""
        share = "" if loss.ratio is None else f" ({100 * loss.nats / self.promised:.6g}% of it)"
        return f"{loss.describe()}, promised {self.unit} {self.promised:.6g}{share}{where}"

    def judged(self, loss: Loss, delta: Number | None = None, where: str = "") -> str:
        """The reason for the verdict of an exact check."""
        return f"loss {self.compared(loss, where)}"

    def concluded(self, loss: Loss, delta: Number | None = None, parts: str = "") -> str:
        """The sentence that ends the description of an exact witness."""
        return f"Loss {self.compared(loss)}{parts}"

    # Words

    @property
    def short(self) -> str:
        """The promised number in a table."""
        return f"{self.unit} {self.promised:.3g}"

    def at_least(self, bound: float) -> str:
        """A lower bound on the promised number, in words."""
        return f"{self.unit} at least {bound:.3g}"

    def conclusion(self, loss: float, evidence: Evidence | None) -> str:
        """The end of the description of a witness of an audit."""
        assert evidence is not None
        return f"{self.at_least(evidence.bound)}, promised {self.promised:.3g}, by {evidence.describe()}"

    def bound_to_dict(self, bound: float | None) -> dict[str, Any]:
        """The bound, JSON-ready; nothing if it is the loss."""
        return {f"{self.unit}_at_least": bound}

    def about_bound(self, bound: float | None, detectable: float | None) -> dict[str, Any]:
        """The numbers of an audit that the loss in nats does not say, JSON-ready."""
        return self.bound_to_dict(bound) | {f"smallest_detectable_{self.unit}": detectable}

    def not_refuted(self, bound: float | None, detectable: float | None, digits: int = 3) -> Sequence[str]:
        """The bound of an audit beside the promise, and its power, in sentences without their points."""
        if bound is None:
            return ()
        found, promised = (f"{number:.{digits}g}" for number in (bound, self.promised))
        shown = f"On the most promising pair {self.unit} is at least {found}, promised {promised}"
        if detectable is None:
            return (shown,)
        return shown, (
            f"With 95% power, the audit finds normal noise of {self.unit} {detectable:.{digits}g} on this pair"
        )

    @property
    def words(self) -> str:
        """The bound as ``--promise`` takes it."""
        return f"{self.unit}={self.promised!r}"

    @abstractmethod
    def sentence(self, adjacent: str, seen: str) -> str:
        """The promise in full, about inputs and an observation in words."""
