"""Section 1.1: item- and event-level privacy on streams of insertions."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from pan_proofs.continual.formulas import change, count, length, of_counts, other_count, place, x, y
from pan_proofs.continual.streams import (
    NEIGHBOURS,
    Stream,
    distinct_counts,
    insertions_only,
    of_one_element,
    streams,
    toggle,
)
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.engines.word_sums import Words, bounded_sums, broken_by
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.statements import about
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma

_chance, _between, _other, _delta = sp.symbols("P H Pprime delta", nonnegative=True)
_x = sp.Symbol("x", positive=True)
_found, _one = sp.symbols("F M", integer=True)
_TWO_STEPS = (sp.Ge(_x, 1), sp.Le(_chance, _x * _between + _delta), sp.Le(_between, _x * _other + _delta))

_steps, _inserted, _left_out = sp.symbols("D A E", real=True)
_of_it, _of_others, _lacks = sp.symbols("P Q N", real=True)
_TWO = le(_steps, 2)
_ONE = le(_steps, 1)
_ALL = eq(_steps, length)
_ALL_INSERTED = eq(_inserted, length)
_AS_LEFT_OUT = le(_inserted, _left_out)


def steps_between(one: sp.Expr, other: sp.Expr) -> sp.Sum:
    """The steps of event-neighbours between two streams of one element, by their entries 1, -1 and 0."""
    # Equal entries need no step, one entry of the two is a step, and different ones are two steps.
    term = (sp.Abs(one) + sp.Abs(other)) * sp.Min(1, sp.Abs(one - other))
    return sp.Sum(term, (place, 1, length))


def first_ones() -> Words:
    """The existence vectors of an element in two item-neighbours: its first insertions are their changes."""
    rules = (
        *(le(one[place - 1], one[place]) for one in (x, y)),
        le(y[place], x[place]),
    )
    total = steps_between(change(x[place]), change(y[place]))
    return Words(length, place, (x, y), {_steps: total}, {x: (0, 1), y: (0, 1)}, rules, (0, 0))


def _lacking() -> Words:
    """Entries that a neighbour lacks, of a given element and of others."""
    terms = {_of_it: x[place] * y[place], _of_others: (1 - x[place]) * y[place], _lacks: y[place]}
    sums = {symbol: sp.Sum(term, (place, 1, length)) for symbol, term in terms.items()}
    return Words(length, place, (x, y), sums, {x: (0, 1), y: (0, 1)})


def _of_one_element() -> Step:
    """The entries that are lacked, by the elements of the streams."""

    def lacked(of: tuple[int, ...], gone: tuple[int, ...], *kept: int) -> int:
        stream: Stream = tuple((element, 1) for element in of)
        other = tuple(None if out else entry for entry, out in zip(stream, gone, strict=True))
        return sum(a != b and a is not None and a[0] in kept for a, b in zip(stream, other, strict=True))

    meant = {_of_it: (1,), _of_others: (0,), _lacks: (0, 1)}
    relations = (
        le(_of_it + _of_others, _lacks),
        ge(_of_it, 0),
        ge(_of_others, 0),
    )
    return lemma(
        "of_one_element",
        r"The entries of a given element and of others that are lacked are together those that are lacked. If this is "
        r"one entry, the product of these two whole numbers is less than $1$: one of them is $0$.",
        [
            bounded_sums(
                f"insertion_only.of_one_element.{number}",
                relation,
                _lacking(),
                by_definition={one: lambda of, gone, kept=kept: lacked(of, gone, *kept) for one, kept in meant.items()},
                up_to=4,
            )
            for number, relation in enumerate(relations)
        ],
        r"P + Q &\le N = 1",
    )


def insertions_of_one() -> Words:
    """The insertions of an element in a stream and in a neighbour that lacks some: how many more, and how many lack."""
    more = {_inserted: x[place] - y[place], _left_out: sp.Abs(x[place] - y[place])}
    sums = {symbol: sp.Sum(term, (place, 1, length)) for symbol, term in more.items()}
    return Words(length, place, (x, y), sums, {x: (0, 1), y: (0, 1)}, (le(y[place], x[place]),))


def insertions_and_none() -> Words:
    """An insertion at each time, and none."""
    sums = {_inserted: sp.Sum(x[place] - y[place], (place, 1, length))}
    return Words(length, place, (x, y), sums, {x: (1,), y: (0,)})


def toggled_and_none() -> Words:
    """Insertions and deletions of an element in turn, by their counts, and none."""
    turns = eq(count[place] + count[place - 1], 1)
    total = steps_between(change(count[place]), change(other_count[place]))
    values = {count: (0, 1), other_count: (0,)}
    return Words(length, place, (count, other_count), {_steps: total}, values, (turns,), (0, 0))


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


def pairs(kind: str, longest: int = 4) -> Iterator[tuple[Stream, Stream]]:
    """Neighbours among the streams of insertions over two elements."""
    for entries in range(1, longest + 1):
        for stream in filter(insertions_only, streams(entries, 2)):
            for other in NEIGHBOURS[kind](stream):
                yield stream, other


def insertion_only() -> Claim:
    """The two directions, and the readings of 'essentially' under which it fails."""
    return Claim(
        id="turnstile.insertion_only",
        title="Item- and event-level privacy for insertions only",
        references=(Reference("turnstile", "section 1.1"),),
        statement="For distinct counting, item-level and event-level privacy are essentially equivalent on streams of "
        "insertions.",
        notation=(
            ("$P$, $H$, $P'$", "probabilities of an event for the first stream, the one between, and the last"),
            ("$F$, $M$", "number of changes that are found, and the number that would be allowed"),
            ("$x$, $y$", "existence vectors of one element"),
        ),
        hypotheses=("the streams have no deletions",),
        silent=(
            r"in the formulas $x_i$ and $y_i$ are the entries of the existence vectors, in the stream and in its "
            r"neighbour, of the element in which they differ, or $1$ for its insertions and $0$ for no-ops where all "
            r"insertions count; $c_i$ and $d_i$ are its counts. $D$ is the number of steps of event-neighbours, $A$ "
            r"the difference of the numbers of insertions, and $E$ the number of entries that the neighbour lacks",
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
                (to_events(), _of_one_element()),
                formal=about(_lacking(), lt(_of_it * _of_others, 1), given=(sp.Eq(_lacks, 1),)),
            ),
            Part(
                Role.PUBLISHED,
                "from events to items",
                r"If repeated insertions become no-ops, item-neighbours are at most two steps of event-neighbours "
                r"apart, and no distinct count changes.",
                to_items(),
                formal=symbolic(le(_chance, _x**2 * _other + (1 + _x) * _delta), given=_TWO_STEPS),
            ),
            Part(
                Role.READING,
                "the same parameters",
                r"After that step item-neighbours can be two steps apart: the budget doubles in general.",
                two_steps(),
                formal=about(first_ones(), _ONE, refuted=True),
                holds=False,
                departs=r"$(2 \varepsilon, (1 + e^{\varepsilon}) \delta)$-item-level-differentially private",
            ),
            Part(
                Role.READING,
                "the mechanism as it is",
                r"An event-level private mechanism that gets all insertions need not be item-level private: the number "
                r"of insertions changes by $1$ for event-neighbours, and by up to $T$ for item-neighbours.",
                all_insertions(),
                formal=(
                    *about(insertions_of_one(), _AS_LEFT_OUT),
                    *about(insertions_and_none(), _ALL_INSERTED),
                ),
                holds=False,
                departs="that gets only the first insertion of each element",
            ),
            Part(
                Role.READING,
                "streams with deletions",
                r"With deletions the last operation of each element has to be kept. Item-neighbours of the toggle "
                r"model can be $T$ steps apart then.",
                with_deletions(),
                formal=about(toggled_and_none(), _ALL),
                holds=False,
                departs="the streams have no deletions",
            ),
        ),
        uses=("turnstile.group_privacy",),
    )


def to_events() -> Step:
    """One entry is some of the entries of its element."""
    return enumerated(
        "events_are_items",
        r"One entry is some entries of one element.",
        "event-neighbours of up to 4 insertions over 2 elements: they are item-neighbours",
        pairs("event"),
        lambda pair: pair[1] in set(NEIGHBOURS["item"](pair[0])),
        mutant=lambda pair: first_insertions(pair[0]) == first_insertions(pair[1]),
    )


def to_items() -> Steps:
    """Counts, distance and budget."""
    return (
        enumerated(
            "same_counts",
            r"An element is present from its first insertion on.",
            "streams of up to 5 insertions over 2 elements: the distinct counts are the same",
            (stream for length in range(1, 6) for stream in filter(insertions_only, streams(length, 2))),
            lambda stream: distinct_counts(first_insertions(stream)) == distinct_counts(stream),
            mutant=lambda stream: length_of(first_insertions(stream)) == length_of(stream),
        ),
        enumerated(
            "two_entries",
            r"The first insertion of one element moves, or disappears.",
            "item-neighbours of up to 4 insertions over 2 elements: the first insertions are at most 2 steps apart",
            pairs("item"),
            lambda pair: event_distance(*map(first_insertions, pair)) <= 2,
            mutant=lambda pair: event_distance(*map(first_insertions, pair)) <= 1,
        ),
        at_most(
            "budget",
            r"With $x = e^{\varepsilon}$ two steps give",
            Inequality(
                "insertion_only.two_steps",
                _chance,
                _x**2 * _other + (1 + _x) * _delta,
                _TWO_STEPS,
            ),
            lines=r"P \le x H + \delta &\le x^2 P' + (1 + x) \delta",
        ),
    )


def two_steps() -> Steps:
    """The first of two insertions is left out."""
    one, other = of_one_element((1, 1)), of_one_element((0, 1))
    return (
        counterexample(
            "moved",
            r"Two insertions of one element, and the second alone: the first insertion moves from the time $1$ to $2$.",
            le(_found, _one),
            {
                _found: lambda: event_distance(first_insertions(one), first_insertions(other)),
                _one: sp.Integer(1),
            },
        ),
        lemma(
            "moved_by_sums",
            r"The existence vectors are $1, 1$ and $0, 1$, and the first insertions their changes. At every length two "
            r"steps suffice, and here one does not.",
            (
                bounded_sums("insertion_only.steps", _TWO, first_ones(), by_definition={_steps: _first_steps}, up_to=6),
                broken_by(
                    "insertion_only.moved", _ONE, first_ones(), ((1, 1), (0, 1)), by_definition={_steps: _first_steps}
                ),
            ),
            lines=(r"D &\le 2", r"D &= 2 \quad\text{for}\quad x = (1, 1),\ y = (0, 1)"),
        ),
    )


def _first_steps(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """The steps between the first insertions of two vectors that never fall: each is a stream of such insertions."""
    return event_distance(*(first_insertions(of_one_element(bits)) for bits in (one, other)))


def all_insertions() -> Steps:
    """Five insertions of one element, and all lengths."""
    one, other = of_one_element((1,) * 5), of_one_element((0,) * 5)
    definitions = {
        _inserted: lambda one, other: length_of(of_one_element(one)) - length_of(of_one_element(other)),
        _left_out: lambda one, other: event_distance(of_one_element(one), of_one_element(other)),
    }
    return (
        counterexample(
            "five_insertions",
            r"Compare five insertions of one element with none.",
            le(_found, _one),
            {_found: lambda: length_of(one) - length_of(other), _one: sp.Integer(1)},
        ),
        lemma(
            "insertions_by_sums",
            r"At every length the numbers of insertions differ by at most the number of entries that are left out, one "
            r"for event-neighbours. Of an insertion at each time all can be left out.",
            (
                bounded_sums(
                    "insertion_only.events", _AS_LEFT_OUT, insertions_of_one(), by_definition=definitions, up_to=5
                ),
                bounded_sums(
                    "insertion_only.items", _ALL_INSERTED, insertions_and_none(), by_definition=definitions, up_to=8
                ),
            ),
            lines=(r"A &\le E", r"A &= T \quad\text{for}\quad x_i = 1,\ y_i = 0"),
        ),
    )


def with_deletions() -> Steps:
    """Insertions and deletions in turn, which all matter."""
    one, other = of_one_element((1, -1, 1, -1, 1)), of_one_element((0,) * 5)
    if not toggle(one):
        raise ValueError("the example is of the toggle model")
    return (
        counterexample(
            "five_entries",
            r"Three insertions and two deletions of one element in turn, and none of them: each changes the distinct "
            r"count.",
            le(_found, 2 * _one),
            {_found: lambda: event_distance(one, other), _one: sp.Integer(1)},
        ),
        lemma(
            "entries_by_sums",
            r"At every length all $T$ entries are steps.",
            bounded_sums(
                "insertion_only.toggled",
                _ALL,
                toggled_and_none(),
                by_definition={_steps: lambda one, other: event_distance(of_counts(one), of_counts(other))},
                up_to=8,
            ),
            lines=r"D &= T",
        ),
    )


CLAIMS = {"turnstile.insertion_only": insertion_only}
