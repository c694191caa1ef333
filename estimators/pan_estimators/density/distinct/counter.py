"""The pan-private distinct counter: levels of redrawn bits for universes of any size, with one noisy count a level."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.many_runs import require_runs
from pan_estimators.common.registry import promises
from pan_estimators.density.calibration import Calibration
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct.geometry import Geometry, Level, geometry_of, touched_cells
from pan_estimators.density.distinct.likelihood import DistinctEstimate, LevelDistribution, distribution_of
from pan_estimators.density.distinct.planning import calibrate_pair_for, plan_releases, require_calibrated
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import count_release, require_kept, wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import InputError, shown
from pan_promises.promise import Adjacency, Promise


@dataclass(eq=False)
class DistinctCounterState:
    """The state: one bit for each cell. An adversary sees all of it, and the key of the universe.

    The states of many runs that get the same calls are one object.

    Attributes
    ----------
    cells
        The bits of all levels, shape ``(cells,)``; of many runs ``(runs, cells)``.
    releases
        The number of releases so far. After the last one that the promise covers, all bits are zero.
    """

    cells: NDArray[np.bool_]
    releases: int = 0

    @property
    def runs(self) -> int:
        """The number of runs, if they are many."""
        return int(self.cells.shape[0])

    def erase(self) -> None:
        """Overwrite the bits with zeros. Earlier copies of the state are out of reach."""
        self.cells = wiped(self.cells)


_BITS = 2**16
"""Number of cells by default: 8 KiB."""
_EXACT = 2.0**53
"""Multiples of its inverse are drawn exactly by every source of randomness."""


@dataclass(frozen=True, kw_only=True)
class DistinctCounter:
    """A pan-private counter of distinct users in a universe of any size. See :func:`distinct_counter`."""

    universe: Universe
    promise_epsilon: float
    geometry: Geometry
    calibration: Calibration
    outputs: int = 1

    name: ClassVar[str] = "distinct-counter"
    promise_is_proved: ClassVar[bool] = True
    """The claim that the promise names is proved for this code."""
    counts_releases: ClassVar[bool] = True
    """A release counts itself in the state, and erases it."""
    size_parameters: ClassVar[tuple[str, ...]] = ("bits", "least", "most", "levels", "p_init", "p_upd")
    """Parameters for its size: small instances have other levels with the same cells and noise."""

    def __post_init__(self) -> None:
        if self.geometry.size != self.universe.size:
            raise InputError(
                f"the levels divide {self.geometry.size} indices, and the universe has {self.universe.size}"
            )
        loss = self.calibration.loss_of(deletions=False, releases=1)
        if loss > self.promise_epsilon:
            raise InputError(f"this calibration loses {loss:.6g}, and the promise is {self.promise_epsilon:.6g}")
        if any(chance * _EXACT % 1 for chance in (self.cells.p_init, self.cells.p_upd)):
            raise InputError("the probabilities of a cell must be multiples of 2**-53, which are drawn exactly")
        require_calibrated(self.calibration, self.promise_epsilon, self.outputs)

    @property
    def cells(self) -> BernoulliCells:
        """The probabilities of a one before and after a cell is touched."""
        return self.calibration.pairs[0]

    @property
    def promise(self) -> Promise:
        """The promise for one state and all noisy counts of all releases jointly."""
        claim = "distinct.joint_privacy" if self.outputs == 1 else "distinct.releases"
        return Promise(epsilon=self.promise_epsilon, adjacency=Adjacency.USER_LEVEL, outputs=self.outputs, claim=claim)

    @property
    def distribution(self) -> LevelDistribution:
        """The moments of the noisy counts."""
        return distribution_of(self.geometry, self.calibration)

    @property
    def state_bits(self) -> int:
        """The size of the state in bits, without the key of the universe."""
        return self.geometry.cells

    def create(self, randomness: Randomness) -> DistinctCounterState:
        """The state before the first update. See :meth:`pan_estimators.Estimator.create`."""
        return DistinctCounterState(self.cells.draw_initial(randomness, self.geometry.cells))

    def update(self, state: DistinctCounterState, ids: Ids, randomness: Randomness) -> DistinctCounterState:
        """The state after a new draw of the bit of every touched cell. The old bits are never read.

        Of several draws for one cell only the last one remains. A batch therefore makes one draw for each cell.
        """
        require_kept(self, state)
        touched = touched_cells(self.geometry, self.universe.encode(ids))
        if touched.size:
            shape = (*state.cells.shape[:-1], touched.size)
            state.cells[..., touched] = self.cells.draw_updated(randomness, math.prod(shape)).reshape(shape)
        return state

    update_many = update

    def release(self, state: DistinctCounterState, randomness: Randomness) -> Any:
        """The noisy number of ones of each level, shape ``(levels,)``. The last release erases the state.

        A user touches a cell of one level only, so that all levels are released within one budget.
        """
        require_kept(self, state)
        ones = np.add.reduceat(state.cells, self.geometry.first_cells[:-1], axis=-1, dtype=np.int64)
        noise = randomness.two_sided_geometric(self.calibration.up, self.calibration.down, ones.size)
        count_release(state, self.outputs)
        return ones + noise.reshape(ones.shape)

    release_many = release

    def estimate(self, counts: Any, *, level: float = 0.95) -> DistinctEstimate:
        """The number of distinct users, from the released counts. This is post-processing of the output."""
        return self.distribution.estimate(counts, level=level)

    def expected_error(self, users: float) -> float:
        """The relative standard error of the estimate for a number of distinct users."""
        if isinstance(users, bool) or not isinstance(users, (int, float, np.integer, np.floating)):
            raise InputError(f"the number of users is a number, got {shown(users)}")
        if not 1 <= users < 2**63:
            raise InputError(f"the number of users is from 1 to 2**63, got {users}")
        return float(self.distribution.relative_error(np.array([float(users)]))[0])

    def create_many(self, runs: int, randomness: Randomness) -> DistinctCounterState:
        """The states of all runs. See :meth:`pan_estimators.ManyRuns.create_many`."""
        runs, cells = require_runs(runs), self.geometry.cells
        return DistinctCounterState(self.cells.draw_initial(randomness, runs * cells).reshape(runs, cells))

    def state_of(self, states: DistinctCounterState, run: int) -> DistinctCounterState:
        """The state of one of many runs."""
        return DistinctCounterState(states.cells[run].copy(), states.releases)

    def copy_state(self, state: DistinctCounterState) -> DistinctCounterState:
        """A copy that later updates and releases do not change."""
        if type(state) is DistinctCounterState:
            return DistinctCounterState(state.cells.copy(), state.releases)
        return copy.deepcopy(state)

    def with_parameters_of(self, other: DistinctCounter) -> DistinctCounter:
        """A counter of this universe with the cells and the noise of another one: levels in which two users share.

        See :class:`pan_estimators.common.estimator.KeepsParameters`.
        """
        size = self.universe.size
        shared = Level(1, 2 if size > 2 else 1)
        levels = (shared, Level(size - shared.span, 1)) if size > shared.span else (shared,)
        return replace(
            self,
            geometry=Geometry(size, levels),
            promise_epsilon=other.promise_epsilon,
            calibration=other.calibration,
            outputs=other.outputs,
        )

    def with_universe(self, universe: Universe) -> DistinctCounter:
        """The counter of another universe of the same size: its key or the kind of its ids changed, and no number."""
        made = copy.copy(self)
        # A constructor would compute the loss again.
        object.__setattr__(made, "universe", universe)
        return made

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready; :func:`pan_estimators.estimator_from_dict` reads it."""
        return {
            "estimator": self.name,
            "universe": self.universe.to_dict(),
            "promise_epsilon": float(self.promise_epsilon),
            "levels": self.geometry.to_list(),
            "p_init": self.cells.p_init,
            "p_upd": self.cells.p_upd,
            **({"outputs": self.outputs} if self.outputs > 1 else {}),
        }

    def stored_arrays(self) -> dict[str, StoredArray]:
        """The arrays that :meth:`state_to_arrays` gives."""
        return {"cells": StoredArray.of_length("bool", self.geometry.cells)}

    def state_to_arrays(self, state: DistinctCounterState) -> dict[str, NDArray[Any]]:
        """The state as named arrays, for :func:`pan_estimators.save_state`."""
        return {"cells": state.cells}

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> DistinctCounterState:
        """The state that :meth:`state_to_arrays` wrote; :class:`InputError` if ``arrays`` are not such a state."""
        cells = arrays["cells"].astype(np.bool_)
        if cells.shape != (self.geometry.cells,):
            raise InputError(f"there must be {self.geometry.cells} cells, got shape {cells.shape}")
        return DistinctCounterState(cells)


