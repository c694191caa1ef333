"""The problem of a mechanism: what is adjacent, how an input is fed, what of it is observed, and how it is shown.

Each kind of input is one class, in a file of its own. The rest of the judge asks its methods and attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_audits.problems.inputs.labelled import LabelledInputs, catalogue_of
from pan_audits.problems.inputs.streams.catalogue import Catalogue, CodeConstants
from pan_audits.problems.inputs.streams.family import Pair
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Kind, Problem
from pan_promises.promise import EVERY, OF_TABLE_MECHANISMS, Observed, Promise

MOST_OUTPUTS = 8
"""Greatest number of outputs. The number of orders of intrusions and outputs grows with it."""

Places: TypeAlias = NDArray[np.int64]
"""Places of inputs: rows of two adjacent ones, or a group of which any two are adjacent."""

NUMBERS = {"pairs": "pairs", "seconds": "seconds", "loss": "loss"}
"""The columns of a table of scopes for every kind of input."""


@dataclass(frozen=True)
class ListedInputs:
    """All inputs of one size, and the adjacent pairs among them, which may be many.

    Attributes
    ----------
    labels
        The inputs.
    blocks, groups
        The pairs, as :func:`pan_audits.exact.outputs.search_distributions` takes them.
    remark
        A limit of these inputs, in words; empty if there is none.
    """

    labels: tuple[str, ...]
    blocks: Callable[[], Iterable[Places]]
    groups: Callable[[], Iterable[Places]]
    remark: str = ""


@dataclass(frozen=True)
class JudgedProblem(ABC):
    """The inputs of one problem.

    Attributes
    ----------
    stated
        The problem as plain data.
    """

    stated: Problem

    kind: ClassVar[Kind]
    whole: ClassVar[bool] = True
    """Whether a mechanism is given its input as a whole. Else it reads ids, and has a state."""
    makes_inputs: ClassVar[bool] = False
    """Whether a whole input can be made, and read from its label. Else it comes with its neighbours."""
    given: ClassVar[bool] = False
    """Whether the person who judges must name the pairs."""
    one_output: ClassVar[bool] = True
    """Whether an input has one output. Else it has one after each entry."""
    listed: ClassVar[bool] = True
    """Whether a witness lists all inputs of the check. Else it names its two inputs alone."""
    mutates: ClassVar[bool] = False
    """Whether pairs can be changed into new ones, in a search for the worst one."""
    explores: ClassVar[bool] = False
    """Whether pairs are drawn while the judge looks for the worst one, and can be shrunk (:mod:`.space`)."""
    every_size: ClassVar[bool] = True
    """Whether a check is open if the inputs of a size are too many. Else it ends with the sizes before."""
    adjacencies: ClassVar[tuple[Adjacency, ...]]
    """The adjacencies for which there are pairs."""
    later: ClassVar[tuple[Observed, ...]] = ()
    """The observations that later steps make of the output."""

    # Which promises are judged

    def why_not_judged(self, promise: Promise, *, exactly: bool = False) -> str:
        """The reason why a promise has no test, in a sentence; empty if it has one."""
        if why := self.why_not_observed(promise, exactly=exactly):
            return why
        if promise.adjacency in self.adjacencies:
            return ""
        return (
            f"panproof has no pairs of inputs with the adjacency {promise.adjacency} for a {self.kind}; it "
            f"has {', '.join(self.adjacencies)}"
        )

    def why_not_observed(self, promise: Promise, *, exactly: bool) -> str:
        """The reason why nobody observes such inputs in this way, in a sentence."""
        if promise.outputs == EVERY:
            return "panproof has no test of a promise for every output; give a number of outputs"
        if promise.output_count > MOST_OUTPUTS:
            return f"panproof has tests of promises of at most {MOST_OUTPUTS} outputs, got {promise.outputs}"
        if self.whole and promise.sees_state:
            return "a mechanism on a whole input has no state; give observed=output in the promise"
        if promise.observed in OF_TABLE_MECHANISMS[1:] and promise.observed not in self.later:
            return (
                f"a mechanism on tables alone has the observation {promise.observed}; give observed=output in the "
                "promise"
            )
        return ""

    # What is adjacent

    @abstractmethod
    def catalogue(
        self,
        promise: Promise,
        population: Sequence[Any],
        *,
        deletions: bool = False,
        stream: str | None = None,
        seed: int = 0,
        mined: CodeConstants | None = None,
    ) -> Catalogue:
        """The pairs of an audit, with their shares of the error budget."""

    def mutated(
        self, promise: Promise, best: Sequence[Pair], count: int, seed: int, *, tried: Iterable[Pair] = ()
    ) -> Catalogue | None:
        """New pairs that are made of the best pairs of a search; ``None`` if there are none."""
        return None

    def sizes(self, most: int, longest: int) -> Iterator[tuple[int, int]]:
        """The sizes and lengths of the inputs of an exact check, the small ones first."""
        yield 1, 1

    def shown_size(self, size: int) -> int:
        """The number that stands for a size in a table of scopes."""
        return size

    def require_adjacent(self, left: str, right: str, promise: Promise) -> None:
        """Refuse two inputs that say themselves that they are not adjacent."""
        return

    # How an input is fed, and what of it is observed

    def observed_in(self, label: str) -> Observed:
        """The observation that a label names."""
        return Observed.OUTPUT

    def as_observed(self, label: Any, promise: Promise) -> Any:
        """An input for runs of the code, which end with the observation of the promise."""
        return label

    @abstractmethod
    def measured(self, estimator: Any) -> list[tuple[str, Any]]:
        """The inputs on which errors are measured, in words, and as groups of which the first input is meant."""

    @abstractmethod
    def estimated(self, course: Sequence[Any]) -> Any:
        """The input of a course, in the form in which estimands read it."""

    def left_open(self, promise: Promise) -> str:
        """A choice of the judge that can hide a violation, in a sentence; empty if there is none."""
        return ""

    # How it is shown

    example: ClassVar[str] = "--promise epsilon=1,adjacency=user-level"
    """Options that name a promise, as an example."""
    noun: ClassVar[str] = "input"
    """The word for an input."""
    nouns: ClassVar[tuple[str, str]] = ("inputs", "")
    """The words for the size and the length of an input; empty for one without."""
    exact_length: ClassVar[bool] = False
    """Whether all inputs of a scope have one length. Else they have up to this length."""
    worst_of_kept: ClassVar[bool] = False
    """Whether the worst pair is shown for a promise that is kept."""

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of a table of scopes that mean something, with their headings."""
        return {"inputs": "inputs"} | NUMBERS

    @abstractmethod
    def covered(self, size: int, length: int) -> str:
        """A scope in words."""

    def covered_briefly(self, size: int, length: int) -> str:
        """A scope in words that follow a loss."""
        return self.covered(size, length)

    def promise_of(self, bounds: Mapping[str, Any]) -> Promise | None:
        """The promise of an epsilon, with or without a delta, or of a rho, if the inputs say all the rest."""
        return None


