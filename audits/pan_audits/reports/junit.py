"""Reports for continuous integration: JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from pan_audits.conduct import Severity
from pan_audits.gating.gate import GateReport
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
        exact = report.exact is not None and report.exact.verdict is Verdict.REFUTED
        verdict = privacy.verdict if privacy else Verdict.REFUTED if exact else Verdict.INCONCLUSIVE
        _outcome(promise, verdict, privacy.describe() if privacy else report.reason)
        for result in report.accuracy:
            case = _case(suite, report, f"{result.statement.claim} {result.statement.quantity} at {result.label}")
            _outcome(case, result.verdict, result.describe())
        hygiene = _case(suite, report, "hygiene")
        defects = [finding.sentence for finding in report.findings if finding.severity is Severity.DEFECT]
        if defects:
            _outcome(hygiene, Verdict.INCONCLUSIVE, "; ".join(defects))
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


def _outcome(case: ElementTree.Element, verdict: Verdict, message: str) -> None:
    message = printable(message)
    if verdict is Verdict.REFUTED:
        ElementTree.SubElement(case, "failure", message=message, type=str(verdict)).text = message
    elif verdict is Verdict.INCONCLUSIVE:
        ElementTree.SubElement(case, "error", message=message, type=str(verdict)).text = message
