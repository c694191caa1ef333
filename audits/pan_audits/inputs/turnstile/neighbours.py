"""Adjacent turnstile streams. Both streams of a pair obey the model."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from pan_audits.inputs.turnstile.streams import is_legal, is_legal_count
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.turnstile import Entry, Model, TurnstileStream

Choice: TypeAlias = Callable[[Entry], Entry]
"""The entry that takes the place of an entry."""

JUDGED = OF_TURNSTILE_STREAMS
"""The adjacencies for which pairs are made here."""


def adjacent(left: TurnstileStream, right: TurnstileStream, adjacency: Adjacency, problem: Problem) -> bool:
    """Whether two different streams are adjacent, and both obey the model of a problem."""
    _require_judged(adjacency)
    if len(left) != len(right) or not all(is_legal(each, problem.elements, problem.model) for each in (left, right)):
        return False
    places = [place for place, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    changed = {entry[0] for place in places for entry in (left[place], right[place]) if entry is not None}
    if len(changed) != 1:
        return False
    if adjacency is Adjacency.USER_LEVEL:
        return True
    nested = any(all(stream[place] is None for place in places) for stream in (left, right))
    return nested and (adjacency is Adjacency.ITEM_LEVEL or len(places) == 1)


def some_neighbours(
    stream: TurnstileStream, problem: Problem, adjacency: Adjacency, chance: random.Random, number: int
) -> list[TurnstileStream]:
    """Random neighbours of a stream, and those in which an element has no entry any more."""
    _require_judged(adjacency)
    present = sorted({entry[0] for entry in stream if entry is not None})
    found: dict[TurnstileStream, None] = {}
    if adjacency is not Adjacency.EVENT_LEVEL:
        for element in present:
            found.setdefault(_replaced(stream, element, _kept(lambda: True), problem.model))
    for _ in range(number):
        if adjacency is Adjacency.USER_LEVEL:
            element = chance.randrange(problem.elements)
            found.setdefault(_replaced(stream, element, _any_entry(element, chance), problem.model))
        elif present and adjacency is Adjacency.ITEM_LEVEL:
            element = chance.choice(present)
            found.setdefault(_replaced(stream, element, _kept(lambda: chance.random() < 0.5), problem.model))
    if adjacency is Adjacency.EVENT_LEVEL:
        places = [place for place, entry in enumerate(stream) if entry is not None]
        for place in chance.sample(places, min(len(places), number)):
            found.setdefault((*stream[:place], None, *stream[place + 1 :]))
    return [other for other in found if adjacent(stream, other, adjacency, problem)]


def _kept(removes: Callable[[], bool]) -> Choice:
    return lambda entry: None if entry is None or removes() else entry


def _any_entry(element: int, chance: random.Random) -> Choice:
    letters: tuple[Entry, ...] = (None, (element, 1), (element, -1))
    return lambda entry: chance.choice(letters)


def _replaced(stream: TurnstileStream, element: int, choose: Choice, model: Model) -> TurnstileStream:
    """The stream with other entries at the no-ops and at the entries of one element.

    A chosen entry that the model does not allow becomes a no-op.
    """
    made: list[Entry] = []
    count = 0
    for entry in stream:
        if entry is not None and entry[0] != element:
            made.append(entry)
            continue
        chosen = choose(entry)
        after = count + (0 if chosen is None else chosen[1])
        if not is_legal_count(after, model):
            chosen, after = None, count
        made.append(chosen)
        count = after
    return tuple(made)


def _require_judged(adjacency: Adjacency) -> None:
    if adjacency not in JUDGED:
        raise InputError(f"panproof has no pairs of turnstile streams for {adjacency}; it has {', '.join(JUDGED)}")
