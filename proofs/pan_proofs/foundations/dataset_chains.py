"""Chains of adjacent datasets between two datasets at a distance, and what each link costs."""

from __future__ import annotations

from itertools import pairwise, product

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.finite_mechanisms import changes, datasets, distance, links
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import at_most, computed

power = sp.Symbol("X", real=True)
"""``exp(j epsilon)`` after j links of the chain."""

_VALUES = (1, 2, 3)
_MOST = 4


def chain() -> tuple[Step, ...]:
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
        lines=(r"|h - 1 - h'| &\le |h - h'| - 1",),
    )
    above = at_most(
        "not_two_steps",
        r"and not by more. If $h < h'$, the same is done by adding a record.",
        Inequality("group_privacy.not_two_steps", before, moved, apart, touching=at),
        lines=(r"|h - h'| - 1 &\le |h - 1 - h'|",),
    )
    pairs = list(product(datasets(_VALUES, _MOST), repeat=2))
    found = [(distance(one, other), links(one, other)) for one, other in pairs]
    return (
        below,
        above,
        computed(
            "chains_enumerated",
            r"So a chain $D = D_0, D_1, \ldots, D_j = D'$ of adjacent datasets has as many links as the distance, "
            r"$j \le k$.",
            f"{len(pairs)} pairs of datasets of up to {_MOST} records with {len(_VALUES)} values: every link at "
            f"distance "
            "1, as many links as the distance",
            all(
                len(made) == apart_by + 1 and all(distance(*link) == 1 for link in pairwise(made))
                for apart_by, made in found
            ),
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
        lines=(r"P \le XH,\ H \le xQ &\implies P \le Xx\,Q",),
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
        lines=(r"e^{j\varepsilon} Q &\le e^{(j+1)\varepsilon} Q",),
    )


def equal_sizes() -> tuple[Step, ...]:
    """Pairs of one removal and one addition."""
    surplus, missing, less, more = sp.symbols("h g hprime gprime", real=True)
    pairs = [pair for size in range(_MOST + 1) for pair in product(datasets(_VALUES, size, size), repeat=2)]
    found = [(distance(one, other), changes(one, other)) for one, other in pairs]
    return (
        at_most(
            "one_change_closer",
            r"With equal sizes there are as many records too many as are missing. If $h \ge h' + 1$ and "
            r"$g \le g' - 1$ for two values, changing a record from the one to the other lowers the distance by two,",
            Inequality(
                "group_privacy.one_change_closer",
                sp.Abs(surplus - 1 - less) + sp.Abs(missing + 1 - more),
                sp.Abs(surplus - less) + sp.Abs(missing - more) - 2,
                (less >= 0, missing >= 0, surplus >= less + 1, more >= missing + 1),
                touching={surplus: 1, less: 0, missing: 0, more: 1},
            ),
            lines=(r"|h - 1 - h'| + |g + 1 - g'| &\le |h - h'| + |g - g'| - 2",),
        ),
        computed(
            "changes_enumerated",
            r"so that a distance of $2j$ takes $j$ changes.",
            f"{len(pairs)} pairs of datasets of one size up to {_MOST} with {len(_VALUES)} values: each link one "
            f"change, "
            "twice the number of links is the distance",
            all(
                2 * (len(made) - 1) == apart
                and all(distance(*link) == 2 and len(link[0]) == len(link[1]) for link in pairwise(made))
                for apart, made in found
            ),
        ),
        induction("induction_changes", r"Each change costs a factor $x$, by the same induction."),
    )


def by_formula() -> tuple[Step, ...]:
    """Two links of the chain at a time."""
    pairs = list(product(datasets(_VALUES, _MOST), repeat=2))
    chains = [links(one, other) for one, other in pairs]
    leaps = [[*made[:-1:2], made[-1]] for made in chains]
    return (
        computed(
            "links_in_pairs",
            r"Two neighbouring links of the chain above lead to a distance of at most $2$, so that "
            r"$\lceil \frac k2 \rceil$ steps between adjacent datasets are enough.",
            f"{len(pairs)} pairs of datasets of up to {_MOST} records: every second member of the chain",
            all(
                2 * (len(leap) - 1) <= distance(leap[0], leap[-1]) + 1
                and all(distance(*step) <= 2 for step in pairwise(leap))
                for leap in leaps
            ),
        ),
        induction("induction_pairs", r"Each of these steps costs a factor $x$."),
    )
