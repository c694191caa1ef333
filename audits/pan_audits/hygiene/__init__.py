"""The checks of conduct: the conditions for a meaningful audit."""

from pan_audits.hygiene.checks import check_hygiene
from pan_audits.hygiene.finding import Finding, Severity

__all__ = ["Finding", "Severity", "check_hygiene"]
