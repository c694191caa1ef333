"""The contributions of the density family to the audits."""

from __future__ import annotations

from pan_promises.families import Family

_HERE = "pan_audits.density"

FAMILY = Family(
    "density",
    {
        "cases": f"{_HERE}.cases:CASES",
        "closed_loss": f"{_HERE}.capabilities:closed_loss",
        "commands": f"{_HERE}.commands:COMMANDS",
        "derived_accuracy": f"{_HERE}.capabilities:derived_statements",
        "error_tail": f"{_HERE}.capabilities:error_tail",
        "interval": f"{_HERE}.capabilities:interval",
        "likelihood": f"{_HERE}.capabilities:likelihood",
        "measured_inputs": f"{_HERE}.capabilities:measured_inputs",
        "overview": f"{_HERE}.overview:OVERVIEW",
    },
)
