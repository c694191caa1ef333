"""The contributions of the foundations to the ledger: claims that belong to no family of estimators."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("foundations", {"contents": "pan_proofs.foundations.contents:CONTENTS"})
