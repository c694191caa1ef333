"""The ledger for readers: a LaTeX document, an HTML page, a Markdown page, and text for a terminal."""

from pan_proofs.rendering.bundle import write_bundle
from pan_proofs.rendering.document import standalone, write_document
from pan_proofs.rendering.erratum import write_errata
from pan_proofs.rendering.page import ledger_page
from pan_proofs.rendering.pdf import TypesettingError, typeset, typeset_text
from pan_proofs.rendering.plain import plain
from pan_proofs.rendering.site import write_site

__all__ = [
    "TypesettingError",
    "ledger_page",
    "plain",
    "standalone",
    "typeset",
    "typeset_text",
    "write_bundle",
    "write_document",
    "write_errata",
    "write_site",
]
