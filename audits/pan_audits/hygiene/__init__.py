"""Refusing to be fooled: what must hold before the distribution of a state says anything."""

from pan_audits.hygiene.checks import check_hygiene
from pan_audits.hygiene.finding import Finding, Severity

__all__ = ["Finding", "Severity", "check_hygiene"]
