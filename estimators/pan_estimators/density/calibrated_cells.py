"""The mechanism of the calibrated density estimators: calibrated bits, a keyed sample, integer noise."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation, no_bias
from pan_estimators.common.many_runs import require_runs
from pan_estimators.common.many_samples import EveryoneSampled, ManySamples, draw_samples
from pan_estimators.density.calibrated_cells_state import CalibratedCellsState, state_from_arrays, stored_arrays
from pan_estimators.density.calibration import Calibration, noise_mean
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.many_cells import Deletions, ManyCells, draw_initial, redraw, some_deletions, totals
from pan_estimators.density.redrawing import redraw_cells
from pan_estimators.density.target import Target
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KEY_BYTES, Sample, WholePopulation
from pan_estimators.states.releasing import count_release, require_kept
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Indices, Universe
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.promise import Adjacency, Observed, Promise


@dataclass(frozen=True, kw_only=True)
class CalibratedCells:
    """A density estimator: a uniform sample of ``m`` users without replacement, a random bit for each, a noisy count.

    A bit is ``Bernoulli(p_init)`` at first, and is drawn afresh from ``Bernoulli(p_upd)`` whenever its user
    appears. The output is the count of ones plus two-sided geometric noise, shifted and scaled so as to
    be unbiased for the density of the sample. All parameters come from :mod:`pan_estimators.density.calibration`,
    where the loss of state and output *jointly* is computed without slack.

    Guarantee: ``(2 + announced) epsilon``, user-level, for all observations up to the last promised release,
    that release included (``claim`` names the statement). That release erases the state, because a later look at it
    is not covered.

    Parameters
    ----------
    name
        Name in the registry of estimators.
    universe
        The users.
    epsilon
        Budget of each look at the state, and of the outputs together, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to the size of the universe.
    calibration
        Pairs of probabilities, flip and noise.
    deletions
        Whether a user may be deleted. A deletion draws the bit from the initial distribution again.
    outputs
        Number of releases that the promise covers.
    claim
        Id of the statement that makes the promise.
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
    calibration: Calibration
    deletions: bool = False
    outputs: int = 1
    claim: str | None = None
    options: tuple[tuple[str, float], ...] = field(default=())

    exchangeable_users: ClassVar[bool] = True
    """Relabelling the users changes no distribution. An exact check of one user holds for all."""
    promise_is_proved: ClassVar[bool] = True
    """The claim that the promise names is proved for this code."""
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state, and the last one that the promise covers erases the state."""

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_count(
            "the sample size m", self.sample_size, most=self.universe.size, source="a sample of the universe's users"
        )

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
            epsilon=(2 + self.announced) * self.epsilon,
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
        about = partial(AccuracyStatement, claim="calibrated.error", target=Target.SAMPLED_DENSITY)
        variance = self.calibration.variance_of_release
        return (
            about(quantity=Quantity.BIAS, relation=Relation.EQUALS, value=no_bias),
            about(quantity=Quantity.VARIANCE, relation=Relation.EQUALS, value=variance),
        )

    def create(self, randomness: Randomness) -> CalibratedCellsState:
        """The state before the first update: the sample and its bits. See :meth:`pan_estimators.Estimator.create`."""
        sample: Sample
        if self.sample_size == self.universe.size:
            sample = WholePopulation(self.sample_size)
        else:
            sample = randomness.keyed_sample(self.universe.size, self.sample_size)
        return CalibratedCellsState(sample, self.cells.draw_initial(randomness, self.sample_size))

    def update(
        self,
        state: CalibratedCellsState,
        ids: Ids,
        randomness: Randomness,
        deletions: NDArray[np.bool_] | bool | None = None,
    ) -> CalibratedCellsState:
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

    def current_pair(self, state: CalibratedCellsState) -> tuple[BernoulliCells, Sample]:
        """The pair of probabilities that updates of ``state`` draw from, and the users with a bit."""
        return self.calibration.pairs[state.announced], state.sample

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

    def announce(self, state: CalibratedCellsState, randomness: Randomness) -> CalibratedCellsState:
        """The state after an announced intrusion: every bit is flipped with the calibrated probability.

        Earlier counts are kept, with less accuracy. Later draws come from the pair after the same flips,
        so that users before and after the intrusion have equal weight.

        Parameters
        ----------
        state
            The state so far; it is changed in place.
        randomness
            Source of the flips.

        Raises
        ------
        InputError
            If the promise covers no further announced intrusion, or for an erased state.
        """
        require_kept(self, state)
        if state.announced >= self.announced:
            raise InputError(self._too_many_announced)
        state.cells ^= randomness.bernoulli(self.calibration.flip, self.sample_size)
        state.announced += 1
        return state

    def create_many(self, runs: int, randomness: Randomness) -> ManyCells:
        """The samples and the initial bits of all runs. See :meth:`pan_estimators.ManyRuns.create_many`."""
        m, runs = self.sample_size, require_runs(runs)
        sample: ManySamples = EveryoneSampled(runs, WholePopulation(m))
        if m < self.universe.size:
            sample = draw_samples(randomness, self.universe.size, m, runs)
        return ManyCells(CalibratedCellsState, sample, draw_initial(self.cells, randomness, runs, m))

    def update_many(
        self, states: ManyCells, ids: Ids, randomness: Randomness, deletions: Deletions = None
    ) -> ManyCells:
        """The states after :meth:`update` in every run, with the same parameters for all runs."""
        require_kept(self, states)
        deletions = some_deletions(self.name, self.deletions, deletions)
        return redraw(states, self.universe, self.calibration.pairs[states.announced], ids, deletions, randomness)

    def release_many(self, states: ManyCells, randomness: Randomness) -> NDArray[np.float64]:
        """The outputs of :meth:`release` in every run: shape ``(runs,)``."""
        require_kept(self, states)
        noisy = totals(states) + randomness.two_sided_geometric(self.up, self.down, states.runs)
        released = np.asarray(self.estimate(noisy, states.announced))
        count_release(states, self.outputs)
        return released

    def announce_many(self, states: ManyCells, randomness: Randomness) -> ManyCells:
        """The ``states`` after :meth:`announce` in every run, with flips from ``randomness``."""
        require_kept(self, states)
        if states.announced >= self.announced:
            raise InputError(self._too_many_announced)
        states.cells ^= randomness.bernoulli(self.calibration.flip, states.cells.size).reshape(states.cells.shape)
        states.announced += 1
        return states

    def state_of(self, states: ManyCells, run: int) -> CalibratedCellsState:
        """The state of one of many runs."""
        state: CalibratedCellsState = states.state_of(run)
        return state

    @property
    def _too_many_announced(self) -> str:
        return (
            f"{self.name} promises nothing after more than {self.announced} announced intrusions: "
            "choose an estimator with a larger 'announced'"
        )

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
        return self.sample_size + (0 if self.sample_size == self.universe.size else 8 * KEY_BYTES)

    def copy_state(self, state: CalibratedCellsState) -> CalibratedCellsState:
        """A copy that later updates and releases do not change."""
        return state.copied() if type(state) is CalibratedCellsState else copy.deepcopy(state)

    def with_parameters_of(self, other: CalibratedCells) -> CalibratedCells:
        """The same estimator with the cells and the noise of ``other``, which were calibrated for its own size."""
        return replace(self, calibration=other.calibration)

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
        """The arrays that :meth:`state_to_arrays` gives. At most one is given of the key and the list of the sample."""
        return stored_arrays(self.universe.size, self.sample_size)

    def state_to_arrays(self, state: CalibratedCellsState) -> dict[str, NDArray[Any]]:
        """The state as named arrays, for :func:`pan_estimators.save_state`."""
        return state.to_arrays()

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> CalibratedCellsState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        return state_from_arrays(self.universe.size, self.sample_size, self.announced, arrays)
