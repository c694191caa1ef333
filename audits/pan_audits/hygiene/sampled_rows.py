"""The number of sampled rows that the intruder of an audit sees."""

from __future__ import annotations

from pan_audits.hygiene.finding import Finding, Severity
from pan_promises.looks import Observed
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise


def findings_of_sampled_rows(promise: Promise, problem: Problem) -> list[Finding]:
    """A note if nobody said how many sampled rows the intruder sees: more of them can show a violation."""
    if promise.observed is not Observed.SAMPLE or problem.kind is not Kind.TABLE or problem.sampled:
        return []
    return [
        Finding(
            "sampled rows",
            Severity.NOTE,
            f"the intruder saw as many sampled rows as a table has ({problem.rows}); with more of them (--sampled 500) "
            "the audit may find what these hide",
        )
    ]
