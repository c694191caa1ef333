"""The audits of the counters, as data: the promise of each about its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pan_audits.gate.case import AuditCase
from pan_audits.judging.verdict import Verdict
from pan_estimators.continual.members import counters_with, create_counter
from pan_promises.promise import Observed

AUDITED: Mapping[str, Any] = {"steps": 4, "rho": 0.5, "epsilon": 1.0, "flippancy": 2, "period": 1}
"""The size of the audits."""

_RUNS = 12_000


def _own_promises() -> Iterator[AuditCase]:
    """A case for each counter. An audit looks at no state of a counter; a promise about a state has none."""
    for name, parameters in counters_with(AUDITED).items():
        if not create_counter(name, parameters).promise.sees_state:
            yield AuditCase(name, Observed.OUTPUT, Verdict.NOT_REFUTED, parameters=parameters, runs=_RUNS)


CASES: tuple[AuditCase, ...] = tuple(_own_promises())
"""All cases of the family."""
