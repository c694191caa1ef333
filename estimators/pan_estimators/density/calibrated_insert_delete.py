"""The calibrated estimator with deletions."""

from __future__ import annotations

from pan_estimators.density.calibrated_cells import CalibratedCells
from pan_estimators.density.calibration import calibrate_symmetric
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_count


def calibrated_insert_delete(*, universe: Universe | int, epsilon: float, sample_size: int) -> CalibratedCells:
    """The calibrated estimator of the fraction of users present at the end, with insertions and deletions.

    A deletion draws the bit from the initial distribution again (paper, Section 3, second remark).

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with deletions.

    Promise (calibrated.insert_delete): 2 epsilon, user-level, one intrusion, state and output jointly.
    After the intrusion the user's bit may stay, be drawn as present, or be drawn as absent: with
    ``g_i = q_i f + p_i f(.-1)`` the output has the law ``f(.-b)``, ``g_1`` or ``g_0``. For a seen 0 the greatest
    ratios are those without deletions, ``B (q1 + p1 hi)`` and ``B/(q1 + p1 lo)``; for a seen 1 they are now
    ``A (p0 + q0/lo)`` and ``A/(p0 + q0/hi)``. For a symmetric pair and symmetric noise these coincide: deletions cost
    nothing beyond symmetry.

    Error (calibrated.error): as without deletions, for the symmetric pair ``p1 = 1 - p0`` of least error.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Half of the promised loss, in nats, from 0.001 to 20.
    sample_size
        Number m of sampled users, from 1 to U.

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
    return CalibratedCells(
        name="calibrated-insert-delete",
        universe=universe,
        epsilon=epsilon,
        sample_size=sample_size,
        calibration=calibrate_symmetric(2 * epsilon, sample_size, deletions=True),
        deletions=True,
        claim="calibrated.insert_delete",
    )
