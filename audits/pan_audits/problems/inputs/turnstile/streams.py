"""Turnstile streams as texts, the model that they obey, and their neighbours."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError, shown
from pan_promises.problem import Problem
from pan_promises.promise import Observed
from pan_promises.turnstile import Entry, Model, TurnstileStream

_NO_OP = "."
_ENTRY = re.compile(r"([+-])(0|[1-9][0-9]{0,9})", re.ASCII)
_STATE = " (state)"
_BOTH = re.compile(r" \(outputs, state after (0|[1-9][0-9]{0,9})\)$", re.ASCII)


def to_text(stream: TurnstileStream, observed: Observed = Observed.OUTPUT, after: int | None = None) -> str:
    """A stream as a text such as ``+0 . -0``, which is its label."""
    text = " ".join(map(_entry_text, stream))
    if observed is Observed.STATE_AND_OUTPUT:
        return f"{text} (outputs, state after {len(stream) if after is None else after})"
    return text + (_STATE if observed is Observed.STATE else "")


def from_text(text: str) -> TurnstileStream:
    """Read the stream that :func:`to_text` wrote."""
    return tuple(map(_entry, _without_look(text).split()))


def look_in(text: str) -> Observed:
    """The observation that a label names."""
    if _BOTH.search(text):
        return Observed.STATE_AND_OUTPUT
    return Observed.STATE if text.endswith(_STATE) else Observed.OUTPUT


def intrusion_in(text: str) -> int | None:
    """The number of entries before the intrusion that a label names; ``None`` if it names none."""
    found = _BOTH.search(text)
    if found is None:
        return None
    after, entries = int(found[1]), len(_without_look(text).split())
    if after > entries:
        raise InputError(f"the intrusion lies between 0 and {entries} entries, got {after}")
    return after


def is_legal(stream: Iterable[Entry], elements: int, model: Model) -> bool:
    """Whether a stream has entries of known elements alone, and obeys a model."""
    counts: dict[int, int] = defaultdict(int)
    for entry in stream:
        if entry is None:
            continue
        element, sign = entry
        if not 0 <= element < elements or sign not in (1, -1):
            return False
        counts[element] += sign
        if not is_legal_count(counts[element], model):
            return False
    return True


def is_legal_count(count: int, model: Model) -> bool:
    """Whether a model allows a count of an element."""
    return model is Model.GENERAL or count == 0 or count == 1 or (count > 0 and model is Model.STRICT)


def all_streams(elements: int, steps: int, model: Model) -> Iterator[TurnstileStream]:
    """All streams of a model with exactly this many entries."""
    letters: list[Entry] = [None, *((element, sign) for element in range(elements) for sign in (1, -1))]

    def extended(stream: TurnstileStream, counts: tuple[int, ...]) -> Iterator[TurnstileStream]:
        if len(stream) == steps:
            yield stream
            return
        for letter in letters:
            after = counts
            if letter is not None:
                element, sign = letter
                after = (*counts[:element], counts[element] + sign, *counts[element + 1 :])
                if not is_legal_count(after[element], model):
                    continue
            yield from extended((*stream, letter), after)

    return extended((), (0,) * elements)


def _entry_text(entry: Entry) -> str:
    if entry is None:
        return _NO_OP
    return f"{'+' if entry[1] > 0 else '-'}{entry[0]}"


def _without_look(text: str) -> str:
    return _BOTH.sub("", text).removesuffix(_STATE)


def _entry(text: str) -> Entry:
    if text == _NO_OP:
        return None
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise InputError(f"an entry of a turnstile stream is '+0', '-0' or '.', with any element, got {shown(text)}")
    return int(found[2]), 1 if found[1] == "+" else -1


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


_LONGEST = 64
_NEIGHBOURS = 16
_MOST_ELEMENTS = 8
_RANDOM = 3


def audited_streams(
    problem: Problem, adjacency: Adjacency, seed: int, *, observed: Observed = Observed.OUTPUT
) -> list[LabelledInputs]:
    """Streams of the problem's number of steps, or of 64 entries, each with some of its neighbours.

    One element that comes and goes, a stream of insertions, one of no-ops, and random streams.
    """
    chance = random.Random(seed)
    length = min(problem.steps, _LONGEST)
    elements = min(problem.elements, _MOST_ELEMENTS)
    bases: dict[TurnstileStream, str] = {
        tuple((0, 1 - 2 * (place % 2)) for place in range(length)): "one element comes and goes",
        tuple((place % elements, 1) if place < elements else None for place in range(length)): "every element comes",
        (None,) * length: "no entry changes anything",
    }
    for _ in range(_RANDOM):
        bases.setdefault(random_stream(problem, length, elements, chance), "a random stream")
    groups = []
    for base, name in bases.items():
        around = some_neighbours(base, problem, adjacency, chance, _NEIGHBOURS)
        for after in _intrusions(length, observed) if around else ():
            labels = tuple(to_text(stream, observed, after) for stream in (base, *around))
            pairs = tuple((0, place) for place in range(1, len(labels)))
            groups.append(LabelledInputs(name, labels, pairs, adjacency))
    return groups


def _intrusions(length: int, observed: Observed) -> tuple[int, ...]:
    """The numbers of entries before an intrusion: after the first entry, and in the middle."""
    return tuple(sorted({1, length // 2})) if observed is Observed.STATE_AND_OUTPUT else (length,)


def random_stream(problem: Problem, length: int, elements: int, chance: random.Random) -> TurnstileStream:
    """A random stream that obeys the model."""
    counts = [0] * elements
    stream: list[Entry] = []
    for _ in range(length):
        element, sign = chance.randrange(elements), chance.choice((1, 1, -1, 0))
        if sign and not is_legal_count(counts[element] + sign, problem.model):
            sign = -sign
        if not sign or not is_legal_count(counts[element] + sign, problem.model):
            stream.append(None)
            continue
        counts[element] += sign
        stream.append((element, sign))
    assert is_legal(stream, elements, problem.model)
    return tuple(stream)
