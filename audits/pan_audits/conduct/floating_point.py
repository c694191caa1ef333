"""The precision of what the adversary sees: low bits of doubles that reveal the value under the noise."""

from __future__ import annotations

from pan_audits.audit.doubles import LossOfDoubles
from pan_audits.conduct.finding import Finding, Severity
from pan_audits.notions import notion_of
from pan_promises.promise import Promise

_MOST_NAMED = 3
_REMEDY = (
    "use randomness.laplace(value, scale) for value plus noise, or release numbers of a coarse grid; an audit of the "
    "doubles themselves is --doubles"
)


def findings_of_floating_point(found: LossOfDoubles | None, promise: Promise) -> list[Finding]:
    """The finding about doubles without a common grid. It is no part of the verdict, which is about real numbers."""
    if found is None:
        return []
    if found.event is None or found.counts is None:
        more = len(found.columns) - _MOST_NAMED
        named = ", ".join(found.columns[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        sentence = (
            f"numbers that the adversary sees use all bits of a double ({named}): their low bits may reveal the value "
            f"under the noise (Mironov 2012); {_REMEDY}"
        )
        return [Finding("floating point", Severity.WARNING, sentence)]
    counts = found.counts
    promised = notion_of(promise).implied[1] or f"promised {promise.epsilon:.4g}"
    sentence = (
        f"the noise is not floating-point-safe (Mironov 2012): the doubles as they are have a loss of at least "
        f"{found.loss:.4g} ({promised}), by this event: {found.event.describe()}; it happened in {counts.left} of "
        f"{counts.runs} runs and in {counts.right}, {found.inputs}. In real arithmetic there is no such loss; {_REMEDY}"
    )
    return [Finding("floating point", Severity.WARNING, sentence)]
