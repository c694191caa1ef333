"""The checks of conduct: the conditions for a meaningful audit."""

from pan_audits.conduct.complete_state import check_conduct
from pan_audits.conduct.finding import Finding, Severity

__all__ = ["Finding", "Severity", "check_conduct"]
