"""The calibrated estimator against announced intrusions."""

from __future__ import annotations

from pan_estimators.density.calibrated_cells import CalibratedCells
from pan_estimators.density.calibration import calibrate_symmetric
from pan_estimators.density.cell_loss import MOST_ANNOUNCED
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_count


def calibrated_announced_intrusions(
    *, universe: Universe | int, epsilon: float, sample_size: int, announced: int = 1
) -> CalibratedCells:
    """The calibrated estimator for ``announced`` intrusions with notice, and one without.

    Call ``announce`` after each announced intrusion. It flips every bit with a calibrated probability
    (paper, Section 3, first remark, which gives no recipe).

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with announced intrusions before the
    unannounced one. Fewer of them are allowed. One more is refused.

    Promise (calibrated.announced_intrusions): ``(2 + announced) epsilon``, user-level, all states and the
    output jointly. Later observations depend on earlier updates through the seen bit only, so that the likelihood
    is a product over the stretches between intrusions. The greatest ratio is the largest product along the seen bits.
    Between two looks, a bit b has been flipped, or drawn again from the pair after the same flips. The flip
    separates the two looks.

    Error (calibrated.error): as stated there with no announced intrusion so far. After k of them the gap
    is ``(1 - 2 flip)^k`` times the first one, and the error grows by about its inverse square. At epsilon = 0.5
    and m = 1000, with ``announced=1``, it is 9 times that of :func:`~pan_estimators.calibrated_bernoulli` after the
    announced intrusion. The pair and the flip minimise the error after all announced intrusions.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Budget of each look at the state, and of the output, in nats, from 0.001 to 20.
    sample_size
        Number m of sampled users, from 1 to U.
    announced
        Number of announced intrusions before one unannounced intrusion, from 1 to 4.

    Returns
    -------
    The estimator. Its state has m bits, and 128 more for the key of the sample if m < U.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    universe = as_universe(universe)
    require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
    require_count("the number of announced intrusions", announced, most=MOST_ANNOUNCED)
    return CalibratedCells(
        name="calibrated-announced-intrusions",
        universe=universe,
        epsilon=epsilon,
        sample_size=sample_size,
        calibration=calibrate_symmetric((2 + announced) * epsilon, sample_size, announced=announced),
        claim="calibrated.announced_intrusions",
        options=(("announced", announced),),
    )
