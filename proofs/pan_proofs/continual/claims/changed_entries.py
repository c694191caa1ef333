"""Section 1.2: the number of entries of the summation stream that differ between neighbours."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.continual import changed_entry_readings as readings
from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.formulas import (
    STRICT,
    TWO_STREAMS,
    TWO_VECTORS,
    bound,
    differing,
    flipped,
    in_turn,
    left_out,
    length,
    neighbours,
    of_streams,
    other_flipped,
    pairs,
    place,
    x,
    y,
)
from pan_proofs.continual.neighbour_examples import MOST_CHANGED, largest, worst
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    Stream,
    changed_entries,
    insertions_only,
    of_one_element,
    streams,
    strict,
)
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.word_sums import Words, bounded_sums, broken_by
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated, found, lemma

_RISING = pairs(
    le(x[place - 1], x[place]),
    le(y[place - 1], y[place]),
    le(y[place], x[place]),
)
_AT_MOST_TWO = le(differing, 2)
_ALL = eq(differing, length)
_TWICE, _ONE_MORE = (le(differing, 2 * bound + more) for more in (0, 1))
_BOTH_FLIPS = le(differing, flipped + other_flipped + 1)
_FEW_FLIPS = (le(flipped, bound), le(other_flipped, bound))
_ONE_LEFT_OUT = le(left_out, 1)
_MANY = ge(bound, 12)


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
                r"Without deletions at most $2$ entries differ, for item-neighbours and for event-neighbours.",
                insertions(),
                formal=about(_RISING, _AT_MOST_TWO),
            ),
            Part(
                Role.PUBLISHED,
                "the example",
                r"For a stream of insertions and deletions of one element in turn, and its event-neighbour without the "
                r"first insertion, all $T$ entries differ.",
                all_entries(),
                formal=about(in_turn(), _ALL),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "one more than 2w",
                r"There are item- and event-neighbours of flippancy at most $w$ with $2w + 1$ entries that differ.",
                one_more(),
                formal=(
                    *about(neighbours(*STRICT), _TWICE, given=_FEW_FLIPS, refuted=True),
                    *about(neighbours(), _TWICE, given=(*_FEW_FLIPS, _ONE_LEFT_OUT), refuted=True),
                ),
            ),
            Part(
                Role.AMENDED,
                "at most 2w + 1",
                r"For neighbours of flippancy at most $w$ at most $2 w + 1$ entries differ. The bound is attained for "
                r"item-neighbours of the strict model, also for larger $w$, as $w = 12$.",
                at_most_one_more(),
                formal=(
                    *about(pairs(), _ONE_MORE, given=_FEW_FLIPS),
                    *about(neighbours(*STRICT), _TWICE, given=(*_FEW_FLIPS, _MANY), refuted=True),
                ),
            ),
            Part(
                Role.READING,
                "the toggle model",
                r"There at most $w + 1$ entries differ between item-neighbours, and at most $1$ between "
                r"event-neighbours.",
                readings.toggles(),
                formal=(
                    *about(readings.TOGGLED, readings.ONE_MORE_THAN_FLIPS),
                    *about(readings.TOGGLED, le(differing, 1), given=(_ONE_LEFT_OUT,)),
                ),
            ),
            Part(
                Role.READING,
                "the example in the strict model",
                r"The neighbour in the example has a negative count. With a second insertion at the start, both "
                r"streams are of the strict model and all $T$ entries differ as well.",
                readings.strict_example(),
                formal=(
                    *about(readings.LAST_COUNT, readings.NOT_NEGATIVE, refuted=True),
                    *about(in_turn(first_twice=True), _ALL),
                ),
                holds=False,
            ),
            Part(
                Role.READING,
                "a bound on the flippancy of one of the two streams",
                r"If only one stream has flippancy at most $w$, no number below $T$ bounds the entries that differ. "
                r"All $T$ can differ where one stream has no flip.",
                readings.one_sided(),
                formal=about(in_turn(first_twice=True), eq(flipped, 0), _ALL),
                holds=False,
            ),
        ),
    )


def insertions() -> Steps:
    """Existence vectors that never fall, the neighbour's below the stream's."""
    return (
        lemma(
            "rises_alone",
            r"The entries of other elements cancel. Without deletions no existence vector falls, and that of the "
            r"neighbour is never above that of the stream: each changes once at most.",
            bounded_sums("changed_entries.insertions", _AT_MOST_TWO, _RISING, by_definition=TWO_VECTORS, up_to=6),
            lines=r"N &\le 2",
        ),
        enumerated(
            "streams_of_insertions",
            r"The same is asked of streams, with their distinct counts.",
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


def all_entries() -> Steps:
    """The count of the stream is 1 and 0 in turn, that of the neighbour one less."""
    return (
        lemma(
            "every_entry",
            r"The count of the stream is $1$ and $0$ in turn, that of its neighbour $0$ and $-1$. So the distinct "
            r"count of the stream changes at every entry, and that of the neighbour is always $0$.",
            bounded_sums("changed_entries.example", _ALL, in_turn(), by_definition=TWO_STREAMS, up_to=24),
            lines=r"N &= T",
        ),
    )


def one_more() -> Steps:
    """Four entries for item-neighbours, five for event-neighbours."""
    return (
        *_more_than_twice(
            "item",
            r"Take item-neighbours of the strict model: two insertions and two deletions, and the second insertion "
            r"alone. The existence vectors are $1, 1, 1, 0$ and $0, 1, 1, 1$, with one flip each.",
            of_one_element((1, 1, -1, -1)),
            of_one_element((0, 1, 0, 0)),
            neighbours(*STRICT),
        ),
        *_more_than_twice(
            "event",
            r"Take event-neighbours: two insertions, two deletions and an insertion, and the same without the first "
            r"insertion. The existence vectors are $1, 1, 1, 0, 1$ and $0, 1, 0, 0, 0$, with two flips each.",
            of_one_element((1, 1, -1, -1, 1)),
            of_one_element((0, 1, -1, -1, 1)),
            neighbours(),
        ),
    )


def _more_than_twice(kind: str, text: str, one: Stream, other: Stream, words: Words) -> Steps:
    flippancies = max(flippancy(one), flippancy(other))
    return (
        counterexample(
            f"one_more_{kind}",
            text,
            le(readings.changed, 2 * readings.bound),
            {readings.changed: lambda: changed_entries(one, other), readings.bound: lambda: flippancies},
        ),
        lemma(
            f"one_more_by_sums_{kind}",
            r"The sums over the counts of these streams give the same.",
            _broken(f"changed_entries.{kind}", (one, other), words, (_ONE_LEFT_OUT,) if kind == "event" else ()),
            lines=rf"N = {changed_entries(one, other)} &> 2 \cdot {flippancies}",
        ),
    )


def _broken(name: str, streams: tuple[Stream, Stream], words: Words, more: tuple[sp.Basic, ...]) -> Obligation:
    """More than twice as many entries differ as each of two streams has flips."""
    return broken_by(
        name,
        _TWICE,
        words,
        of_streams(*streams),
        by_definition=TWO_STREAMS,
        values={bound: max(map(flippancy, streams))},
        hypotheses=(*_FEW_FLIPS, *more),
    )


def at_most_one_more() -> Steps:
    """By induction over the entries; streams that attain it; all short streams."""
    return (
        lemma(
            "flips_of_both",
            r"The changes of the count differ only where one of the two existence vectors changes. A change after the "
            r"first entry is a flip. At the first entry the changes differ if exactly one vector begins with $1$: this "
            r"adds $1$. So $N \le w_1 + w_2 + 1$ for elements of flippancy $w_1$ and $w_2$.",
            bounded_sums("changed_entries.both", _BOTH_FLIPS, pairs(), by_definition=TWO_VECTORS, up_to=6),
            lines=r"N &\le w_1 + w_2 + 1",
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
        lemma(
            "attained_by_sums",
            r"The sums over their counts give the same, as for $w = 12$.",
            _broken("changed_entries.attained", worst(12), neighbours(*STRICT), (_MANY,)),
            lines=r"N = 25 &> 2 \cdot 12",
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


CLAIMS = {"turnstile.changed_entries": changed_entries_claim}
