"""The HTML report of a gate: what it needs is looked for before the gate runs, which takes a while."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pan_audits.command_line.options import write_text

if TYPE_CHECKING:
    from pan_audits.discovery import Variant
    from pan_audits.gate import GateReport
    from pan_audits.settings import Settings


def see_that_html_can_be_written(path: Path | None) -> None:
    """Raise :class:`pan_estimators.InputError` now rather than in the end; no path, no report."""
    from pan_audits.reports.html import require_libraries
    from pan_estimators import InputError

    if path is None:
        return
    require_libraries()
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def write_html(path: Path | None, report: GateReport, variant: Variant, settings: Settings, *, quiet: bool) -> None:
    """Compute what the report shows besides the gate's results, and write it; no path, no report."""
    from pan_audits.reports.html import gather, html_report

    if path is None:
        return
    write_text(path, html_report(report, gather(report, variant, settings), file=path))
    if not quiet:
        print(f"report written to {path}")
