"""The optimal Bernoulli estimator against announced intrusions: paper, Section 3, first remark."""

from __future__ import annotations

from dataclasses import replace

from pan_estimators.errors import require_count
from pan_estimators.optimal_bernoulli import optimal_bernoulli
from pan_estimators.sampled_cells import SampledCells, joint_promise
from pan_estimators.universe import Universe


def announced_intrusions(
    *,
    universe: Universe | int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    announced: int = 1,
) -> SampledCells:
    """:func:`optimal_bernoulli`, with the promise that announced intrusions can be survived.

    After each announced intrusion call ``announce``, which re-randomises the bits. The source says
    that multiple announced intrusions "can be handled" and gives no number; the promise attached
    here is what its proof would give, epsilon for every look at the state and epsilon for the
    output (density.announced_intrusions). The audit refutes it, as it does with no announcement.

    Parameters
    ----------
    universe
        The users, or their number U.
    epsilon
        Budget of each look at the state, and of the output, in nats.
    sample_size, alpha, beta
        The sample size, or the accuracy from which it is planned.
    announced
        Number of announced intrusions promised for, before one unannounced intrusion.
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
