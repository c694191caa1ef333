"""The ledger: every claim with its judgement, derived by engines and printed for readers."""

from pan_proofs.ledger.claim import Claim, Part, Reference, Step
from pan_proofs.ledger.contents import (
    Contents,
    Erratum,
    aliases,
    bibliography,
    documents,
    errata,
    experiments,
    figures,
    statements,
)
from pan_proofs.ledger.derive import Entry, derive, settle
from pan_proofs.ledger.registry import UnknownClaim, contributions, derive_here, modules, resolve
from pan_proofs.ledger.store import Store, default_store
from pan_proofs.ledger.verdicts import ProofVerdict, Role

__all__ = [
    "Claim",
    "Contents",
    "Entry",
    "Erratum",
    "Part",
    "ProofVerdict",
    "Reference",
    "Role",
    "Step",
    "Store",
    "UnknownClaim",
    "aliases",
    "bibliography",
    "contributions",
    "default_store",
    "derive",
    "derive_here",
    "documents",
    "errata",
    "experiments",
    "figures",
    "modules",
    "resolve",
    "settle",
    "statements",
]