@promises
def distinct_counter(
    *,
    universe: Universe | int,
    promise_epsilon: float,
    bits: int | None = None,
    least: float = 1e4,
    most: float = 1e9,
    levels: Any = None,
    p_init: float | None = None,
    p_upd: float | None = None,
    outputs: int = 1,
) -> DistinctCounter:
    """A pan-private counter of distinct users, for universes of up to 2^62 indices and a state of a few KiB.

    A public geometry divides the indices of the universe among cells. A user touches one cell or none. Every bit
    starts as ``Bernoulli(p_init)``. An update draws the bit of its cell from ``Bernoulli(p_upd)``, and never reads the
    old bit. The output is the number of ones of each level plus two-sided geometric noise. With
    :class:`HashedUniverse` the indices are a keyed hash of ids of any kind, and the number of users need not be known.

    Model: one intrusion at any time, which shows all bits and the key; one output at the end, or several at public
    times, after the last of which the state is erased. If a state is replaced by an earlier copy, as after a crash, all
    updates since the copy are made again; lost updates can raise the loss by up to a quarter (distinct.joint_privacy).

    Promise (distinct.joint_privacy; for several outputs distinct.releases): ``promise_epsilon``, user-level, state
    and all counts jointly, for every hash and every sharing of cells:

    1.  Adjacent streams differ in one user, who touches one cell of one level. All other bits and counts have the same
        distribution in both streams.
    2.  Given the updates of the others, only two facts matter: whether an update touches the cell before the
        intrusion, and whether one does after it. The facts are those of some user who has the cell alone.
    3.  The loss is therefore at most that of one bit with one noisy count, which is the promised one by the choice
        of the noise (calibrated.joint_privacy). A user who is alone in a cell attains it.

    Error: ``expected_error(n)`` is the relative standard error. It counts the levels, the noise and the random bits,
    and agrees with the measured error of the maximum likelihood estimate.
    """
    universe = as_universe(universe)
    if levels is None:
        if p_init is not None or p_upd is not None:
            raise InputError("the probabilities of a cell are for given levels: give levels as well")
        plan = plan_releases(universe.size, promise_epsilon, _BITS if bits is None else bits, least, most, outputs)
        return DistinctCounter(
            universe=universe,
            promise_epsilon=promise_epsilon,
            geometry=plan.geometry,
            calibration=plan.calibration,
            outputs=outputs,
        )
    if bits is not None or p_init is None or p_upd is None:
        raise InputError("given levels need p_init and p_upd, and no bits")
    geometry = geometry_of(universe.size, levels)
    calibration = calibrate_pair_for(promise_epsilon, BernoulliCells(*map(_drawn, (p_init, p_upd))), outputs)
    return DistinctCounter(
        universe=universe,
        promise_epsilon=promise_epsilon,
        geometry=geometry,
        calibration=calibration,
        outputs=outputs,
    )


def _drawn(probability: Any) -> Any:
    """The nearest probability that is drawn exactly; another value as it is."""
    return (
        round(probability * _EXACT) / _EXACT if isinstance(probability, float) and 0 < probability < 1 else probability
    )