def labels_of(pairs: Iterable[Pair]) -> list[tuple[str, str]]:
    """The labels of both inputs of some pairs."""
    return [(pair.family.labels[pair.left], pair.family.labels[pair.right]) for pair in pairs]


@dataclass(frozen=True)
class WholeInputs(JudgedProblem):
    """Inputs that a mechanism is given as a whole, by their labels. It has no state."""

    def catalogue(
        self,
        promise: Promise,
        population: Sequence[Any],
        *,
        deletions: bool = False,
        stream: str | None = None,
        seed: int = 0,
        mined: CodeConstants | None = None,
    ) -> Catalogue:
        return catalogue_of(self.groups(promise, seed, () if mined is None else mined.lengths))

    @abstractmethod
    def groups(self, promise: Promise, seed: int, lengths: Sequence[int] = ()) -> Sequence[LabelledInputs]:
        """The whole inputs of an audit, and those with lengths that the code names."""

    def samples(self) -> Sequence[LabelledInputs]:
        """Some whole inputs, whatever the promise is."""
        return ()

    @abstractmethod
    def small(self, promise: Promise, size: int, length: int) -> LabelledInputs | None:
        """All inputs of a size, for an exact check; ``None`` if they are too many."""

    def listed_small(self, promise: Promise, size: int, length: int) -> ListedInputs | None:
        """The same with pairs in blocks, for inputs with very many pairs."""
        found = self.small(promise, size, length)
        if found is None:
            return None
        pairs = np.array(found.adjacent, dtype=np.int64).reshape(-1, 2)
        return ListedInputs(found.labels, lambda: (pairs,), lambda: (), found.remark)

    def too_many(self, size: int, length: int) -> str:
        """The sentence about too many inputs of a size; an error if a check then has no input at all."""
        return f"there are too many inputs of size {size}"

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels to feed a mechanism."""
        return self.samples()[0].labels

    @abstractmethod
    def read(self, label: str, given: Mapping[str, Any]) -> Any:
        """The input with a label, which the mechanism may change."""

    def reader(self, label: str, given: Mapping[str, Any]) -> Callable[[], Any]:
        """What reads the input with a label anew for each of many runs."""
        return partial(self.read, label, given)

    def seen(self, label: str, owner: Any, output: Callable[[], Any], randomness: Any) -> Any:
        """The observation that a label names: the output, or what else the mechanism shows on this input."""
        return output()

    def measured(self, estimator: Any) -> list[tuple[str, Any]]:
        return [(f"{self.noun} {number}, {group.name}", group) for number, group in enumerate(self.samples(), 1)]

    def estimated(self, course: Sequence[Any]) -> Any:
        return self.read(str(course[0][0][-1]), {})
