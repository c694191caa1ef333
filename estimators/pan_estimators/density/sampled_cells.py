"""The mechanisms of the density estimators: sample users, keep a random cell for each, release a noisy count.

The published ones keep bits or real numbers and a list of the sample. The calibrated ones keep bits and a key of the
sample, and the loss of state and output together is computed.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement
from pan_estimators.common.many_runs import require_runs
from pan_estimators.common.many_samples import EveryoneSampled, ManySamples, draw_lists, draw_samples
from pan_estimators.density.calibration import Calibration, noise_mean
from pan_estimators.density.cells import BernoulliCells, Cells, CellValues, LaplaceCells
from pan_estimators.density.many_cells import (
    Deletions,
    ManyCells,
    draw_initial,
    laplace_around,
    redraw,
    totals,
)
from pan_estimators.density.published import Published
from pan_estimators.density.redrawing import SortedMembers, redraw_cells, some_deletions
from pan_estimators.density.target import errors_of_sample
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KEY_BYTES, KeyedSample, Sample, WholePopulation, sample_from_arrays
from pan_estimators.samples.sample_index import Members
from pan_estimators.states.releasing import count_release, releases_covered, require_kept, wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Indices, Universe
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.exact_epsilon import exp
from pan_promises.promise import Adjacency, Observed, Promise

_MOST_ANNOUNCED = 64


@dataclass(eq=False)
class SampledCellsState:
    """The state: the sample, and one cell for each sampled user. An adversary sees all of it.

    Attributes
    ----------
    sample
        Sorted indices of the sampled users, shape ``(m,)``.
    cells
        Their cells in the same order, shape ``(m,)``: booleans or doubles.
    announced
        The number of announced intrusions so far.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero.
    """

    sample: Indices
    cells: CellValues
    announced: int = 0
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the sample and the cells with zeros. Copies of the state are out of reach."""
        self.sample, self.cells = wiped(self.sample), wiped(self.cells)

    def copied(self) -> SampledCellsState:
        """A copy that later updates and releases do not change."""
        return SampledCellsState(self.sample.copy(), self.cells.copy(), self.announced, self.releases)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {"sample": self.sample, "cells": self.cells, "announced": np.array([self.announced])}


