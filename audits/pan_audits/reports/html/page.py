"""The page: its parts put together, everything that comes from the estimator escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from pan_audits.audit.witness import Witness
from pan_audits.exact.witness import ExactWitness
from pan_audits.gate.gate import GateReport
from pan_audits.judging.reading import parse_document
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.reports.commands import replay_command, witness_command
from pan_audits.reports.html import words
from pan_audits.reports.html.accuracies import accuracy_drawings
from pan_audits.reports.html.distributions import distribution_drawings, runs_drawing
from pan_audits.reports.html.drawing import Drawing, plain
from pan_audits.reports.html.evidence import SCOPE_OF_PARTS, Evidence, witness_shown
from pan_audits.reports.html.losses import (
    certainty,
    loss_drawing,
    loss_rows,
)
from pan_audits.reports.html.strip import picture_of, strip_of
from pan_audits.reports.pages import asset, environment, require_figures
from pan_audits.reports.text import cells, describe_configuration, scopes
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_promises.errors import InputError

CONFIDENCE_ERROR = 0.01
"""One minus the confidence of the intervals beside fresh runs; the gate's own bounds are surer."""

_PACKAGE = "pan_audits.reports.html"

_EMBEDDED = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.DOTALL)


def require_libraries() -> None:
    """Check that the libraries of a report are installed, before anything is computed."""
    require_figures("an HTML report")


def html_report(report: GateReport, evidence: Evidence, *, file: Path | str = "report.html") -> str:
    """The page; the same text for the same report and evidence."""
    require_libraries()
    rows = tuple(loss_rows(report, evidence))
    told = certainty(report, rows)
    witness = witness_shown(report)
    drawings = [loss_drawing(report, rows)] if rows else []
    script = _asset("report.js")
    return str(
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            evidence=evidence,
            words=words,
            notion=notion_of(report.promise),
            configuration=plain(describe_configuration(report.configuration)),
            style=_asset("report.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            reason=_reason(report),
            loss_rows=rows,
            loss_drawings=drawings,
            certainty=told,
            parts_scope=SCOPE_OF_PARTS,
            scope_headings=judged(report.exact.problem).columns if report.exact else {},
            scope_cells=cells,
            scopes=scopes,
            witness=witness,
            is_exact=isinstance(witness, ExactWitness),
            picture=None if witness is None or witness.whole else picture_of(strip_of(witness)),
            distributions=_distributions(evidence, words.input_word(report.promise)),
            fresh=_fresh(evidence),
            accuracy=accuracy_drawings(report.accuracy),
            command=replay_command(report),
            replay=witness_command(file, report.name),
            document=_embeddable(report),
            finite=_finite,
            inf=math.inf,
        )
    )


def embedded_report(page: str) -> dict[str, Any]:
    """The JSON report in a page."""
    found = _EMBEDDED.search(page)
    if found is None:
        raise InputError("this page holds no report of a gate")
    document: dict[str, Any] = parse_document(found.group(1), "the report in this page").value
    return document


def _embeddable(report: GateReport) -> Any:
    """JSON that cannot close the element that contains it."""
    from markupsafe import Markup

    text = json.dumps(report.to_dict(), indent=1, allow_nan=False, default=str)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _reason(report: GateReport) -> str:
    """The reason of the verdict, where the page does not state it elsewhere."""
    if (words.privacy_is_refuted(report) and words.shows_violation(report)) or report.verdict is Verdict.NOT_REFUTED:
        return ""
    return plain(report.reason)


def _distributions(evidence: Evidence, noun: str) -> list[Drawing]:
    if evidence.distribution is not None:
        return distribution_drawings(evidence.distribution, noun)
    drawing = None if evidence.runs is None else runs_drawing(evidence.runs, noun)
    return [] if drawing is None else [drawing]


def _fresh(evidence: Evidence) -> list[tuple[str, int, float, float]]:
    """For each stream, the number of fresh runs with the event, with an interval."""
    if evidence.runs is None:
        return []
    counts = evidence.runs.counts
    return [
        (
            name,
            times,
            proportion_lower(times, counts.runs, error=CONFIDENCE_ERROR / 2),
            proportion_upper(times, counts.runs, error=CONFIDENCE_ERROR / 2),
        )
        for name, times in (("A", counts.left), ("B", counts.right))
    ]


def _finite(value: Any) -> str:
    """A number for a table."""
    if value is None:
        return "none"
    return "infinite" if value == math.inf else f"{value:.4g}"


def _asset(name: str) -> str:
    return asset(_PACKAGE, name)


@cache
def _environment() -> Any:
    from markupsafe import Markup

    made = environment(_PACKAGE, plain=plain, trusted=Markup, seconds=words.seconds)
    made.tests["audited"] = lambda witness: isinstance(witness, Witness)
    return made
