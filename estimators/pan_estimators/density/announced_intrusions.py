"""The optimal Bernoulli estimator against announced intrusions: paper, Section 3, first remark."""

from __future__ import annotations

from dataclasses import replace

from pan_estimators.density.optimal_bernoulli import optimal_bernoulli
from pan_estimators.density.published_promise import joint_promise
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.universes.universe import Universe
from pan_promises.errors import require_count


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
