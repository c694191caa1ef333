"""Section 1.2: the number of entries of the summation stream that differ between neighbours."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.continual.changed_entry_readings import bound, changed, one_sided, strict_example, toggles
from pan_proofs.continual.flippancy import flippancy, flips
from pan_proofs.continual.neighbour_examples import MOST_CHANGED, example, largest, worst
from pan_proofs.continual.pair_machines import bit_pairs, differ, difference
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    Bits,
    Stream,
    changed_entries,
    insertions_only,
    of_one_element,
    streams,
    strict,
)
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import counterexample, enumerated, found, lemma


def changed_entries_claim() -> Claim:
    """The example, insertions alone, and the bound by the flippancy."""
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
            r"the lost numbers are read as $2$, $T$ and $2w$. The proof of Lemma 3.5 forces the $2w$ for the nodes of "
            r"one level, and $w = 1$ gives the $2$ of streams of insertions",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "insertions only",
                r"Without deletions at most $2$ entries differ, for item-neighbours and for event-neighbours.",
                insertions(),
            ),
            Part(
                Role.PUBLISHED,
                "the example",
                r"For a stream of insertions and deletions of one element in turn, and its event-neighbour without the "
                r"first insertion, all $T$ entries differ.",
                all_entries(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "one more than 2w",
                r"There are neighbours of flippancy at most $w$ with $2w + 1$ entries that differ.",
                one_more(),
            ),
            Part(
                Role.AMENDED,
                "at most 2w + 1",
                r"For neighbours of flippancy at most $w$ at most $2 w + 1$ entries differ. The bound is attained for "
                r"item-neighbours of the strict model.",
                at_most_one_more(),
            ),
            Part(
                Role.READING,
                "the toggle model",
                r"There at most $w + 1$ entries differ between item-neighbours, and at most $1$ between "
                r"event-neighbours.",
                toggles(),
            ),
            Part(
                Role.READING,
                "the example in the strict model",
                r"The neighbour in the example has a negative count. With a second insertion at the start, both "
                r"streams are of the strict model and all $T$ entries differ as well.",
                strict_example(),
                holds=False,
            ),
            Part(
                Role.READING,
                "a bound on the flippancy of one of the two streams",
                r"If only one stream has flippancy at most $w$, no number below $T$ bounds the entries that differ.",
                one_sided(),
                holds=False,
            ),
        ),
    )


def insertions() -> tuple[Step, ...]:
    """Existence vectors that never fall, the neighbour's below the stream's."""
    pairs = bit_pairs(differ)

    def step(state: tuple[int, int, bool], letter: tuple[int, int]) -> tuple[object, int] | None:
        falls = letter[0] < state[0] or letter[1] < state[1] or letter[1] > letter[0]
        return None if falls else pairs.step(state, letter)

    return (
        lemma(
            "rises_alone",
            r"The entries of other elements cancel. Without deletions no existence vector falls, and that of the "
            r"neighbour is never above that of the stream: each changes once at most.",
            bounded_for_every_length(
                "changed_entries.insertions",
                "pairs of vectors that never fall: at most 2 entries of the changes differ",
                Machine(pairs.start, pairs.letters, step),
                2,
                by_definition=lambda word: difference(*_vectors(word)),
                allowed=_never_falling,
                up_to=6,
            ),
        ),
        enumerated(
            "streams_of_insertions",
            r"The same on streams, with their distinct counts.",
            "pairs of item-neighbours of up to 5 entries over 2 elements, insertions only: at most 2 entries differ",
            (
                (stream, other)
                for length in range(1, 6)
                for stream in filter(insertions_only, streams(length, 2))
                for other in NEIGHBOURS["item"](stream)
            ),
            lambda pair: changed_entries(*pair) <= 2,
            mutant=lambda pair: changed_entries(*pair) <= 1,
        ),
    )


def all_entries() -> tuple[Step, ...]:
    """The count of the stream is 1 and 0 in turn, that of the neighbour one less."""

    def step(state: tuple[int, int], _: str) -> tuple[tuple[int, int], int]:
        place, one = state
        after = one + (1 if place == 0 else -1)
        return (1 - place, after), int(int(after > 0) == int(one > 0))

    return (
        lemma(
            "every_entry",
            r"The count of the stream is $1$ and $0$ in turn, that of its neighbour $0$ and $-1$. So the distinct "
            r"count of the stream changes at every entry, and that of the neighbour is always $0$.",
            bounded_for_every_length(
                "changed_entries.example",
                "the example: the number of entries that do not differ is at most 0",
                Machine((0, 0), ("next",), step),
                0,
                by_definition=lambda word: len(word) - changed_entries(*example(len(word))),
                up_to=24,
            ),
            lines=(r"N &= T",),
        ),
    )


def one_more() -> tuple[Step, ...]:
    """Four entries for item-neighbours, five for event-neighbours."""
    return (
        _more_than_twice(
            "item",
            r"Item-neighbours of the strict model: two insertions and two deletions, and the second insertion alone. "
            r"The existence vectors are $1, 1, 1, 0$ and $0, 1, 1, 1$, with one flip each.",
            of_one_element((1, 1, -1, -1)),
            of_one_element((0, 1, 0, 0)),
        ),
        _more_than_twice(
            "event",
            r"Event-neighbours: two insertions, two deletions and an insertion, and the same without the first "
            r"insertion. The existence vectors are $1, 1, 1, 0, 1$ and $0, 1, 0, 0, 0$, with two flips each.",
            of_one_element((1, 1, -1, -1, 1)),
            of_one_element((0, 1, -1, -1, 1)),
        ),
    )


def _more_than_twice(kind: str, text: str, one: Stream, other: Stream) -> Step:
    return counterexample(
        f"one_more_{kind}",
        text,
        sp.Le(changed, 2 * bound, evaluate=False),
        {
            changed: lambda: changed_entries(one, other),
            bound: lambda: max(flippancy(one), flippancy(other)),
        },
    )


def at_most_one_more() -> tuple[Step, ...]:
    """By induction over the entries; streams that attain it; all short streams."""
    return (
        lemma(
            "flips_of_both",
            r"The changes of the count differ only where one of the two existence vectors changes. A change after the "
            r"first entry is a flip. At the first entry the changes differ if exactly one vector begins with $1$: this "
            r"adds $1$. So $N \le w_1 + w_2 + 1$ for elements of flippancy $w_1$ and $w_2$.",
            bounded_for_every_length(
                "changed_entries.both",
                "pairs of vectors: the entries that differ minus the flips of both are at most 1",
                bit_pairs(
                    lambda before, after, other, other_after, first: (
                        differ(before, after, other, other_after, first)
                        - (0 if first else int(before != after) + int(other != other_after))
                    )
                ),
                1,
                by_definition=lambda word: difference(*_vectors(word)) - sum(map(flips, _vectors(word))),
                up_to=6,
            ),
            lines=(r"N &\le w + w + 1",),
        ),
        enumerated(
            "attained",
            r"Item-neighbours of the strict model attain it: the counts $(c, c')$ go from $(1, 0)$ through $(2, 1)$, "
            r"$(0, 1)$ and $(2, 1)$ back to $(1, 0)$, and one existence vector changes in each of these four parts.",
            "bounds w from 1 to 12: two strict streams of flippancy w with 2 w + 1 entries that differ",
            range(1, 13),
            lambda bound: (
                all(map(strict, worst(bound)))
                and max(map(flippancy, worst(bound))) == bound
                and changed_entries(*worst(bound)) == 2 * bound + 1
            ),
            mutant=lambda bound: changed_entries(*worst(bound)) == 2 * bound,
        ),
        *(
            found(
                f"short_streams_{model}_{kind}",
                rf"All {kind}-neighbours of the {model} model with up to $6$ entries of one element: the most entries "
                rf"that differ for $w = 0, \ldots, 5$ are ${', '.join(map(str, stated))}$.",
                f"streams of one element of 1 to 6 entries, {model} model, {kind}-neighbours",
                partial(largest, model, kind),
                stated,
            )
            for model, kinds in MOST_CHANGED.items()
            for kind, stated in kinds.items()
        ),
        enumerated(
            "other_elements",
            r"Other elements change nothing of this, since their entries are the same in both streams.",
            "pairs of item-neighbours of up to 4 entries over 3 elements: at most 2 w + 1 entries differ",
            (
                (stream, other)
                for length in range(1, 5)
                for stream in streams(length, 3)
                for other in NEIGHBOURS["item"](stream)
            ),
            lambda pair: changed_entries(*pair) <= 2 * max(map(flippancy, pair)) + 1,
            mutant=lambda pair: changed_entries(*pair) <= 2 * max(map(flippancy, pair)),
        ),
    )


def _never_falling(word: Word) -> bool:
    one, other = _vectors(word)
    rising = all(list(bits) == sorted(bits) for bits in (one, other))
    return rising and all(a >= b for a, b in word)


def _vectors(word: Word) -> tuple[Bits, Bits]:
    one, other = zip(*word, strict=True)
    return one, other


CLAIMS = {"turnstile.changed_entries": changed_entries_claim}
