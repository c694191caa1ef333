"""The contributions of the foundations to the ledger. Their sources are those of the families."""

from __future__ import annotations

from pan_proofs.ledger.contents import Contents

CONTENTS = Contents(claims="pan_proofs.foundations.claims")