@dataclass(eq=False)
class CalibratedCellsState:
    """The state: the sample, and one bit for each sampled user. An adversary sees all of it.

    Attributes
    ----------
    sample
        The sampled users, with a place for each: a key, the whole universe, or a list.
    cells
        The bits by place, shape ``(m,)``.
    announced
        The number of announced intrusions so far.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero.
    """

    sample: Sample
    cells: NDArray[np.bool_]
    announced: int = 0
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the bits with zeros, and replace the sample by that of a public key of zeros.

        Copies of the state are out of reach. The key itself is a Python value that cannot be overwritten:
        it is only dropped.
        """
        self.cells = wiped(self.cells)
        if not isinstance(self.sample, WholePopulation):
            self.sample = KeyedSample(self.sample.population, self.sample.size, bytes(KEY_BYTES))

    def copied(self) -> CalibratedCellsState:
        """A copy that later updates and releases do not change."""
        sample = self.sample.copy() if isinstance(self.sample, np.ndarray) else self.sample
        return CalibratedCellsState(sample, self.cells.copy(), self.announced, self.releases)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {**self.sample.to_arrays(), "cells": self.cells, "announced": np.array([self.announced])}


S = TypeVar("S", SampledCellsState, CalibratedCellsState)


@dataclass(frozen=True, kw_only=True)
class CellsOfSample(ABC, Generic[S]):
    """A density estimator with a cell for each of ``m`` users, who are a uniform sample without replacement.

    A cell is drawn from the initial distribution, and drawn afresh from the updated one whenever its user appears. A
    class for one kind of state says which pair of distributions holds after some announced intrusions
    (:meth:`pair_after`), how an intrusion flips bits (:meth:`_flip_after`), and who is sampled.

    Parameters
    ----------
    name
        Name in the registry of estimators.
    universe
        The users.
    sample_size
        Number m of sampled users, from 1 to the size of the universe.
    deletions
        Whether a user may be deleted. A deletion draws the cell from the initial distribution again (paper, Section 3,
        second remark).
    options
        Further parameters of the configuration, by name.

    Raises
    ------
    InputError
        If the sample size is out of range.
    """

    name: str
    universe: Universe
    sample_size: int
    deletions: bool = False
    options: tuple[tuple[str, float], ...] = ()

    kind_of_state: ClassVar[type]
    _draw_many: ClassVar[Callable[..., ManySamples]]
    budget: ClassVar[str]
    """The name of the parameter for the privacy budget."""
    exchangeable_users: ClassVar[bool] = True
    """Relabelling the users changes no distribution, up to the same relabelling of the state."""
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state, and the last one that the promise covers erases the state."""

    def __post_init__(self) -> None:
        require_count(
            "the sample size m", self.sample_size, most=self.universe.size, source="a sample of the universe's users"
        )

    @property
    def samples_everyone(self) -> bool:
        """Whether every user has a cell."""
        return self.sample_size == self.universe.size

    @abstractmethod
    def _sample_by(self, randomness: Randomness | None) -> Any:
        """A drawn sample in the form that a state keeps; that of everyone without randomness."""

    def create(self, randomness: Randomness) -> S:
        """The state before the first update: the sample and its cells. See :meth:`pan_estimators.Estimator.create`."""
        sample = self._sample_by(None if self.samples_everyone else randomness)
        state: S = self.kind_of_state(sample, self.pair_after(0).draw_initial(randomness, self.sample_size))
        return state

    def create_many(self, runs: int, randomness: Randomness) -> ManyCells:
        """The samples and the initial cells of all runs. See :meth:`pan_estimators.ManyRuns.create_many`."""
        m, runs = self.sample_size, require_runs(runs)
        sample: ManySamples
        if self.samples_everyone:
            sample = EveryoneSampled(runs, self._sample_by(None))
        else:
            sample = self._draw_many(randomness, self.universe.size, m, runs)
        return ManyCells(self.kind_of_state, sample, draw_initial(self.pair_after(0), randomness, runs, m))

    @abstractmethod
    def pair_after(self, announced: int) -> Any:
        """The pair of distributions after a number of announced intrusions."""

    @abstractmethod
    def _flip_after(self, announced: int) -> float:
        """The probability with which one more announced intrusion flips a bit, if it is covered."""

    def update(
        self,
        state: S,
        ids: Ids,
        randomness: Randomness,
        deletions: NDArray[np.bool_] | bool | None = None,
    ) -> S:
        """The state after a new draw of the bit of every sampled user among ``ids``.

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

    def announce(self, state: S, randomness: Randomness) -> S:
        """The state after an announced intrusion: every bit is flipped with some probability.

        Earlier counts are kept, with less accuracy. Later draws come from the pair after the same flips, so that users
        before and after the intrusion have equal weight.

        Parameters
        ----------
        state
            The state so far; it is changed in place.
        randomness
            Source of the flips.

        Raises
        ------
        InputError
            If the promise covers no further announced intrusion, for cells that are not bits, or for an erased state.
        """
        self._flip(state, randomness)
        return state

    def _flip(self, state: Any, randomness: Randomness) -> None:
        require_kept(self, state)  # type: ignore[arg-type]
        flip = self._flip_after(state.announced)
        state.cells ^= randomness.bernoulli(flip, state.cells.size).reshape(state.cells.shape)
        state.announced += 1

    def update_many(
        self, states: ManyCells, ids: Ids, randomness: Randomness, deletions: Deletions = None
    ) -> ManyCells:
        """The states after :meth:`update` in every run, with the same parameters for all runs."""
        require_kept(self, states)  # type: ignore[arg-type]
        deletions = some_deletions(self.name, self.deletions, deletions)
        return redraw(states, self.universe, self.pair_after(states.announced), ids, deletions, randomness)

    def announce_many(self, states: ManyCells, randomness: Randomness) -> ManyCells:
        """The ``states`` after :meth:`announce` in every run, with flips from ``randomness``."""
        self._flip(states, randomness)
        return states

    def state_of(self, states: ManyCells, run: int) -> S:
        """The state of one of many runs."""
        state: S = states.state_of(run)
        return state

    def copy_state(self, state: S) -> S:
        """A copy that later updates and releases do not change."""
        return state.copied() if type(state) is self.kind_of_state else copy.deepcopy(state)

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready; :func:`pan_estimators.estimator_from_dict` reads it."""
        return {
            "estimator": self.name,
            "universe": self.universe.to_dict(),
            self.budget: float(getattr(self, self.budget)),
            "sample_size": self.sample_size,
            **dict(self.options),
        }

    def state_to_arrays(self, state: S) -> dict[str, NDArray[Any]]:
        """The state as named arrays, for :func:`pan_estimators.save_state`."""
        return state.to_arrays()


