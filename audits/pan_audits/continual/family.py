"""The contributions of the continual family to the audits."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("continual", {"commands": "pan_audits.continual.commands.table:COMMANDS"})
