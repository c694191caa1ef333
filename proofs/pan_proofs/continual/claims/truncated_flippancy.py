"""The proof of Lemma 3.5: what is said of the truncated vectors and of the nodes that differ."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.dyadic_tree import differing_nodes, levels, padded_length
from pan_proofs.continual.flippancy import flips, truncated
from pan_proofs.continual.formulas import bound as bound_
from pan_proofs.continual.streams import Bits, existence, of_one_element
from pan_proofs.continual.truncated_formulas import (
    CUT,
    ONE_CUT,
    OTHER_CUT,
    TWO_CUTS,
    cut_at,
    differing_leaves,
    is_truncated,
    kept_flips,
    last_value_kept,
    one_vector,
    other_kept_flips,
    truncated_changes,
    truncated_flips,
    truncated_rises,
    two_vectors,
    two_vectors_cut_after,
)
from pan_proofs.continual.truncation_steps import (
    BOUNDS,
    differing,
    few_nodes,
    few_rises,
    largest,
    most_changes,
    most_rises,
    vectors,
)
from pan_proofs.engines.quantities import one_of
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.engines.word_sums import bounded_sums, broken_by
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated, lemma, related

_found, _bound = sp.symbols("F w", integer=True)
_height = sp.Symbol("L", integer=True, positive=True)
_entries = sp.Symbol("T", integer=True, positive=True)
_ONE, _TWO, _KEPT = one_vector(), two_vectors(), last_value_kept()
_CUT_AFTER = (two_vectors_cut_after(0), two_vectors_cut_after(1))
"""For even and for odd bounds."""
_NO_MORE = le(truncated_flips, bound_)
_FEW_LEAVES = le(differing_leaves, 2 * bound_)
_LEVELS = le(_height, sp.log(_entries) / sp.log(2) + 1)
_LEAST_TREE = (
    le(_entries, 2 ** (_height - 1)),
    gt(_entries, 2 ** (_height - 2)),
)
_MORE_FLIPS = (
    le(truncated_flips, kept_flips + 1),
    le(2 * truncated_rises, kept_flips + 2),
    le(truncated_changes, 2 * truncated_rises),
)


def vector(*signs: int) -> Bits:
    """The existence vector of a stream of one element."""
    return existence(of_one_element(signs), 0)


def frozen(bits: Bits, bound: int) -> Bits:
    """Another reading of Algorithm 1: after too many flips an entry keeps the last value that was kept."""
    kept = [bit for place, bit in enumerate(bits) if flips(bits[: place + 1]) <= bound]
    return (*kept, *(kept[-1:] * (len(bits) - len(kept))))


def truncated_flippancy() -> Claim:
    """The flippancy of truncated vectors, the nodes that differ, and the number of levels."""
    return Claim(
        id="turnstile.truncated_flippancy",
        title="The flippancy of truncated vectors",
        references=(Reference("turnstile", "proof of Lemma 3.5, section 3.1", "the formulas are lost"),),
        statement=r"By the design of Algorithm 1 the flippancy of $\tilde f_u$ is at most $w$. Hence on each level of "
        r"the tree at most $2 w$ nodes differ between item-neighbours. Without loss of generality $T$ is a power of "
        r"$2$: otherwise $2^{\lceil \log_2 T \rceil}$ takes its place, and the tree has $\log_2 T + 1$ levels.",
        notation=(
            (r"$\mathrm{rises}$", "number of rises of a truncated vector, the one from $0$ included"),
            (r"$v$; $\delta_v$, $\delta'_v$", "a node of a level; values of the node for two neighbours"),
        ),
        hypotheses=(r"$w \ge 1$ is a whole number",),
        silent=(
            r"$\tilde f_u[t]$ is $f_u(x)[t]$ while the flippancy of $u$ in the first $t$ entries is at most $w$, and "
            r"$0$ from then on; $\tilde f_u[0] = 0$. The listing of Algorithm 1 is lost",
            r"in the formulas $x_i$ and $y_i$ are the entries of existence vectors of the element in which two "
            r"neighbours differ, and $g_i$ and $h_i$ are $1$ from the cut on: the truncated vectors have the entries "
            r"$x_i (1 - g_i)$ and $y_i (1 - h_i)$. $K_1$ and $K_2$ are the flips before the cut, and $G_1$ and $G_2$ "
            r"are $1$ if there is one. Of the truncated vector $F$ is the flippancy, and $R$ and $C$ are the rises and "
            r"the changes from $0$ on; $N$ is the number of leaves that differ",
            r"the lost numbers are read as $w$, $2 w$ and $\log_2 T + 1$, as the constant of the lemma forces",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "the cut is a flip itself",
                r"The flippancy of $\tilde f_u$ can be $w + 1$, and more than $2 w$ nodes of a level can differ.",
                cut_counts(),
                formal=(
                    *about(_ONE, _NO_MORE, given=CUT, refuted=True),
                    *about(_TWO, _FEW_LEAVES, given=(*CUT, *OTHER_CUT), refuted=True),
                ),
            ),
            Part(
                Role.AMENDED,
                "one more flip",
                r"The flippancy of $\tilde f_u$ is at most $w + 1$. From $\tilde f_u[0] = 0$ on it has at most twice "
                r"as many changes as rises, and twice its rises are at most $w + 2$.",
                one_more_flip(),
                formal=(
                    *about(_ONE, le(truncated_flips, bound_ + 1), given=CUT[:1]),
                    *about(_ONE, le(2 * truncated_rises, bound_ + 2), given=CUT[:1]),
                    *about(_ONE, _MORE_FLIPS[2]),
                ),
            ),
            Part(
                Role.AMENDED,
                "nodes and levels",
                r"From $\tilde f_u[0] = 0$ on there are at most $2 r$ changes, $r = \lfloor w/2 \rfloor + 1$. On each "
                r"level at most $2 w + 2$ nodes differ. The tree has $\lceil \log_2 T \rceil + 1$ levels. Lemma 3.5 "
                r"holds with its constant, by other steps. In the formulas, first for even $w$ and then for odd $w$, "
                r"$c_i$ and $d_i$ are the first entries of the two vectors, and $c_0 = d_0 = 2$ tells that there is "
                r"none yet. A vector is cut only after a number of flips that is even, or odd, as $w$ is.",
                (*few_rises(), *instead()),
                formal=tuple(
                    text
                    for parity, words in enumerate(_CUT_AFTER)
                    for text in about(
                        words,
                        le(truncated_changes, bound_ + 2 - parity),
                        le(differing_leaves, 2 * bound_ + 2),
                        given=(CUT[0], OTHER_CUT[0]),
                    )
                ),
            ),
            Part(
                Role.READING,
                "the number of levels for T itself, no power of 2",
                r"If the next power of $2$ takes the place of $T$ in the tree and not in the noise, the tree has more "
                r"than $\log_2 T + 1$ levels.",
                more_levels(),
                formal=symbolic(_LEVELS, given=_LEAST_TREE, refuted=True),
                holds=False,
            ),
            Part(
                Role.READING,
                "flippancy with the change at the first entry",
                r"If a change at the first entry counts as a flip, for the cut too, the statement is false for odd "
                r"$w$: of $w = 1$ to $6$ the most changes of the truncated vectors of $8$ entries are $F_0 = w + 1$ "
                r"for $w = 1, 3, 5$, and $F_0 = w$ for the others.",
                from_zero(),
                formal=tuple(
                    text
                    for parity in (1, 0)
                    for text in symbolic(eq(_most_changes, _bound + parity), given=(one_of(_of_parity(parity)),))
                ),
                holds=False,
            ),
            Part(
                Role.READING,
                "the last value is kept",
                r"If $\tilde f_u$ keeps its last value in place of $0$, its flippancy is at most $w$.",
                kept_value(),
                formal=about(_KEPT, _NO_MORE, given=CUT[:1]),
            ),
        ),
        uses=("turnstile.node_sensitivity",),
    )


def cut_counts() -> Steps:
    """Three entries, and four leaves."""
    one, other = vector(1, -1, 1, -1), vector(0, 0, 1, -1)
    return (
        counterexample(
            "flips",
            r"A no-op, an insertion and a deletion, $w = 1$: the existence vector is $0, 1, 0$. The flippancy exceeds "
            r"$1$ at the third entry, and $\tilde f_u$ is $0, 1, 0$ as well.",
            le(_found, _bound),
            {_found: lambda: flips(truncated(vector(0, 1, -1), 1)), _bound: sp.Integer(1)},
        ),
        counterexample(
            "nodes",
            r"Two insertions and deletions in turn, and the last two entries alone, $w = 1$: the truncated vectors are "
            r"$1, 0, 0, 0$ and $0, 0, 1, 0$. All four leaves differ.",
            le(_found, 2 * _bound),
            {
                _found: lambda: differing_nodes(truncated(one, 1), truncated(other, 1))[0],
                _bound: sp.Integer(1),
            },
        ),
        lemma(
            "flips_and_nodes_by_sums",
            r"The sums over these vectors give the same.",
            (
                broken_by(
                    "truncated_flippancy.flips",
                    _NO_MORE,
                    _ONE,
                    ((0, 1, 0), cut_at((0, 1, 0), 1)),
                    by_definition=ONE_CUT,
                    values={bound_: 1},
                    hypotheses=CUT,
                ),
                broken_by(
                    "truncated_flippancy.leaves",
                    _FEW_LEAVES,
                    _TWO,
                    (one, cut_at(one, 1), other, cut_at(other, 1)),
                    by_definition=TWO_CUTS,
                    values={bound_: 1},
                    hypotheses=(*CUT, *OTHER_CUT),
                ),
            ),
            lines=(r"F = 2 &> w = 1", r"N = 4 &> 2 w = 2"),
        ),
        enumerated(
            "cut_exactly",
            r"A vector that is cut where its flips exceed $w$ is the truncated vector.",
            "w from 1 to 6, all vectors of 8 entries: the cut vector is that of Algorithm 1",
            [(bits, bound) for bound in BOUNDS for bits in vectors(8)],
            lambda case: is_truncated(*case),
            mutant=lambda case: truncated(*case) == case[0],
        ),
    )


def more_levels() -> Steps:
    """Three entries, four leaves, three levels."""
    return (
        counterexample(
            "three_entries",
            r"For $T = 3$ the tree has four leaves and three levels, and $\log_2 3 + 1 < 2.6$.",
            _LEVELS,
            {_height: lambda: len(levels(padded_length(3))), _entries: sp.Integer(3)},
            _LEAST_TREE,
        ),
    )


def one_more_flip() -> Steps:
    """The flippancy, the rises and the changes of a truncated vector, at every length and for every bound."""
    texts = (
        r"Before the cut $\tilde f_u$ flips where $f_u$ does, at most $w$ times. The cut adds one flip at most, and "
        r"none follows.",
        r"The truncated vector rises only while it follows the existence vector. Between two rises there are two "
        r"flips, and no flip comes before a rise at the first entry.",
        r"From $0$ on rises and falls alternate, a rise first: there are at most twice as many changes as rises.",
    )
    lines = (r"F &\le K_1 + 1", r"2 R &\le K_1 + 2", r"C &\le 2 R")
    return tuple(
        lemma(
            name,
            text,
            bounded_sums(f"truncated_flippancy.{name}", relation, _ONE, by_definition=ONE_CUT, up_to=6),
            lines=(line,),
        )
        for name, text, relation, line in zip(
            ("one_cut", "rises_of_cut", "falls_follow_rises"), texts, _MORE_FLIPS, lines, strict=True
        )
    )


def instead() -> Steps:
    """The changes of a truncated vector, nodes and levels."""
    return (
        enumerated(
            "changes_enumerated",
            r"By the definition of Algorithm 1, for all short vectors: at most $w + 1$ flips and $2 r$ changes, and "
            r"both numbers are attained.",
            "w from 1 to 6: the most flips and the most changes of the truncated vectors of up to 9 entries",
            BOUNDS,
            lambda bound: most_changes(bound) == 2 * most_rises(bound) and largest(bound, flips) == bound + 1,
            mutant=lambda bound: most_changes(bound) == bound + 1,
        ),
        few_nodes(),
        _few_by_sums(),
        enumerated(
            "nodes_enumerated",
            r"For pairs of short vectors the bound is attained.",
            "w = 1, 2, 3: the most nodes of one level at which two truncated vectors of 8 entries differ",
            (1, 2, 3),
            lambda bound: differing(bound, 8) == 2 * bound + 2,
            mutant=lambda bound: differing(bound, 8) <= 2 * bound,
        ),
        enumerated(
            "levels_enumerated",
            r"The least power of $2$ that is at least $T$ is $2^L$ with $L = \lceil \log_2 T \rceil$.",
            "T from 1 to 300: the tree has L + 1 levels, where 2^(L - 1) < T <= 2^L",
            range(1, 301),
            lambda length: (
                length <= 2 ** (len(levels(padded_length(length))) - 1)
                and (length == 1 or length > 2 ** (len(levels(padded_length(length))) - 2))
            ),
            mutant=lambda length: length == 2 ** (len(levels(padded_length(length))) - 1),
        ),
    )


def _few_by_sums() -> Step:
    """The changes and the leaves that differ, as sums, for cuts after an even and after an odd number of flips."""
    return lemma(
        "nodes_by_sums",
        r"The same holds for sums over the entries, at every length. With $e = 0$ for even and $e = 1$ for odd $w$:",
        [
            bounded_sums(f"truncated_flippancy.{name}.{parity}", relation, words, by_definition=TWO_CUTS, up_to=4)
            for parity, words in enumerate(_CUT_AFTER)
            for name, relation in (
                ("changes", le(truncated_changes, kept_flips + 2 - parity)),
                ("leaves", le(differing_leaves, kept_flips + other_kept_flips + 2)),
            )
        ],
        lines=(r"C &\le K_1 + 2 - e \le w + 2 - e", r"N &\le K_1 + K_2 + 2 \le 2 w + 2"),
    )


def from_zero() -> Steps:
    """The same with a vector that begins before the first entry."""

    def reached(bound: int) -> int:
        return max(flips(truncated((0, *bits), bound)) for bits in vectors(8))

    return (
        counterexample(
            "first_entry",
            r"An insertion and a deletion, $w = 1$: from $0$ on the vector changes twice, and so does the truncated "
            r"one.",
            le(_found, _bound),
            {_found: lambda: flips(truncated((0, *vector(1, -1)), 1)), _bound: sp.Integer(1)},
        ),
        *(
            related(
                name,
                text,
                "the most changes of the truncated vectors of 8 entries",
                eq(_most_changes, _bound + parity),
                [{**case, _most_changes: reached(int(case[_bound]))} for case in _of_parity(parity)],
                mutant=eq(_most_changes, _bound + 1 - parity),
                parameters=(_bound,),
            )
            for name, text, parity in (
                ("odd", r"For odd $w$ the vector is $1$ after $w$ changes, and the cut adds one.", 1),
                ("even", r"For even $w$ the vector is $0$ after $w$ changes, and the cut adds none.", 0),
            )
        ),
    )


_most_changes = sp.Symbol("F_0")


def _of_parity(parity: int) -> list[dict[sp.Symbol, int]]:
    return [{_bound: bound} for bound in BOUNDS if bound % 2 == parity]


def kept_value() -> Steps:
    """Nothing flips after the cut."""
    return (
        enumerated(
            "frozen",
            r"The flips are those before the cut, at most $w$.",
            "w from 1 to 6, all vectors of 8 entries: at most w flips if the last value is kept",
            [(bound, bits) for bound in BOUNDS for bits in vectors(8)],
            lambda case: flips(frozen(case[1], case[0])) <= case[0],
            mutant=lambda case: flips(truncated(case[1], case[0])) <= case[0],
        ),
        lemma(
            "frozen_by_sums",
            r"This holds at every length.",
            bounded_sums(
                "truncated_flippancy.frozen",
                le(truncated_flips, kept_flips),
                _KEPT,
                by_definition=ONE_CUT,
                up_to=6,
            ),
            lines=r"F &\le K_1 \le w",
        ),
    )


CLAIMS = {"turnstile.truncated_flippancy": truncated_flippancy}
