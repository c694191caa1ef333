"""A finding about an estimator's conduct, and the findings about what an audit has seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pan_audits.audit.doubles import LossOfDoubles
from pan_audits.judging.documents import document
from pan_audits.notions import notion_of
from pan_promises.promise import Promise


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

    @property
    def is_defect(self) -> bool:
        """Whether no promise can be accepted after it."""
        return self.severity is Severity.DEFECT

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, "check severity sentence")


def defect(check: str, sentence: str) -> Finding:
    """A finding after which no promise can be accepted."""
    return Finding(check, Severity.DEFECT, sentence)


def warning(check: str, sentence: str) -> Finding:
    """A finding about a fault that the promise does not cover."""
    return Finding(check, Severity.WARNING, sentence)


def note(check: str, sentence: str) -> Finding:
    """A finding that is information."""
    return Finding(check, Severity.NOTE, sentence)


BATCHES = "batches"


def findings_of_unconfirmed(runs: int) -> list[Finding]:
    """The finding that batches seem to break the promise, and that single runs do not."""
    if not runs:
        return []
    told = (
        f"batches of runs seem to break the promise, and {runs} single runs do not show it: the batches differ "
        "from single runs, or more runs are needed"
    )
    return [defect(BATCHES, told)]


_MOST_NAMED = 3
_REMEDY = (
    "use randomness.laplace(value, scale) for value plus noise, or release numbers of a coarse grid; an audit of the "
    "doubles themselves is --doubles"
)


def findings_of_floating_point(found: LossOfDoubles | None, promise: Promise) -> list[Finding]:
    """The finding about low bits of doubles that reveal the value under the noise.

    It is no part of the verdict, which is about real numbers.
    """
    if found is None:
        return []
    if found.event is None or found.counts is None:
        more = len(found.columns) - _MOST_NAMED
        named = ", ".join(found.columns[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        sentence = (
            f"numbers that the adversary sees use all bits of a double ({named}): their low bits may reveal the value "
            f"under the noise (Mironov 2012); {_REMEDY}"
        )
        return [warning("floating point", sentence)]
    counts = found.counts
    promised = notion_of(promise).implied[1] or f"promised {promise.epsilon:.4g}"
    sentence = (
        f"the noise is not floating-point-safe (Mironov 2012): the doubles as they are have a loss of at least "
        f"{found.loss:.4g} ({promised}), by this event: {found.event.describe()}; it happened in {counts.left} of "
        f"{counts.runs} runs and in {counts.right}, {found.inputs}. In real arithmetic there is no such loss; {_REMEDY}"
    )
    return [warning("floating point", sentence)]
