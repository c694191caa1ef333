"""The result of the runs for one statement."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from pan_audits.accuracy.inputs import InputLabel
from pan_audits.judging.verdict import Verdict
from pan_estimators.common.accuracy_statement import AccuracyStatement

DERIVED = "derived"
"""Claim id of what follows from the definition of the mechanism, whatever a source says."""


@dataclass(frozen=True)
class AccuracyResult:
    """The result of the runs for one statement, on one input.

    Attributes
    ----------
    statement
        The statement.
    label
        The label of the input.
    stated
        The stated value, averaged over the runs.
    measured
        The measured value; ``None`` if it is not a finite number.
    verdict
        ``REFUTED``, ``NOT_REFUTED`` or ``INCONCLUSIVE``.
    runs
        Number of runs.
    detectable
        The smallest deviation from the stated value that would have been caught with 95% power, to
        second order, in the unit of the value; ``None`` if it is unknown.
    missing
        Why the verdict is inconclusive.
    """

    statement: AccuracyStatement
    label: InputLabel
    stated: float
    measured: float | None
    verdict: Verdict
    runs: int
    detectable: float | None = None
    missing: str = ""

    def __post_init__(self) -> None:
        for name in ("measured", "detectable"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None or not isfinite(value) else float(value))

    def describe(self) -> str:
        """The result in one line."""
        statement = self.statement
        where = f"on {self.label}" if isinstance(self.label.value, str) else f"{self.label}"
        what = f"{statement.quantity} from {statement.target.name.lower().replace('_', ' ')} {where}"
        if statement.alpha is not None:
            what += f" (alpha {statement.alpha:g})"
        found = "not a finite number" if self.measured is None else f"{self.measured:.4g}"
        told = f"{what} {statement.relation} {self.stated:.4g} [{statement.claim}]: measured {found}"
        if self.verdict is Verdict.REFUTED:
            return f"{told}: REFUTED"
        if self.verdict is Verdict.INCONCLUSIVE:
            return f"{told}: inconclusive, {self.missing}"
        caught = "" if self.detectable is None else f", a deviation of {self.detectable:.2g} would have been caught"
        return f"{told}: not refuted{caught}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: what is not a finite number is ``None``."""
        return {
            "claim": self.statement.claim,
            "quantity": str(self.statement.quantity),
            "relation": str(self.statement.relation),
            "target": str(self.statement.target),
            "alpha": self.statement.alpha,
            self.label.key: self.label.value,
            "stated": self.stated if isfinite(self.stated) else None,
            "measured": self.measured,
            "verdict": str(self.verdict),
            "runs": self.runs,
            "detectable": self.detectable,
            "missing": self.missing,
        }
