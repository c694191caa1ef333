"""The contributions of the density family to the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.density.errata import ERRATA
from pan_proofs.density.lemmas.private_pairs import region_vertices
from pan_proofs.ledger.contents import Contents
from pan_proofs.rendering.figures import Figure

DOCUMENTS = {
    "paper": "Improved pan-private stream density estimation",
    "lecture": "Lecture on user-level pan-privacy",
    "thesis": "Thesis, chapters 2 and 4",
}
"""Titles by short name."""

STATEMENTS = (
    "density.laplace_distribution",
    "density.randomized_response",
    "density.laplace_mechanism",
    "density.dwork_privacy",
    "density.dwork_error",
    "density.union_lemma",
    "density.dwork_accuracy",
    "density.tightest_beta",
    "density.optimal_sample_size",
    "density.dwork_budget",
    "density.bernoulli_family",
    "density.tanh_optimality",
    "density.optbern_privacy",
    "density.optbern_error",
    "density.optbern_accuracy",
    "density.fm_hash",
    "density.ppds_privacy",
    "density.ppds_error",
    "density.stream_densities",
    "density.insert_delete",
    "density.announced_intrusions",
    "density.continual_output",
    "density.user_level_noise",
    "lecture.privacy",
    "lecture.accuracy",
    "lecture.unbiased",
    "thesis.post_processing",
    "thesis.sequential_composition",
    "thesis.parallel_composition",
    "thesis.group_privacy",
    "thesis.unbounded_to_bounded",
    "thesis.exponential_mechanism",
    "thesis.total_variance",
    "thesis.laplace_privacy",
    "thesis.laplace_error",
    "thesis.subexponential",
    "thesis.laplace_accuracy",
    "thesis.quantizer",
    "thesis.truncated",
    "thesis.gaussian",
)

ALIASES = {
    "thesis.randomized_response": "density.randomized_response",
    "thesis.laplace_mechanism": "density.laplace_mechanism",
    "thesis.dwork_privacy": "density.dwork_privacy",
    "thesis.dwork_error": "density.dwork_error",
    "thesis.dwork_accuracy": "density.dwork_accuracy",
    "thesis.dwork_budget": "density.dwork_budget",
    "thesis.union_lemma": "density.union_lemma",
    "thesis.bernoulli_family": "density.bernoulli_family",
    "thesis.optbern_privacy": "density.optbern_privacy",
    "thesis.optbern_error": "density.optbern_error",
    "thesis.optbern_accuracy": "density.optbern_accuracy",
}
"""Statements that the thesis repeats: the entry has both references."""

EXPERIMENTS = (
    "density.figure_4",
    "density.figure_5",
    "density.figure_6",
    "density.figure_7",
    "thesis.figure_4_8",
    "thesis.figure_4_9",
    "thesis.figure_4_10",
    "thesis.figure_4_11",
)
"""Statements about experiments: no derivation can judge them. Runs do, by ``python -m experiments reproduce ID``."""

"""The symbols and the works that the claims of the density family name, in LaTeX."""

NOTATION = (
    (r"$U$, $m$", "number of users, and of sampled users, without replacement"),
    (r"$\mathcal{S}$, $\mathcal{S}_M$", "the stream, and the stream of the sampled users"),
    (r"$d(\mathcal{S})$, $d(\mathcal{S}_M)$", "the fraction of all, and of the sampled users, who appear"),
    (r"$\varepsilon$", "printed budget of the state, and again of the output, in nats"),
    (
        r"$x = e^{\varepsilon}$, $t = \tanh\frac{\varepsilon}{2} = \frac{x-1}{x+1}$",
        "in which identities and inequalities become polynomial",
    ),
    (r"$p_{\mathrm{init}}$, $p_{\mathrm{upd}}$", "probability that a user's bit is one before and after an appearance"),
    (r"$q_{\mathrm{init}}$, $q_{\mathrm{upd}}$", r"$1 - p_{\mathrm{init}}$, $1 - p_{\mathrm{upd}}$"),
    (
        r"$p_0$, $p_1$, $q_0$, $q_1$; $A$, $B$",
        r"short for these four probabilities; $\frac{p_1}{p_0}$ and $\frac{q_0}{q_1}$, what a seen bit loses",
    ),
    (r"$b_i$, $\hat d$, $\tilde d$", "the bit of a sampled user, the mean of the bits, and the output"),
    (r"$P_S$, $P_{S'}$", "probabilities of the event that is looked at, for the adjacent streams $S$ and $S'$"),
    (r"$\mathrm{ratio}$", "largest ratio of the probabilities, or densities, of what is seen, for adjacent streams"),
    (r"$\mathrm{MSE}$", "mean squared error of the output"),
    (r"$M$", "the sample"),
    (
        r"$n$, $f$, $W$, $x$, $z$",
        "of a distinct counter: number of users; probability that a user touches a given cell; number of cells; "
        "expected number of users who touch a cell; probability that nobody does",
    ),
    (r"$T$, $S = e^T$", "promised loss of a distinct counter, and its exponential"),
    (
        r"$\varepsilon_1$, $E = e^{\varepsilon_1}$, $r$",
        "loss of a seen bit alone, and its exponential; ratio of the noise",
    ),
    (r"$\mu_l$, $v_l$", "mean and variance of the noisy count of the level $l$"),
    (
        r"$\alpha$, $\beta$; $\delta_1, \ldots, \delta_4$",
        "accuracy and probability of missing it; shares into which the proofs split them",
    ),
)

BIBLIOGRAPHY = {
    "paper": r"V.~Digalakis~Jr, G.~N.~Karystinos, M.~N.~Garofalakis. \textit{Improved Pan-Private Stream Density "
    r"Estimation}.",
    "lecture": r"A.~Roth. \textit{Streaming Algorithms: User Level Pan Privacy}. Lecture 18.",
    "thesis": r"V.~Digalakis~Jr. \textit{Data Analytics with Differential Privacy}. Diploma thesis, Technical "
    r"University of Crete, 2018.",
    "Dwork": r"C.~Dwork, M.~Naor, T.~Pitassi, G.~N.~Rothblum, S.~Yekhanin. \textit{Pan-Private Streaming "
    r"Algorithms}. Innovations in Computer Science, 2010.",
    "Kairouz, Oh and Viswanath": r"P.~Kairouz, S.~Oh, P.~Viswanath. \textit{The Composition Theorem for Differential "
    r"Privacy}. International Conference on Machine Learning, 2015.",
}


def private_pairs() -> Figure:
    """All pairs of probabilities that are log 2-private, and the two that are farthest from the diagonal."""
    corners: Sequence[tuple[sp.Expr, sp.Expr]] = region_vertices(sp.Integer(2))
    polygon = tuple((float(one), float(other)) for one, other in corners)
    best = tuple(point for point in polygon if 0 < point[0] < 1)
    names = {True: r"\left(\tfrac13, \tfrac23\right)", False: r"\left(\tfrac23, \tfrac13\right)"}
    return Figure(
        caption=r"The pairs $(p_{\mathrm{init}}, p_{\mathrm{upd}})$ that satisfy $\varepsilon$-differential privacy, "
        r"for $e^{\varepsilon} = 2$. The corners off the diagonal are the pair "
        r"$\tfrac12(1 \mp \tanh(\varepsilon/2))$ and its mirror image.",
        labels=(r"p_{\mathrm{init}}", r"p_{\mathrm{upd}}"),
        polygon=polygon,
        marks=tuple((point, names[point[1] > point[0]]) for point in best),
    )


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
