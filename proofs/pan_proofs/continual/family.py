"""The contributions of the continual family to the proofs."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("continual", {"contents": "pan_proofs.continual.contents:CONTENTS"})
