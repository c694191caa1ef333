"""The Bernoulli estimator with a joint promise that it keeps: pair and noise calibrated together."""

from __future__ import annotations

from pan_estimators.calibrated_cells import CalibratedCells
from pan_estimators.calibration import calibrate_basic
from pan_estimators.errors import require_count
from pan_estimators.universe import Universe, as_universe


def calibrated_bernoulli(*, universe: Universe | int, epsilon: float, sample_size: int) -> CalibratedCells:
    """The density estimator that keeps what the published ones promise, with less error for large samples.

    The published estimators spend epsilon on the bit and epsilon on the output, and are wrong that the
    two add up: after the intrusion a user's seen bit may be drawn again, and a seen 1 that is gone from the
    count tells what neither says alone. Here the loss of both is computed jointly, and the pair of
    probabilities and the noise share it as it is best for the error.

    Model: one-bit cells of a uniform sample; one intrusion at any time; one output at the end, after which
    the state is erased.

    Promise (calibrated.joint_privacy): 2 epsilon, user-level, one intrusion, state and output jointly.
    With ``A = p1/p0``, ``B = q0/q1`` and noise on the count with ``lo <= f(k-1)/f(k) <= hi``:

    1.  Given the other users, an observation is the user's bit b and the noisy count. Its likelihood is
        ``P(b) f(.-b)`` if the user does not appear after the intrusion, and ``P(b) (q1 f + p1 f(.-1))`` if so,
        where P(1) is ``p0`` or ``p1`` by whether the user appeared before.
    2.  For b = 0 the greatest ratio is ``B (q1 + p1 hi)`` or ``B/(q1 + p1 lo)``; for b = 1 it is
        ``A (p1 + q1/lo)`` or ``A/(p1 + q1/hi)``.
    3.  ``hi`` and ``lo`` are the limits for which all four are at most ``exp(2 epsilon)``; two-sided
        geometric noise takes them at every count, so that the loss is 2 epsilon, neither more nor less.

    Error (calibrated.error): unbiased for d(S_M), with variance
    ``((1-d) p0 q0 + d p1 q1)/(m gap^2) + Var(noise)/(m gap)^2`` and ``gap = p1 - p0``. The pair is the one
    that minimises the greater of the values at d = 0 and d = 1. At epsilon = 0.2 and m = 5000 that is 0.38 of what
    the optimal Bernoulli estimator has at the same nominal budget, which it exceeds. For few users the
    honest noise is larger: at epsilon = 0.5 the errors are equal at about m = 30.

    Parameters
    ----------
    universe
        The users, or their number U.
    epsilon
        Half of the promised loss, in nats, from 0.001 to 20.
    sample_size
        Number m of sampled users, at most U.

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
    return CalibratedCells(
        name="calibrated-bernoulli",
        universe=universe,
        epsilon=epsilon,
        sample_size=sample_size,
        calibration=calibrate_basic(epsilon, sample_size),
        claim="calibrated.joint_privacy",
    )
