"""The contributions of the continual family to the audits."""

from __future__ import annotations

from pan_promises.families import Family

_HERE = "pan_audits.continual"

FAMILY = Family(
    "continual",
    {
        "cases": f"{_HERE}.cases:CASES",
        "closed_rho": f"{_HERE}.closed_rho:closed_rho",
        "commands": f"{_HERE}.commands:COMMANDS",
        "overview": f"{_HERE}.overview:OVERVIEW",
        "remarks": "pan_estimators.continual.members:remark",
    },
)