@dataclass(frozen=True, kw_only=True)
class SampledCells(Published, CellsOfSample[SampledCellsState]):
    """A published density estimator: a uniform sample of ``m`` users, a random cell for each, a noisy mean.

    The output is the mean of the cells, shifted and scaled so as to be unbiased, plus Laplace noise of scale
    ``1/(epsilon m)``. Paper, Algorithms 1 and 2; thesis, Algorithms 4.1 to 4.3: they differ in the two distributions
    only.

    Parameters
    ----------
    name, universe, sample_size, deletions, options
        As for :class:`CellsOfSample`.
    epsilon
        Budget of each look at the state, and of the outputs together, in nats, from 1e-9 to 500.
    cells
        The pair of distributions.
    promise
        The promise of the source for the state and the output jointly, or ``None`` if its theorem
        does not cover these parameters.
    statements
        The statements of the source about the error.
    """

    epsilon: float
    cells: BernoulliCells | LaplaceCells
    promise: Promise | None = None
    statements: tuple[AccuracyStatement, ...] = ()

    kind_of_state: ClassVar[type] = SampledCellsState
    _draw_many: ClassVar[Callable[..., ManySamples]] = staticmethod(draw_lists)
    budget: ClassVar[str] = "epsilon"

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        super().__post_init__()

    @property
    def noise_scale(self) -> float:
        """The scale of the Laplace noise of the output, as printed: ``1/(epsilon m)``."""
        return 1 / (self.epsilon * self.sample_size)

    def _sample_by(self, randomness: Randomness | None) -> Indices:
        if randomness is None:
            return np.arange(self.sample_size)
        return randomness.uniform_subset(self.universe.size, self.sample_size)

    def current_pair(self, state: SampledCellsState) -> tuple[Cells, Members]:
        """The pair of distributions that updates of ``state`` draw from, and the users with a cell."""
        sample = WholePopulation(self.sample_size) if self.samples_everyone else SortedMembers(state.sample)
        return self.pair_after(state.announced), sample

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
        cells, m = self.pair_after(announced), self.sample_size
        return (total - m * cells.initial_mean) / (m * (cells.updated_mean - cells.initial_mean))

    def release_many(self, states: ManyCells, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        require_kept(self, states)
        means = self.estimate(totals(states), states.announced)
        released = laplace_around(means, self.noise_scale, randomness)
        count_release(states, releases_covered(self))
        return released

    def _flip_after(self, announced: int) -> float:
        # The source gives no recipe (paper, Section 3, first remark): here every bit goes through randomised response.
        if not isinstance(self.cells, BernoulliCells):
            raise InputError(f"{self.name} keeps real numbers; only bits are re-randomised after an intrusion")
        return 1 / (1 + exp(self.epsilon))

    def pair_after(self, announced: int) -> BernoulliCells | LaplaceCells:
        """The pair of distributions after a number of announced intrusions."""
        cells = self.cells
        for _ in range(announced):
            assert isinstance(cells, BernoulliCells)  # announce() refuses any other
            cells = cells.through_flip(self._flip_after(0))
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
        id_bits = 0 if self.samples_everyone else max(1, (self.universe.size - 1).bit_length())
        return self.sample_size * (self.cells.bits_per_cell + id_bits)

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives."""
        return {
            "sample": StoredArray.of_length("int64", self.sample_size),
            "cells": StoredArray.of_length(np.dtype(self.cells.dtype).name, self.sample_size),
            "announced": StoredArray.of_length("int64", 1),
        }

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> SampledCellsState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        sample = arrays["sample"].astype(np.int64)
        is_sorted = sample.shape == (self.sample_size,) and bool(np.all(sample[1:] > sample[:-1]))
        if not is_sorted or sample[0] < 0 or sample[-1] >= self.universe.size:
            raise InputError(f"the sample must be {self.sample_size} sorted users of the universe")
        cells: CellValues = arrays["cells"].astype(self.cells.dtype)
        if cells.shape != sample.shape or not np.isfinite(cells).all():
            raise InputError(f"there must be {self.sample_size} finite cells, got shape {cells.shape}")
        return SampledCellsState(sample, cells, _announced(arrays, _MOST_ANNOUNCED))


@dataclass(frozen=True, kw_only=True)
class CalibratedCells(CellsOfSample[CalibratedCellsState]):
    """A calibrated density estimator: a uniform sample of ``m`` users, a random bit for each, a noisy count.

    A bit is ``Bernoulli(p_init)`` at first, and is drawn afresh from ``Bernoulli(p_upd)`` whenever its user
    appears. The output is the count of ones plus two-sided geometric noise, shifted and scaled so as to
    be unbiased for the density of the sample. All parameters come from :mod:`pan_estimators.density.calibration`,
    where the loss of state and output *jointly* is computed without slack.

    Guarantee: ``promise_epsilon``, user-level, for all observations up to the last promised release,
    that release included (``claim`` names the statement). That release erases the state, because a later look at it
    is not covered.

    Parameters
    ----------
    name, universe, sample_size, deletions, options
        As for :class:`CellsOfSample`.
    promise_epsilon
        The promised loss of all observations, in nats.
    calibration
        Pairs of probabilities, flip and noise.
    outputs
        Number of releases that the promise covers.
    claim
        Id of the statement that makes the promise.
    """

    promise_epsilon: float
    calibration: Calibration
    outputs: int = 1
    claim: str | None = None

    kind_of_state: ClassVar[type] = CalibratedCellsState
    _draw_many: ClassVar[Callable[..., ManySamples]] = staticmethod(draw_samples)
    budget: ClassVar[str] = "promise_epsilon"
    promise_is_proved: ClassVar[bool] = True
    """The claim that the promise names is proved for this code."""

    @property
    def cells(self) -> BernoulliCells:
        """The pair of probabilities before any announced intrusion."""
        return self.calibration.pairs[0]

    @property
    def up(self) -> float:
        """The ratio by which the probabilities of the noise fall above 0."""
        return self.calibration.up

    @property
    def down(self) -> float:
        """The ratio by which the probabilities of the noise fall below 0."""
        return self.calibration.down

    @property
    def announced(self) -> int:
        """The number of announced intrusions that the promise covers."""
        return len(self.calibration.pairs) - 1

    @property
    def promise(self) -> Promise:
        """The promise for all observations jointly."""
        return Promise(
            epsilon=self.promise_epsilon,
            adjacency=Adjacency.USER_LEVEL,
            announced=self.announced,
            outputs=self.outputs,
            claim=self.claim,
        )

    @property
    def promise_of_state(self) -> Promise:
        """The promise for the states alone: their tight loss, ``log max(A, B)`` if one state is seen."""
        return self._part(Observed.STATE, releases=0)

    @property
    def promise_of_output(self) -> Promise:
        """The promise for the outputs alone, with no announced intrusion: tight if everyone is sampled, or a bound."""
        return self._part(Observed.OUTPUT, releases=self.outputs, sees_state=False)

    def _part(self, observed: Observed, **seen: Any) -> Promise:
        loss = self.calibration.loss_of(deletions=self.deletions, **seen)
        # The factor outweighs the rounding of the logarithm.
        return self.promise.about(observed, epsilon=loss * (1 + 2.0**-48), claim=self.claim)

    @property
    def statements(self) -> tuple[AccuracyStatement, ...]:
        """The statements about the error of a release, with no announced intrusion before it."""
        return errors_of_sample("calibrated.error", variance=self.calibration.variance_of_release)

    def pair_after(self, announced: int) -> BernoulliCells:
        """The pair of probabilities after a number of announced intrusions."""
        return self.calibration.pairs[announced]

    def _sample_by(self, randomness: Randomness | None) -> Sample:
        if randomness is None:
            return WholePopulation(self.sample_size)
        return randomness.keyed_sample(self.universe.size, self.sample_size)

    def current_pair(self, state: CalibratedCellsState) -> tuple[Cells, Members]:
        """The pair of probabilities that updates of ``state`` draw from, and the users with a bit."""
        return self.pair_after(state.announced), state.sample

    def release(self, state: CalibratedCellsState, randomness: Randomness) -> Any:
        """The noisy estimate of the density. It is unbiased for d(S_M) and may be outside [0, 1].

        It is a fixed function of one integer, the count plus the noise, so that its low bits tell nothing more. The
        release is counted in ``state.releases``. The last release that the promise covers erases the state. Earlier
        copies are out of reach.

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
        noisy = int(np.count_nonzero(state.cells)) + randomness.two_sided_geometric(self.up, self.down, 1)[0]
        estimate = self.estimate(noisy, state.announced)
        count_release(state, self.outputs)
        return float(estimate) if isinstance(estimate, np.floating) else estimate

    def estimate(self, noisy: Any, announced: int = 0) -> Any:
        """The output as a function of the noisy count.

        Parameters
        ----------
        noisy
            The count of ones plus the noise, or an array of such counts.
        announced
            The number of announced intrusions so far.
        """
        cells, m = self.calibration.pairs[announced], self.sample_size
        return (noisy - self.centre(announced)) / (m * (cells.p_upd - cells.p_init))

    def centre(self, announced: int = 0) -> float:
        """The mean of the noisy count if no sampled user has appeared, after ``announced`` announced intrusions."""
        return self.sample_size * self.calibration.pairs[announced].p_init + noise_mean(self.up, self.down)

    def _flip_after(self, announced: int) -> float:
        if announced >= self.announced:
            raise InputError(
                f"{self.name} promises nothing after more than {self.announced} announced intrusions: "
                "choose an estimator with a larger 'announced'"
            )
        return self.calibration.flip

    def release_many(self, states: ManyCells, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        require_kept(self, states)
        noisy = totals(states) + randomness.two_sided_geometric(self.up, self.down, states.runs)
        released = np.asarray(self.estimate(noisy, states.announced))
        count_release(states, self.outputs)
        return released

    def sampled_users(self, state: CalibratedCellsState) -> Indices:
        """The indices of the sampled users M by place, shape ``(m,)``.

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
        return np.asarray(state.sample.members(), dtype=np.int64)

    @property
    def state_bits(self) -> int:
        """The size of the state in bits: one for each sampled user, and the key unless everyone is sampled.

        The number of announced intrusions is public and not included.
        """
        return self.sample_size + (0 if self.samples_everyone else 8 * KEY_BYTES)

    def with_parameters_of(self, other: CalibratedCells) -> CalibratedCells:
        """The same estimator with the cells and the noise of ``other``, which were calibrated for its own size."""
        return replace(self, calibration=other.calibration)

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives. At most one is given of the key and the list of the sample."""
        found = {
            "cells": StoredArray.of_length("bool", self.sample_size),
            "announced": StoredArray.of_length("int64", 1),
        }
        if self.samples_everyone:
            return found
        words = StoredArray.of_length("int64", KEY_BYTES // 8)
        return {**found, "key": words, "sample": StoredArray.of_length("int64", self.sample_size)}

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> CalibratedCellsState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        if {"key", "sample"} <= arrays.keys():
            raise InputError("a sample has a key or a list of its members, not both")
        sample = sample_from_arrays(self.universe.size, self.sample_size, arrays)
        cells = arrays["cells"].astype(np.bool_)
        if cells.shape != (self.sample_size,):
            raise InputError(f"there must be {self.sample_size} cells, got shape {cells.shape}")
        return CalibratedCellsState(sample, cells, _announced(arrays, self.announced))


def _announced(arrays: dict[str, NDArray[Any]], most: int) -> int:
    """The number of announced intrusions of a stored state."""
    announced = arrays["announced"].astype(np.int64)
    if announced.shape != (1,) or not 0 <= announced[0] <= most:
        raise InputError(f"the number of announced intrusions must be between 0 and {most}")
    return int(announced[0])
