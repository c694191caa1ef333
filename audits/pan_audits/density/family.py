"""The contributions of the density family to the audits."""

from __future__ import annotations

from pan_promises.families import Family

_HERE = "pan_audits.density"

FAMILY = Family(
    "density",
    {
        "cases": f"{_HERE}.cases:CASES",
        "closed_loss": f"{_HERE}.closed_loss:closed_loss",
        "commands": f"{_HERE}.commands.table:COMMANDS",
        "derived_accuracy": f"{_HERE}.derived_accuracy:derived_statements",
        "error_tail": f"{_HERE}.error_tails:error_tail",
        "interval": f"{_HERE}.output_laws:interval",
        "likelihood": f"{_HERE}.output_laws:likelihood",
        "measured_inputs": f"{_HERE}.measured_inputs:measured_inputs",
        "overview": f"{_HERE}.overview:OVERVIEW",
    },
)
