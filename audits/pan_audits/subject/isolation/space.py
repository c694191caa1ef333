"""The space of data of a caller, in a process of its own: its strategy is code, as the judged mechanism is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import cloudpickle

from pan_audits.problems.space import NEIGHBOURS, Ask
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.importing import load, search
from pan_audits.subject.isolation.messages import Explore, Message, Part, Weighed
from pan_audits.subject.isolation.process import Subject, connection_to
from pan_audits.workers.limits import Limits


@dataclass(frozen=True)
class SpaceNamed:
    """A space of data as its caller gave it.

    Attributes
    ----------
    packed
        The strategy and the neighbours, or their names, as :func:`.packed` wrote them.
    neighbours
        The name of the neighbours.
    described
        What a command has to name to give the same space; a value is ``None`` if it has no name.
    """

    packed: bytes = field(repr=False)
    neighbours: str
    described: Mapping[str, str | None]


_PATIENT = 100
"""Factor of the time limit: while pairs are drawn, the judge runs the mechanism on each of them."""


@dataclass(frozen=True)
class SpaceApart:
    """Draws pairs of a space; an :class:`~pan_audits.problems.space.Explorer`.

    Attributes
    ----------
    subject
        The process, without a mechanism.
    limits
        On one step of it.
    named
        The space.
    numbers, texts
        Constants of the judged code.
    """

    subject: Subject
    limits: Limits
    named: SpaceNamed
    numbers: Sequence[int] = ()
    texts: Sequence[str] = ()

    @property
    def neighbours(self) -> str:
        """The name of the neighbours."""
        return self.named.neighbours

    def explore(self, examples: int, seed: int, ask: Ask) -> tuple[bool, tuple[str, str] | None]:
        """The result of :func:`.strategies.explore`, whose questions ``ask`` answers."""
        process = connection_to(self.subject, replace(self.limits, seconds=_PATIENT * self.limits.seconds)).process

        def answer(part: Message) -> Message:
            if not isinstance(part, Part):
                raise DataError("it sent an invalid answer")
            return Weighed(*ask(*_labels(part.value)))

        packed = self.named.packed
        key = hashlib.sha256(packed).hexdigest()
        question = Explore(key, packed, examples, seed, list(self.numbers), list(self.texts))
        try:
            finished, found = process.ask(question, answer)
        except BaseException:
            # It may still wait for an answer.
            process.end()
            raise
        return bool(finished), None if found is None else _labels(found)


def _labels(value: Any) -> tuple[str, str]:
    match value:
        case [str(left), str(right)]:
            return left, right
    raise DataError("it sent no pair of inputs")


def explored(question: Explore, folder: str, search_path: Sequence[str], send: Callable[[Any], Weighed]) -> Any:
    """In the process of the space: draw the pairs, and ask the judge for their weights."""
    from pan_audits.problems.inputs.spaces.strategies import drawing, explore, pairs

    with drawing(question.numbers, question.texts):
        space, neighbours = _opened(question.packed, folder, tuple(search_path), tuple(question.numbers))

        def ask(left: str, right: str) -> tuple[float, bool]:
            told = send([left, right])
            return told.weight, told.found

        finished, found = explore(pairs(space, neighbours), ask, examples=question.examples, seed=question.seed)
    return [finished, found if found is None else list(found)]


@lru_cache(maxsize=4)
def _opened(packed: bytes, folder: str, search_path: tuple[str, ...], numbers: tuple[int, ...]) -> tuple[Any, Any]:
    from pan_audits.problems.inputs.spaces.strategies import Space

    search(search_path)
    search([folder])
    data, neighbours = cloudpickle.loads(packed)
    if isinstance(data, str):
        data = load(data, folder)
    if isinstance(neighbours, str) and neighbours.partition(":")[0] not in NEIGHBOURS:
        neighbours = load(neighbours, folder)
    return Space(data, numbers), neighbours
