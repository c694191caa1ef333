"""The report of a gate as one self-contained HTML page: no network, no fonts, no scripts from elsewhere."""

from pan_audits.reports.html.evidence import Evidence, gather
from pan_audits.reports.html.page import embedded_report, html_report, require_libraries

__all__ = ["Evidence", "embedded_report", "gather", "html_report", "require_libraries"]
