"""The contributions of the tables family to the ledger."""

from __future__ import annotations

from pan_proofs.ledger.contents import Contents
from pan_proofs.tables.errata import ERRATA
from pan_proofs.tables.notation import BIBLIOGRAPHY, NOTATION
from pan_proofs.tables.sources import DOCUMENTS, STATEMENTS

CONTENTS = Contents(
    claims="pan_proofs.tables.claims",
    statements=STATEMENTS,
    documents=DOCUMENTS,
    errata=ERRATA,
    subject="private Bayesian networks",
    notation=NOTATION,
    bibliography=BIBLIOGRAPHY,
    order=3,
)
