"""The contributions of the continual family to the ledger."""

from __future__ import annotations

from pan_proofs.continual.errata import ERRATA
from pan_proofs.continual.notation import BIBLIOGRAPHY, NOTATION
from pan_proofs.ledger.contents import Contents

DOCUMENTS = {
    "turnstile": "Counting distinct elements in the turnstile model under continual observation",
}
"""Titles by short name. The text that is judged has lost its formulas. Each claim says how it reads them."""

STATEMENTS = (
    "turnstile.flippancy_definition",
    "turnstile.changed_entries",
    "turnstile.composition",
    "turnstile.gaussian_mechanism",
    "turnstile.dyadic",
    "turnstile.node_sensitivity",
    "turnstile.truncated_flippancy",
    "turnstile.post_processing",
    "turnstile.group_privacy",
    "turnstile.zcdp_conversion",
    "turnstile.gaussian_max",
    "turnstile.given_flippancy",
    "turnstile.flippancy_sensitivity",
    "turnstile.sparse_vector",
    "turnstile.adaptive",
    "turnstile.recompute",
    "turnstile.best_of_both",
    "turnstile.legal_models",
    "turnstile.inner_product_reduction",
    "turnstile.marginals_reduction",
    "turnstile.small_epsilon",
    "turnstile.event_lower_bound",
    "turnstile.item_lower_bound",
    "turnstile.crossover",
    "turnstile.insertion_only",
)

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
