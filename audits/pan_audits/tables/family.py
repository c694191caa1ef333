"""The contributions of the family of tables to the audits."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("tables", {"experiments": "pan_audits.tables.experiments.contents:CONTENTS"})
