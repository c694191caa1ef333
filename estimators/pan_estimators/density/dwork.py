"""The conventional density estimator of Dwork et al. 2010: paper, Algorithm 1 (thesis, Algorithm 4.1)."""

from __future__ import annotations

from functools import partial

from pan_estimators.common.accuracy_statement import AccuracyStatement
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.published import ErrorBound, dwork_bound, joint_promise, resolve_sample_size, tightest_beta
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import error_probability, errors_of_sample
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_epsilon


def dwork(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    deletions: bool = False,
) -> SampledCells:
    """The density estimator of Dwork et al. 2010, as printed in the paper.

    Model: a uniform sample of m users, a bit for each; one intrusion at any time. Bits are ``Bernoulli(1/2)`` and,
    after an appearance, ``Bernoulli(1/2 + epsilon/4)``. The output is
    ``(4/epsilon)(mean - 1/2) + Laplace(1/(epsilon m))``.

    Promise (density.dwork_privacy, Theorem 3.1, ``epsilon <= 1/2``): 2 epsilon, user-level, one
    intrusion, state and output jointly. The audit refutes it.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to below 2, so that the bias stays below 1/2.
    sample_size
        Number m of sampled users, from 1 to U; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is
        planned (Section 3.2).
    deletions
        Accept deletions (Section 3, second remark; claim density.insert_delete).

    Raises
    ------
    InputError
        If a parameter is out of range, or the universe is smaller than the planned sample.
    """
    require_epsilon(epsilon, below=2, source="the bias epsilon/4 of Algorithm 1 must stay below 1/2")
    universe = as_universe(universe)
    bound = dwork_bound(epsilon)
    size = resolve_sample_size(universe, bound, sample_size, alpha, beta)
    return SampledCells(
        name="dwork-insert-delete" if deletions else "dwork",
        universe=universe,
        epsilon=epsilon,
        sample_size=size,
        cells=BernoulliCells(0.5, (2 + epsilon) / 4),
        deletions=deletions,
        promise=joint_promise(epsilon, "density.insert_delete" if deletions else "density.dwork_privacy"),
        statements=(
            *errors_of_sample(
                "density.dwork_error",
                variance=partial(_variance, epsilon),
                squared_error=partial(_squared_error, epsilon),
            ),
            *likely_error(bound, size),
        ),
    )


def likely_error(bound: ErrorBound, sample_size: int) -> tuple[AccuracyStatement, ...]:
    """The statement that an error of alpha has at most the tightest beta as its probability.

    It is made for the least alpha, in hundredths, for which that beta is at most 1/2. For small
    samples there is no such alpha below 1, and the bound says nothing about a density.
    """
    for hundredths in range(1, 100):
        beta = tightest_beta(bound, alpha=hundredths / 100, sample_size=sample_size).beta
        if beta <= 0.5:
            return (error_probability(bound.claim, hundredths / 100, beta),)
    return ()


def _variance(epsilon: float, density: float, sampled: float) -> float:
    return 4 / (sampled * epsilon**2) - density**2 / sampled + 2 / (sampled * epsilon) ** 2


def _squared_error(epsilon: float, density: float, sampled: float) -> float:
    return 2 * (2 * sampled + 1) / (sampled * epsilon) ** 2
