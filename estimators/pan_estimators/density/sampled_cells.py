"""The mechanism of the published density estimators: sample users, keep a cell for each, add noise."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement
from pan_estimators.common.many_runs import require_runs
from pan_estimators.common.many_samples import EveryoneSampled, ManySamples, draw_lists
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.many_cells import (
    Deletions,
    ManyCells,
    draw_initial,
    laplace_around,
    redraw,
    some_deletions,
    totals,
)
from pan_estimators.density.published_promise import is_refuted, why_silent
from pan_estimators.density.redrawing import redraw_cells
from pan_estimators.density.sampled_cells_state import SampledCellsState, state_from_arrays, stored_arrays
from pan_estimators.density.touched import SortedMembers
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import WholePopulation
from pan_estimators.samples.sample_index import Members
from pan_estimators.states.releasing import count_release, releases_covered, require_kept
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Indices, Universe
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.exact_epsilon import exp
from pan_promises.promise import Observed, Promise


@dataclass(frozen=True, kw_only=True)
class SampledCells:
    """A density estimator: a uniform sample of ``m`` users without replacement, a random cell for each, a noisy mean.

    A cell is drawn from the initial distribution, and drawn afresh from the updated one whenever
    its user appears. The output is the mean of the cells, shifted and scaled so as to be unbiased,
    plus Laplace noise of scale ``1/(epsilon m)``. Paper, Algorithms 1 and 2; thesis, Algorithms
    4.1 to 4.3: they differ in the two distributions only.

    Parameters
    ----------
    name
        Name in the registry of estimators.
    universe
        The users.
    epsilon
        Budget of the state, and again of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to the size of the universe.
    cells
        The pair of distributions.
    deletions
        Whether a user may be deleted. A deletion draws the cell from the initial distribution
        again (paper, Section 3, second remark).
    promise
        The promise of the source for the state and the output jointly, or ``None`` if its theorem
        does not cover these parameters.
    statements
        The statements of the source about the error.
    options
        Further parameters of the configuration, by name.

    Raises
    ------
    InputError
        If epsilon or the sample size is out of range.
    """

    name: str
    universe: Universe
    epsilon: float
    sample_size: int
    cells: BernoulliCells | LaplaceCells
    deletions: bool = False
    promise: Promise | None = None
    statements: tuple[AccuracyStatement, ...] = ()
    options: tuple[tuple[str, float], ...] = field(default=())
    exchangeable_users: ClassVar[bool] = True
    """Relabelling the users changes no distribution, up to the same relabelling of the state."""
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state, and the last one that the promise covers erases the state."""

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_count(
            "the sample size m", self.sample_size, most=self.universe.size, source="a sample of the universe's users"
        )

    @property
    def noise_scale(self) -> float:
        """The scale of the Laplace noise of the output, as printed: ``1/(epsilon m)``."""
        return 1 / (self.epsilon * self.sample_size)

    @property
    def why_no_promise(self) -> str:
        """The reason why the source promises nothing for these parameters, as a clause; empty if it does."""
        if self.promise is not None:
            return ""
        return why_silent(self.epsilon) or "its source promises nothing for cells so far apart"

    @property
    def promise_is_refuted(self) -> bool:
        """Whether the loss exceeds the promise."""
        return is_refuted(self.promise)

    @property
    def promise_of_state(self) -> Promise | None:
        """The promise of the proof for the state alone: epsilon for every look at it."""
        looks = 1 + self.promise.announced if self.promise else 1
        return self._part(Observed.STATE, looks * self.epsilon)

    @property
    def promise_of_output(self) -> Promise | None:
        """The promise of the proof for the output alone: epsilon."""
        return self._part(Observed.OUTPUT, self.epsilon)

    def _part(self, observed: Observed, epsilon: float) -> Promise | None:
        return self.promise and self.promise.about(observed, epsilon=epsilon, claim=self.promise.claim)

    def create(self, randomness: Randomness) -> SampledCellsState:
        """The state before the first update: the sample and its cells. See :meth:`pan_estimators.Estimator.create`."""
        if self.sample_size == self.universe.size:
            sample = np.arange(self.sample_size)
        else:
            sample = randomness.uniform_subset(self.universe.size, self.sample_size)
        return SampledCellsState(sample, self.cells.draw_initial(randomness, self.sample_size))

    def update(
        self,
        state: SampledCellsState,
        ids: Ids,
        randomness: Randomness,
        deletions: NDArray[np.bool_] | bool | None = None,
    ) -> SampledCellsState:
        """The state after a new draw of the cell of every sampled user among ``ids``.

        Of several draws for one user only the last one remains. A batch and its single ids in order therefore
        lead to the same distribution, and a batch may omit the draws that do not remain.

        Parameters
        ----------
        state
            The state so far; it is changed in place.
        ids
            One id or an array of ids, in order.
        randomness
            Source of the draws.
        deletions
            For an estimator with deletions: for each update whether it deletes, shape of ``ids``.

        Raises
        ------
        InputError
            For an id outside the universe, a deletion without support for deletions, or an erased state.
        """
        redraw_cells(self, state, ids, randomness, deletions)
        return state

    def current_pair(self, state: SampledCellsState) -> tuple[BernoulliCells | LaplaceCells, Members]:
        """The pair of distributions that updates of ``state`` draw from, and the users with a cell."""
        everyone = self.sample_size == self.universe.size
        sample = WholePopulation(self.sample_size) if everyone else SortedMembers(state.sample)
        return self._cells_after(state.announced), sample

    def release(self, state: SampledCellsState, randomness: Randomness) -> float:
        """The noisy estimate of the density. It is unbiased for d(S_M) and may be outside [0, 1].

        The release is counted in ``state.releases``. The last release that the promise covers erases the state. Earlier
        copies are out of reach. Without a promise there is no limit.

        Parameters
        ----------
        state
            The state so far.
        randomness
            Source of the noise.

        Raises
        ------
        InputError
            For an erased state.
        """
        require_kept(self, state)
        mean = self.estimate(self.cells.total(state.cells), state.announced)
        output: float = randomness.laplace(mean, self.noise_scale)
        count_release(state, releases_covered(self))
        return output

    def estimate(self, total: Any, announced: int = 0) -> Any:
        """The estimate of the density before the output's noise, as a function of the sum of the cells.

        Parameters
        ----------
        total
            The sum of the m cells, or an array of such sums.
        announced
            The number of announced intrusions so far.
        """
        cells, m = self._cells_after(announced), self.sample_size
        return (total - m * cells.initial_mean) / (m * (cells.updated_mean - cells.initial_mean))

    def announce(self, state: SampledCellsState, randomness: Randomness) -> SampledCellsState:
        """The state after an announced intrusion: its bits are re-randomised (paper, Section 3, first remark).

        The source gives no recipe. Here every bit goes through randomised response with budget
        epsilon: it is flipped with probability ``1/(1 + exp(epsilon))``. Earlier counts are
        kept, with less accuracy. Later draws come from the pair after the same
        flips, so that users before and after the intrusion have equal weight.

        Parameters
        ----------
        state
            The state so far; it is changed in place.
        randomness
            Source of the flips.

        Raises
        ------
        InputError
            For cells that are not bits, because the remark is about bits; or for an erased state.
        """
        require_kept(self, state)
        if not isinstance(self.cells, BernoulliCells):
            raise InputError(f"{self.name} keeps real numbers; only bits are re-randomised after an intrusion")
        state.cells ^= randomness.bernoulli(self._flip, self.sample_size)
        state.announced += 1
        return state

    def create_many(self, runs: int, randomness: Randomness) -> ManyCells:
        """The samples and the initial cells of all runs. See :meth:`pan_estimators.ManyRuns.create_many`."""
        m, everyone = self.sample_size, self.sample_size == self.universe.size
        runs = require_runs(runs)
        sample: ManySamples = EveryoneSampled(runs, np.arange(m))
        if not everyone:
            sample = draw_lists(randomness, self.universe.size, m, runs)
        return ManyCells(SampledCellsState, sample, draw_initial(self.cells, randomness, runs, m))

    def update_many(
        self, states: ManyCells, ids: Ids, randomness: Randomness, deletions: Deletions = None
    ) -> ManyCells:
        """The states after :meth:`update` in every run, with the same parameters for all runs."""
        require_kept(self, states)
        deletions = some_deletions(self.name, self.deletions, deletions)
        return redraw(states, self.universe, self._cells_after(states.announced), ids, deletions, randomness)

    def release_many(self, states: ManyCells, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        require_kept(self, states)
        means = self.estimate(totals(states), states.announced)
        released = laplace_around(means, self.noise_scale, randomness)
        count_release(states, releases_covered(self))
        return released

    def announce_many(self, states: ManyCells, randomness: Randomness) -> ManyCells:
        """The ``states`` after :meth:`announce` in every run, with flips from ``randomness``."""
        require_kept(self, states)
        if not isinstance(self.cells, BernoulliCells):
            raise InputError(f"{self.name} keeps real numbers; only bits are re-randomised after an intrusion")
        states.cells ^= randomness.bernoulli(self._flip, states.cells.size).reshape(states.cells.shape)
        states.announced += 1
        return states

    def state_of(self, states: ManyCells, run: int) -> SampledCellsState:
        """The state of one of many runs."""
        state: SampledCellsState = states.state_of(run)
        return state

    @property
    def _flip(self) -> float:
        return 1 / (1 + exp(self.epsilon))

    def _cells_after(self, announced: int) -> BernoulliCells | LaplaceCells:
        cells = self.cells
        for _ in range(announced):
            assert isinstance(cells, BernoulliCells)  # announce() refuses any other
            cells = cells.through_flip(self._flip)
        return cells

    def sampled_users(self, state: SampledCellsState) -> Indices:
        """The indices of the sampled users M in increasing order, shape ``(m,)``.

        Parameters
        ----------
        state
            The state.

        Raises
        ------
        InputError
            For an erased state.
        """
        require_kept(self, state)
        # The last release does not erase a copy.
        return state.sample.copy()

    @property
    def state_bits(self) -> int:
        """The size of the state in bits: the cells, and the ids of the sample unless everyone is sampled.

        The number of announced intrusions is public and not included.
        """
        whole = self.sample_size == self.universe.size
        id_bits = 0 if whole else max(1, (self.universe.size - 1).bit_length())
        return self.sample_size * (self.cells.bits_per_cell + id_bits)

    def copy_state(self, state: SampledCellsState) -> SampledCellsState:
        """A copy that later updates and releases do not change."""
        return state.copied() if type(state) is SampledCellsState else copy.deepcopy(state)

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready; :func:`pan_estimators.estimator_from_dict` reads it."""
        return {
            "estimator": self.name,
            "universe": self.universe.to_dict(),
            "epsilon": float(self.epsilon),
            "sample_size": self.sample_size,
            **dict(self.options),
        }

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives."""
        return stored_arrays(self.sample_size, self.cells.dtype)

    def state_to_arrays(self, state: SampledCellsState) -> dict[str, NDArray[Any]]:
        """The state as named arrays, for :func:`pan_estimators.save_state`."""
        return state.to_arrays()

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> SampledCellsState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        return state_from_arrays(self.universe.size, self.sample_size, self.cells.dtype, arrays)
