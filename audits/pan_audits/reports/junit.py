"""JUnit reports, and the parts of a judgement that each have a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from pan_audits.gate.gate import GateReport
from pan_audits.judging.verdict import Verdict
from pan_promises.errors import printable


def junit(reports: Sequence[GateReport]) -> str:
    """One test suite for each report: the promise, each statement, and the conduct as test cases."""
    root = ElementTree.Element("testsuites")
    for report in reports:
        suite = ElementTree.SubElement(root, "testsuite", name=printable(f"panproof gate {report.name}"))
        suite.set("time", f"{report.seconds:.3f}")
        promise = _case(suite, report, f"promise {report.promise.describe()}")
        privacy = report.privacy
        exact = Verdict.REFUTED if report.refuted_exactly else Verdict.INCONCLUSIVE
        verdict = privacy.verdict if privacy else exact
        _judged(promise, verdict, privacy.describe() if privacy else report.reason)
        for result in report.accuracy:
            case = _case(suite, report, f"{result.statement.claim} {result.statement.quantity} at {result.label}")
            _judged(case, result.verdict, result.describe())
        hygiene = _case(suite, report, "hygiene")
        if defects := conduct(report).failure:
            _judged(hygiene, Verdict.INCONCLUSIVE, defects)
        cases = list(suite)
        suite.set("tests", str(len(cases)))
        suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
        suite.set("errors", str(sum(case.find("error") is not None for case in cases)))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, report: GateReport, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=printable(f"panproof.{report.name}"), name=printable(name)
    )


def _judged(case: ElementTree.Element, verdict: Verdict, message: str) -> None:
    message = printable(message)
    if verdict is Verdict.REFUTED:
        ElementTree.SubElement(case, "failure", message=message, type=str(verdict)).text = message
    elif verdict is Verdict.INCONCLUSIVE:
        ElementTree.SubElement(case, "error", message=message, type=str(verdict)).text = message


@dataclass(frozen=True)
class PartResult:
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


def conduct(report: GateReport) -> PartResult:
    """It keeps no data outside its state, uses only the given randomness, and a release changes nothing."""
    defects = [finding.sentence for finding in report.findings if finding.is_defect]
    return PartResult(failure="; ".join(defects)) if defects else PartResult(untested=_why_untested(report))


def accuracy(report: GateReport) -> PartResult:
    """No statement that it makes about its error is refuted by the runs."""
    wrong = [result.describe() for result in report.accuracy if result.verdict is Verdict.REFUTED]
    if wrong:
        return PartResult(failure="; ".join(wrong))
    return PartResult(untested="" if report.accuracy else _why_untested(report))


def privacy(report: GateReport) -> PartResult:
    """No pair of adjacent inputs and no event were found that break its promise."""
    exact = report.exact
    if exact is not None and exact.refuted:
        return PartResult(failure=f"REFUTED: {exact.minimal.describe() if exact.minimal else exact.reason}")
    if report.privacy is None:
        return PartResult(failure=f"{report.verdict}: {report.reason}")
    if report.privacy.verdict is not Verdict.NOT_REFUTED:
        return PartResult(failure=f"{report.privacy.verdict}: {report.privacy.describe()}")
    return PartResult()


PARTS: Mapping[str, Callable[[GateReport], PartResult]] = {"conduct": conduct, "accuracy": accuracy, "privacy": privacy}
"""The parts by their names."""


def _why_untested(report: GateReport) -> str:
    """The reason why the gate ended before its last test; empty if it made all tests."""
    if report.refuted_exactly:
        return "not tested, since the exact check refutes the promise"
    return f"not tested: {report.reason}" if report.privacy is None else ""
