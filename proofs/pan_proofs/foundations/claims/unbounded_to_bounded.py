"""The end of section 2.1 of the thesis: changing a record is removing one and adding one."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.foundations.finite_mechanisms import Dataset, bounded_pairs, joins, links
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.notation import epsilon, scale
from pan_proofs.ledger.steps import enumerated, equal, implied

_one, _other = sp.symbols("P Pprime", nonnegative=True)
_between = sp.Symbol("H", nonnegative=True)
_VALUES = (1, 2, 3)
_MOST = 4


def histogram(data: Dataset) -> tuple[int, int]:
    """The two cells of the example: how many records have the value 1, and how many 2."""
    return data.count(1), data.count(2)


def unbounded_to_bounded() -> Claim:
    """The chain of two, and a mechanism for which it is exact."""
    return Claim(
        id="thesis.unbounded_to_bounded",
        title="From unbounded to bounded differential privacy",
        references=(Reference("thesis", "section 2.1, last paragraph"),),
        statement=r"If an algorithm is $\varepsilon$-differentially private for adding and removing a record, it is "
        r"$2\varepsilon$-differentially private for changing the value of one.",
        notation=(
            ("$c_i$", "change of the cell $i$"),
            (
                r"$\mathrm{ratio}_{\mathrm{unbounded}}$, $\mathrm{ratio}_{\mathrm{bounded}}$",
                "ratios for a record that is added, and for one that is changed",
            ),
        ),
        hypotheses=(r"$\varepsilon$-differential privacy for unbounded adjacency",),
        silent=("the dataset without the record is allowed as input",),
        parts=(
            Part(
                Role.PUBLISHED,
                "the chain of two",
                r"$P(\mathcal{A}(D) \in O) \le e^{2\varepsilon} P(\mathcal{A}(D') \in O)$ whenever $D'$ is $D$ with "
                r"one record changed; and also whenever the histograms are at distance at most $2$, which is the "
                r"formula of the thesis for bounded adjacency. "
                r"In the formula $P$, $H$ and $P'$ are the probabilities of an event for $D$, the "
                r"dataset between, and $D'$.",
                chain_of_two(),
                formal=symbolic(
                    le(_one, sp.exp(2 * epsilon) * _other),
                    given=(_one <= sp.exp(epsilon) * _between, _between <= sp.exp(epsilon) * _other),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the factor two is attained",
                r"A histogram with independent $\operatorname{Laplace}(0, \frac1\varepsilon)$ noise on each cell has "
                r"the loss $\varepsilon$ for unbounded and $2\varepsilon$ for bounded adjacency, both exactly.",
                histogram_steps(),
                formal=_stated_losses(),
            ),
        ),
        uses=("thesis.group_privacy", "density.laplace_mechanism"),
        remark=r"There is no converse: a mechanism that reports the number of records is $0$-differentially private "
        r"for bounded adjacency, and for unbounded adjacency for no $\varepsilon$.",
    )


def chain_of_two() -> Steps:
    """Group privacy with k = 2."""

    def by_way_of(pair: tuple[Dataset, Dataset], more: int) -> bool:
        made = links(*pair)
        return joins(made, pair, 2) and len(made[1]) == len(made[0]) + more

    return (
        enumerated(
            "two_links",
            r"Let $D_1$ be $D$ without the record that is changed. It is adjacent to $D$ and to $D'$.",
            f"pairs of up to {_MOST} records with {len(_VALUES)} values: a chain of two links by way of a dataset with "
            "one record less",
            bounded_pairs(_VALUES, _MOST),
            lambda pair: by_way_of(pair, -1),
            mutant=lambda pair: by_way_of(pair, 1),
            lines=r"D &\to D_1 \to D'",
        ),
        equal(
            "twice",
            r"With $P, H, P'$ for the probabilities of an event for $D, D_1, D'$: $P \le e^{\varepsilon} H$ and "
            r"$H \le e^{\varepsilon} P'$. The two factors multiply.",
            "",
            sp.Mul(sp.exp(epsilon), sp.exp(epsilon), evaluate=False),
            sp.exp(2 * epsilon),
            lines=r"e^{\varepsilon} e^{\varepsilon} &= e^{2\varepsilon}",
        ),
    )


def cell_ratio(first: int, second: int) -> sp.Expr:
    """Ratio of the densities of one cell at its count, for two counts."""
    at = sp.Integer(first)
    density, other = (sp.exp(-sp.Abs(at - count) / scale) / (2 * scale) for count in (first, second))
    return density / other


def loss_at_counts(one: Dataset, other: Dataset) -> sp.Expr:
    """Ratio of the joint densities at the first dataset's own histogram."""
    ratio = sp.Mul(*(cell_ratio(*counts) for counts in zip(histogram(one), histogram(other), strict=True)))
    return ratio.subs(scale, 1 / epsilon)


def _stated_losses() -> tuple[str, ...]:
    """The bounds of the losses for all outputs of two cells, and that they are reached."""
    seen, counts = sp.symbols("z_1 z_2", real=True), sp.symbols("n_1 n_2", real=True)
    changes = sp.symbols("c_1 c_2", real=True)
    cells = zip(seen, counts, changes, strict=True)
    loss = epsilon * sum(sp.Abs(place - count - change) - sp.Abs(place - count) for place, count, change in cells)
    small = tuple(le(sp.Abs(change), 1) for change in changes)
    single = sp.Or(*(sp.Eq(change, 0) for change in changes))
    return (
        *symbolic(le(loss, epsilon), given=(*small, single)),
        *symbolic(eq(sp.Symbol("ratio_unbounded"), sp.exp(epsilon))),
        *symbolic(le(loss, 2 * epsilon), given=small),
        *symbolic(eq(sp.Symbol("ratio_bounded"), sp.exp(2 * epsilon))),
    )


def histogram_steps() -> Steps:
    """One cell moves by one, or two cells."""
    first, second = sp.symbols("c_1 c_2", real=True)
    return (
        implied(
            "one_cell",
            r"Adding or removing a record moves one cell by one, so that the $\ell_1$ sensitivity is $1$ and the loss "
            r"at most $\varepsilon$ (Laplace mechanism). With $c_1, c_2$ for the changes of the cells,",
            le(sp.Abs(first) + sp.Abs(second), sp.S.One),
            (sp.Eq(first, 0) & (second <= 1) & (second >= -1)) | (sp.Eq(second, 0) & (first <= 1) & (first >= -1)),
        ),
        equal(
            "unbounded_loss",
            r"It is $\varepsilon$: let $D$ be a record with value $1$ and $D'$ empty. At the output $(1, 0)$ the "
            r"ratio is",
            "",
            lambda: loss_at_counts((1,), ()),
            sp.exp(epsilon),
            lines=r"\frac{e^{-\varepsilon|1-1|} \cdot e^{-\varepsilon|0-0|}}{e^{-\varepsilon|1-0|} \cdot "
            r"e^{-\varepsilon|0-0|}} &= e^{\varepsilon}",
        ),
        equal(
            "bounded_loss",
            r"Now let $D'$ be a record with value $2$: both cells move, and at the same output the ratio is",
            "",
            lambda: loss_at_counts((1,), (2,)),
            sp.exp(2 * epsilon),
            lines=r"\frac{e^{-\varepsilon|1-1|} \cdot e^{-\varepsilon|0-0|}}{e^{-\varepsilon|1-0|} \cdot "
            r"e^{-\varepsilon|0-1|}} &= e^{2\varepsilon}",
        ),
    )


CLAIMS = {"thesis.unbounded_to_bounded": unbounded_to_bounded}
