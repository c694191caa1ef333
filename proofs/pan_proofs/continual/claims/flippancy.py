"""Definition 1.3 and its descriptions, and section 3.2: the sensitivity of the maximum flippancy."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.formulas import (
    ONE_VECTOR,
    TWO_STREAMS,
    TWO_VECTORS,
    bits,
    bits_from_zero,
    fallen,
    flipped,
    from_zero,
    left_out,
    length,
    none_left,
    other_flipped,
    pairs,
    place,
    toggled,
    x,
)
from pan_proofs.continual.steps import by_sums, stated
from pan_proofs.continual.streams import Stream, contributions, emptied, flippancy, in_turn, of_one_element, streams
from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated

_flips, _drops, _changes = map(sp.Symbol, ("w_0", "D_0", "C_0"))
_most_flips, _most_falls = sp.symbols("W M", real=True)
"""The largest numbers of flips and of falls of all elements."""
_change = sp.Symbol("D", integer=True)
_MODELS = r"in the strict model no count is negative. In the toggle model elements are inserted only when absent and "
_MODELS += r"deleted only when present"


def flippancy_definition() -> Claim:
    """The bound by the length of the stream, and three descriptions that do not agree."""
    late, early = of_one_element((0, 1, -1, 1)), of_one_element((1, -1))
    contributed = by_sums(
        "one_more_at_most",
        r"The two numbers differ by the first entry of the existence vector.",
        bits_from_zero(),
        le(flipped, from_zero),
        le(from_zero, flipped + 1),
        by_definition=ONE_VECTOR,
    )
    return Claim(
        id="turnstile.flippancy_definition",
        title="Two descriptions of flippancy",
        references=(
            Reference("turnstile", "Definition 1.3", "the formula is lost; the sentence before it defines it"),
            Reference("turnstile", "abstract", "counts changes from a positive number to zero"),
            Reference("turnstile", "section 3.2", "the bound; its formula is lost and read as $T$"),
        ),
        statement=r"The flippancy of an element is the number of adjacent entries of its existence vector that differ, "
        r"$w$ for the element where it is largest. The abstract describes $w$ as the largest number of times that the "
        r"count of one element changes from a positive number to zero. It is at most $T$.",
        hypotheses=(r"$T \ge 1$ is the length of the stream",),
        silent=(
            r"every count is $0$ before the first entry",
            r"in the formulas $x_i$ are the entries of the existence vector of one element, with $w_1$ flips, $D$ "
            r"falls from $1$ to $0$ and $C$ changes from $0$ on. $W$ and $M$ are the largest numbers of flips and of "
            r"falls of all elements. The numbers of an example are $w_0$, $D_0$ and $C_0$",
            _MODELS,
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "at most T",
                r"For every stream of length $T$: $w \le T - 1 < T$.",
                (),
                theorems=("flippancy_below_length",),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the abstract counts something else",
                r"The number of changes from a positive count to zero is not $w$: it is $D_0$ in the example, and $w = "
                r"w_0$.",
                (
                    counterexample(
                        "three_flips_one_drop",
                        r"A no-op, then an element that is inserted, deleted and inserted: the existence vector is $0, "
                        r"1, 0, 1$. It has three flips, and the count falls from $1$ to $0$ once. With insertions "
                        r"alone no count ever falls.",
                        eq(_flips, _drops),
                        {_flips: lambda: flippancy(late), _drops: lambda: emptied(late)},
                    ),
                ),
                formal=about(bits(), sp.Ne(_flips, _drops, evaluate=False)),
            ),
            Part(
                Role.AMENDED,
                "the descriptions agree up to a factor of 2",
                r"For every stream $2 D - 1 \le w \le 2 D + 1$, and both bounds are attained.",
                (
                    by_sums(
                        "falls_and_flips",
                        r"Flips alternate between rises and falls, so that there is at most one rise more than falls. "
                        r"Between two falls there is a rise, and no rise is needed before the first. The vectors $0, "
                        r"1, 0, 1$ and $1, 0, 1, 0$ attain the bounds.",
                        bits(),
                        le(flipped, 2 * fallen + 1),
                        le(2 * fallen - 1, flipped),
                        by_definition=ONE_VECTOR,
                    ),
                    enumerated(
                        "streams",
                        r"A count moves by one at each entry. So it falls to zero exactly when the existence vector "
                        r"falls. Both bounds carry over to the maxima over the elements. This is asked of all short "
                        r"streams.",
                        "streams of 1 to 5 entries over 1 to 3 elements",
                        (one for number in (1, 2, 3) for entries in range(1, 6) for one in streams(entries, number)),
                        lambda stream: 2 * emptied(stream) - 1 <= flippancy(stream) <= 2 * emptied(stream) + 1,
                        mutant=lambda stream: flippancy(stream) <= 2 * emptied(stream),
                    ),
                ),
                formal=(
                    *about(bits(), le(flipped, 2 * _most_falls + 1), given=(fallen <= _most_falls,)),
                    *about(bits(), le(2 * fallen - 1, _most_flips), given=(flipped <= _most_flips,)),
                ),
            ),
            derived(
                Role.READING,
                "changes of the contribution, from 0 before the first entry",
                r"If the insertion at the first entry counts as a change of the contribution, the number $C$ of "
                r"changes is not $w$: it is $w$ or $w + 1$.",
                counterexample(
                    "first_entry",
                    r"An insertion and a deletion: the contribution to the count changes from $0$ to $1$ and back, "
                    r"and the existence vector $1, 0$ has one flip.",
                    eq(_flips, _changes),
                    {_flips: lambda: flippancy(early), _changes: lambda: contributions(early)},
                ),
                contributed,
                only=("one_more_at_most",),
                holds=False,
            ),
        ),
    )


def change(stream: Stream, other: Stream) -> int:
    """The change of the maximum flippancy."""
    return abs(flippancy(stream) - flippancy(other))


def flippancy_sensitivity() -> Claim:
    """The printed sensitivity for event-neighbours, the true one, and the query that Algorithm 3 asks."""
    at_most = by_sums(
        "all_pairs",
        r"A flippancy counts pairs of adjacent entries, of which there are $T - 1$. So for any two vectors:",
        pairs(),
        le(flipped - other_flipped, length - 1),
        le(other_flipped - flipped, length - 1),
        by_definition=TWO_VECTORS,
    )
    items = by_sums(
        "none_left",
        r"Item-neighbours of the toggle model attain it: insertions and deletions in turn after a no-op, and no entry "
        r"at all.",
        none_left(),
        eq(flipped - other_flipped, length - 1),
        by_definition=TWO_STREAMS,
    )
    toggles = by_sums(
        "toggled",
        r"In the toggle model a stream never has fewer flips than its item-neighbour, and at most one more for each "
        r"entry that the neighbour lacks: one, if they are event-neighbours.",
        toggled(),
        le(other_flipped, flipped),
        le(flipped - other_flipped, left_out),
        by_definition=TWO_STREAMS,
    )
    rising = by_sums(
        "never_falling",
        r"With insertions only, an existence vector flips once at most.",
        bits(le(x[place - 1], x[place])),
        le(flipped, 1),
        by_definition=ONE_VECTOR,
    )
    return Claim(
        id="turnstile.flippancy_sensitivity",
        title="The sensitivity of the maximum flippancy",
        references=(Reference("turnstile", "section 3.2, and section 1.2"),),
        statement=r"For event-neighbours the maximum flippancy has sensitivity $1$: changing one entry of the stream "
        r"changes it by at most $1$. For item-neighbours it can change by about $T$. The number of items of flippancy "
        r"above any threshold has sensitivity $1$ for item-neighbours.",
        notation=(("$D$", "difference of the maximum flippancies"),),
        hypotheses=("streams of the turnstile model with $T$ entries (Definitions 1.2 and 1.3)",),
        silent=(
            r"the change for item-neighbours is lost in the text and read as linear in $T$",
            r"in the formulas $w_1$ and $w_2$ are the flippancies, in the stream and in its neighbour, of the element "
            r"in which they differ. Its counts are $c_i$ and $d_i$, its existence vectors have the entries $x_i$ and "
            r"$y_i$, and the neighbour lacks $E$ of its entries. The largest flippancy of all elements changes by no "
            r"more than that of this one",
            r"the number of items is counted from the whole universe; the threshold does not depend on the data",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "event-neighbours",
                r"For event-neighbours the maximum flippancy can change by $T - 1$, for every $T \ge 3$: in the "
                r"general model and in the strict model.",
                (
                    counterexample(
                        "four_entries",
                        r"Insertions and deletions in turn, $T = 4$, have the flippancy $3$. Without the first "
                        r"insertion no count is positive, and the flippancy is $0$.",
                        le(_change, 1),
                        {_change: lambda: change(*in_turn(4))},
                    ),
                    counterexample(
                        "four_strict_entries",
                        r"In the strict model: two insertions, a deletion and an insertion have the counts $1, 2, 1, "
                        r"2$ and the flippancy $0$. Without the first insertion the counts are $0, 1, 0, 1$. So it is "
                        r"for every $T$.",
                        le(_change, 1),
                        {_change: lambda: change(*in_turn(4, first_twice=True))},
                    ),
                ),
                theorems=("event_sensitivity", "strict_event_sensitivity"),
            ),
            Part(
                Role.AMENDED,
                "the sensitivity of the maximum flippancy",
                r"The maximum flippancy changes by at most $T - 1$ between neighbours of any kind, and this is "
                r"attained by event-neighbours of the strict model and by item-neighbours of the toggle model. In the "
                r"toggle model it changes by at most $1$ between event-neighbours, and likewise with insertions only.",
                (at_most, items, toggles, rising),
                formal=(
                    *stated(at_most, items, rising),
                    *about(
                        toggled(),
                        sp.And(le(other_flipped, flipped), le(flipped - other_flipped, 1)),
                        given=(le(left_out, 1),),
                    ),
                ),
                theorems=("strict_event_sensitivity",),
            ),
            Part(
                Role.PUBLISHED,
                "the number of items above a threshold",
                r"The number of items of flippancy at least $w$ changes by at most $1$ between item-neighbours, and so "
                r"between event-neighbours: they differ in the entries of one item. So Algorithm 3 asks a query of "
                r"sensitivity $1$ for both kinds of neighbours.",
                (),
                theorems=("threshold_sensitivity",),
            ),
        ),
        remark=r"The sparse vector technique on the maximum flippancy, which the section describes for event-level "
        r"privacy, needs noise for a sensitivity of $T - 1$. The number of items above the threshold serves both "
        r"levels.",
    )


CLAIMS = {
    "turnstile.flippancy_definition": flippancy_definition,
    "turnstile.flippancy_sensitivity": flippancy_sensitivity,
}
