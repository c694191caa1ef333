"""The density estimator with the optimal Bernoulli pair: paper, Algorithm 2, OptBern (thesis, Algorithm 4.2)."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.dwork import likely_error
from pan_estimators.density.published import joint_promise, optimal_bernoulli_bound, resolve_sample_size
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import errors_of_sample
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_count, require_epsilon
from pan_promises.exact_epsilon import tanh_half


def optimal_bernoulli(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    deletions: bool = False,
) -> SampledCells:
    """The density estimator whose cells use all of the state's budget.

    Model: a uniform sample of m users, a bit for each; one intrusion at any time. Bits are ``Bernoulli((1 - t)/2)``
    and, after an appearance, ``Bernoulli((1 + t)/2)`` with ``t = tanh(epsilon/2)``. The output is the shifted and
    scaled mean plus ``Laplace(1/(epsilon m))``.

    Promise (density.optbern_privacy, Theorem 4.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is
        planned (Section 4.3).
    deletions
        Accept deletions (Section 3, second remark; claim density.insert_delete).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon)
    universe = as_universe(universe)
    bound = optimal_bernoulli_bound(epsilon)
    size = resolve_sample_size(universe, bound, sample_size, alpha, beta)
    return SampledCells(
        name="optimal-bernoulli-insert-delete" if deletions else "optimal-bernoulli",
        universe=universe,
        epsilon=epsilon,
        sample_size=size,
        cells=optimal_pair(epsilon),
        deletions=deletions,
        promise=joint_promise(epsilon, "density.insert_delete" if deletions else "density.optbern_privacy"),
        statements=(
            *errors_of_sample(
                "density.optbern_error",
                variance=partial(_variance, epsilon),
                squared_error=partial(_squared_error, epsilon),
            ),
            *likely_error(bound, size),
        ),
    )


def optimal_pair(epsilon: float) -> BernoulliCells:
    """The pair of Section 4.2 with centre 1/2: ``(1 -+ tanh(epsilon/2))/2``.

    Parameters
    ----------
    epsilon
        Budget of the state, in nats, positive.

    Raises
    ------
    InputError
        If a probability of the pair is not in (0, 1).
    """
    t = tanh_half(epsilon)
    return BernoulliCells((1 - t) / 2, (1 + t) / 2)


def _variance(epsilon: float, density: float, sampled: float) -> float:
    cells = (math.tanh(epsilon / 2) ** -2 - 1) / (4 * sampled)
    return cells + density * (1 - density) / sampled + 2 / (sampled * epsilon) ** 2


def _squared_error(epsilon: float, density: float, sampled: float) -> float:
    return 1 / (4 * sampled * math.tanh(epsilon / 2) ** 2) + 2 / (sampled * epsilon) ** 2


def announced_intrusions(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    announced: int = 1,
) -> SampledCells:
    """The optimal Bernoulli estimator, with a promise about announced intrusions.

    Model: as for :func:`pan_estimators.optimal_bernoulli`, with announced intrusions before the unannounced one.
    Call ``announce`` after each announced intrusion. It re-randomises the bits.

    Promise (density.announced_intrusions): ``(2 + announced) epsilon``, user-level, all states and the output
    jointly. The source says that multiple announced intrusions "can be handled" and gives no number. The
    number here is the one that its proof would give: epsilon for every look at the state, and epsilon for
    the output. There is no promise for ``epsilon > 1/2``. The audit refutes it, as it does with no announcement.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of each look at the state, and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is planned.
    announced
        Number of announced intrusions before one unannounced intrusion, from 1 to 4.

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_count("the number of announced intrusions", announced, most=4)
    estimator = optimal_bernoulli(universe=universe, epsilon=epsilon, sample_size=sample_size, alpha=alpha, beta=beta)
    return replace(
        estimator,
        name="announced-intrusions",
        promise=joint_promise(epsilon, "density.announced_intrusions", announced=announced),
        statements=(),
        options=(("announced", announced),),
    )
