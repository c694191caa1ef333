"""The HTML report of a gate. Its libraries and its folder are checked before the gate runs, which takes a while."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pan_audits.command_line.options import require_writable, write_text
from pan_promises.errors import on_one_line

if TYPE_CHECKING:
    from pan_audits.gating.gate import GateReport
    from pan_audits.intake.discovery import Variant
    from pan_audits.judging.settings import Settings


def require_html(path: Path | None) -> None:
    """Raise :class:`pan_estimators.InputError` if the report cannot be written; without a path there is no report."""
    from pan_audits.reports.html import require_libraries

    if path is None:
        return
    require_libraries()
    require_writable(path)


def write_html(path: Path | None, report: GateReport, variant: Variant, settings: Settings, *, quiet: bool) -> None:
    """Compute the parts of the report beyond the gate's results, and write it; without a path there is no report."""
    from pan_audits.reports.html import gather, html_report

    if path is None:
        return
    write_text(path, html_report(report, gather(report, variant, settings), file=path))
    if not quiet:
        print(f"report written to {on_one_line(path)}")
