"""Theorem 3.4 of the thesis: all joint counts of k + 1 attributes, with Laplace noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import prod

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.foundations.finite_mechanisms import bounded_pairs, unbounded_pairs
from pan_proofs.ledger.claim import Claim, Reference, Role, derived
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import counterexample, related
from pan_proofs.tables.lemmas.information import largest_move
from pan_proofs.tables.lemmas.shares import noisy_sets, one_record_moves
from pan_proofs.tables.lemmas.small_tables import Record, Records, all_records, change, largest_change

sets, _cells, _rows = sp.symbols("K m n", integer=True, positive=True)
_sensitivity, _together, _added = sp.symbols("C C_K A_K")
_printed_scale = 2 * sets / epsilon
_later_scale = sets / epsilon
_SHAPES = ((2, 2), (2, 3), (3, 3), (3, 4))
"""Shapes of two attributes whose tables of up to six records are run, up to the order of the values."""
Pairs = Callable[[Sequence[Record], int], Iterator[tuple[Records, Records]]]
_ALL = ((3, 1, 2), (3, 1, 3), (3, 2, 2), (4, 1, 2))
"""Numbers of binary attributes, degrees and numbers of records."""


def sufficient_statistics_privacy() -> Claim:
    """The sensitivity and the scale are right, and no smaller scale suffices."""
    return Claim(
        id="bayesnet.sufficient_statistics_privacy",
        title="Privacy of noisy sufficient statistics",
        notation=(
            ("$D$, $D'$; $c(D)$", "two tables that differ in one record; the counts of a table"),
            (r"$\mathcal{A}'$", "a set of $k + 1$ attributes"),
        ),
        references=(
            Reference("networks", "Theorem 3.4, section 3.4.1", "Algorithm 3.5"),
            Reference("networks", "proof of Theorem 3.5, section 3.4.2", "with half of the scale"),
        ),
        statement=r"Each holder releases the joint counts of all $K = \binom{N}{k+1}$ sets of $k + 1$ attributes, "
        r"with independent Laplace noise of scale $b = \frac{2K}{\varepsilon}$ on each count. The sensitivity of the "
        r"counts of one set is $2$, and the release is $\varepsilon$-differentially private for the table of each "
        r"holder. The proof of Theorem 3.5 takes the scale to be $\frac{K}{\varepsilon}$.",
        hypotheses=("adjacent tables of a holder have the same number of records, of which one differs",),
        silent=(
            "the numbers of records of the holders are public: the analyst divides by their sum",
            "the domains are public, and counts of values that do not occur get noise as well",
            "noise is a real number; the tables of the other holders are fixed",
            r"a set of attributes has two values or more, $n_j \ge 1$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the counts of one set",
                r"Their sensitivity is $2$, as an equality. In the formulas $a_1$ and $a_2$ are the changes of two "
                r"counts, and $C$ is the largest change of the counts of one set of $m$ cells, over tables of $n$ "
                r"records: of two attributes, and of three binary ones.",
                one_record_moves(
                    "one_record", r"A record leaves one cell and enters one: two counts change by $1$, or none does."
                ),
                *(
                    related(
                        name,
                        text,
                        "the largest change of the joint counts of all attributes, over all tables of a shape",
                        eq(_sensitivity, 2),
                        cases,
                        mutant=eq(_sensitivity, 1),
                        parameters=(_cells, _rows),
                        lines=r"\max_{D, D'} \lVert c(D) - c(D') \rVert_1 &= 2",
                    )
                    for name, text, cases in (
                        (
                            "one_set_enumerated",
                            r"Over all tables of two attributes with $m$ cells and up to six records the largest "
                            r"change is $2$.",
                            _two_attributes(),
                        ),
                        (
                            "three_attributes_enumerated",
                            r"In the same way over tables of three binary attributes:",
                            _three_attributes(),
                        ),
                    )
                ),
            ),
            derived(
                Role.AMENDED,
                "the counts of all sets, with the scale of Theorem 3.4 in every proof",
                r"The loss is at most $\varepsilon$. It is $\varepsilon$ for two records that differ in every "
                r"attribute, so that no smaller scale suffices. In the formulas $t_i$ and $T$ are the changes of the "
                r"counts of one set and of all sets, and $C_K$ is the largest change of all counts for up to four "
                r"binary attributes.",
                *noisy_sets(
                    "counts",
                    (r"All $K$ sets together:", r"With the printed scale:"),
                    sets,
                    2,
                    _printed_scale,
                    epsilon,
                    r"T \Big/ \frac{2K}{\varepsilon} &\le \varepsilon",
                ),
                related(
                    "sets_enumerated",
                    r"The change is attained in all small cases, and with it the loss.",
                    "the largest change of the counts of all sets of k + 1 binary attributes",
                    eq(_together, 2 * sets),
                    _cases(_together, bounded_pairs),
                    mutant=eq(_together, sets),
                    parameters=(sets,),
                    lines=r"\max_{D, D'} \sum_{\mathcal{A}'} \lVert c(D) - c(D') \rVert_1 &= 2K",
                ),
            ),
            derived(
                Role.READING,
                "adding or removing a record",
                r"Then the counts of one set change by $1$. The loss of the counts is $\frac{\varepsilon}{2}$, if "
                r"nothing else tells the number of records. In the formulas $t_i$ and $T$ are the changes of one set "
                r"and of all sets, and $A_K$ is the largest change of all counts for up to four binary attributes.",
                related(
                    "one_more_enumerated",
                    r"All sets together change by $K$.",
                    "the change of the counts of all sets of k + 1 binary attributes by one more record",
                    eq(_added, sets),
                    _cases(_added, unbounded_pairs),
                    mutant=eq(_added, 2 * sets),
                    parameters=(sets,),
                    lines=r"\max_{D, D'} \sum_{\mathcal{A}'} \lVert c(D) - c(D') \rVert_1 &= K",
                ),
                *noisy_sets(
                    "one_more",
                    (r"So for any number of sets:", r"So half of the budget is used."),
                    sets,
                    1,
                    _printed_scale,
                    epsilon / 2,
                    r"T \Big/ \frac{2K}{\varepsilon} &\le \tfrac{\varepsilon}{2}",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the scale in the proof of Theorem 3.5",
                r"The noise of this theorem has the scale $\frac{K}{\varepsilon}$, half of that of Theorem 3.4. With "
                r"it the loss is $2\varepsilon$ for bounded adjacency. The orders of growth of Theorem 3.5 "
                r"are the same for both.",
                counterexample(
                    "half_scale",
                    r"A change of $2K$ over the scale $\frac K\varepsilon$ is the loss:",
                    le(2 * sets / _later_scale, epsilon),
                    {sets: 3, epsilon: 1},
                ),
            ),
        ),
        uses=("density.laplace_mechanism", "thesis.post_processing", "thesis.sequential_composition"),
        in_words=(
            (
                "loss_of_counts",
                "All counts together are one vector with independent noise, so that the claim on the Laplace mechanism "
                "applies. The analyst's sums, and the structure and the parameters that follow, are post-processing.",
            ),
        ),
        remark=r"The proof writes $\varepsilon$ for the budget $\varepsilon'$ of one set in the scale of its noise.",
    )


def _two_attributes() -> list[dict[sp.Symbol, int]]:
    return [
        {_sensitivity: largest_move(shape, rows), _cells: prod(shape), _rows: rows}
        for shape in _SHAPES
        for rows in range(1, 7)
    ]


def _three_attributes() -> list[dict[sp.Symbol, int]]:
    return [
        {_sensitivity: largest_change((2, 2, 2), rows, [(0, 1, 2)]), _cells: 8, _rows: rows} for rows in range(1, 4)
    ]


def _cases(found: sp.Symbol, pairs: Pairs) -> Iterator[dict[sp.Symbol, int]]:
    for attributes, degree, rows in _ALL:
        families = list(combinations(range(attributes), degree + 1))
        near = pairs(all_records((2,) * attributes), rows)
        yield {found: max(change(one, other, families) for one, other in near), sets: len(families)}


CLAIMS = {"bayesnet.sufficient_statistics_privacy": sufficient_statistics_privacy}
