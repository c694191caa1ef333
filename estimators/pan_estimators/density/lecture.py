"""The density estimator of the lecture, with its own sample size: lecture 18, algorithm Density."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.published import joint_promise, resolve_sample_size
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import error_probability, errors_of_sample
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_epsilon, require_probability


@dataclass(frozen=True)
class _LectureBound:
    epsilon: float
    claim: str = "lecture.accuracy"

    def planned(self, alpha: float, beta: float) -> int:
        require_probability("alpha", alpha)
        require_probability("beta", beta)
        return math.ceil(200 * math.log(1 / beta) / (self.epsilon * alpha) ** 2)


def lecture(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The lecture's density estimator: the cells and the noise of :func:`dwork`, with its own constants.

    Model: as for :func:`pan_estimators.dwork`.

    Promise (lecture.privacy, Theorem 5): 2 epsilon, user-level, one unannounced intrusion, state
    and output jointly. There is no promise for ``epsilon > 1/2``. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to below 2.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). They give
        ``m = 200 log(1/beta)/(epsilon alpha)^2``, rounded up (lecture.accuracy).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon, below=2, source="the bias epsilon/4 of D_1 must stay below 1/2")
    universe = as_universe(universe)
    bound = _LectureBound(epsilon)
    statements = errors_of_sample("lecture.unbiased")
    if sample_size is None and alpha is not None and beta is not None:
        statements += (error_probability(bound.claim, alpha, beta),)
    return SampledCells(
        name="lecture",
        universe=universe,
        epsilon=epsilon,
        sample_size=resolve_sample_size(universe, bound, sample_size, alpha, beta),
        cells=BernoulliCells(0.5, (2 + epsilon) / 4),
        promise=joint_promise(epsilon, "lecture.privacy"),
        statements=statements,
    )
