"""``turnstile-adaptive`` and ``turnstile-best-of-both``: Algorithm 3 of the turnstile paper, alone or with recomputing.

Both have copies of Algorithm 1 with doubled bounds, of which a sparse vector chooses one.

A copy draws noise only while its outputs are used. The noise of the nodes that its first output needs is drawn then.
The outputs have the distribution that they have if all copies run from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import deviation
from pan_estimators.continual.existence import Changes, Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualCounter, half_width, require_level
from pan_estimators.continual.phases import parts_of, period_of
from pan_estimators.continual.sparse_vector import Answered, SparseVectorTechnique
from pan_estimators.continual.tree_noise import TreeNoise, levels, tree_noise, used_nodes
from pan_estimators.randomness.interface import Randomness


@dataclass(eq=False, slots=True)
class FlippancyCounts:
    """For each bound ``2**i``: the sum of the truncated existence vectors, and the number of elements that reach it.

    The last bound leaves nothing out.

    Attributes
    ----------
    present
        The sum of the existence vectors that Algorithm 1 counts with the bound ``2**i``, shape ``(bounds,)``.
    reached
        The number of elements of flippancy at least ``2**i``, shape ``(bounds,)``.
    """

    present: NDArray[np.int64]
    reached: NDArray[np.int64]

    @classmethod
    def of(cls, bounds: int) -> FlippancyCounts:
        """The numbers before the first entry."""
        return cls(np.zeros(bounds, dtype=np.int64), np.zeros(bounds, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class FollowedPart:
    """The numbers during some steps.

    Attributes
    ----------
    before
        The numbers before the first of these steps. They are not changed.
    changes
        The changes of existence in the steps.
    steps
        The number of steps.
    """

    before: FlippancyCounts
    changes: Changes
    steps: int

    def present(self, index: int) -> NDArray[np.int64]:
        """The sum of the existence vectors for the bound ``2**index`` after each step."""
        kept = self._kept_from <= index
        return self._summed(self.before.present[index], self.changes.steps[kept], self.changes.signs[kept])

    def reached(self, index: int) -> NDArray[np.int64]:
        """The number of elements of flippancy at least ``2**index`` after each step."""
        places = self.changes.steps[self.changes.reached == 2**index]
        return self._summed(self.before.reached[index], places, np.ones(places.size, dtype=np.int64))

    def after(self) -> FlippancyCounts:
        """The numbers after the last step."""
        bounds = self.before.present.size
        shares = np.bincount(self._kept_from, self.changes.signs, bounds).astype(np.int64)
        powers = np.int64(1) << np.arange(bounds)
        arrived = np.array([np.count_nonzero(self.changes.reached == power) for power in powers], dtype=np.int64)
        return FlippancyCounts(self.before.present + np.cumsum(shares), self.before.reached + arrived)

    @cached_property
    def _kept_from(self) -> NDArray[np.int64]:
        """The place of the least bound with which each change is counted.

        An element that exceeds the bound by disappearing disappears; by appearing it stays absent.
        """
        least = np.maximum(self.changes.reached - (self.changes.signs < 0), 1)
        powers = np.ceil(np.log2(least)).astype(np.int64)
        return np.asarray(np.minimum(powers, self.before.present.size - 1))

    def _summed(self, first: np.int64, places: NDArray[np.int64], amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        moved = np.bincount(places, amounts, self.steps).astype(np.int64)
        return np.asarray(first + np.cumsum(moved))


@dataclass(eq=False, slots=True)
class CopiesState:
    """The state of the copies. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts and the flips of the elements.
    counts
        The sums that the copies count, and the numbers of elements that reach their bounds.
    answered
        The state of the sparse vector technique.
    ended
        The number of outputs up to the end of the use of each copy. It depends on the answers of the sparse vector
        alone.
    noise
        The noise of the nodes of this copy.
    computed
        The count at the last computation of the copy that recomputes.
    output
        Its output; ``None`` if it was not used since.
    """

    elements: Elements
    counts: FlippancyCounts
    answered: Answered
    ended: list[int] = field(default_factory=list)
    noise: TreeNoise = field(default_factory=TreeNoise)
    computed: int = 0
    output: Any = None

    @property
    def copy(self) -> int:
        """The place of the copy in use."""
        return len(self.ended)


class DoublingCopies(ContinualCounter, Protocol):
    """Copies of Algorithm 1 with the bounds 1, 2, 4, ..., and perhaps one that recomputes in place of the last.

    Each copy has an equal part of ``rho / 2``. The sparse vector technique has ``rho / 2`` and a cutoff of one less
    than the number of copies.
    """

    @property
    def copies(self) -> int:
        """The number of copies."""
        ...

    @property
    def _period(self) -> int:
        """The period of the last copy if it recomputes; 0 if it is a copy of Algorithm 1."""
        return 0

    @property
    def copy_budget(self) -> float:
        """The budget of each copy: ``rho / (2 copies)``."""
        return self.rho / (2 * self.copies)

    @property
    def technique(self) -> SparseVectorTechnique:
        """The sparse vector technique with the budget ``rho / 2``; its epsilon is ``sqrt(2 (rho / 2))``."""
        return SparseVectorTechnique(sqrt(self.rho), max(1, self.copies - 1))

    @property
    def computations(self) -> int:
        """The number of times that the copy that recomputes computes its count, at least 1 for the noise."""
        return max(1, self.steps // self._period)

    def recomputes(self, copy: int) -> bool:
        """Whether a copy is the one that recomputes."""
        return self._period > 0 and copy == self.copies - 1

    def node_noise(self, copy: int) -> float:
        """The standard deviation of the noise of a node of a copy, or of a computation."""
        if self.recomputes(copy):
            return deviation(float(self.computations), self.copy_budget)
        return sqrt(4 * 2**copy * levels(self.steps) / self.copy_budget)

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output of a copy."""
        return max(map(self.noise_of, range(self.copies)))

    def noise_of(self, copy: int) -> float:
        """The largest standard deviation of an output of a copy."""
        nodes = 1 if self.recomputes(copy) else used_nodes(self.steps)
        return self.node_noise(copy) * sqrt(nodes)

    def half_width(self, level: float = 0.95) -> float:
        return max(self.half_width_of(level, copy) for copy in range(self.copies))

    def half_width_of(self, level: float, copy: int) -> float:
        """The distance from the counts that all outputs of a copy keep while it is in use.

        From the copies with a bound, it covers the elements that are left out as well. The steps between two
        computations are not covered.
        """
        require_level(level)
        share = 1 - (1 - level) / (2 * self.copies)
        if self.recomputes(copy):
            return half_width(self.noise_of(copy), self.computations, share)
        bound = half_width(self.noise_of(copy), self.steps, share)
        if copy == self.copies - 1:
            return bound
        queries = self.steps + self.copies
        return bound + sqrt(2**copy / self.rho) + self.technique.error(queries, (1 - level) / 2)

    def _half_widths_at(self, state: CopiesState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        """The distances that outputs keep from the counts: those of the copies that were in use."""
        widths = np.array([self.half_width_of(level, copy) for copy in range(state.copy + 1)])
        return widths[parts_of(state.ended, times)]

    def create(self, randomness: Randomness) -> CopiesState:
        """The state before the first entry: the noise of the threshold is drawn."""
        return CopiesState(Elements(), FlippancyCounts.of(self.copies), self.technique.begin(randomness))

    def _outputs(self, state: CopiesState, part: Part, randomness: Randomness) -> NDArray[Any]:
        begun, steps = state.elements.steps, part.steps
        changes = follow_steps(state.elements, part, model=self.problem.model, first_step_flips=False)
        followed = FollowedPart(state.counts, changes, steps)
        outputs: list[NDArray[Any]] = []
        done = 0
        while done < steps:
            below = self._below(state, followed, done, randomness)
            if below:
                outputs.append(self._put_out(state, followed, (begun, done, done + below), randomness))
            done += below
            if done < steps:
                state.ended.append(begun + done)
                self._begin_copy(state, begun + done, randomness)
        if self._period and steps:
            self._keep_last_computation(state, followed, begun)
        state.counts = followed.after()
        return np.concatenate(outputs) if outputs else np.zeros(0)

    def _below(self, state: CopiesState, part: FollowedPart, done: int, randomness: Randomness) -> int:
        """The number of further steps with the copy in use. A step at which the answer is above is asked again."""
        if state.copy == self.copies - 1:
            return part.steps - done
        counts = part.reached(state.copy)[done:]
        offset = sqrt(2**state.copy / self.rho)
        return self.technique.below(state.answered, counts, offset, randomness)

    def _begin_copy(self, state: CopiesState, time: int, randomness: Randomness) -> None:
        """Draw the noise of the nodes that end at or before a time and that a later output uses."""
        state.noise = TreeNoise(time=time)
        if self.recomputes(state.copy):
            return
        for level in range(time.bit_length()):
            if time >> level & 1:
                state.noise.nodes[level] = randomness.gaussian(0.0, self.node_noise(state.copy))

    def _put_out(
        self, state: CopiesState, part: FollowedPart, place: tuple[int, int, int], randomness: Randomness
    ) -> NDArray[Any]:
        """The outputs of the copy in use: the number of steps before this part, the first of its steps, and the end."""
        _, first, last = place
        if self.recomputes(state.copy):
            return self._recomputed(state, part, place, randomness)
        counts = part.present(state.copy)[first:last]
        return np.asarray(counts + tree_noise(state.noise, last - first, self.node_noise(state.copy), randomness))

    def _recomputed(
        self, state: CopiesState, part: FollowedPart, place: tuple[int, int, int], randomness: Randomness
    ) -> NDArray[Any]:
        begun, first, last = place
        counts, noise = part.present(self.copies - 1), self.node_noise(state.copy)
        times = np.arange(begun + first + 1, begun + last + 1)
        computed = times // self._period * self._period
        drawn: dict[int, Any] = {}
        for time in np.unique(computed).tolist():
            if time == 0:
                drawn[time] = 0.0
            elif time > begun:
                drawn[time] = randomness.gaussian(float(counts[time - begun - 1]), noise)
            else:
                kept = state.output
                drawn[time] = randomness.gaussian(float(state.computed), noise) if kept is None else kept
        state.output = drawn[int(computed[-1])]
        known = np.array(list(drawn.values()))
        return known[np.unique(computed, return_inverse=True)[1]]

    def _keep_last_computation(self, state: CopiesState, part: FollowedPart, begun: int) -> None:
        """Keep the count at the last computation of this part, until an output needs it."""
        last = (begun + part.steps) // self._period * self._period
        if last > begun:
            state.computed = int(part.present(self.copies - 1)[last - begun - 1])
            if state.copy < self.copies - 1:
                state.output = None


@dataclass(frozen=True)
class TurnstileAdaptive(DoublingCopies):
    """The number of present elements, for an unknown bound on the flippancy (turnstile paper, Algorithm 3).

    Promise (turnstile.adaptive): rho-item-level-zCDP of all outputs, for all streams. Copies of Algorithm 1 have the
    bounds 1, 2, 4, ... After each step a sparse vector asks whether more elements than about ``sqrt(bound / rho)``
    reach the bound in use. While the answer is above, the next copy is used.

    The listing of the source is lost. It is read as the ledger reads it: with ``L = ceil(log2 T)`` there are L + 1
    copies of the budget ``rho / (2 (L + 1))`` each, and the sparse vector has the budget ``rho / 2`` and the cutoff L.
    With ``log2 T`` itself in place of L the budgets add up to more than rho if T is no power of 2.

    The promise of accuracy says nothing at usual sizes. The bound of the ledger on the error is ``(10 sqrt(w) L^2 +
    137 L^4) / sqrt(rho)``. For rho at most 1 and T up to 2**25 it exceeds T, the error of "always 0". The sparse vector
    soon reaches the last copies, since its noise is larger than the numbers that it compares.
    """

    steps: int
    rho: float
    model: str = "general"
    _claim: ClassVar[str] = "turnstile.adaptive"

    @property
    def copies(self) -> int:
        """The number of copies."""
        return levels(self.steps)


@dataclass(frozen=True)
class TurnstileBestOfBoth(DoublingCopies):
    """The number of present elements, by Algorithm 3 or by recomputing (turnstile paper, section 3.3, Theorem 1.4).

    Promise (turnstile.best_of_both): rho-item-level-zCDP of all outputs, for all streams. For an epsilon and a delta
    take ``rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2``.

    The source sketches it; it is read as the ledger reads it. The copies of Algorithm 3 have the bounds 1, 2, 4, ...
    below ``rho^(1/3) T^(2/3)``, and the last copy recomputes, with the period of Theorem 3.10 for its budget. The N
    copies have the budget ``rho / (2 N)`` each. The sparse vector has the budget ``rho / 2`` and the cutoff N - 1.

    The copies before the last have noise as large as those of ``turnstile-adaptive``. The last copy has about
    ``(2 N)^(1/3)`` times the error of ``turnstile-recompute``.
    """

    steps: int
    rho: float
    model: str = "general"
    _claim: ClassVar[str] = "turnstile.best_of_both"

    @property
    def copies(self) -> int:
        """The number of copies."""
        most = levels(self.steps) - 1
        return 1 + sum(float(2**place) ** 3 < self.rho * self.steps**2 for place in range(most))

    @property
    def period(self) -> int:
        """The number of steps between two computations of the copy that recomputes."""
        return period_of(self.steps, self.copy_budget)

    _period = period

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return f"the counts, or those at the last computation; one is made after every {self.period} steps"
