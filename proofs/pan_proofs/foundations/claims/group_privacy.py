"""Theorem 2.4 of the thesis: datasets at distance k."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.foundations.finite_mechanisms import (
    Dataset,
    Distribution,
    bounded_pairs,
    changes,
    datasets,
    distance,
    distribution_of_coins,
    joins,
    links,
    privacy_factor,
    probability,
)
from pan_proofs.foundations.sums_over_terms import chained_losses, stated_chained_losses
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import counterexample, enumerated, equal, found, implied

_VALUES = (1, 2, 3)
_MOST = 4


def _pairs(most: int, least: int = 0) -> Iterator[tuple[Dataset, Dataset]]:
    return product(datasets(_VALUES, most, least), datasets(_VALUES, most, least))


def by_changes(pair: tuple[Dataset, Dataset], cost: int) -> bool:
    """Whether a chain of changes joins a pair of one size, one change for each ``cost`` of the distance."""
    made, between = changes(*pair), distance(*pair)
    sizes = {len(one) for one in made}
    return between % cost == 0 and joins(made, pair, between // cost, apart=2) and len(sizes) == 1


def by_leaps(pair: tuple[Dataset, Dataset], twice: int) -> bool:
    """Whether every second member of the chain joins a pair in steps of at most 2, no more of them than ``twice/2``."""
    made = links(*pair)
    leaps = [*made[:-1:2], made[-1]]
    return (
        (leaps[0], leaps[-1]) == pair
        and 2 * (len(leaps) - 1) <= twice
        and all(distance(*leap) <= 2 for leap in pairwise(leaps))
    )


def chain() -> Steps:
    """One record moves the histogram one step closer."""
    count, other = sp.symbols("h hprime", real=True)
    moved, before = sp.Abs(count - 1 - other), sp.Abs(count - other) - 1
    apart = (other >= 0, count >= other + 1)
    below = implied(
        "one_step_closer",
        r"While the histograms differ, some entries $h$ and $h'$ differ. Let $h \ge h' + 1$. Removing a record of this "
        r"value from $D$ gives an adjacent dataset, whose distance from $D'$ is smaller by one,",
        le(moved, before),
        *apart,
    )
    above = implied(
        "not_two_steps",
        r"The distance is not smaller by more. If $h < h'$, the same is done by adding a record.",
        le(before, moved),
        *apart,
    )
    return (
        below,
        above,
        enumerated(
            "chains_enumerated",
            r"So a chain $D = D_0, D_1, \ldots, D_j = D'$ of adjacent datasets has as many links as the distance, "
            r"$j \le k$.",
            f"pairs of datasets of up to {_MOST} records with {len(_VALUES)} values: every link at distance 1, as many "
            "links as the distance",
            _pairs(_MOST),
            lambda pair: joins(links(*pair), pair, distance(*pair)),
            mutant=lambda pair: joins(links(*pair), pair, distance(*pair) - 1),
        ),
    )


_surplus, _missing, _less, _more = sp.symbols("h g hprime gprime", real=True)
_A_CHANGE = (_less >= 0, _missing >= 0, _surplus >= _less + 1, _more >= _missing + 1)


def _after_a_change() -> tuple[sp.Expr, sp.Expr]:
    """The parts of the distance from two values, after a change from the one to the other, and before it, less 2."""
    after = sp.Abs(_surplus - 1 - _less) + sp.Abs(_missing + 1 - _more)
    return after, sp.Abs(_surplus - _less) + sp.Abs(_missing - _more) - 2


def stated_one_change() -> tuple[str, ...]:
    """That one change lowers the distance by two, formally."""
    return symbolic(le(*_after_a_change()), given=_A_CHANGE)


def equal_sizes() -> Steps:
    """Pairs of one removal and one addition."""
    pairs = (pair for size in range(_MOST + 1) for pair in _pairs(size, size))
    return (
        implied(
            "one_change_closer",
            r"With equal sizes there are as many records too many as are missing. If $h \ge h' + 1$ and "
            r"$g \le g' - 1$ for two values, changing a record from the one to the other lowers the distance by two,",
            le(*_after_a_change()),
            *_A_CHANGE,
        ),
        enumerated(
            "changes_enumerated",
            r"So a distance of $2j$ takes $j$ changes.",
            f"pairs of datasets of one size up to {_MOST} with {len(_VALUES)} values: each link one change, twice the "
            "number of links is the distance",
            pairs,
            lambda pair: by_changes(pair, 2),
            mutant=lambda pair: by_changes(pair, 1),
        ),
    )


def by_formula() -> Steps:
    """Two links of the chain at a time."""
    return (
        enumerated(
            "links_in_pairs",
            r"Two neighbouring links of the chain above lead to a distance of at most $2$, so that "
            r"$\lceil \frac k2 \rceil$ steps between adjacent datasets are enough.",
            f"pairs of datasets of up to {_MOST} records: every second member of the chain",
            _pairs(_MOST),
            lambda pair: by_leaps(pair, distance(*pair) + 1),
            # Half of the distance, rounded down.
            mutant=lambda pair: by_leaps(pair, distance(*pair)),
        ),
    )


_one, _other = sp.symbols("P Pprime", nonnegative=True)
_k = sp.Symbol("k", positive=True, integer=True)
_unchanged = sp.Symbol("R")
"""The largest ratio of the probabilities of one output over changes of a record."""
_two, _other_two = sp.Symbol(r"P(\mathcal{A}(D) = 2)"), sp.Symbol(r"P(\mathcal{A}(D') = 2)")
_between = sp.Symbol("H", nonnegative=True)
_VALUES = (1, 2, 3)
_MOST = 4


def size(data: Dataset) -> Distribution:
    """The distribution of a mechanism that reports the number of records, without noise."""
    return distribution_of_coins(lambda: len(data))


def group_privacy() -> Claim:
    """The theorem for adding and removing records, and what is left of it for changing them."""
    return Claim(
        id="thesis.group_privacy",
        title="Group privacy",
        references=(Reference("thesis", "Theorem 2.4, section 2.1", "the proof is left to a textbook"),),
        statement=r"If $\mathcal{A}$ is $\varepsilon$-differentially private, then for all $D, D'$ whose histograms "
        r"have the $\ell_1$ distance at most $k$, and all $O$: $P(\mathcal{A}(D) \in O) \le e^{k\varepsilon} "
        r"P(\mathcal{A}(D') \in O)$.",
        notation=(
            (r"$\mathrm{ratio}$", "ratio of the probabilities of the output $n$"),
            ("$R$", "largest ratio when the value of a record changes"),
        ),
        hypotheses=(r"$\lVert\mathrm{hist}(D) - \mathrm{hist}(D')\rVert_1 \le k$", r"$\varepsilon \ge 0$"),
        silent=(
            "adjacent datasets differ by adding or removing one record (unbounded adjacency)",
            "every finite dataset is allowed as input, also those between $D$ and $D'$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "adding and removing records",
                r"The inequality of the theorem holds for unbounded adjacency and every $k$. "
                r"In the formulas $l_i$ is the loss of one link of a chain, and $L$ the sum; $P$, $H$ "
                r"and $P'$ are the probabilities of an event at the first, the last but one and the "
                r"last dataset of a chain.",
                (*chain(), every_link()),
                formal=(
                    *stated_chained_losses(epsilon),
                    *symbolic(
                        le(_one, sp.exp((_k + 1) * epsilon) * _other),
                        given=(_one <= sp.exp(_k * epsilon) * _between, _between <= sp.exp(epsilon) * _other),
                    ),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the bound is attained",
                r"Let $\mathcal{A}$ add to the number of records an integer $Z$ with "
                r"$P(Z = z) = \frac{x-1}{x+1}\,x^{-|z|}$, $x = e^{\varepsilon}$. It is $\varepsilon$-differentially "
                r"private, and for sizes that differ by $k$ the ratio $e^{k\varepsilon}$ occurs, for every $k$.",
                attained(),
                formal=_stated_attained(),
            ),
            Part(
                Role.READING,
                "changing the value of records, equal sizes",
                r"For bounded adjacency and datasets of equal size the distance is even, and a distance of at most $k$ "
                r"takes at most $\lfloor \frac k2 \rfloor$ changes. So the theorem holds, with "
                r"$\lfloor \frac k2 \rfloor\,\varepsilon$ for $k\varepsilon$.",
                (*equal_sizes(), every_link("every_change")),
                formal=(*stated_one_change(), *stated_chained_losses(epsilon, sp.floor(_k / 2))),
            ),
            Part(
                Role.READING,
                "changing the value of records, different sizes",
                r"For bounded adjacency and datasets of different sizes the theorem is false for every $k \ge 1$: no "
                r"chain of changes joins them.",
                different_sizes(),
                formal=symbolic(
                    eq(_unchanged, 1),
                    gt(_two, x**_k * _other_two),
                    given=(ge(x, 1),),
                ),
                holds=False,
                departs="adjacent datasets differ by adding or removing one record (unbounded adjacency)",
            ),
            Part(
                Role.READING,
                "bounded adjacency as the thesis' formula has it",
                r"If all pairs at distance at most $2$ are adjacent, whatever their sizes, the theorem holds, with "
                r"$\lceil \frac k2 \rceil\,\varepsilon$ for $k\varepsilon$.",
                (*by_formula(), every_link("every_pair_of_links")),
                formal=stated_chained_losses(epsilon, sp.ceiling(_k / 2)),
            ),
        ),
        remark=r"If $k$ records belong to one person, removing that person is a distance of $k$. Changing all $k$ "
        r"records is a distance of $2k$, and costs $k\varepsilon$ only under bounded adjacency.",
    )


def every_link(name: str = "every_link") -> Step:
    """All links of a chain at once, output by output or event by event."""
    return chained_losses(
        name,
        r"All links at once: let $\ell_i$ be the logarithm of the ratio of the probabilities of $O$ for the ends of "
        r"the $i$-th link, which is at most $\varepsilon$. The logarithm of the ratio for the ends of the chain is "
        r"their sum.",
        epsilon,
    )


def geometric(at: sp.Expr, centre: sp.Expr) -> sp.Expr:
    """Probability of an output of the number of records with two-sided geometric noise."""
    return (x - 1) / (x + 1) * x ** (-sp.Abs(at - centre))


def _stated_attained() -> tuple[str, ...]:
    """One record changes the exponent of the noise by at most one, and k records change a ratio by the k-th power."""
    place, records = sp.symbols("z n", real=True)
    change = sp.Abs(sp.Abs(place - records - 1) - sp.Abs(place - records))
    return (
        *symbolic(le(change, 1), given=(records >= 0,)),
        *symbolic(eq(sp.Symbol("ratio"), x**_k)),
    )


def attained() -> Steps:
    """Two-sided geometric noise on the number of records."""
    count = sp.Symbol("n", integer=True)
    number = sp.Symbol("j", positive=True, integer=True)
    above_one = sp.Symbol("y", positive=True)
    # The geometric series for 1/x = 1/(1 + y) < 1; the other side of 0 is its mirror image.
    tail = sp.summation((1 / (1 + above_one)) ** number, (number, 1, sp.oo))
    weight = geometric(count, count).subs(x, 1 + above_one)
    place, size_one = sp.symbols("z n", real=True)
    apart = sp.Abs(place - size_one - 1) - sp.Abs(place - size_one)
    return (
        equal(
            "geometric_mass",
            r"These are probabilities: with the geometric series on both sides of $0$,",
            "",
            weight * (1 + 2 * tail),
            sp.S.One,
            lines=r"\frac{x-1}{x+1} \left(1 + 2 \sum_{j=1}^{\infty} x^{-j}\right) &= 1",
        ),
        implied(
            "geometric_added",
            r"One record changes the size $n$ by one, and the exponent by at most one.",
            le(apart, sp.S.One),
            size_one >= 0,
        ),
        implied(
            "geometric_removed",
            r"The same holds in the other direction: the ratio of no output exceeds $x$.",
            le(-apart, sp.S.One),
            size_one >= 0,
        ),
        equal(
            "geometric_ratio",
            r"For sizes $n$ and $n + k$ the output $n$ has the ratio $e^{k\varepsilon}$.",
            "",
            lambda: geometric(count, count) / geometric(count, count + _k),
            x**_k,
            lines=r"\frac{P(\mathcal{A}(D) = n)}{P(\mathcal{A}(D') = n)} = \frac{x^{-|n-n|}}{x^{-|n-n-k|}} &= x^k",
        ),
    )


def different_sizes() -> Steps:
    """The number of records, without noise."""

    def chance(data: Dataset) -> Fraction:
        return probability(size(data), lambda reported: reported == 2)

    return (
        found(
            "size_is_private",
            r"Let $\mathcal{A}$ report the number of records, without noise. Changing a record does not change the "
            r"output: $\mathcal{A}$ is $0$-differentially private.",
            f"the largest ratio over bounded pairs of up to {_MOST} records with {len(_VALUES)} values",
            lambda: privacy_factor(size, bounded_pairs(_VALUES, _MOST)),
            Fraction(1),
            quantities=(_unchanged,),
            lines=r"\mathcal{A}(D) &= |D|",
        ),
        counterexample(
            "size_is_seen",
            r"Let $D$ have two records and $D'$ one of them: the distance is $1$, and "
            r"$e^{k\varepsilon} = 1$ for every $k$.",
            le(_two, x * _other_two),
            {_two: lambda: chance((1, 1)), _other_two: lambda: chance((1,)), x: sp.Integer(1)},
            (ge(x, 1),),
            free=(x,),
            lines=r"P(\mathcal{A}(D) = 2) = 1 &> e^{0} \cdot P(\mathcal{A}(D') = 2) = 0",
        ),
    )


CLAIMS = {"thesis.group_privacy": group_privacy}
