"""Theorem 3.4 of the thesis: all joint counts of k + 1 attributes, with Laplace noise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, prod

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.foundations.finite_mechanisms import unbounded_pairs
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, related
from pan_proofs.tables.lemmas.information import largest_move
from pan_proofs.tables.lemmas.shares import (
    at_scale,
    equal_changes,
    one_record_moves,
    stated_equal_changes,
)
from pan_proofs.tables.lemmas.small_tables import all_records, change, largest_change

sets, _cells, _rows = sp.symbols("K m n", integer=True, positive=True)
_sensitivity, _together, _added, _ratio = sp.symbols("C C_K A_K ratio")
_printed_scale = 2 * sets / epsilon
_later_scale = sets / epsilon
_SHAPES = (((2, 2), 6), ((2, 3), 4), ((3, 3), 3))
"""Numbers of values of two attributes, with the largest number of records."""
_WIDER = ((2, 3), (3, 3), (3, 4))
"""Shapes of two attributes whose tables of up to six records are run, up to the order of the values."""
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
            (r"$\mathrm{ratio}$", "ratio of the densities of the noise for the largest change"),
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
            Part(
                Role.AMENDED,
                "the counts of all sets, with the scale of Theorem 3.4 in every proof",
                r"The loss is at most $\varepsilon$. It is $\varepsilon$ for two records that differ in every "
                r"attribute, so that no smaller scale suffices. In the formulas $t_i$ and $T$ are the changes of the "
                r"counts of one set and of all sets, $C_K$ is the largest change of all counts for up to four binary "
                r"attributes, and the ratio is "
                r"that of the densities for this change.",
                (
                    equal_changes("sets_together", r"All $r = K$ sets together, with $\Delta = 2$:"),
                    related(
                        "sets_enumerated",
                        r"It is attained in all small cases.",
                        "the largest change of the counts of all sets of k + 1 binary attributes",
                        eq(_together, 2 * sets),
                        _cases(),
                        mutant=eq(_together, sets),
                        parameters=(sets,),
                        lines=r"\max_{D, D'} \sum_{\mathcal{A}'} \lVert c(D) - c(D') \rVert_1 &= 2K",
                    ),
                    at_scale(
                        "loss_of_counts",
                        r"With the printed scale:",
                        2 * sets,
                        _printed_scale,
                        epsilon,
                        r"\exp\Bigl(2K \Big/ \frac{2K}{\varepsilon}\Bigr) &= e^{\varepsilon}",
                    ),
                ),
                formal=(
                    *stated_equal_changes(sp.Integer(2), sets),
                    *symbolic(
                        eq(_together, 2 * sets),
                        given=(sp.Or(*(eq(sets, size) for size in (1, 3, 6))),),
                    ),
                    *symbolic(eq(_ratio, sp.exp(epsilon))),
                ),
            ),
            Part(
                Role.READING,
                "adding or removing a record",
                r"Then the counts of one set change by $1$. The loss of the counts is $\frac{\varepsilon}{2}$, if "
                r"nothing else tells the number of records. In the formula $A_K$ is the largest change of all counts "
                r"for up to four binary attributes.",
                _one_more(),
                formal=(
                    *symbolic(
                        eq(_added, sets),
                        given=(sp.Or(*(eq(sets, size) for size in (1, 3, 6))),),
                    ),
                    *symbolic(eq(_ratio, sp.exp(epsilon / 2))),
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
    run = [
        {_sensitivity: largest_change(sizes, rows, [(0, 1)]), _cells: prod(sizes), _rows: rows}
        for sizes, most in _SHAPES
        for rows in range(1, most + 1)
    ]
    up_to_order = [
        {_sensitivity: largest_move(shape, rows), _cells: prod(shape), _rows: rows}
        for shape in ((2, 2), *_WIDER)
        for rows in range(1, 7)
    ]
    return run + up_to_order


def _three_attributes() -> list[dict[sp.Symbol, int]]:
    return [
        {_sensitivity: largest_change((2, 2, 2), rows, [(0, 1, 2)]), _cells: 8, _rows: rows} for rows in range(1, 4)
    ]


def _families(attributes: int, degree: int) -> list[tuple[int, ...]]:
    return list(combinations(range(attributes), degree + 1))


def _cases() -> Iterator[dict[sp.Symbol, int]]:
    for attributes, degree, rows in _ALL:
        found = largest_change((2,) * attributes, rows, _families(attributes, degree))
        yield {_together: found, sets: comb(attributes, degree + 1)}


def _one_more() -> Steps:
    kept, gained = sp.symbols("a_1 a_2", real=True)
    return (
        bounded(
            "one_count",
            r"One count of each set changes by $1$.",
            le(sp.Abs(kept) + sp.Abs(gained), sp.Integer(1)),
            (eq(kept, 0), le(sp.Abs(gained), 1)),
            r"|a_1| + |a_2| &\le 1",
        ),
        related(
            "one_more_enumerated",
            r"All sets together change by $K$.",
            "the change of the counts of all sets of k + 1 binary attributes by one more record",
            eq(_added, sets),
            (
                {
                    _added: max(
                        change(one, other, _families(attributes, degree))
                        for one, other in unbounded_pairs(all_records((2,) * attributes), rows)
                    ),
                    sets: comb(attributes, degree + 1),
                }
                for attributes, degree, rows in _ALL
            ),
            mutant=eq(_added, 2 * sets),
            parameters=(sets,),
            lines=r"\max_{D, D'} \sum_{\mathcal{A}'} \lVert c(D) - c(D') \rVert_1 &= K",
        ),
        at_scale(
            "loss_of_one_more",
            r"So half of the budget is used.",
            sets,
            _printed_scale,
            epsilon / 2,
            r"\exp\Bigl(K \Big/ \frac{2K}{\varepsilon}\Bigr) &= e^{\varepsilon/2}",
        ),
    )


CLAIMS = {"bayesnet.sufficient_statistics_privacy": sufficient_statistics_privacy}
