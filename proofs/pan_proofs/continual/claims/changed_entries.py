"""Section 1.2: the number of entries of the summation stream that differ between neighbours."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from pan_proofs.continual import formulas
from pan_proofs.continual.formulas import TWO_STREAMS, differing, flipped, left_out, length, toggled
from pan_proofs.continual.steps import by_sums, stated
from pan_proofs.continual.streams import (
    Stream,
    both,
    changed_entries,
    counts,
    flippancy,
    in_turn,
    of_one_element,
    strict,
)
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated

_of_items, _of_events, _least = map(sp.Symbol, ("N_1", "N_2", "c_0"))
_changed, _bound = sp.symbols("N w", integer=True)


def worst(bound: int) -> tuple[Stream, Stream]:
    """Item-neighbours of the strict model whose existence vectors never change together: ``2 bound + 1`` changes."""
    cycle = (((1, 1),), ((-1, 0), (-1, 0)), ((1, 0), (1, 0)), ((-1, -1),))
    return both(((1, 0), *(pair for turn in range(2 * bound) for pair in cycle[turn % 4])))


def changed_entries_claim() -> Claim:
    """The example, insertions alone, and the bound by the flippancy."""
    example = by_sums(
        "every_entry",
        r"The count of the stream is $1$ and $0$ in turn, that of its neighbour $0$ and $-1$. So the distinct count of "
        r"the stream changes at every entry, and that of the neighbour is always $0$.",
        formulas.in_turn(),
        eq(differing, length),
        by_definition=TWO_STREAMS,
        up_to=24,
    )
    twice = by_sums(
        "another_example",
        r"Two insertions, then deletions and insertions in turn: the counts $c$ are $1$ and $2$ in turn, so that the "
        r"first stream has no flip, and those of its neighbour are less by $1$. All entries differ, at every length.",
        formulas.in_turn(first_twice=True),
        eq(differing, length),
        eq(flipped, 0),
        by_definition=TWO_STREAMS,
        up_to=12,
    )
    toggles = by_sums(
        "toggles",
        r"Both counts are $0$ or $1$, and each entry of the neighbour is one of the stream. So the neighbour changes "
        r"only where the stream does. Each entry that is left out changes one entry of the summation stream, and "
        r"event-neighbours lack one.",
        toggled(),
        le(differing, flipped + 1),
        eq(differing, left_out),
        by_definition=TWO_STREAMS,
    )
    one, other = in_turn(5, first_twice=True)
    return Claim(
        id="turnstile.changed_entries",
        title="Entries of the summation stream that one change of the input changes",
        references=(Reference("turnstile", "section 1.2", "the numbers are lost"),),
        statement=r"The summation stream holds the change of the distinct count at each time. With insertions only, a "
        r"change of the input changes at most $2$ of its entries; in general it can change all $T$. For streams of "
        r"flippancy at most $w$ it changes at most $2w$ entries, for item- and for event-neighbours.",
        hypotheses=(r"both neighbours have flippancy at most $w$ (Definition 1.3)",),
        silent=(
            r"the distinct count is $0$ before the first entry: the summation stream begins with the first count",
            r"in the strict model no count is negative. In the toggle model elements are inserted only when absent and "
            r"deleted only when present",
            r"in the formulas $x_i$ and $y_i$ are the entries of the existence vectors, in the stream and in its "
            r"neighbour, of the element in which they differ, and $c_i$ and $d_i$ its counts. $w_1$ and $w_2$ are its "
            r"flips, $N$ is the number of entries of the summation stream that differ, and $E$ that of the entries "
            r"that the neighbour lacks. The entries of other elements cancel",
            r"the lost numbers are read as $2$, $T$ and $2w$. The proof of Lemma 3.5 forces the $2w$ for the nodes of "
            r"one level, and $w = 1$ gives the $2$ of streams of insertions",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "insertions only",
                r"Without deletions at most $2$ entries differ, for item-neighbours and for event-neighbours: no "
                r"existence vector falls, so that each changes once at most.",
                (),
                theorems=("insertions_only",),
            ),
            derived(
                Role.PUBLISHED,
                "the example",
                r"For a stream of insertions and deletions of one element in turn, and its event-neighbour without the "
                r"first insertion, all $T$ entries differ.",
                example,
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "one more than 2w",
                r"There are item- and event-neighbours of flippancy at most $w$ with $2w + 1$ entries that differ: "
                r"$N_1$ for $w = 1$ in the first example, and $N_2$ for $w = 2$ in the second.",
                _one_more(
                    "item",
                    r"Take item-neighbours of the strict model: two insertions and two deletions, and the "
                    r"second insertion alone. The existence vectors are $1, 1, 1, 0$ and $0, 1, 1, 1$, with one "
                    r"flip each.",
                    _of_items,
                    of_one_element((1, 1, -1, -1)),
                    of_one_element((0, 1, 0, 0)),
                ),
                _one_more(
                    "event",
                    r"Take event-neighbours: two insertions, two deletions and an insertion, and the same without "
                    r"the first insertion. The existence vectors are $1, 1, 1, 0, 1$ and $0, 1, 0, 0, 0$, with two "
                    r"flips each.",
                    _of_events,
                    of_one_element((1, 1, -1, -1, 1)),
                    of_one_element((0, 1, -1, -1, 1)),
                ),
            ),
            Part(
                Role.AMENDED,
                "at most 2w + 1",
                r"For neighbours of flippancy at most $w$ at most $2 w + 1$ entries differ. The bound is attained for "
                r"item-neighbours of the strict model, also for larger $w$, as $w = 12$.",
                (
                    enumerated(
                        "attained",
                        r"Item-neighbours of the strict model attain it: the counts $(c, c')$ go from $(1, 0)$ through "
                        r"$(2, 1)$, $(0, 1)$ and $(2, 1)$ back to $(1, 0)$, and one existence vector changes in each "
                        r"of these four parts.",
                        "bounds w from 1 to 12: two strict streams of flippancy w with 2 w + 1 entries that differ",
                        range(1, 13),
                        lambda bound: (
                            all(map(strict, worst(bound)))
                            and max(map(flippancy, worst(bound))) == bound
                            and changed_entries(*worst(bound)) == 2 * bound + 1
                        ),
                        mutant=lambda bound: changed_entries(*worst(bound)) == 2 * bound,
                    ),
                ),
                theorems=("changed_entries", "changed_entries_attained"),
            ),
            Part(
                Role.READING,
                "the toggle model",
                r"There at most $w + 1$ entries differ between item-neighbours, and at most $1$ between "
                r"event-neighbours.",
                (toggles,),
                formal=(
                    *stated(toggles),
                    *about(toggled(), le(differing, 1), given=(le(left_out, 1),)),
                ),
            ),
            derived(
                Role.READING,
                "the example in the strict model",
                r"The neighbour in the example has a negative count, $c_0$ after two entries. With a second insertion "
                r"at the start, both streams are of the strict model and all $T$ entries differ as well.",
                counterexample(
                    "negative_count",
                    r"An insertion and a deletion; without the insertion the count is $-1$.",
                    ge(_least, 0),
                    {_least: lambda: min(counts(in_turn(2)[1], 0))},
                ),
                twice,
                holds=False,
            ),
            derived(
                Role.READING,
                "a bound on the flippancy of one of the two streams",
                r"If only one stream has flippancy at most $w$, no number below $T$ bounds the entries that differ. "
                r"All $T$ can differ where one stream has no flip.",
                counterexample(
                    "other_flips",
                    r"In the strict example with $T = 5$ the existence vector of the first stream is $1$ "
                    r"throughout.",
                    le(_changed, 2 * _bound + 1),
                    {_changed: lambda: changed_entries(one, other), _bound: lambda: flippancy(one)},
                ),
                replace(twice, name="no_flip"),
                only=("no_flip",),
                holds=False,
            ),
        ),
    )


def _one_more(kind: str, text: str, entries: sp.Symbol, one: Stream, other: Stream) -> Step:
    return counterexample(
        f"one_more_{kind}",
        text,
        le(entries, 2 * max(flippancy(one), flippancy(other))),
        {entries: lambda: changed_entries(one, other)},
    )


CLAIMS = {"turnstile.changed_entries": changed_entries_claim}
