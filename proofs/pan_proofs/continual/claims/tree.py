"""Lemma 3.5 and its parts: the dyadic decomposition, the truncated vectors, and the nodes of the tree that differ."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.continual.dyadic_tree import decomposition, differing_nodes, levels, padded_length, squared_distance
from pan_proofs.continual.formulas import BITS, ONE_VECTOR, bits_from_zero, from_zero, length, place, risen, x
from pan_proofs.continual.formulas import bound as given_bound
from pan_proofs.continual.steps import by_sums, stated
from pan_proofs.continual.streams import PAIRS, Bits, both, existence, flips, one_at_most, truncated
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import Machine, Word
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, lemma, related

_time, _largest, _bit = sp.symbols("t P b", nonnegative=True)
_leaves, _power, _at = sp.symbols("T P t", positive=True)
_pieces, _allowed = sp.symbols("k L", integer=True)


def most(latest: int) -> int:
    """The most intervals of the decompositions for the times up to one."""
    return max(len(decomposition(time)) for time in range(1, latest + 1))


def dyadic() -> Claim:
    """The decomposition covers, its intervals are nodes of the tree, and their number is at most log T + 1."""
    more_digits = bounded(
        "digits_and_size",
        r"There are no more intervals than digits, and as many if all digits are $1$. With $P = 2^{k}$ for the $k$ "
        r"intervals of $t$: one more digit $b$ makes $t' = 2t + b$, and $P' = (1 + b) P$. If $P - 1 \le t$, then $P' - "
        r"1 \le t'$, for $b = 0$ and $b = 1$. At the start, $t = 1$ and $P = 2$.",
        le((1 + _bit) * _largest - 1, 2 * _time + _bit),
        sp.Ge(_largest, 1),
        sp.Le(_largest - 1, _time),
        sp.Or(sp.Eq(_bit, 0), sp.Eq(_bit, 1)),
    )
    within = (sp.Le(_power, _at + 1), sp.Le(_at, _leaves), sp.Ge(_leaves, 1))
    return Claim(
        id="turnstile.dyadic",
        title="The dyadic decomposition",
        references=(
            Reference("turnstile", "Definition 3.3", r"the bound is lost and read as $\log_2 T + 1$"),
            Reference("turnstile", "Definition 3.4"),
        ),
        statement=r"The dyadic decomposition of $(0, t]$ has one interval for each power of $2$ in the binary "
        r"expansion of $t$, from the largest to the smallest, one after another. It is a set of at most $\log_2 T + 1$ "
        r"disjoint intervals whose union is $(0, t]$. They are nodes of the binary tree with $T$ leaves, which has "
        r"$\log_2 T + 1$ levels.",
        hypotheses=(r"$1 \le t \le T$", r"for the tree, $T$ is a power of $2$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "disjoint intervals that cover, all of them nodes",
                r"The intervals follow one another from $0$ to $t$: for any numbers at the times, the sums over the "
                r"intervals add up to the sum over $(0, t]$. Each starts at a multiple of its size, as the nodes of "
                r"the tree do.",
                (),
                theorems=("dyadic_sums", "dyadic_nodes"),
            ),
            Part(
                Role.PUBLISHED,
                "at most log T + 1 of them",
                r"Their number $k$ is at most that of the binary digits of $t$, and satisfies $2^k \le t + 1$, so that "
                r"$k \le \log_2 (T + 1) \le \log_2 T + 1$. The first bound is attained for $t = 2^k - 1$. In the "
                r"formulas $P = 2^k$; one more binary digit $b$ of $t$ makes $2 t + b$ of it, and $(1 + b) P$ of $P$.",
                (more_digits,),
                formal=(
                    *stated(more_digits),
                    *symbolic(le(sp.log(_power), sp.log(_leaves + 1)), given=within[:2]),
                    *symbolic(le(sp.log(_leaves + 1), sp.log(2 * _leaves)), given=within[2:]),
                ),
                theorems=("dyadic_number",),
            ),
            Part(
                Role.READING,
                "the bound is attained for T a power of 2",
                r"For $T \ge 2$ a power of $2$ there are at most $\log_2 T$ intervals, one less: the time $T$ has one, "
                r"and the times before it have $\log_2 T$ binary digits at most.",
                (
                    counterexample(
                        "two_leaves",
                        r"For $T = 2$ the decompositions $(0, 1]$ and $(0, 2]$ have one interval each, and $\log_2 T + "
                        r"1 = 2$.",
                        ge(_pieces, _allowed),
                        {_pieces: lambda: most(2), _allowed: lambda: len(levels(2))},
                    ),
                    enumerated(
                        "powers_of_two",
                        r"So it is for small $T$.",
                        "T = 2, 4, ..., 256: the most intervals are log2 T",
                        [2**height for height in range(1, 9)],
                        lambda leaves: most(leaves) == len(levels(leaves)) - 1,
                        mutant=lambda leaves: most(leaves) == len(levels(leaves)),
                    ),
                ),
                holds=False,
                departs=r"at most $\log_2 T + 1$ disjoint intervals",
                theorems=("dyadic_number",),
            ),
        ),
        in_words=(
            (
                "digits_and_size",
                r"the digits of $t$ are appended one by one, so that the implication holds by induction over "
                r"their number",
            ),
        ),
    )


SENSITIVITIES = {
    ("item", 1): (1, 2, 9, 14),
    ("item", 2): (1, 2, 9, 16),
    ("item", 3): (1, 2, 5, 18),
    ("event", 1): (1, 2, 5, 12, 17),
    ("event", 2): (1, 2, 5, 14, 21),
    ("event", 3): (1, 2, 5, 14, 25),
}
"""The squared sensitivity for T = 1, 2, 4, ... by kind of neighbours and bound on the flippancy."""

_flips, _rises = sp.symbols("w r", positive=True)
_height, _log, _square = sp.symbols("L l S", nonnegative=True)
_AS_MANY = (sp.Ge(_rises, 1), sp.Le(_rises, _flips))
_SUM = (8 * _rises - 2) * _height + 1
"""The bound on the squared distance, with ``r = floor(w/2) + 1``."""


def truncated_pairs(bound: int, *, events: bool) -> Machine:
    """Two neighbouring streams with their truncated existence vectors: the last parts of a state are their bits.

    A state has the counts, whether an entry differed, the numbers of flips up to one more than the bound, whether there
    was an entry, and the two truncated bits.
    """

    def followed(count: int, sign: int, flipped: int, started: bool) -> tuple[int, int, int]:
        after = count + sign
        if started and (after > 0) != (count > 0):
            flipped = min(flipped + 1, bound + 1)
        return after, flipped, int(after > 0 and flipped <= bound)

    def step(state: tuple[int, ...], letter: tuple[int, int]) -> tuple[Hashable, int] | None:
        one, other, differed, flipped, flipped_other, started, _, _ = state
        differs = letter[0] != letter[1]
        if events and differs and differed:
            return None
        one, flipped, bit = followed(one, letter[0], flipped, bool(started))
        other, flipped_other, bit_other = followed(other, letter[1], flipped_other, bool(started))
        return (one, other, int(events and (differed or differs)), flipped, flipped_other, 1, bit, bit_other), 0

    return Machine((0,) * 8, PAIRS, step)


def tree(kind: str, bound: int) -> TreeSum:
    """The squared differences over the nodes for two neighbouring streams of one element."""

    def cost(before: tuple[int, ...], after: tuple[int, ...]) -> int:
        return ((after[-2] - before[-2]) - (after[-1] - before[-1])) ** 2

    return TreeSum(truncated_pairs(bound, events=kind == "event"), cost)


def distance(word: Word, bound: int) -> int:
    """The squared distance of the nodes of two streams, from the definitions."""
    return squared_distance(*(truncated(existence(stream, 0), bound) for stream in both(word)))


def node_sensitivity() -> Claim:
    """The printed constant, from that of the levels, and the exact sensitivity of small trees."""
    below = bounded(
        "printed_constant",
        r"The printed bound exceeds the derived one, $L = \log_2 T$, by at least $2 L + 8 w - 1 > 0$, as $r = \lfloor "
        r"w/2 \rfloor + 1 \le w$.",
        le(2 * _height + 8 * _flips - 1, 8 * _flips * (_height + 1) - _SUM),
        *_AS_MANY,
    )
    padded = bounded(
        "padded_constant",
        r"The entries after $T$ keep the last value or are $0$: no rise is added, and the bounds above hold. The tree "
        r"has $L = \lceil \log_2 T \rceil < l + 1$ levels below the root, $l = \log_2 T$. The printed bound exceeds "
        r"the sum by at least $2 l + 1 > 0$.",
        le(2 * _log + 1, 8 * _flips * (_log + 1) - _SUM),
        *_AS_MANY,
        sp.Le(_height, _log + 1),
    )
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
        notation=(("$S$", "squared sensitivity"), ("$r$", r"$\lfloor w/2 \rfloor + 1$")),
        hypotheses=(r"$w \ge 1$ is a whole number",),
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
                r"For all item-neighbours $\lVert G(x) - G(x') \rVert_2^2 \le (4 w + 2) \log_2 T + 1$, which is at "
                r"most $8 w (\log_2 T + 1)$: they differ in one element, and the terms of the others cancel. A level "
                r"has at most $4 w + 2$, and that of the leaves attains it for each $w$. The steps of the printed "
                r"proof have an entry of their own.",
                (),
                theorems=("level_squares", "level_attained", "tree_squares", "node_sensitivity"),
            ),
            Part(
                Role.PUBLISHED,
                "T no power of 2",
                r"With $2^{\lceil \log_2 T \rceil}$ leaves the bound $8 w (\log_2 T + 1)$ holds as well.",
                (padded,),
                formal=symbolic(
                    lt(_SUM, 8 * _flips * (_log + 1)),
                    given=(*_AS_MANY, sp.Le(_height, _log + 1)),
                ),
                theorems=("tree_squares",),
            ),
            Part(
                Role.READING,
                "the constant is attained",
                r"The constant is not attained: the squared sensitivity is below $8 w (\log_2 T + 1)$ for all $w$ and "
                r"$T$. For small trees it is computed exactly.",
                (
                    *(
                        lemma(
                            f"exact_{kind}_{bound}",
                            rf"The squared sensitivity for {kind}-neighbours and $w = {bound}$ is "
                            rf"${', '.join(map(str, exact))}$ for "
                            rf"$T = {', '.join(str(2**level) for level in range(len(exact)))}$.",
                            greatest_tree_sum(
                                f"node_sensitivity.{kind}.{bound}",
                                f"the greatest squared distance of the nodes, {kind}-neighbours, w = {bound}",
                                tree(kind, bound),
                                exact,
                                by_definition=partial(distance, bound=bound),
                                up_to=2,
                                allowed=one_at_most if kind == "event" else lambda word: True,
                            ),
                        )
                        for (kind, bound), exact in SENSITIVITIES.items()
                    ),
                    counterexample(
                        "not_attained",
                        r"For $T = 4$ and $w = 1$ the squared sensitivity is $9$, for the stream of a no-op, an "
                        r"insertion, a deletion and an insertion, and for the last insertion alone. The bound is $24$.",
                        ge(_square, 8 * _flips * (_height + 1)),
                        {
                            _square: lambda: tree("item", 1).greatest(2),
                            _flips: sp.Integer(1),
                            _height: lambda: len(levels(4)) - 1,
                        },
                    ),
                    below,
                ),
                formal=symbolic(lt(_SUM, 8 * _flips * (_height + 1)), given=_AS_MANY),
                holds=False,
                departs=r"$\lVert G(x) - G(x') \rVert_2 \le \sqrt{8 w (\log_2 T + 1)}$",
            ),
        ),
    )


_bound, _levels = sp.Symbol("w", integer=True), sp.Symbol("L", integer=True, positive=True)
_entries = sp.Symbol("T", integer=True, positive=True)
_LEVELS = le(_levels, sp.log(_entries) / sp.log(2) + 1)
_LEAST_TREE = (le(_entries, 2 ** (_levels - 1)), gt(_entries, 2 ** (_levels - 2)))
_flippancy, _differing, _most_changes = map(sp.Symbol, ("F_1", "N_1", "F_0"))
_kept, _changed = sp.symbols("K C", real=True)
_cut, _frozen = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("g", "v"))
BOUNDS = (1, 2, 3, 4, 5, 6)
"""The bounds on the flippancy in the enumerations."""


def kept_value() -> Words:
    """A vector that keeps the last value of another one from a cut on, and the flips before the cut."""

    def move(of: sp.IndexedBase) -> sp.Expr:
        return sp.Abs(of[place] - of[place - 1])

    sums = {
        _kept: sp.Sum((1 - _cut[place]) * move(x), (place, 2, length)),
        _changed: sp.Sum(move(_frozen), (place, 2, length)),
    }
    follows = eq(_frozen[place], x[place] * (1 - _cut[place]) + _frozen[place - 1] * _cut[place])
    vectors = (x, _cut, _frozen)
    rules = (le(_cut[place - 1], _cut[place]), follows)
    return Words(length, place, vectors, sums, dict.fromkeys(vectors, BITS), rules, (0, 0, 0))


def of_parity(parity: int) -> list[dict[sp.Symbol, int]]:
    """The bounds with a remainder modulo 2."""
    return [{_bound: bound} for bound in BOUNDS if bound % 2 == parity]


def most_from_zero(bound: int) -> int:
    """The most changes of the truncated vectors of 8 entries, if a change at the first entry counts too."""
    return max(flips(truncated((0, *bits), bound)) for bits in product((0, 1), repeat=8))


def truncated_flippancy() -> Claim:
    """The flippancy of truncated vectors, the nodes that differ, and the number of levels."""
    one, other = ((1, 0, 1, 0), (0, 0, 1, 0))
    falls = by_sums(
        "falls_follow_rises",
        r"From $0$ on rises and falls alternate, a rise first: there are at most twice as many changes as rises.",
        bits_from_zero(),
        le(from_zero, 2 * risen),
        by_definition=ONE_VECTOR,
    )

    def flips_before(bits: Bits, cut: Bits, _: Bits) -> int:
        return flips(bits[: cut.index(1)] if 1 in cut else bits)

    no_more = by_sums(
        "frozen",
        r"Nothing flips after the cut: the flips are those before it, at most $w$. This holds at every length.",
        kept_value(),
        le(_changed, _kept),
        by_definition={_kept: flips_before, _changed: lambda bits, cut, kept: flips(kept)},
    )
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
            derived(
                Role.COUNTEREXAMPLE,
                "the cut is a flip itself",
                r"The flippancy of $\tilde f_u$ can be $w + 1$, and more than $2 w$ nodes of a level can differ. For "
                r"$w = 1$ the flippancy of the first example is $F_1$, and $N_1$ leaves of the second example differ.",
                counterexample(
                    "flips",
                    r"A no-op, an insertion and a deletion, $w = 1$: the existence vector is $0, 1, 0$. The "
                    r"flippancy exceeds $1$ at the third entry, and $\tilde f_u$ is $0, 1, 0$ as well.",
                    le(_flippancy, 1),
                    {_flippancy: lambda: flips(truncated((0, 1, 0), 1))},
                ),
                counterexample(
                    "nodes",
                    r"Two insertions and deletions in turn, and the last two entries alone, $w = 1$: the truncated "
                    r"vectors are $1, 0, 0, 0$ and $0, 0, 1, 0$. All four leaves differ.",
                    le(_differing, 2),
                    {_differing: lambda: differing_nodes(truncated(one, 1), truncated(other, 1))[0]},
                ),
            ),
            Part(
                Role.AMENDED,
                "one more flip",
                r"The flippancy of $\tilde f_u$ is at most $w + 1$, and twice its rises are at most $w + 2$, from "
                r"$\tilde f_u[0] = 0$ on.",
                (),
                theorems=("truncated_flippancy", "truncated_rises"),
            ),
            derived(
                Role.AMENDED,
                "changes, from 0 before the first entry",
                r"From $\tilde f_u[0] = 0$ on there are at most $2 r$ changes, $r = \lfloor w/2 \rfloor + 1$: at most "
                r"twice as many as rises. In the formula $x_i$ are the entries of any vector of bits, with $R$ rises "
                r"and $C$ changes.",
                falls,
                theorems=("truncated_rises",),
            ),
            Part(
                Role.AMENDED,
                "nodes and levels",
                r"On each level at most $2 w + 2$ nodes differ. The tree has $\lceil \log_2 T \rceil + 1$ levels. "
                r"Lemma 3.5 holds with its constant, by other steps.",
                (
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
                ),
                theorems=("nodes_of_a_level", "truncated_level_sensitivity"),
            ),
            derived(
                Role.READING,
                "the number of levels for T itself, no power of 2",
                r"If the next power of $2$ takes the place of $T$ in the tree and not in the noise, the tree has more "
                r"than $\log_2 T + 1$ levels.",
                counterexample(
                    "three_entries",
                    r"For $T = 3$ the tree has four leaves and three levels, and $\log_2 3 + 1 < 2.6$.",
                    _LEVELS,
                    {_levels: lambda: len(levels(padded_length(3))), _entries: sp.Integer(3)},
                    _LEAST_TREE,
                ),
                holds=False,
            ),
            derived(
                Role.READING,
                "flippancy with the change at the first entry",
                r"If a change at the first entry counts as a flip, for the cut too, the statement is false for odd "
                r"$w$: of $w = 1$ to $6$ the most changes of the truncated vectors of $8$ entries are $F_0 = w + 1$ "
                r"for $w = 1, 3, 5$, and $F_0 = w$ for the others.",
                counterexample(
                    "first_entry",
                    r"An insertion and a deletion, $w = 1$: from $0$ on the vector changes twice, and so does the "
                    r"truncated one.",
                    le(_most_changes, _bound),
                    {_most_changes: lambda: most_from_zero(1), _bound: sp.Integer(1)},
                ),
                *(
                    related(
                        name,
                        text,
                        "the most changes of the truncated vectors of 8 entries",
                        eq(_most_changes, _bound + parity),
                        [{**case, _most_changes: most_from_zero(case[_bound])} for case in of_parity(parity)],
                        mutant=eq(_most_changes, _bound + 1 - parity),
                        parameters=(_bound,),
                    )
                    for name, text, parity in (
                        ("odd", r"For odd $w$ the vector is $1$ after $w$ changes, and the cut adds one.", 1),
                        ("even", r"For even $w$ the vector is $0$ after $w$ changes, and the cut adds none.", 0),
                    )
                ),
                only=(
                    "odd",
                    "even",
                ),
                holds=False,
            ),
            Part(
                Role.READING,
                "the last value is kept",
                r"If $\tilde f_u$ keeps its last value in place of $0$, its flippancy is at most $w$. In the formula "
                r"$x_i$ are the entries of an existence vector, $g_i$ is $1$ from the cut on, and $v_i$ are the "
                r"entries of the vector that keeps its last value, with $C$ flips; $K$ is the number of flips before "
                r"the cut.",
                (no_more,),
                formal=about(kept_value(), le(_changed, given_bound), given=(le(_kept, given_bound),)),
            ),
        ),
        uses=("turnstile.node_sensitivity",),
    )


CLAIMS = {
    "turnstile.dyadic": dyadic,
    "turnstile.node_sensitivity": node_sensitivity,
    "turnstile.truncated_flippancy": truncated_flippancy,
}
