"""The contributions of the foundations to the ledger. Their sources are those of the families."""

from __future__ import annotations

from pan_proofs.foundations.notation import NOTATION
from pan_proofs.ledger.contents import Contents

CONTENTS = Contents(
    claims="pan_proofs.foundations.claims",
    subject="privacy and probability in general",
    notation=NOTATION,
    bibliography={
        "Hoeffding 1963": r"W.~Hoeffding. \textit{Probability Inequalities for Sums of Bounded Random Variables}. "
        r"Journal of the American Statistical Association 58, 1963.",
    },
    order=0,
)
