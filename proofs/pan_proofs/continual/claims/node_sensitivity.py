"""Lemma 3.5: the l2 sensitivity of the nodes of the binary tree of truncated existence vectors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import sympy as sp

from pan_proofs.continual.dyadic_tree import levels, squared_distance
from pan_proofs.continual.flippancy import truncated
from pan_proofs.continual.pair_machines import both, cost_of_node, one_at_most, truncated_pairs
from pan_proofs.continual.streams import existence
from pan_proofs.continual.truncation_steps import few_rises, level_sum
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, lt
from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import Word
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated, lemma

_flips, _rises = sp.symbols("w r", positive=True)
_height, _log = sp.symbols("L l", nonnegative=True)
_square = sp.Symbol("S", nonnegative=True)
_AS_MANY = (sp.Ge(_rises, 1), sp.Le(_rises, _flips))

SENSITIVITIES = {
    ("item", 1): (1, 2, 9, 14),
    ("item", 2): (1, 2, 9, 16),
    ("item", 3): (1, 2, 5, 18),
    ("event", 1): (1, 2, 5, 12, 17),
    ("event", 2): (1, 2, 5, 14, 21),
    ("event", 3): (1, 2, 5, 14, 25),
}
"""The squared sensitivity for T = 1, 2, 4, ... by kind of neighbours and bound on the flippancy."""


def tree(kind: str, bound: int) -> TreeSum:
    """The squared differences over the nodes for two neighbouring streams of one element."""
    return TreeSum(truncated_pairs(bound, events=kind == "event"), cost_of_node)


def distance(word: Word, bound: int) -> int:
    """The squared distance of the nodes of two streams, from the definitions."""
    one, other = (truncated(existence(stream, 0), bound) for stream in both(word))
    return squared_distance(one, other)


def node_sensitivity() -> Claim:
    """The printed constant, the derivation with its own, and the exact sensitivity of small trees."""
    return Claim(
        id="turnstile.node_sensitivity",
        title="The sensitivity of the nodes of the tree",
        references=(
            Reference(
                "turnstile", "Lemma 3.5, section 3.1", r"the formula is lost and read as $\sqrt{8 w (\log_2 T + 1)}$"
            ),
        ),
        statement=r"Let $G(x)$ hold, for each node $(a, b]$ of the binary tree with $T$ leaves, the number "
        r"$\sum_u (\tilde f_u[b] - \tilde f_u[a])$ for the truncated existence vectors of Algorithm 1, with "
        r"$\tilde f_u[0] = 0$. For all item-neighbours $x, x'$: "
        r"$\lVert G(x) - G(x') \rVert_2 \le \sqrt{8 w (\log_2 T + 1)}$.",
        notation=(
            (r"$\mathrm{rises}$", "number of rises of a truncated vector, the one from $0$ included"),
            (r"$v$; $\delta_v$, $\delta'_v$", "a node of a level; values of the node for two neighbours"),
            ("$S$", "squared sensitivity"),
        ),
        hypotheses=(r"$w \ge 1$ is a whole number",),
        in_words=(
            (
                "one_level",
                "the vectors that are read at the ends of the nodes are words, and so the bound on their rises holds "
                "for trees of every size",
            ),
            ("root", "the terms of all elements but one are the same for item-neighbours"),
        ),
        silent=(
            r"the constant is forced by the noise: with variance $1/\rho'$ at each node, $\rho' = \rho / (4 w (\log_2 "
            r"T + 1))$ gives $\rho$-zCDP exactly for the squared sensitivity $8 w (\log_2 T + 1)$",
            r"the listing of Algorithm 1 is lost: $\tilde f_u[t]$ is $f_u(x)[t]$ while the flippancy of $u$ in the "
            r"first $t$ entries is at most $w$, and $0$ from then on",
            r"event-neighbours are item-neighbours, so that the bound covers them",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "T a power of 2",
                r"For all item-neighbours $\lVert G(x) - G(x') \rVert_2^2 \le (8 \lfloor w/2 \rfloor + 6) \log_2 T + "
                r"1$, which is less than $8 w (\log_2 T + 1)$. The steps of the printed proof have an "
                r"entry of their own.",
                (*few_rises(), *level_sum(), root(), *constants()),
                formal=symbolic(
                    lt((8 * _rises - 2) * _height + 1, 8 * _flips * (_height + 1)),
                    given=(sp.Ge(_rises, 1), sp.Le(_rises, _flips)),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "T no power of 2",
                r"With $2^{\lceil \log_2 T \rceil}$ leaves the bound $8 w (\log_2 T + 1)$ holds as well.",
                (padded(),),
                formal=symbolic(
                    lt((8 * _rises - 2) * _height + 1, 8 * _flips * (_log + 1)),
                    given=(*_AS_MANY, sp.Le(_height, _log + 1)),
                ),
            ),
            Part(
                Role.READING,
                "the constant is attained",
                r"The constant is not attained: the squared sensitivity is below $8 w (\log_2 T + 1)$ for all $w$ and "
                r"$T$. For small trees it is computed exactly.",
                (*exact(), replace(constants()[2], name="never_attained")),
                formal=symbolic(lt((8 * _rises - 2) * _height + 1, 8 * _flips * (_height + 1)), given=_AS_MANY),
                holds=False,
                departs=r"$\lVert G(x) - G(x') \rVert_2 \le \sqrt{8 w (\log_2 T + 1)}$",
            ),
        ),
    )


def root() -> Step:
    """One node over all entries."""
    return enumerated(
        "root",
        r"Streams of item-neighbours differ in one element, and the terms of the others cancel. The root covers all "
        r"entries: its values are $\tilde f[T]$ and $\tilde f'[T]$, so that it adds at most $1$.",
        "the last bits of two vectors: the square of their difference is at most 1",
        [(one, other) for one in (0, 1) for other in (0, 1)],
        lambda pair: (pair[0] - pair[1]) ** 2 <= 1,
        mutant=lambda pair: (pair[0] - pair[1]) ** 2 == 0,
    )


def constants() -> Steps:
    """From the bound on a level to the printed one."""
    return (
        compared(
            "one_flip",
            r"For $w = 1$: $r = \lfloor 1/2 \rfloor + 1 = 1$.",
            eq(sp.floor(sp.Rational(1, 2)) + 1, 1),
            lines=r"r &= w = 1",
        ),
        at_most(
            "rises_below_flips",
            r"For $w \ge 2$: $2 r \le w + 2 \le 2 w$. So $r \le w$ for all $w \ge 1$.",
            Inequality(
                "node_sensitivity.rises",
                _rises,
                _flips,
                (sp.Ge(_flips, 2), sp.Le(2 * _rises, _flips + 2)),
            ),
        ),
        at_most(
            "printed_constant",
            r"Let $L = \log_2 T$. Each of the $L$ levels below the root adds at most $8 r - 2$. The printed bound "
            r"exceeds the sum by at least $2 L + 8 w - 1 > 0$.",
            Inequality(
                "node_sensitivity.constant",
                2 * _height + 8 * _flips - 1,
                8 * _flips * (_height + 1) - ((8 * _rises - 2) * _height + 1),
                (sp.Ge(_rises, 1), sp.Le(_rises, _flips)),
            ),
            lines=r"(8 r - 2) L + 1 &\le 8 w (L + 1) - (2 L + 8 w - 1)",
        ),
    )


def padded() -> Step:
    """One level more than log T + 1."""
    return at_most(
        "padded_constant",
        r"The entries after $T$ keep the last value or are $0$: no rise is added, and the bounds above hold. The tree "
        r"has $L = \lceil \log_2 T \rceil < l + 1$ levels below the root, $l = \log_2 T$. The printed bound exceeds "
        r"the sum by at least $2 l + 1 > 0$.",
        Inequality(
            "node_sensitivity.padded",
            2 * _log + 1,
            8 * _flips * (_log + 1) - ((8 * _rises - 2) * _height + 1),
            (sp.Ge(_rises, 1), sp.Le(_rises, _flips), sp.Le(_height, _log + 1)),
        ),
        lines=r"(8 r - 2) L + 1 &\le 8 w (l + 1) - (2 l + 1)",
    )


def exact() -> Steps:
    """Dynamic programming over the tree, and all pairs of streams of up to four entries."""
    return (
        *(
            lemma(
                f"exact_{kind}_{bound}",
                rf"The squared sensitivity for {kind}-neighbours and $w = {bound}$ is "
                rf"${', '.join(map(str, stated))}$ for "
                rf"$T = {', '.join(str(2**level) for level in range(len(stated)))}$.",
                greatest_tree_sum(
                    f"node_sensitivity.{kind}.{bound}",
                    f"the greatest squared distance of the nodes, {kind}-neighbours, w = {bound}",
                    tree(kind, bound),
                    stated,
                    by_definition=partial(distance, bound=bound),
                    up_to=2,
                    allowed=one_at_most if kind == "event" else lambda word: True,
                ),
            )
            for (kind, bound), stated in SENSITIVITIES.items()
        ),
        counterexample(
            "not_attained",
            r"For $T = 4$ and $w = 1$ the squared sensitivity is $9$, for the stream of a no-op, an insertion, a "
            r"deletion and an insertion, and for the last insertion alone. The bound is $24$.",
            ge(_square, 8 * _flips * (_height + 1)),
            {_square: lambda: tree("item", 1).greatest(2), _flips: sp.Integer(1), _height: lambda: len(levels(4)) - 1},
        ),
        enumerated(
            "padded_streams",
            r"For $T = 3$ and $T = 5$ the tree has $4$ and $8$ leaves.",
            "pairs of item-neighbours of one element with 3 or 5 entries, w = 1, 2: the squared distance is at most 12 "
            "and at most 8 w (log2 T + 1)",
            _padded_cases(),
            _within,
            mutant=lambda case: distance(*case) <= 11,
        ),
    )


def _within(case: tuple[Word, int]) -> bool:
    """Whether the squared distance is at most 12 and the printed bound, whose logarithm is brought to a power."""
    found, (word, bound) = distance(*case), case
    return found <= 12 and 2 ** max(0, found - 8 * bound) <= len(word) ** (8 * bound)


def _padded_cases() -> list[tuple[Word, int]]:
    machine = truncated_pairs(1, events=False)
    return [(word, bound) for length in (3, 5) for word in machine.words(length) for bound in (1, 2)]


CLAIMS = {"turnstile.node_sensitivity": node_sensitivity}
