"""Section 1.1: item- and event-level privacy on streams of insertions."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

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
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

_chance, _between, _other, _delta = sp.symbols("P H Pprime delta", nonnegative=True)
_x = sp.Symbol("x", positive=True)
_found, _one = sp.symbols("F M", integer=True)
_TWO_STEPS = (sp.Ge(_x, 1), sp.Le(_chance, _x * _between + _delta), sp.Le(_between, _x * _other + _delta))


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
    for length in range(1, longest + 1):
        for stream in filter(insertions_only, streams(length, 2)):
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
        hypotheses=("the streams have no deletions",),
        silent=(
            r"read as: an item-level private mechanism is event-level private with the same parameters, and an "
            r"event-level private mechanism that gets only the first insertion of each element is $(2 \varepsilon, (1 "
            r"+ "
            r"e^{\varepsilon}) \delta)$-item-level-differentially private, with the same distinct counts",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "from items to events",
                r"Event-neighbours are item-neighbours.",
                (to_events(),),
            ),
            Part(
                Role.PUBLISHED,
                "from events to items",
                r"If repeated insertions become no-ops, item-neighbours are at most two steps of event-neighbours "
                r"apart, "
                r"and no distinct count changes.",
                to_items(),
                formal=symbolic(sp.Le(_chance, _x**2 * _other + (1 + _x) * _delta, evaluate=False), given=_TWO_STEPS),
            ),
            Part(
                Role.READING,
                "the same parameters",
                r"After that step item-neighbours can be two steps apart: the budget doubles in general.",
                (two_steps(),),
                holds=False,
            ),
            Part(
                Role.READING,
                "the mechanism as it is",
                r"An event-level private mechanism that gets all insertions need not be item-level private: the number "
                r"of insertions changes by $1$ for event-neighbours, and by up to $T$ for item-neighbours.",
                (all_insertions(),),
                holds=False,
            ),
            Part(
                Role.READING,
                "streams with deletions",
                r"With deletions the last operation of each element has to be kept. Item-neighbours of the toggle "
                r"model "
                r"can be $T$ steps apart then.",
                (with_deletions(),),
                holds=False,
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


def to_items() -> tuple[Step, ...]:
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
                touching={_chance: 7, _between: 3, _other: 1, _x: 2, _delta: 1},
            ),
            lines=(r"P \le x H + \delta &\le x^2 P' + (1 + x) \delta",),
        ),
    )


def two_steps() -> Step:
    """The first of two insertions is left out."""
    one, other = of_one_element((1, 1)), of_one_element((0, 1))
    return counterexample(
        "moved",
        r"Two insertions of one element, and the second alone: the first insertion moves from the time $1$ to $2$.",
        sp.Le(_found, _one, evaluate=False),
        {
            _found: lambda: event_distance(first_insertions(one), first_insertions(other)),
            _one: sp.Integer(1),
        },
    )


def all_insertions() -> Step:
    """Five insertions of one element."""
    one, other = of_one_element((1,) * 5), of_one_element((0,) * 5)
    return counterexample(
        "five_insertions",
        r"Five insertions of one element, and none.",
        sp.Le(_found, _one, evaluate=False),
        {_found: lambda: length_of(one) - length_of(other), _one: sp.Integer(1)},
    )


def with_deletions() -> Step:
    """Insertions and deletions in turn, which all matter."""
    one, other = of_one_element((1, -1, 1, -1, 1)), of_one_element((0,) * 5)
    if not toggle(one):
        raise ValueError("the example is of the toggle model")
    return counterexample(
        "five_entries",
        r"Three insertions and two deletions of one element in turn, and none of them: each changes the distinct "
        r"count.",
        sp.Le(_found, 2 * _one, evaluate=False),
        {_found: lambda: event_distance(one, other), _one: sp.Integer(1)},
    )


CLAIMS = {"turnstile.insertion_only": insertion_only}
