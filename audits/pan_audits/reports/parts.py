"""The parts of a gate's report, as tests: conduct, accuracy and privacy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pan_audits.conduct import Severity
from pan_audits.gating.gate import GateReport
from pan_audits.judging.verdict import Verdict
from pan_promises.errors import printable


@dataclass(frozen=True)
class Outcome:
    """The result of a part. The part passed if both texts are empty.

    Attributes
    ----------
    failure
        The verdict and the sentence of the report.
    untested
        The reason why the gate did not reach this part.
    """

    failure: str = ""
    untested: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "failure", printable(self.failure))
        object.__setattr__(self, "untested", printable(self.untested))


def conduct(report: GateReport) -> Outcome:
    """It keeps no data outside its state, uses only the given randomness, and a release changes nothing."""
    defects = [finding.sentence for finding in report.findings if finding.severity is Severity.DEFECT]
    return Outcome(failure="; ".join(defects)) if defects else Outcome(untested=_why_untested(report))


def accuracy(report: GateReport) -> Outcome:
    """No statement that it makes about its error is refuted by the runs."""
    wrong = [result.describe() for result in report.accuracy if result.verdict is Verdict.REFUTED]
    if wrong:
        return Outcome(failure="; ".join(wrong))
    return Outcome(untested="" if report.accuracy else _why_untested(report))


def privacy(report: GateReport) -> Outcome:
    """No pair of adjacent inputs and no event were found that break its promise."""
    exact = report.exact
    if exact is not None and exact.verdict is Verdict.REFUTED:
        return Outcome(failure=f"REFUTED: {exact.minimal.describe() if exact.minimal else exact.reason}")
    if report.privacy is None:
        return Outcome(failure=f"{report.verdict}: {report.reason}")
    if report.privacy.verdict is not Verdict.NOT_REFUTED:
        return Outcome(failure=f"{report.privacy.verdict}: {report.privacy.describe()}")
    return Outcome()


PARTS: Mapping[str, Callable[[GateReport], Outcome]] = {"conduct": conduct, "accuracy": accuracy, "privacy": privacy}
"""The parts by their names."""


def _why_untested(report: GateReport) -> str:
    """The reason why the gate ended before its last test; empty if it made all tests."""
    if report.exact is not None and report.exact.verdict is Verdict.REFUTED:
        return "not tested, since the exact check refutes the promise"
    return f"not tested: {report.reason}" if report.privacy is None else ""
