"""The calibrated estimator against announced intrusions."""

from __future__ import annotations

from pan_estimators.calibrated_cells import CalibratedCells
from pan_estimators.calibration import calibrate_symmetric
from pan_estimators.cell_loss import MOST_ANNOUNCED
from pan_estimators.errors import require_count
from pan_estimators.universe import Universe, as_universe


def calibrated_announced_intrusions(
    *, universe: Universe | int, epsilon: float, sample_size: int, announced: int = 1
) -> CalibratedCells:
    """The calibrated estimator whose state may be seen ``announced`` times with notice, and once without.

    After each announced intrusion call ``announce``, which flips every bit with a calibrated probability
    (paper, Section 3, first remark, which gives no recipe).

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with announced intrusions before the
    unannounced one. Fewer of them do no harm; one more is refused.

    Promise (calibrated.announced_intrusions): ``(2 + announced) epsilon``, user-level, all states and the
    output jointly. A seen bit says all about what came before it, so that the likelihood is a product over
    the stretches between intrusions, and the greatest ratio is the largest product along the seen bits.
    From one look to the next, a bit b has been flipped or drawn again from the pair that has gone through
    the same flips: the flip hides what was seen from what is seen next.

    Error (calibrated.error): with no announced intrusion so far, as stated there. After k of them the gap
    is ``(1 - 2 flip)^k`` times the first one and the error grows by about its inverse square: at epsilon = 0.5
    and m = 1000, to 9 times that of :func:`pan_estimators.calibrated_bernoulli` after the one of ``announced=1``.
    The pair and the flip minimise the error after all announced intrusions.

    Parameters
    ----------
    universe
        The users, or their number U.
    epsilon
        Budget of each look at the state, and of the output, in nats, from 0.001 to 20.
    sample_size
        Number m of sampled users, at most U.
    announced
        Number of announced intrusions promised for, 1 to 4.

    Returns
    -------
    The estimator; its state takes m bits, and 128 for the key of the sample if m < U.

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
