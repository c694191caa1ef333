"""The density estimator of the lecture, with its own sample size: lecture 18, algorithm Density."""

from __future__ import annotations

import math
from functools import partial

from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation, constant, no_bias
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.published import joint_promise
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import InputError, require_count, require_epsilon, require_probability


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
    statements: tuple[AccuracyStatement, ...] = (
        AccuracyStatement(
            claim="lecture.unbiased",
            quantity=Quantity.BIAS,
            relation=Relation.EQUALS,
            target=Target.SAMPLED_DENSITY,
            value=no_bias,
        ),
    )
    if sample_size is None:
        if alpha is None or beta is None:
            raise InputError("give either the sample size m or both alpha and beta")
        require_probability("alpha", alpha)
        require_probability("beta", beta)
        sample_size = math.ceil(200 * math.log(1 / beta) / (epsilon * alpha) ** 2)
        if sample_size > universe.size:
            raise InputError(
                f"alpha {alpha:g} and beta {beta:g} need a sample of {sample_size} users by lecture.accuracy, "
                f"more than the {universe.size} of the universe; ask for less accuracy"
            )
        statements += (
            AccuracyStatement(
                claim="lecture.accuracy",
                quantity=Quantity.ERROR_PROBABILITY,
                relation=Relation.AT_MOST,
                target=Target.DENSITY,
                value=partial(constant, beta),
                alpha=alpha,
            ),
        )
    elif alpha is not None or beta is not None:
        raise InputError("give either the sample size m or both alpha and beta, not both")
    require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
    return SampledCells(
        name="lecture",
        universe=universe,
        epsilon=epsilon,
        sample_size=sample_size,
        cells=BernoulliCells(0.5, (2 + epsilon) / 4),
        promise=joint_promise(epsilon, "lecture.privacy"),
        statements=statements,
    )
