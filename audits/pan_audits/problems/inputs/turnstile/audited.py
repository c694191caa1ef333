"""The turnstile streams on which a mechanism is audited, each with some of its neighbours."""

from __future__ import annotations

import random

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_audits.problems.inputs.turnstile.streams import is_legal, is_legal_count, some_neighbours, to_text
from pan_promises.adjacency import Adjacency
from pan_promises.looks import Observed
from pan_promises.problem import Problem
from pan_promises.turnstile import Entry, TurnstileStream

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
