"""The contributions of the density family to the proofs."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("density", {"contents": "pan_proofs.density.contents:CONTENTS"})
