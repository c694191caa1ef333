"""The parts of the tables family in the audits."""

from __future__ import annotations

from pan_promises.families import Family

_HERE = "pan_audits.tables"

FAMILY = Family(
    "tables",
    {"commands": f"{_HERE}.commands.table:COMMANDS", "experiments": f"{_HERE}.experiments.contents:CONTENTS"},
)
