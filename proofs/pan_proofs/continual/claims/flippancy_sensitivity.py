"""Section 3.2: the sensitivity of the maximum flippancy, and of the number of items above a bound."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from pan_proofs.continual.flippancy import flippancy, flips
from pan_proofs.continual.neighbour_examples import example
from pan_proofs.continual.pair_machines import both, one_at_most, toggled
from pan_proofs.continual.streams import (
    MODELS,
    NEIGHBOURS,
    Stream,
    elements,
    existence,
    insertions_only,
    of_one_element,
    streams,
    strict,
    toggle,
)
from pan_proofs.engines.walks import bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import counterexample, enumerated, found, lemma

_change = sp.Symbol("D", integer=True)

LARGEST = {
    "general": {"item": 4, "event": 4},
    "strict": {"item": 4, "event": 4},
    "toggle": {"item": 4, "event": 1},
}
"""The largest change of the maximum flippancy for streams of 5 entries of one element."""


def change(stream: Stream, other: Stream) -> int:
    """The change of the maximum flippancy."""
    return abs(flippancy(stream) - flippancy(other))


def above(stream: Stream, bound: int, *, counted: bool = True) -> int:
    """The number of items of flippancy at least a bound, or their flippancies added up for a control."""
    found = [flips(existence(stream, element)) for element in elements(stream)]
    return sum((1 if counted else one) for one in found if one >= bound)


def pairs(model: str, kind: str, length: int, number: int) -> Iterator[tuple[Stream, Stream]]:
    """Neighbours that are both streams of a model."""
    allowed = MODELS[model]
    for stream in filter(allowed, streams(length, number)):
        for other in filter(allowed, NEIGHBOURS[kind](stream)):
            yield stream, other


def largest(model: str, kind: str) -> int:
    """The largest change of the maximum flippancy over the streams of 5 entries of one element."""
    return max(change(*pair) for pair in pairs(model, kind, 5, 1))


def flippancy_sensitivity() -> Claim:
    """The printed sensitivity for event-neighbours, the true one, and the query that Algorithm 3 asks."""
    return Claim(
        id="turnstile.flippancy_sensitivity",
        title="The sensitivity of the maximum flippancy",
        references=(Reference("turnstile", "section 3.2, and section 1.2"),),
        statement=r"For event-neighbours the maximum flippancy has sensitivity $1$: changing one entry of the stream "
        r"changes it by at most $1$. For item-neighbours it can change by about $T$. The number of items of flippancy "
        r"above any threshold has sensitivity $1$ for item-neighbours.",
        hypotheses=("streams of the turnstile model with $T$ entries (Definitions 1.2 and 1.3)",),
        silent=(
            r"the change for item-neighbours is lost in the text and read as linear in $T$",
            r"the number of items is counted from the whole universe; the threshold does not depend on the data",
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "event-neighbours",
                r"For event-neighbours the maximum flippancy can change by $T - 1$, for every $T \ge 3$: in the "
                r"general model and in the strict model.",
                event_examples(),
            ),
            Part(
                Role.AMENDED,
                "the sensitivity of the maximum flippancy",
                r"The maximum flippancy changes by at most $T - 1$ between neighbours of any kind, and this is "
                r"attained "
                r"by event-neighbours of the strict model and by item-neighbours of the toggle model. In the toggle "
                r"model it changes by at most $1$ between event-neighbours, and likewise with insertions only.",
                true_sensitivity(),
            ),
            Part(
                Role.PUBLISHED,
                "the number of items above a threshold",
                r"The number of items of flippancy at least $w$ changes by at most $1$ between item-neighbours, and so "
                r"between event-neighbours. So Algorithm 3 asks a query of sensitivity $1$ for both kinds of "
                r"neighbours.",
                number_of_items(),
            ),
        ),
        remark=r"The sparse vector technique on the maximum flippancy, which the section describes for event-level "
        r"privacy, needs noise for a sensitivity of $T - 1$. The number of items above the threshold serves both "
        r"levels.",
    )


def event_examples() -> tuple[Step, ...]:
    """Streams in which an insertion hides every flip."""
    return (
        counterexample(
            "four_entries",
            r"Insertions and deletions in turn, $T = 4$, have the flippancy $3$. Without the first insertion no count "
            r"is positive, and the flippancy is $0$.",
            sp.Le(_change, 1, evaluate=False),
            {_change: lambda: change(*example(4))},
        ),
        counterexample(
            "four_strict_entries",
            r"In the strict model: two insertions, a deletion and an insertion have the counts $1, 2, 1, 2$ and the "
            r"flippancy $0$. Without the first insertion the counts are $0, 1, 0, 1$.",
            sp.Le(_change, 1, evaluate=False),
            {_change: lambda: change(*example(4, first_twice=True))},
        ),
        enumerated(
            "every_length",
            r"The same holds for longer streams.",
            "T from 3 to 24: event-neighbours, both strict, whose flippancies differ by T - 1",
            range(3, 25),
            lambda length: (
                all(map(strict, example(length, first_twice=True)))
                and example(length, first_twice=True)[1]
                in set(NEIGHBOURS["event"](example(length, first_twice=True)[0]))
                and change(*example(length, first_twice=True)) == length - 1
            ),
            mutant=lambda length: change(*example(length, first_twice=True)) <= 1,
        ),
    )


def true_sensitivity() -> tuple[Step, ...]:
    """The bound by the number of pairs of adjacent entries, and the toggle model."""
    return (
        enumerated(
            "at_most_all_pairs",
            r"A flippancy counts pairs of adjacent entries, of which there are $T - 1$.",
            "streams of up to 5 entries over 2 elements: the flippancy is from 0 to T - 1",
            (stream for length in range(1, 6) for stream in streams(length, 2)),
            lambda stream: 0 <= flippancy(stream) <= len(stream) - 1,
            mutant=lambda stream: flippancy(stream) <= max(0, len(stream) - 2),
        ),
        *(
            found(
                f"largest_{model}_{kind}",
                rf"The largest change for {kind}-neighbours of the {model} model with $T = 5$ is ${stated}$.",
                f"streams of one element with 5 entries, {model} model, {kind}-neighbours",
                partial(largest, model, kind),
                stated,
            )
            for model, kinds in LARGEST.items()
            for kind, stated in kinds.items()
        ),
        enumerated(
            "toggled_items",
            r"Item-neighbours of the toggle model attain $T - 1$: insertions and deletions in turn after a no-op, and "
            r"no entry at all.",
            "T from 2 to 24: two streams of the toggle model whose flippancies differ by T - 1",
            range(2, 25),
            lambda length: (
                toggle(_after_a_no_op(length))
                and change(_after_a_no_op(length), of_one_element((0,) * length)) == length - 1
            ),
            mutant=lambda length: change(_after_a_no_op(length), of_one_element((0,) * length)) <= 1,
        ),
        *_toggled_events(),
        enumerated(
            "insertions",
            r"With insertions only, an existence vector flips once at most.",
            "streams of insertions of up to 5 entries over 2 elements: the flippancy is at most 1",
            (stream for length in range(1, 6) for stream in filter(insertions_only, streams(length, 2))),
            lambda stream: flippancy(stream) <= 1,
            mutant=lambda stream: flippancy(stream) <= 0,
        ),
    )


def _after_a_no_op(length: int) -> Stream:
    return of_one_element((0, *((-1) ** place for place in range(length - 1))))


def _toggled_events() -> Iterator[Step]:
    """The flips of the stream minus those of its neighbour, and the reverse."""
    for sign, told in ((1, "more"), (-1, "fewer")):

        def added(before: int, after: int, other: int, other_after: int, first: bool, sign: int = sign) -> int:
            return 0 if first else sign * (int(before != after) - int(other != other_after))

        def by_definition(word: tuple[tuple[int, int], ...], sign: int = sign) -> int:
            one, other = both(word)
            return sign * (flippancy(one) - flippancy(other))

        yield lemma(
            f"toggled_events_{told}",
            r"In the toggle model an entry can be left out only if no other entry of its element follows. "
            rf"The stream has {'at most $1$ flip' if sign == 1 else 'never'} {told}{'' if sign == 1 else ' flips'} "
            rf"than "
            r"its neighbour, which has a no-op there.",
            bounded_for_every_length(
                f"flippancy_sensitivity.toggled.{told}",
                f"event-neighbours of the toggle model: the flips that the stream has {told} than its neighbour",
                toggled(added, events=True),
                1 if sign == 1 else 0,
                by_definition=by_definition,
                allowed=lambda word: all(map(toggle, both(word))) and one_at_most(word),
                up_to=5,
            ),
        )


def number_of_items() -> tuple[Step, ...]:
    """Neighbours differ in one item."""
    return (
        enumerated(
            "one_item",
            r"Item-neighbours differ in the entries of one item, and the flippancies of all others are the same. So "
            r"the number changes by at most $1$.",
            "item-neighbours of up to 4 entries over 3 elements, w from 1 to 3: the numbers of items of flippancy at "
            "least w differ by at most 1",
            (
                (one, other, bound)
                for length in range(1, 5)
                for one, other in pairs("general", "item", length, 3)
                for bound in (1, 2, 3)
            ),
            lambda case: abs(above(case[0], case[2]) - above(case[1], case[2])) <= 1,
            mutant=lambda case: (
                abs(above(case[0], case[2], counted=False) - above(case[1], case[2], counted=False)) <= 1
            ),
        ),
    )


CLAIMS = {"turnstile.flippancy_sensitivity": flippancy_sensitivity}
