"""The parts of the tables family in the audits."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("tables", {"commands": "pan_audits.tables.commands:COMMANDS"})
