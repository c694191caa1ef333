"""The growth of the loss with the number of appearances of one user."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pan_audits.choices.numbers import as_float
from pan_audits.exact.observation import Key
from pan_audits.exact.scope import Scope, Stream, Update, placements, without
from pan_audits.exact.search import ExactPair, LargestLoss, search_family
from pan_audits.exact.stepping import Stepper
from pan_audits.judging.documents import document
from pan_audits.notions import Loss
from pan_audits.problems.inputs.streams.catalogue import schedules
from pan_promises.promise import Adjacency, Promise

_FLAT = 1e-9
"""An increment in nats up to this size counts as 0."""

_MOST_STATES = 5_000
_MOST_APPEARANCES = 2_000


@dataclass(frozen=True)
class Growth:
    """The largest loss by the greatest number of appearances of one user. No other user appears.

    Attributes
    ----------
    losses
        The loss for 0, 1, 2, ... appearances.
    ratio
        If further appearances leave for good a state that is possible without any appearance: the
        probability of staying, which determines the rate. The loss then grows without bound.
    worst
        The pair with the last of the losses.
    user
        The user who appears.
    """

    losses: tuple[Loss, ...]
    ratio: fmpq | float | None
    worst: ExactPair | None
    user: int = 0

    @property
    def unbounded(self) -> bool:
        """Whether the loss is known to have no bound."""
        return self.ratio is not None or (bool(self.losses) and self.losses[-1].unbounded)

    @property
    def slope(self) -> float:
        """The increase of the loss for each further appearance in the long run, in nats, if known."""
        if self.ratio is None:
            return 0.0
        return math.inf if self.ratio == 0 else -math.log(as_float(self.ratio))

    @property
    def still_growing(self) -> bool:
        """Whether the last appearance raised the loss, and no distribution of the growth is known."""
        if self.unbounded or len(self.losses) < 3:
            return False
        return self.losses[-1].nats - self.losses[-2].nats > _FLAT

    @property
    def settles_at(self) -> int:
        """The number of appearances from which the loss is constant."""
        last = self.losses[-1].nats
        return next(number for number, loss in enumerate(self.losses) if abs(loss.nats - last) <= _FLAT)

    def describe(self) -> str:
        """The growth in a sentence."""
        if not self.losses:
            return "not measured"
        if self.losses[-1].unbounded:
            first = next(number for number, loss in enumerate(self.losses) if loss.unbounded)
            return f"infinite from {first} appearance{'s' * (first != 1)} on"
        if self.ratio is not None:
            distribution = (
                f"log({1 / self.ratio})" if isinstance(self.ratio, fmpq) and self.ratio != 0 else f"{self.slope:.6g}"
            )
            if self.ratio == 0:
                return "without bound: an appearance changes some state with certainty"
            measured = self.losses[-1].nats - self.losses[-2].nats
            return (
                f"without bound: by {distribution} = {self.slope:.6g} with every further appearance in the long run "
                f"({measured:.6g} from {len(self.losses) - 2} to {len(self.losses) - 1})"
            )
        if self.still_growing:
            return f"still growing at {len(self.losses) - 1} appearances, by no known distribution"
        looked = f"up to {len(self.losses) - 1} were measured"
        return f"no growth beyond {self.settles_at} appearance{'s' * (self.settles_at != 1)} ({looked})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "losses unbounded")
        described["per_appearance"] = None if self.ratio in (None, 0) else self.slope
        return described | {"describe": self.describe()}


def measure_growth(stepper: Stepper, promise: Promise, *, most: int, deletions: bool, user: int = 0) -> Growth:
    """Let one user appear up to ``most`` times, in every placement around the observations."""
    scope = Scope.of(promise, 1, max(most, len(schedules(promise)[0]) + 2), deletions=deletions, exchangeable=True)
    losses: list[Loss] = []
    worst: ExactPair | None = None
    for often in range(scope.length + 1):
        found = LargestLoss()
        for schedule in scope.schedules:
            family: list[Stream] = []
            for length in range(often + 1):
                for updates in scope.updates(length):
                    own = tuple(Update(user, update.deletes) for update in updates)
                    family += placements(own, schedule)
            assert len({without(stream, user) for stream in family}) == 1
            search_family(stepper, family, user, scope.adjacency, found)
        worst = found.worst
        losses.append(worst.loss if worst else Loss(fmpq(1)))
        if losses[-1].unbounded:
            break
    # At event level the two streams differ by one appearance, for every number of appearances.
    vanishing = promise.sees_state and promise.adjacency is not Adjacency.EVENT_LEVEL
    return Growth(tuple(losses), _staying(stepper, user) if vanishing else None, worst, user)


def beyond(stepper: Stepper, promise: Promise, growth: Growth) -> ExactPair | None:
    """Two streams on which unbounded growth exceeds the promise: no appearance, and sufficiently many."""
    if growth.ratio is None or growth.losses[-1].unbounded:
        return None
    missing = float(promise.epsilon) - growth.losses[-1].nats
    often = len(growth.losses) + (0 if growth.ratio == 0 else math.ceil(1.1 * missing / growth.slope) + 2)
    if often > _MOST_APPEARANCES:
        return None
    (schedule, *_) = schedules(promise)
    found = LargestLoss()
    family: list[Stream] = [schedule, (*(Update(growth.user),) * often, *schedule)]
    search_family(stepper, family, growth.user, promise.adjacency, found)
    return found.worst


def _staying(stepper: Stepper, user: int) -> fmpq | float | None:
    """The probability with which the fastest vanishing state is kept by one more appearance.

    The states after appearances of one user form a Markov chain. A state of a class that can be
    left for good has probability 0 in the limit; if it has positive probability without any
    appearance, the loss has no bound. It vanishes like the n-th power of the largest probability of
    staying (spectral radius) among the classes through which it is reached.
    """
    if stepper.noisy:
        return None
    created = [key for _, key in stepper.created()]
    order: dict[Key, int] = {key: place for place, key in enumerate(created)}
    edges: list[tuple[int, int, fmpq]] = []
    pending = list(created)
    while pending:
        key = pending.pop()
        for probability, after in stepper.step(key, Update(user), 1):
            if after not in order:
                order[after] = len(order)
                pending.append(after)
            edges.append((order[key], order[after], probability))
        if len(order) > _MOST_STATES:
            return None
    count, label = communicating_classes(((before, after) for before, after, _ in edges), len(order))
    transient = {int(label[a]) for a, b, _ in edges if label[a] != label[b]}
    rates = {place: _radius(place, label, edges) for place in range(count)}
    reaches: dict[int, set[int]] = {place: {place} for place in range(count)}
    changed = True
    while changed:
        changed = False
        for a, b, _ in edges:
            new = reaches[int(label[a])] - reaches[int(label[b])]
            if new:
                reaches[int(label[b])] |= new
                changed = True
    # Only the observation counts: states with equal observations vanish together.
    alike: dict[Key, list[Key]] = defaultdict(list)
    for key in order:
        alike[stepper.look(key).key].append(key)
    vanishing = []
    for look in {stepper.look(key).key for key in created}:
        classes = {int(label[order[key]]) for key in alike[look]}
        if classes <= transient:
            rate = max((rates[place] for one in classes for place in reaches[one]), key=as_float)
            vanishing.append(rate)
    return min(vanishing, key=as_float) if vanishing else None


def communicating_classes(steps: Iterable[tuple[int, int]], states: int) -> tuple[int, NDArray[np.int64]]:
    """The number of classes of states that can be reached from one another, and the class of every state.

    Scipy has this too; the check must run without it.
    A depth-first search visits all states. A second one goes backwards, in the order of their completion (Sharir 1981).
    """
    onwards: list[list[int]] = [[] for _ in range(states)]
    backwards: list[list[int]] = [[] for _ in range(states)]
    for before, after in steps:
        onwards[before].append(after)
        backwards[after].append(before)
    left: list[int] = []
    seen = [False] * states
    for start in range(states):
        if not seen[start]:
            left += _visited(start, onwards, seen)
    label = np.full(states, -1)
    found, seen = 0, [False] * states
    for start in reversed(left):
        if not seen[start]:
            label[_visited(start, backwards, seen)] = found
            found += 1
    return found, label


def _visited(start: int, steps: list[list[int]], seen: list[bool]) -> list[int]:
    """The new states that are reached from one state, in the order of completion; they are marked as seen."""
    left = []
    seen[start] = True
    path = [(start, iter(steps[start]))]
    while path:
        state, rest = path[-1]
        for after in rest:
            if not seen[after]:
                seen[after] = True
                path.append((after, iter(steps[after])))
                break
        else:
            left.append(state)
            path.pop()
    return left


def _radius(place: int, label: Any, edges: list[tuple[int, int, fmpq]]) -> fmpq | float:
    """The spectral radius of the chain within one class."""
    members = np.flatnonzero(label == place)
    inside = [(a, b, probability) for a, b, probability in edges if label[a] == place and label[b] == place]
    if members.size == 1:
        return sum((probability for _, _, probability in inside), fmpq(0))
    numbers = {int(member): i for i, member in enumerate(members)}
    matrix = np.zeros((members.size, members.size))
    for a, b, probability in inside:
        matrix[numbers[a], numbers[b]] += as_float(probability)
    return float(np.max(np.abs(np.linalg.eigvals(matrix))))
