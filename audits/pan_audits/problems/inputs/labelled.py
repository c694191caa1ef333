"""Inputs under labels, and their adjacency.

To the rest of the audit such an input is a stream with one update: its id is the label, and the mechanism behind the
adapter (:mod:`pan_audits.subject.isolation.whole_input`) gets the input with this label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Id, Pair, Schedule, Segment, SegmentEnd, Side, Updates
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.promise import EVERY, Promise

_WEIGHT_OF_FIRST = 0.25
SPACE = "space"
"""The name of inputs of a space: their labels are the inputs."""
LONGEST_LABEL = 10**6
_PART = re.compile(r"[\w.+-]+|\W")
_SHOWN = 60
"""Letters of a common part that are shown."""


def marked(left: str, right: str) -> tuple[str, str]:
    """Two texts of inputs, each with what the other one does not have in ``«`` and ``»``, and long common parts cut."""
    ours, theirs = _PART.findall(left), _PART.findall(right)
    least = min(len(ours), len(theirs))
    begin = next((n for n in range(least) if ours[n] != theirs[n]), least)
    end = next((n for n in range(least - begin) if ours[-1 - n] != theirs[-1 - n]), least - begin)

    def one(parts: list[str]) -> str:
        before, apart, after = (
            "".join(parts[a:b]) for a, b in ((0, begin), (begin, len(parts) - end), (len(parts) - end, None))
        )
        before = before if len(before) <= _SHOWN else f"{before[: _SHOWN // 2]}...{before[-_SHOWN // 2 :]}"
        after = after if len(after) <= _SHOWN else f"{after[: _SHOWN // 2]}...{after[-_SHOWN // 2 :]}"
        return before + (f"«{apart}»" if apart else "") + after

    return one(ours), one(theirs)


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs under labels, with the interface of :class:`~pan_audits.problems.inputs.streams.family.Family`.

    Attributes
    ----------
    name
        Their origin, in words.
    labels
        The inputs.
    adjacent
        The adjacent pairs, by position.
    adjacency
        The kind of adjacency.
    outputs
        Number of observed outputs.
    remark
        A limit of these inputs, in words; empty if there is none.
    """

    name: str
    labels: tuple[str, ...]
    adjacent: tuple[tuple[int, int], ...]
    adjacency: Adjacency
    outputs: int = 1
    remark: str = ""
    user: Id = ""
    first: bool = False
    alternating: bool = False
    noun: ClassVar[str] = "side"

    @property
    def schedule(self) -> Schedule:
        """Outputs only: there is no state."""
        return (SegmentEnd.RELEASE,) * self.outputs

    @property
    def others(self) -> tuple[Segment, ...]:
        """One segment without other users."""
        return ((),) * self.outputs

    @property
    def patterns(self) -> tuple[tuple[int, ...], ...]:
        """One for each input."""
        return tuple((number,) * self.outputs for number in range(len(self.labels)))

    def side(self, place: int) -> Side:
        """The input as a stream of one update."""
        return Side(((Updates((self.labels[place],)),), *self.others[1:]))

    def own_updates(self, place: int) -> tuple[tuple[bool, ...], ...]:
        """One update, which inserts."""
        return ((False,), *((),) * (self.outputs - 1))

    @property
    def sides(self) -> tuple[Side, ...]:
        """All inputs as streams."""
        return tuple(self.side(place) for place in range(len(self.labels)))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All adjacent pairs, each once."""
        return tuple(Pair(self, left, right) for left, right in self.adjacent)

    def describe(self, place: int) -> str:
        """An input in words."""
        return f"the input is {self.labels[place]}"

    def describe_pair(self, left: int, right: int) -> tuple[str, str]:
        """Both inputs of a pair in words; of a space, with the difference marked."""
        if self.name != SPACE:
            return self.describe(left), self.describe(right)
        one, other = marked(self.labels[left], self.labels[right])
        return f"the input is {one}", f"the input is {other}"

    def describe_others(self) -> str:
        """An empty text: there are no other users."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """A short description, JSON-ready."""
        return {"name": self.name, "user": self.user}


def releases_of(promise: Promise) -> int:
    """The number of releases of a whole input. Outputs after every entry come from one release."""
    return 1 if promise.outputs == EVERY else promise.output_count


def catalogue_of(inputs: Sequence[LabelledInputs]) -> Catalogue:
    """All pairs of some groups of inputs; a quarter of the budget is for the first pair, the rest is shared equally."""
    pairs = tuple(pair for one in inputs for pair in one.pairs)
    if not pairs:
        raise InputError("no two of the inputs differ: there are no neighbours to judge")
    rest = len(pairs) - 1
    weights = (_WEIGHT_OF_FIRST if rest else 1.0, *((1 - _WEIGHT_OF_FIRST) / rest for _ in range(rest)))
    return Catalogue(pairs, weights)
