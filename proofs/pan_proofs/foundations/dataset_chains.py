"""Chains of adjacent datasets between two datasets at a distance, and what each link costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.foundations.finite_mechanisms import Dataset, changes, datasets, distance, links
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import at_most, enumerated

power = sp.Symbol("X", real=True)
"""``exp(j epsilon)`` after j links of the chain."""

_VALUES = (1, 2, 3)
_MOST = 4


def _pairs(most: int, least: int = 0) -> Iterator[tuple[Dataset, Dataset]]:
    return product(datasets(_VALUES, most, least), datasets(_VALUES, most, least))


def joins(made: Sequence[Dataset], ends: tuple[Dataset, Dataset], count: int, apart: int = 1) -> bool:
    """Whether a chain has the given ends and number of links, each of which is of the given length."""
    return (
        (made[0], made[-1]) == ends
        and len(made) == count + 1
        and all(distance(*link) == apart for link in pairwise(made))
    )


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
    at = {count: 1, other: 0}
    below = at_most(
        "one_step_closer",
        r"While the histograms differ, some entries $h$ and $h'$ differ. Let $h \ge h' + 1$. Removing a record of this "
        r"value from $D$ gives an adjacent dataset, whose distance from $D'$ is smaller by one,",
        Inequality("group_privacy.one_step_closer", moved, before, apart, touching=at),
        lines=r"|h - 1 - h'| &\le |h - h'| - 1",
    )
    above = at_most(
        "not_two_steps",
        r"The distance is not smaller by more. If $h < h'$, the same is done by adding a record.",
        Inequality("group_privacy.not_two_steps", before, moved, apart, touching=at),
        lines=r"|h - h'| - 1 &\le |h - 1 - h'|",
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


def induction(name: str = "induction", text: str = "", links: sp.Expr = x) -> Step:
    """One more link costs one more factor."""
    first, middle, last = sp.symbols("P H Q", real=True)
    return at_most(
        name,
        text
        or r"Let $P, H, Q$ be the probabilities of $O$ for $D_0, D_j, D_{j+1}$, $X = e^{j\varepsilon}$ and "
        r"$x = e^{\varepsilon}$. By induction,",
        Inequality(
            f"group_privacy.{name}",
            first,
            power * links * last,
            (x >= 1, power >= 1, last >= 0, middle >= 0, first <= power * middle, middle <= x * last),
            touching={first: 6, power: 2, x: 3, last: 1, middle: 3},
        ),
        lines=r"P \le XH,\ H \le xQ &\implies P \le Xx\,Q",
    )


def fewer_steps() -> Step:
    """A shorter chain has a smaller factor."""
    last = sp.Symbol("Q", real=True)
    return at_most(
        "fewer_links",
        r"If the chain has fewer than $k$ links, the bound is smaller still: $x \ge 1$.",
        Inequality(
            "group_privacy.fewer_links",
            power * last,
            power * x * last,
            (x >= 1, power >= 1, last >= 0),
            touching={power: 1, x: 1, last: 1},
        ),
        lines=r"e^{j\varepsilon} Q &\le e^{(j+1)\varepsilon} Q",
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
        at_most(
            "one_change_closer",
            r"With equal sizes there are as many records too many as are missing. If $h \ge h' + 1$ and "
            r"$g \le g' - 1$ for two values, changing a record from the one to the other lowers the distance by two,",
            Inequality(
                "group_privacy.one_change_closer",
                *_after_a_change(),
                _A_CHANGE,
                touching={_surplus: 1, _less: 0, _missing: 0, _more: 1},
            ),
            lines=r"|h - 1 - h'| + |g + 1 - g'| &\le |h - h'| + |g - g'| - 2",
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
        induction("induction_changes", r"Each change costs a factor $x$, by the same induction."),
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
        induction("induction_pairs", r"Each of these steps costs a factor $x$."),
    )
