"""The contributions of the continual family to the ledger."""

from __future__ import annotations

from pan_proofs.continual.errata import ERRATA
from pan_proofs.continual.notation import BIBLIOGRAPHY, NOTATION
from pan_proofs.continual.sources import DOCUMENTS, STATEMENTS
from pan_proofs.ledger.contents import Contents

CONTENTS = Contents(
    claims="pan_proofs.continual.claims",
    statements=STATEMENTS,
    documents=DOCUMENTS,
    errata=ERRATA,
    subject="distinct elements in turnstile streams",
    notation=NOTATION,
    bibliography=BIBLIOGRAPHY,
    order=2,
)
