"""Theorems 3.1 to 3.3 of the thesis: the privacy of PrivBayes with one holder of the data."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, counterexample, related
from pan_proofs.tables.lemmas.information import sensitivity
from pan_proofs.tables.lemmas.shares import impossible_choice
from pan_proofs.tables.lemmas.small_tables import (
    Records,
    exponential_chance,
    families,
    largest_change,
    structures,
)

_loss, _observed, _ratio = sp.symbols("R C ratio")
_score, _other_score = sp.symbols("q qprime", real=True)
_largest, _share, _unit, second_budget, _output = sp.symbols("Delta e lambda epsilon_2 y", positive=True)
attributes, records = sp.symbols("N n", integer=True, positive=True)

_OTHERS = 6
printed_scale = 2 * attributes / (records * second_budget)
"""The printed scale of the noise on frequencies."""
_TAIL = records / (records + 1) * sp.exp(second_budget * _output / (2 * attributes))


def privbayes_privacy() -> Claim:
    """The printed weights leak without bound; the exponential ones, and the noise, keep their budgets."""
    return Claim(
        id="bayesnet.privbayes_privacy",
        title="Privacy of PrivBayes",
        notation=((r"$\mathrm{ratio}$", "ratio of the densities of the noise for the largest change"),),
        references=(Reference("networks", "Theorems 3.1, 3.2 and 3.3, section 3.3", "Algorithms 3.2 and 3.3"),),
        statement=r"The structure is learned in $N - 1$ rounds. Each draws a candidate $(X, \mathrm{Pa})$ with "
        r"probability proportional to $\frac{\hat I(X; \mathrm{Pa})\,\varepsilon_1}{2(N-1)\Delta\hat I}$, and this is "
        r"$\varepsilon_1$-differentially private (3.2). Laplace noise of scale $\frac{2N}{n\varepsilon_2}$ on the "
        r"frequencies of $N$ joint distributions is $\varepsilon_2$-differentially private (3.3). Both together are "
        r"$(\varepsilon_1 + \varepsilon_2)$-differentially private (3.1).",
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n$, $N$ and the domains are public",
            "the first attribute, and ties, do not depend on the data",
            r"$\Delta\hat I$ is at least the sensitivity of each candidate; Lemma 3.1 gives such a bound",
            r"$\hat I$ and $\Delta\hat I$ have the same base of logarithms",
            "all draws and all noise are independent, and real numbers",
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "weights that are proportional to the score",
                r"With the printed weights a candidate of score $0$ is never drawn. So a structure that one table can "
                r"give is impossible for an adjacent table, and no $c = e^{\varepsilon_1}$ is large enough. In the "
                r"formula $P$ and $P'$ are the probabilities of the structure.",
                impossible_choice(
                    "zero_weight",
                    r"Two records over three binary attributes: $D = \{000, 111\}$ and $D' = \{000, 101\}$, with $A$ "
                    r"as the first attribute and $k = 1$. For $D$ the candidates $(B, \{A\})$ and $(C, \{A\})$ have "
                    r"equal scores. For $D'$ the score of $(B, \{A\})$ is $0$. Both distributions are computed from "
                    r"the printed weights.",
                ),
                theorems=("printed_weights_unbounded",),
            ),
            Part(
                Role.AMENDED,
                "weights that are exponential in the score",
                r"With weights proportional to $\exp\frac{\hat I(X; \mathrm{Pa})\,\varepsilon_1}{2(N-1)\Delta\hat I}$ "
                r"the structure is $\varepsilon_1$-differentially private.",
                (),
                theorems=("structure_private",),
            ),
            derived(
                Role.PUBLISHED,
                "the noise of the parameters",
                r"Theorem 3.3: the frequencies of one distribution change by at most $\frac2n$, those of all $N$ by "
                r"at most $\frac{2N}{n}$, and for two records that differ in every attribute by exactly this. So the "
                r"loss is at most $\varepsilon_2$, and the bound is attained. In the formulas $C$ is the largest "
                r"change of all counts for up to three binary attributes, and the ratio is that of the densities for "
                r"the largest change.",
                related(
                    "all_distributions_enumerated",
                    r"The largest change $C$ of all counts is $2N$, over all tables of two records (and of three, "
                    r"for two attributes), for every structure of two or three binary attributes.",
                    "the largest change of the counts of all families of a structure",
                    eq(_observed, 2 * attributes),
                    _cases(),
                    mutant=eq(_observed, 2),
                    parameters=(attributes,),
                    lines=r"\max_{D, D'} \sum_i \lVert c_{X_i, \mathrm{Pa}_i}(D) - c_{X_i, "
                    r"\mathrm{Pa}_i}(D')\rVert_1 &= 2N",
                ),
                equal_as(
                    "loss_of_parameters",
                    r"With the printed scale the largest ratio of the densities is",
                    (lambda: sp.exp(2 * attributes / records / printed_scale), sp.exp(second_budget)),
                    r"\exp\Bigl(\frac{2N}{n} \Big/ \frac{2N}{n\varepsilon_2}\Bigr) &= e^{\varepsilon_2}",
                ),
                only=("all_distributions_enumerated",),
                formal=symbolic(eq(_ratio, sp.exp(second_budget))),
                theorems=("frequencies_move", "noisy_private"),
            ),
            Part(
                Role.AMENDED,
                "both phases",
                r"With weights that are exponential in the score, and the printed noise, both phases together lose at "
                r"most $\varepsilon_1 + \varepsilon_2$.",
                (),
                theorems=("privbayes_private",),
            ),
            derived(
                Role.READING,
                "adding or removing a record",
                r"If adjacent tables have $n$ and $n + 1$ records, the noise has two different scales. At a distance "
                r"$y$ from a frequency of $0$ in both tables, the ratio of the densities grows without bound.",
                equal_as(
                    "two_scales",
                    r"The scales are $\frac{2N}{n\varepsilon_2}$ and $\frac{2N}{(n+1)\varepsilon_2}$.",
                    (lambda: _density(printed_scale) / _density(printed_scale.subs(records, records + 1)), _TAIL),
                    r"\frac{p(y)}{p'(y)} &= \frac{n}{n+1} \exp\frac{\varepsilon_2 y}{2N}",
                ),
                counterexample(
                    "far_away",
                    r"It exceeds $e^{\varepsilon_2}$ far from $0$:",
                    le(_TAIL, sp.exp(second_budget)),
                    {records: 1, attributes: 3, second_budget: 1, _output: 60},
                ),
                only=("far_away",),
                formal=symbolic(eq(_ratio, _TAIL)),
                holds=False,
            ),
            derived(
                Role.READING,
                "a score in bits with a sensitivity in nats",
                r"Section 3.3.3 writes the score with $\log_2$, and Lemma 3.1 has $\log$, which is the natural one in "
                r"the whole text. If both are taken as printed, a round can lose more than its share $e$. In the "
                r"formulas $R$ is the ratio of the probabilities of a candidate for the share $1$, and $q$ and $q'$ "
                r"are scores in nats.",
                counterexample(
                    "in_bits",
                    r"Eight binary attributes and two records, $0 \ldots 0$ and a second one. In one table the second "
                    r"attribute is a copy of the first one and the others are constant; in the other table the second "
                    r"one is constant and the others are copies. Both distributions of the first round for $k = 1$ "
                    r"give the ratio",
                    le(_loss, sp.exp(1)),
                    {_loss: lambda: ratio(sp.log(2))},
                ),
                bounded(
                    "in_bits_at_most",
                    r"The exponents of a candidate differ by at most $\frac{e}{2\log 2}$, so that a round loses at "
                    r"most $\frac{e}{\log 2} < 1.45\,e$. Here $e$ is the share of the round and $\lambda = \log 2$.",
                    le(
                        _share * _score / (2 * _largest * _unit) - _share * _other_score / (2 * _largest * _unit),
                        _share / (2 * _unit),
                    ),
                    le(_score - _other_score, _largest),
                    lines=r"\frac{eq}{2\lambda\Delta} - \frac{eq'}{2\lambda\Delta} &\le \frac{e}{2\lambda}",
                ),
                holds=False,
            ),
        ),
        uses=(
            "bayesnet.mutual_information_sensitivity",
            "thesis.exponential_mechanism",
            "thesis.sequential_composition",
            "density.laplace_mechanism",
            "thesis.post_processing",
        ),
        remark=r"All weights may be $0$: for a table with a constant first attribute the printed distribution of the "
        r"first round does not exist. Candidates without parents have the score $0$ always.",
    )


def _cases() -> Iterator[dict[sp.Symbol, int]]:
    for size in (2, 3):
        for structure in structures(size, 2):
            for rows in (2, 3) if size == 2 else (2,):
                yield {_observed: largest_change((2,) * size, rows, families(structure)), attributes: size}


def _density(scale: sp.Expr) -> sp.Expr:
    return sp.exp(-_output / scale) / (2 * scale)


def copied() -> tuple[Records, Records]:
    """Two tables of two records: the second attribute is the first one, or all others are."""
    zeros = (0,) * (2 + _OTHERS)
    return (zeros, (1, 1) + (0,) * _OTHERS), (zeros, (1, 0) + (1,) * _OTHERS)


def ratio(unit: sp.Expr) -> sp.Expr:
    """The ratio of the probabilities of a candidate in the first round, for the share 1 and a score in a unit."""
    factor = 1 / (2 * sensitivity((2, 2), 2) * unit)
    one, other = (exponential_chance(table, (0,), 1, (1, (0,)), factor) for table in copied())
    return one / other


CLAIMS = {"bayesnet.privbayes_privacy": privbayes_privacy}
