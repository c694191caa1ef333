"""The contributions of the tables family to the proofs."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("tables", {"contents": "pan_proofs.tables.contents:CONTENTS"})
