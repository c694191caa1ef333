"""Reports of every kind, from small gates, and what can be read off a page without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser

from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import GateReport, run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.html import Evidence, gather, html_report
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators import EdgeUniverse, Promise

INF = float("inf")
SMALL = {"workers": 0, "seed": 1, "accuracy_runs": 400, "confirmation_runs": 400, "hygiene": False}
_OWN = "tests.mechanisms"

GATES = {
    "certified": ("calibrated-bernoulli", {"promise_epsilon": 1.0, "universe": 4}, {"runs": 300}),
    "exact": ("optimal-bernoulli", {"epsilon": 0.1}, {}),
    "audit": ("dwork", {"epsilon": 0.1, "universe": 8, "sample_size": 8}, {"exact": False, "runs": 6000}),
    "kept": (f"{_OWN}.counter:Counter", {}, {"exact": False, "runs": 4000}),
    "hidden": (f"{_OWN}.outside_memory:ModuleGlobal", {}, {"hygiene": True}),
    "edges": ("graph-density", {"epsilon": 0.1, "universe": EdgeUniverse(6)}, {}),
    "names": (f"{_OWN}.hostile:Names", {}, {}),
    "names-audit": (f"{_OWN}.hostile:Names", {}, {"exact": False, "runs": 6000}),
    "message": (f"{_OWN}.hostile:Message", {}, {"exact": False, "workers": 1}),
    "infinite": ("exact-counter", {}, {}),
}
"""Name, parameters and settings of a small gate for each kind of page."""

VERDICTS = {
    "certified": Verdict.CERTIFIED,
    "exact": Verdict.REFUTED,
    "audit": Verdict.REFUTED,
    "kept": Verdict.NOT_REFUTED,
    "hidden": Verdict.INCONCLUSIVE,
    "edges": Verdict.REFUTED,
    "names": Verdict.REFUTED,
    "names-audit": Verdict.REFUTED,
    "message": Verdict.INCONCLUSIVE,
    "infinite": Verdict.REFUTED,
    "accuracy": Verdict.REFUTED,
}


@dataclass(frozen=True)
class Made:
    """A gate's report, what was computed besides, and the page."""

    report: GateReport
    evidence: Evidence
    page: str


@cache
def made(kind: str) -> Made:
    """The page of a kind."""
    if kind == "accuracy":
        return _wrong_accuracy(made("audit"))
    name, parameters, settings = GATES[kind]
    promise = Promise(epsilon=0.2, adjacency="user-level") if name == "exact-counter" else None
    mechanism = find_mechanism(name, parameters=parameters, promise=promise)
    effort = Settings(**{**SMALL, **settings})
    report = run_gate(mechanism, effort)
    if kind == "certified":
        report = _with_enough_runs(report)
    evidence = gather(report, mechanism, effort)
    return Made(report, evidence, html_report(report, evidence))


def _with_enough_runs(report: GateReport) -> GateReport:
    """The same report, had the audit, which takes seconds, been long enough."""
    assert report.certificate.agrees
    power = {0.5: (2.0, 1.5), 0.1: (INF, 3.0)}
    kept = replace(report.privacy, verdict=Verdict.NOT_REFUTED, reason="", detectable=power)
    return replace(report, verdict=Verdict.CERTIFIED, reason=report.certificate.describe(), privacy=kept)


def _wrong_accuracy(made: Made) -> Made:
    """The same report, had one statement about the accuracy been wrong, and the promise been kept."""
    first, *rest = made.report.accuracy
    wrong = replace(first, measured=first.stated + 3.0, verdict=Verdict.REFUTED)
    unclear = replace(rest[0], verdict=Verdict.INCONCLUSIVE, measured=float("nan"), missing="more runs are needed")
    kept = replace(made.report.privacy, verdict=Verdict.NOT_REFUTED, witness=None, detectable={0.5: (2.0, 1.0)})
    report = replace(
        made.report,
        accuracy=(wrong, unclear, *rest[1:]),
        privacy=kept,
        reason="a statement about the accuracy does not hold: " + wrong.describe(),
    )
    evidence = replace(made.evidence, runs=None)
    return Made(report, evidence, html_report(report, evidence))


_VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Outline(HTMLParser):
    """What stands in a page.

    Attributes
    ----------
    tags
        Every element with its attributes, in order.
    text
        All text outside of scripts and styles.
    problems
        Elements that are closed in the wrong order.
    """

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    problems: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"{tag} closed at {self.getpos()}")

    def handle_data(self, data):
        if not {"script", "style"} & set(self._open):
            self.text += data


def outline(page: str) -> Outline:
    """Read a page."""
    found = Outline()
    found.feed(page)
    found.close()
    return found
