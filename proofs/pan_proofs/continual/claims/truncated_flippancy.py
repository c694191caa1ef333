"""The proof of Lemma 3.5: what is said of the truncated vectors and of the nodes that differ."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.dyadic_tree import differing_nodes, levels, padded_length
from pan_proofs.continual.flippancy import changes, flips, rises, truncated
from pan_proofs.continual.streams import Bits, existence, of_one_element
from pan_proofs.continual.truncation_steps import (
    BOUNDS,
    cut_machine,
    cut_well,
    differing,
    few_nodes,
    few_rises,
    followed,
    kept,
    largest,
    most_changes,
    most_rises,
    vectors,
)
from pan_proofs.engines.walks import Machine, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import counterexample, enumerated, lemma

_found, _bound, _levels, _length = sp.symbols("F w L T", integer=True)


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
        hypotheses=(r"$w \ge 1$ is a whole number",),
        silent=(
            r"$\tilde f_u[t]$ is $f_u(x)[t]$ while the flippancy of $u$ in the first $t$ entries is at most $w$, and "
            r"$0$ from then on; $\tilde f_u[0] = 0$. The listing of Algorithm 1 is lost",
            r"the lost numbers are read as $w$, $2 w$ and $\log_2 T + 1$, as the constant of the lemma forces",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "the cut is a flip itself",
                r"The flippancy of $\tilde f_u$ can be $w + 1$, and more than $2 w$ nodes of a level can differ.",
                cut_counts(),
            ),
            Part(
                Role.AMENDED,
                "one more flip",
                r"The flippancy of $\tilde f_u$ is at most $w + 1$. From $\tilde f_u[0] = 0$ on there are at most $2 "
                r"r$ changes, $r = \lfloor w/2 \rfloor + 1$. On each level at most $2 w + 2$ nodes differ. The tree "
                r"has $\lceil \log_2 T \rceil + 1$ levels. Lemma 3.5 holds with its constant, by other steps.",
                (*few_rises(), *instead()),
            ),
            Part(
                Role.READING,
                "the number of levels for T itself, no power of 2",
                r"If the next power of $2$ takes the place of $T$ in the tree and not in the noise, the tree has more "
                r"than $\log_2 T + 1$ levels.",
                more_levels(),
                holds=False,
            ),
            Part(
                Role.READING,
                "flippancy with the change at the first entry",
                r"If a change at the first entry counts as a flip, for the cut too, the statement is false for odd "
                r"$w$.",
                from_zero(),
                holds=False,
            ),
            Part(
                Role.READING,
                "the last value is kept",
                r"If $\tilde f_u$ keeps its last value in place of $0$, its flippancy is at most $w$.",
                kept_value(),
            ),
        ),
        uses=("turnstile.node_sensitivity",),
    )


def cut_counts() -> tuple[Step, ...]:
    """Three entries, and four leaves."""
    one, other = vector(1, -1, 1, -1), vector(0, 0, 1, -1)
    return (
        counterexample(
            "flips",
            r"A no-op, an insertion and a deletion, $w = 1$: the existence vector is $0, 1, 0$. The flippancy exceeds "
            r"$1$ at the third entry, and $\tilde f_u$ is $0, 1, 0$ as well.",
            sp.Le(_found, _bound, evaluate=False),
            {_found: lambda: flips(truncated(vector(0, 1, -1), 1)), _bound: sp.Integer(1)},
        ),
        counterexample(
            "nodes",
            r"Two insertions and deletions in turn, and the last two entries alone, $w = 1$: the truncated vectors are "
            r"$1, 0, 0, 0$ and $0, 0, 1, 0$. All four leaves differ.",
            sp.Le(_found, 2 * _bound, evaluate=False),
            {
                _found: lambda: differing_nodes(truncated(one, 1), truncated(other, 1))[0],
                _bound: sp.Integer(1),
            },
        ),
    )


def more_levels() -> tuple[Step, ...]:
    """Three entries, four leaves, three levels."""
    return (
        counterexample(
            "three_entries",
            r"For $T = 3$ the tree has four leaves and three levels, and $\log_2 3 + 1 < 2.6$.",
            sp.Le(_levels, sp.log(_length) / sp.log(2) + 1, evaluate=False),
            {_levels: lambda: len(levels(padded_length(3))), _length: sp.Integer(3)},
        ),
    )


def instead() -> tuple[Step, ...]:
    """The flippancy of a truncated vector, its changes, nodes and levels."""
    return (
        lemma(
            "one_cut",
            r"Before the cut $\tilde f_u$ flips where $f_u$ does, at most $w$ times. The cut adds one flip at most, "
            r"and none follows.",
            bounded_for_every_length(
                "truncated_flippancy.cut",
                "vectors that are cut at a flip: the flips of the truncated vector minus those before the cut are at "
                "most 1",
                cut_machine(lambda before, after, flip: int(before > after and not flip)),
                1,
                by_definition=lambda word: flips(followed(word)) - flips(kept(word)),
                allowed=cut_well,
                up_to=6,
            ),
            lines=(r"\mathrm{flip}(\tilde f_u) &\le w + 1",),
        ),
        lemma(
            "falls_follow_rises",
            r"From $0$ on rises and falls alternate, a rise first: there are at most twice as many changes as rises.",
            bounded_for_every_length(
                "truncated_flippancy.changes",
                "vectors: the changes from 0 minus twice the rises are at most 0",
                Machine(0, (0, 1), lambda last, bit: (bit, (bit != last) - 2 * (bit > last))),
                0,
                by_definition=lambda bits: changes(bits) - 2 * rises(bits),
                up_to=9,
            ),
        ),
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


def from_zero() -> tuple[Step, ...]:
    """The same with a vector that begins before the first entry."""

    def reached(bound: int) -> int:
        return max(flips(truncated((0, *bits), bound)) for bits in vectors(8))

    return (
        counterexample(
            "first_entry",
            r"An insertion and a deletion, $w = 1$: from $0$ on the vector changes twice, and so does the truncated "
            r"one.",
            sp.Le(_found, _bound, evaluate=False),
            {_found: lambda: flips(truncated((0, *vector(1, -1)), 1)), _bound: sp.Integer(1)},
        ),
        enumerated(
            "odd_and_even",
            r"For even $w$ the vector is $0$ after $w$ changes, and the cut adds none.",
            "w from 1 to 6: the most changes of the truncated vectors of 8 entries are w if w is even, w + 1 if not",
            BOUNDS,
            lambda bound: reached(bound) == bound + bound % 2,
            mutant=lambda bound: reached(bound) <= bound,
        ),
    )


def kept_value() -> tuple[Step, ...]:
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
    )


CLAIMS = {"turnstile.truncated_flippancy": truncated_flippancy}
