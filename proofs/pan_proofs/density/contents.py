"""The contributions of the density family to the ledger."""

from __future__ import annotations

from pan_proofs.density.errata import ERRATA
from pan_proofs.density.figures import private_pairs
from pan_proofs.density.notation import BIBLIOGRAPHY, NOTATION
from pan_proofs.density.sources import ALIASES, DOCUMENTS, EXPERIMENTS, STATEMENTS
from pan_proofs.ledger.contents import Contents

CONTENTS = Contents(
    claims="pan_proofs.density.claims",
    statements=STATEMENTS,
    aliases=ALIASES,
    experiments=EXPERIMENTS,
    documents=DOCUMENTS,
    errata=ERRATA,
    figures={"density.tanh_optimality": private_pairs},
    subject="density estimation",
    notation=NOTATION,
    bibliography=BIBLIOGRAPHY,
    order=1,
)
