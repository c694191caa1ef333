"""Inputs of a space: pairs of neighbours are drawn from it, the promising ones more often, and the worst one is shrunk.

A label is the input itself, as a text. So a witness has its two inputs, and needs the space no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pan_audits.problems.inputs.labelled import SPACE, LabelledInputs, catalogue_of, releases_of
from pan_audits.problems.inputs.spaces.literals import from_text
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.problem import WholeInputs
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, suggestion
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Observed, Promise

NEIGHBOURS: Mapping[str, tuple[Adjacency, ...]] = {
    "add-row": (Adjacency.ADD_ROW, Adjacency.REMOVE_ROW, Adjacency.GIVEN),
    "remove-row": (Adjacency.REMOVE_ROW, Adjacency.ADD_ROW, Adjacency.GIVEN),
    "replace-row": (Adjacency.REPLACE_ROW, Adjacency.GIVEN),
    "user-level": (Adjacency.GIVEN, Adjacency.USER_LEVEL),
    "coordinate": (Adjacency.GIVEN,),
    "local": (Adjacency.GIVEN,),
}
"""The neighbours that have a name, and the adjacencies that a promise about them can name, the usual one first."""
_WITH_MORE = {"user-level": "user-level:0, the place or the column of the user in a row", "coordinate": "coordinate:1"}

MOST_PAIRS, _VARIED = 32, 8
"""Pairs of an audit, and those among them that are taken as they were drawn, whatever their weight."""
_MOST_SHRUNK = 500
"""Smaller pairs that are tried."""
_NOT_SMALL = 0.3
"""Of the weight of the pair that is shrunk."""
_SAMPLES, _LONGEST_SAMPLE = 32, 1000

Labels = tuple[str, str]
Weight = Callable[[str, str], float | None]
Ask = Callable[[str, str], tuple[float, bool]]


class Explorer(Protocol):
    """Draws pairs of a space, in a process of its own."""

    @property
    def neighbours(self) -> str:
        """The name of the neighbours."""

    def explore(self, examples: int, seed: int, ask: Ask) -> tuple[bool, Labels | None]:
        """As :func:`pan_audits.problems.inputs.spaces.strategies.explore`."""
        ...


@dataclass
class Exploration:
    """The pairs of a space that were drawn, and their weights.

    Attributes
    ----------
    explorer
        What draws them.
    examples, seed
        Number of pairs that are drawn, and the seed.
    weights
        The pairs in the order in which they were drawn; ``None`` for one that was not tried, or that says nothing.
    failing
        The number of those on which both inputs always fail.
    complete
        Whether these are all pairs of the space.
    """

    explorer: Explorer
    examples: int
    seed: int
    weights: dict[Labels, float | None] = field(default_factory=dict)
    failing: int = 0
    complete: bool = False

    def run(self, weight: Weight) -> None:
        """Draw the pairs; the heavy ones lead to others that are like them."""

        def ask(left: str, right: str) -> tuple[float, bool]:
            if (left, right) not in self.weights:
                self.weights[left, right] = weight(left, right)
            return self.weights[left, right] or 0.0, False

        self.complete, _ = self.explorer.explore(self.examples, self.seed, ask)

    def shrink(self, pair: Labels, holds: Callable[[str, str], bool]) -> Labels:
        """A smallest pair for which something holds that holds for a drawn one.

        The same pairs are drawn again up to one for which it holds, from which Hypothesis shrinks. It asks only once
        about a pair: so the shorter ones among those that were drawn before are tried, if their weight is not small.
        """
        known: dict[Labels, bool] = {pair: True}
        least, met = _NOT_SMALL * (self.weights[pair] or 0.0), False

        def ask(left: str, right: str) -> tuple[float, bool]:
            nonlocal met
            one, weight = (left, right), self.weights.get((left, right)) or 0.0
            if not met and one != pair and (weight < least or _length(one) > _length(pair)):
                return weight, False
            if one not in known:
                known[one] = len(known) < _MOST_SHRUNK and holds(left, right)
            met |= known[one]
            return weight, known[one]

        return self.explorer.explore(self.examples, self.seed, ask)[1] or pair

    @property
    def tried(self) -> list[Labels]:
        """The pairs that say something."""
        return [pair for pair, weight in self.weights.items() if weight is not None]

    def best(self, most: int = MOST_PAIRS) -> list[Labels]:
        """The heaviest pairs, the shortest one of each weight, and some others as they were drawn."""
        by_weight: dict[float, Labels] = {}
        for pair in self.tried:
            weight = round(self.weights[pair] or 0.0, 2)
            by_weight[weight] = min(by_weight.get(weight, pair), pair, key=_length)
        ranked = [by_weight[weight] for weight in sorted(by_weight, reverse=True)]
        varied = min(_VARIED, most // 4)
        heavy = ranked[: most - varied]
        others = [pair for pair in self.tried if pair not in heavy]
        return [*heavy, *others[:: max(1, len(others) // varied)][:varied]] if varied else heavy

    def describe(self) -> str:
        """The pairs in a sentence."""
        tried = len(self.tried)
        told = f"{tried:,} pairs of the space, neighbours {self.explorer.neighbours}"
        every = self.complete and tried + self.failing == len(self.weights)
        told = f"every pair of the space was tried: {told}" if every else f"{told}, were tried, and no others"
        both = f"; on {self.failing:,} more, both inputs always fail, so that they say nothing"
        return told + (both if self.failing else "")


def _length(pair: Labels) -> tuple[int, Labels]:
    return sum(map(len, pair)), pair


@dataclass(frozen=True)
class OfSpace(WholeInputs):
    """A space of inputs."""

    kind = Kind.SPACE
    makes_inputs = True
    listed = False
    explores = True
    adjacencies = tuple(Adjacency)
    example = "--epsilon 1"

    @property
    def neighbours(self) -> str:
        """The name of the neighbours; empty for the two inputs of a witness."""
        return self.stated.explorer.neighbours if self.stated.explorer else ""

    def why_not_judged(self, promise: Promise, *, exactly: bool = False) -> str:
        meant = NEIGHBOURS.get(self.neighbours.partition(":")[0], self.adjacencies)
        if why := self.why_not_observed(promise, exactly=exactly):
            return why
        if promise.adjacency in meant:
            return ""
        return (
            f"the promise is about {promise.adjacency}, and the neighbours in the space are {self.neighbours}; "
            f"a promise about these has the adjacency {' or '.join(meant)}"
        )

    def exploration(self, examples: int, seed: int) -> Exploration:
        """Pairs that are still to be drawn; ``None`` for a witness, which has its two inputs alone."""
        return Exploration(self.stated.explorer, examples, seed)

    def catalogue_of(self, pairs: Sequence[Labels], promise: Promise) -> Catalogue:
        """The catalogue of some pairs. The first one has the largest share of the error budget."""
        return catalogue_of([self.inputs(pairs, promise)])

    def inputs(self, pairs: Sequence[Labels], promise: Promise) -> LabelledInputs:
        """The inputs of some pairs, each once."""
        places = {label: place for place, label in enumerate(dict.fromkeys(label for pair in pairs for label in pair))}
        adjacent = tuple((places[left], places[right]) for left, right in pairs)
        return LabelledInputs(SPACE, tuple(places), adjacent, promise.adjacency, releases_of(promise))

    def groups(self, promise: Promise, seed: int, lengths: Sequence[int] = ()) -> Sequence[LabelledInputs]:
        return [self.small(promise, 1, 1)]

    def small(self, promise: Promise, size: int, length: int) -> LabelledInputs:
        stated = self.stated
        return LabelledInputs(SPACE, stated.labels, stated.pairs, promise.adjacency, releases_of(promise))

    @property
    def labels(self) -> tuple[str, ...]:
        return self.stated.labels

    def read(self, label: str, given: Mapping[str, Any]) -> Any:
        return from_text(label)

    def covered(self, size: int, length: int) -> str:
        return "some pairs of the space"

    def covered_briefly(self, size: int, length: int) -> str:
        return "on the pairs of the space that were tried"

    def promise_of(self, bounds: Mapping[str, Any]) -> Promise | None:
        if not bounds:
            return None
        meant = NEIGHBOURS.get(self.neighbours.partition(":")[0], (Adjacency.GIVEN,))
        return Promise(**bounds, adjacency=meant[0], observed=Observed.OUTPUT, intrusions=0)


def require_neighbours(neighbours: Any) -> str:
    """The name of the neighbours in a space, to show; :class:`InputError` for an unknown one."""
    if neighbours is None:
        raise InputError(
            f"a space of data needs its neighbours: give a function of an input, or one of {', '.join(NEIGHBOURS)}"
        )
    if not isinstance(neighbours, str):
        return str(getattr(neighbours, "__qualname__", type(neighbours).__qualname__))
    name, colon, rest = neighbours.partition(":")
    if name in NEIGHBOURS and bool(rest) != (name in _WITH_MORE):
        raise InputError(f"neighbours in a space are written as {_WITH_MORE.get(name, name)}, got {neighbours!r}")
    if not colon and name not in NEIGHBOURS:
        raise InputError(f"unknown neighbours in a space: {suggestion(name, NEIGHBOURS)}")
    return neighbours


def inputs_of(labels: Sequence[str]) -> str:
    """The problem of the two inputs of a witness, in the place of neighbours: the file itself has them."""
    return json.dumps(Problem.of_space(labels, [(0, 1)]).to_dict())


def space_of(explorer: Explorer) -> Problem:
    """The problem of a space, with some inputs for the checks that need no pair."""
    drawn = Exploration(explorer, _SAMPLES, 0)
    drawn.run(lambda left, right: 0.0)
    pairs = [pair for pair in drawn.weights if max(map(len, pair)) <= _LONGEST_SAMPLE] or list(drawn.weights)[:1]
    labels = list(dict.fromkeys(label for pair in pairs for label in pair))
    return Problem.of_space(labels, [(labels.index(left), labels.index(right)) for left, right in pairs])
