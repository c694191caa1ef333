"""Section 1.1: item- and event-level privacy on streams of insertions."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.formulas import BITS, change, count, length, of_counts, other_count, place, x, y
from pan_proofs.continual.steps import by_sums, two_neighbours
from pan_proofs.continual.streams import (
    Bits,
    Stream,
    distinct_counts,
    insertions_only,
    of_one_element,
    streams,
)
from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import counterexample, enumerated

_moved, _lost, _many = map(sp.Symbol, ("D_1", "A_1", "D_2"))
_steps, _inserted, _left_out, _of_it, _of_others, _lacks = sp.symbols("D A E P Q N", real=True)


def _sums(terms: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Sum]:
    return {symbol: sp.Sum(term, (place, 1, length)) for symbol, term in terms.items()}


def steps_between(one: sp.Expr, other: sp.Expr) -> dict[sp.Symbol, sp.Sum]:
    """The steps of event-neighbours between two streams of one element, by their entries 1, -1 and 0."""
    # Equal entries need no step, one entry of the two is a step, and different ones are two steps.
    return _sums({_steps: (sp.Abs(one) + sp.Abs(other)) * sp.Min(1, sp.Abs(one - other))})


def first_ones() -> Words:
    """The existence vectors of an element in two item-neighbours: its first insertions are their changes."""
    rules = (*(le(one[place - 1], one[place]) for one in (x, y)), le(y[place], x[place]))
    total = steps_between(change(x[place]), change(y[place]))
    return Words(length, place, (x, y), total, {x: BITS, y: BITS}, rules, (0, 0))


def lacking() -> Words:
    """Entries that a neighbour lacks, of a given element and of others."""
    terms = {_of_it: x[place] * y[place], _of_others: (1 - x[place]) * y[place], _lacks: y[place]}
    return Words(length, place, (x, y), _sums(terms), {x: BITS, y: BITS})


def insertions(*, of_all: bool) -> Words:
    """The insertions of an element in a stream and in a neighbour that lacks some, or all of one at each time."""
    more = {_inserted: x[place] - y[place], _left_out: sp.Abs(x[place] - y[place])}
    values = {x: (1,), y: (0,)} if of_all else {x: BITS, y: BITS}
    return Words(length, place, (x, y), _sums(more), values, (le(y[place], x[place]),))


def toggled_and_none() -> Words:
    """Insertions and deletions of an element in turn, by their counts, and none."""
    turns = eq(count[place] + count[place - 1], 1)
    total = steps_between(change(count[place]), change(other_count[place]))
    return Words(length, place, (count, other_count), total, {count: BITS, other_count: (0,)}, (turns,), (0, 0))


def first_insertions(stream: Stream) -> Stream:
    """No-ops in place of all insertions of an element but the first."""
    seen: set[int] = set()
    entries = []
    for entry in stream:
        known = entry is not None and entry[0] in seen
        entries.append(None if known else entry)
        seen |= {entry[0]} if entry is not None else set()
    return tuple(entries)


def length_of(stream: Stream) -> int:
    """The number of entries that are no no-ops."""
    return sum(entry is not None for entry in stream)


def event_distance(one: Stream, other: Stream) -> int:
    """The least number of event-neighbour steps: a step makes an entry a no-op, or a no-op an entry."""
    return sum((a is not None) + (b is not None) for a, b in zip(one, other, strict=True) if a != b)


def _first_steps(one: Bits, other: Bits) -> int:
    """The steps between the first insertions of two vectors that never fall: each is a stream of such insertions."""
    return event_distance(*(first_insertions(of_one_element(bits)) for bits in (one, other)))


def _lacked(of: Bits, gone: Bits, *kept: int) -> int:
    stream: Stream = tuple((element, 1) for element in of)
    other = tuple(None if out else entry for entry, out in zip(stream, gone, strict=True))
    return sum(a != b and a is not None and a[0] in kept for a, b in zip(stream, other, strict=True))


def insertion_only() -> Claim:
    """The two directions, and the readings of 'essentially' under which it fails."""
    two = two_neighbours()
    of_insertions = {
        _inserted: lambda one, other: length_of(of_one_element(one)) - length_of(of_one_element(other)),
        _left_out: lambda one, other: event_distance(of_one_element(one), of_one_element(other)),
    }
    by_events = by_sums(
        "insertions_of_events",
        r"At every length the numbers of insertions differ by at most the number of entries that are left out, one "
        r"for event-neighbours.",
        insertions(of_all=False),
        le(_inserted, _left_out),
        by_definition=of_insertions,
    )
    by_items = by_sums(
        "insertions_of_items",
        r"Of an insertion at each time all can be left out.",
        insertions(of_all=True),
        eq(_inserted, length),
        by_definition=of_insertions,
    )
    toggles = by_sums(
        "entries_by_sums",
        r"At every length all $T$ entries are steps.",
        toggled_and_none(),
        eq(_steps, length),
        by_definition={_steps: lambda one, other: event_distance(of_counts(one), of_counts(other))},
        up_to=8,
    )
    none = of_one_element((0,) * 5)
    return Claim(
        id="turnstile.insertion_only",
        title="Item- and event-level privacy for insertions only",
        references=(Reference("turnstile", "section 1.1"),),
        statement="For distinct counting, item-level and event-level privacy are essentially equivalent on streams of "
        "insertions.",
        notation=(
            ("$P$, $H$, $P'$", "probabilities of an event for the first stream, the one between, and the last"),
            ("$x$, $y$", "existence vectors of one element"),
        ),
        hypotheses=("the streams have no deletions",),
        silent=(
            r"in the formulas $x_i$ and $y_i$ are the entries of the existence vectors, in the stream and in its "
            r"neighbour, of the element in which they differ, or $1$ for its insertions and $0$ for no-ops where all "
            r"insertions count; $c_i$ and $d_i$ are its counts. $D$ is the number of steps of event-neighbours, $A$ "
            r"the difference of the numbers of insertions, and $E$ the number of entries that the neighbour lacks; "
            r"$D_1$, $A_1$ and $D_2$ are those of the examples",
            r"read as: an item-level private mechanism is event-level private with the same parameters, and an "
            r"event-level private mechanism that gets only the first insertion of each element is $(2 \varepsilon, (1 "
            r"+ e^{\varepsilon}) \delta)$-item-level-differentially private, with the same distinct counts",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "from items to events",
                r"Event-neighbours are item-neighbours: if the neighbour lacks one entry, no two entries that it "
                r"lacks are of different elements. In the formula $y_i = 1$ if it lacks the entry $i$, $x_i$ tells "
                r"whether the entry is of a given element, and $P$ and $Q$ of the $N$ entries that it lacks are of "
                r"this element and of others.",
                (
                    by_sums(
                        "of_one_element",
                        r"The entries of a given element and of others that are lacked are together those that are "
                        r"lacked. If this is one entry, the product of these two whole numbers is less than $1$: one "
                        r"of them is $0$.",
                        lacking(),
                        le(_of_it + _of_others, _lacks),
                        ge(_of_it, 0),
                        ge(_of_others, 0),
                        by_definition={
                            _of_it: lambda of, gone: _lacked(of, gone, 1),
                            _of_others: lambda of, gone: _lacked(of, gone, 0),
                            _lacks: lambda of, gone: _lacked(of, gone, 0, 1),
                        },
                        up_to=4,
                    ),
                ),
                formal=about(lacking(), lt(_of_it * _of_others, 1), given=(sp.Eq(_lacks, 1),)),
            ),
            derived(
                Role.PUBLISHED,
                "from events to items",
                r"If repeated insertions become no-ops, item-neighbours are at most two steps of event-neighbours "
                r"apart, and no distinct count changes.",
                enumerated(
                    "same_counts",
                    r"An element is present from its first insertion on.",
                    "streams of up to 5 insertions over 2 elements: the distinct counts are the same",
                    (stream for length in range(1, 6) for stream in filter(insertions_only, streams(length, 2))),
                    lambda stream: distinct_counts(first_insertions(stream)) == distinct_counts(stream),
                    mutant=lambda stream: length_of(first_insertions(stream)) == length_of(stream),
                ),
                by_sums(
                    "two_entries",
                    r"The first insertion of one element moves, or disappears. At every length two steps suffice.",
                    first_ones(),
                    le(_steps, 2),
                    by_definition={_steps: _first_steps},
                ),
                two,
                only=("budget_of_two_steps",),
            ),
            derived(
                Role.READING,
                "the same parameters",
                r"After that step item-neighbours can be two steps apart, $D_1$ in the example: the budget doubles in "
                r"general.",
                counterexample(
                    "moved",
                    r"Two insertions of one element, and the second alone: the first insertion moves from the time "
                    r"$1$ to $2$. The existence vectors are $1, 1$ and $0, 1$.",
                    le(_moved, 1),
                    {_moved: lambda: _first_steps((1, 1), (0, 1))},
                ),
                holds=False,
                departs=r"$(2 \varepsilon, (1 + e^{\varepsilon}) \delta)$-item-level-differentially private",
            ),
            derived(
                Role.READING,
                "the mechanism as it is",
                r"An event-level private mechanism that gets all insertions need not be item-level private: the number "
                r"of insertions changes by $1$ for event-neighbours, and by up to $T$ for item-neighbours.",
                counterexample(
                    "five_insertions",
                    r"Compare five insertions of one element with none.",
                    le(_lost, 1),
                    {_lost: lambda: length_of(of_one_element((1,) * 5)) - length_of(none)},
                ),
                by_events,
                by_items,
                only=(
                    "insertions_of_events",
                    "insertions_of_items",
                ),
                holds=False,
                departs="that gets only the first insertion of each element",
            ),
            derived(
                Role.READING,
                "streams with deletions",
                r"With deletions the last operation of each element has to be kept. Item-neighbours of the toggle "
                r"model can be $T$ steps apart then.",
                counterexample(
                    "five_entries",
                    r"Three insertions and two deletions of one element in turn, and none of them: each changes "
                    r"the distinct count.",
                    le(_many, 2),
                    {_many: lambda: event_distance(of_one_element((1, -1, 1, -1, 1)), none)},
                ),
                toggles,
                only=("entries_by_sums",),
                holds=False,
                departs="the streams have no deletions",
            ),
        ),
        uses=("turnstile.group_privacy",),
    )


CLAIMS = {"turnstile.insertion_only": insertion_only}
