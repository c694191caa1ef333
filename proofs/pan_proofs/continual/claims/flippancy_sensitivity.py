"""Section 3.2: the sensitivity of the maximum flippancy, and of the number of items above a bound."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.continual.flippancy import flippancy, flips
from pan_proofs.continual.formulas import (
    ONE_VECTOR,
    TWO_STREAMS,
    TWO_VECTORS,
    flipped,
    in_turn,
    left_out,
    length,
    never_falling,
    none_left,
    other_flipped,
    toggled,
)
from pan_proofs.continual.formulas import (
    pairs as bit_pairs,
)
from pan_proofs.continual.neighbour_examples import example
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
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.word_sums import Definitions, Words, bounded_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, found, lemma

_change = sp.Symbol("D", integer=True)
_IN_TURN, _TWICE_FIRST, _TOGGLED, _PAIRS = in_turn(), in_turn(first_twice=True), toggled(), bit_pairs()
_NONE_LEFT, _INSERTIONS = none_left(), never_falling()
_ALL_PAIRS = length - 1
_LOST, _GAINED = (eq(one - other, _ALL_PAIRS) for one, other in ((flipped, other_flipped), (other_flipped, flipped)))
_AT_MOST = tuple(le(sign * (flipped - other_flipped), _ALL_PAIRS) for sign in (1, -1))
_FEWER = le(other_flipped, flipped)
_FEWER_THAN_LEFT_OUT = le(flipped - other_flipped, left_out)
_ONE_LEFT_OUT = (le(left_out, 1),)
_ONE_FLIP = le(flipped, 1)
_others = sp.Symbol("s", nonnegative=True, integer=True)
_item, _neighbour_item = sp.symbols("a b", nonnegative=True, integer=True)
_COUNTED = (le(_item, 1), le(_neighbour_item, 1))
_ONE_ITEM = le(sp.Abs((_others + _item) - (_others + _neighbour_item), evaluate=False), 1)

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
                event_examples(),
                formal=(*about(_IN_TURN, _LOST), *about(_TWICE_FIRST, _GAINED)),
            ),
            Part(
                Role.AMENDED,
                "the sensitivity of the maximum flippancy",
                r"The maximum flippancy changes by at most $T - 1$ between neighbours of any kind, and this is "
                r"attained by event-neighbours of the strict model and by item-neighbours of the toggle model. In the "
                r"toggle model it changes by at most $1$ between event-neighbours, and likewise with insertions only.",
                true_sensitivity(),
                formal=(
                    *about(_PAIRS, sp.And(*_AT_MOST)),
                    *about(_TWICE_FIRST, _GAINED),
                    *about(_NONE_LEFT, _LOST),
                    *about(_TOGGLED, sp.And(_FEWER, le(flipped - other_flipped, 1)), given=_ONE_LEFT_OUT),
                    *about(_INSERTIONS, _ONE_FLIP),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the number of items above a threshold",
                r"The number of items of flippancy at least $w$ changes by at most $1$ between item-neighbours, and so "
                r"between event-neighbours. So Algorithm 3 asks a query of sensitivity $1$ for both kinds of "
                r"neighbours. In the formula $a$ and $b$ are $1$ if the item in which the neighbours differ is "
                r"counted, and $0$ if not; the others are counted alike.",
                number_of_items(),
                formal=symbolic(_ONE_ITEM, given=_COUNTED),
            ),
        ),
        remark=r"The sparse vector technique on the maximum flippancy, which the section describes for event-level "
        r"privacy, needs noise for a sensitivity of $T - 1$. The number of items above the threshold serves both "
        r"levels.",
    )


def event_examples() -> Steps:
    """Streams in which an insertion hides every flip."""
    return (
        counterexample(
            "four_entries",
            r"Insertions and deletions in turn, $T = 4$, have the flippancy $3$. Without the first insertion no count "
            r"is positive, and the flippancy is $0$.",
            le(_change, 1),
            {_change: lambda: change(*example(4))},
        ),
        counterexample(
            "four_strict_entries",
            r"In the strict model: two insertions, a deletion and an insertion have the counts $1, 2, 1, 2$ and the "
            r"flippancy $0$. Without the first insertion the counts are $0, 1, 0, 1$.",
            le(_change, 1),
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
        _by_sums(
            "in_turn",
            r"This holds at every length, first in the general model.",
            _IN_TURN,
            _LOST,
            r"w_1 - w_2 &= T - 1",
        ),
        _by_sums("twice_first", r"It holds in the strict model as well.", _TWICE_FIRST, _GAINED, r"w_2 - w_1 &= T - 1"),
    )


def _by_sums(
    name: str, text: str, words: Words, relation: Relational, line: str, definitions: Definitions = TWO_STREAMS
) -> Step:
    obligation = bounded_sums(f"flippancy_sensitivity.{name}", relation, words, by_definition=definitions, up_to=5)
    return lemma(f"{name}_by_sums", text, obligation, lines=(line,))


def true_sensitivity() -> Steps:
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
        _by_sums(
            "at_most",
            r"This holds at every length, for any two vectors.",
            _PAIRS,
            _AT_MOST[0],
            r"w_1 - w_2 &\le T - 1",
            TWO_VECTORS,
        ),
        _by_sums(
            "at_least",
            r"The same with the vectors exchanged.",
            _PAIRS,
            _AT_MOST[1],
            r"w_2 - w_1 &\le T - 1",
            TWO_VECTORS,
        ),
        _by_sums(
            "twice_first_again",
            r"Event-neighbours of the strict model attain it.",
            _TWICE_FIRST,
            _GAINED,
            r"w_2 - w_1 &= T - 1",
        ),
        _by_sums(
            "none_left", r"So do the item-neighbours of the toggle model.", _NONE_LEFT, _LOST, r"w_1 - w_2 &= T - 1"
        ),
        _by_sums(
            "toggled_fewer",
            r"In the toggle model a stream never has fewer flips than its item-neighbour.",
            _TOGGLED,
            _FEWER,
            r"w_2 &\le w_1",
        ),
        _by_sums(
            "toggled_more",
            r"It has at most one more for each entry that the neighbour lacks: one, if they are event-neighbours.",
            _TOGGLED,
            _FEWER_THAN_LEFT_OUT,
            r"w_1 - w_2 &\le E",
        ),
        _by_sums(
            "never_falling",
            r"With insertions only, an existence vector flips once at most.",
            _INSERTIONS,
            _ONE_FLIP,
            r"w_1 &\le 1",
            ONE_VECTOR,
        ),
        enumerated(
            "insertions",
            r"This is asked of streams, too.",
            "streams of insertions of up to 5 entries over 2 elements: the flippancy is at most 1",
            (stream for length in range(1, 6) for stream in filter(insertions_only, streams(length, 2))),
            lambda stream: flippancy(stream) <= 1,
            mutant=lambda stream: flippancy(stream) <= 0,
        ),
    )


def _after_a_no_op(length: int) -> Stream:
    return of_one_element((0, *((-1) ** place for place in range(length - 1))))


def number_of_items() -> Steps:
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
        at_most(
            "counted_or_not",
            r"With the number $s$ among all other items, and $a$ and $b$ for this one in the two streams:",
            Inequality(
                "flippancy_sensitivity.items",
                _ONE_ITEM.lhs,
                sp.Integer(1),
                _COUNTED,
            ),
            lines=r"|(s + a) - (s + b)| &\le 1",
        ),
    )


CLAIMS = {"turnstile.flippancy_sensitivity": flippancy_sensitivity}
