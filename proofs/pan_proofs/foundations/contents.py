"""The contributions of the foundations to the ledger. Their sources are those of the families."""

from __future__ import annotations

from pan_proofs.ledger.contents import Contents

NOTATION = (
    (r"$\mathcal{A}$, $O$", "a randomized algorithm, and a set of its outputs"),
    ("$D$, $D'$", "adjacent datasets"),
    (r"$\varepsilon$, $x$", r"budget in nats, and $e^{\varepsilon}$"),
    ("$P$, $H$, $P'$, $Q$", "probabilities of one event for the datasets of a chain, from the first to the last"),
    (r"$\mu$, $b$", "mean and scale of a Laplace distribution"),
    (r"$m$, $\alpha$", "number of variables of a sum, and a deviation of the sum"),
)
"""The symbols of the general claims about privacy and probability, in LaTeX."""

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
