"""``turnstile-given-flippancy``: Algorithm 1 of the turnstile paper, as printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualCounter, IndependentRuns, require_bound
from pan_estimators.continual.tree_noise import TreeNoise, levels, tree_noise, used_nodes
from pan_estimators.randomness.interface import Randomness


@dataclass(eq=False, slots=True)
class GivenFlippancyState:
    """The state of :class:`TurnstileGivenFlippancy`. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts and the flips of the elements.
    present
        The sum of the truncated existence vectors.
    noise
        The noise of the nodes of the tree.
    """

    elements: Elements = field(default_factory=Elements)
    present: int = 0
    noise: TreeNoise = field(default_factory=TreeNoise)


@dataclass(frozen=True)
class TurnstileGivenFlippancy(ContinualCounter, IndependentRuns):
    """The number of present elements, for a known bound on the flippancy (turnstile paper, Algorithm 1).

    Promise (turnstile.given_flippancy): rho-item-level-zCDP of all outputs, for all streams. The existence vector of
    an element is 0 from the step on at which its flippancy exceeds the bound. Each node of the binary tree over the
    steps has normal noise of variance ``4 w (ceil(log2 T) + 1) / rho``. An output sums the nodes of its dyadic
    decomposition.
    """

    steps: int
    rho: float
    flippancy: int
    model: str = "general"
    _claim: ClassVar[str] = "turnstile.given_flippancy"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_bound(self.flippancy)

    @property
    def node_noise(self) -> float:
        """The standard deviation of the noise of a node."""
        return sqrt(4 * self.flippancy * levels(self.steps) / self.rho)

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        return self.node_noise * sqrt(used_nodes(self.steps))

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return f"the counts, if the flippancy of no element exceeds {self.flippancy}"

    def create(self, randomness: Randomness) -> GivenFlippancyState:
        return GivenFlippancyState()

    def _outputs(
        self, state: GivenFlippancyState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        changes = follow_steps(state.elements, part, model=self.problem.model, first_step_flips=False)
        # An element that exceeds the bound by disappearing disappears; by appearing it stays absent.
        kept = changes.reached - (changes.signs < 0) <= self.flippancy
        moved = np.bincount(changes.steps[kept], changes.signs[kept], part.steps).astype(np.int64)
        counts = state.present + np.cumsum(moved)
        if part.steps:
            state.present = int(counts[-1])
        return np.asarray(counts + tree_noise(state.noise, part.steps, self.node_noise, randomness, runs))
