"""A finding about an estimator's conduct."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """The weight of a finding for the gate.

    ``DEFECT``
        The audit would measure the wrong thing: no promise can be accepted.
    ``WARNING``
        A fault that the promise does not cover. A deployment must correct it.
    ``NOTE``
        Information.
    """

    DEFECT = "defect"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One sentence about an estimator, from a named check."""

    check: str
    severity: Severity
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"check": self.check, "severity": str(self.severity), "sentence": self.sentence}


def defect(check: str, sentence: str) -> Finding:
    """A finding after which no promise can be accepted."""
    return Finding(check, Severity.DEFECT, sentence)
