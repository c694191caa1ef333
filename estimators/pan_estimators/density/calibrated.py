"""The calibrated density estimators, which keep their joint promise: their pairs and noise are calibrated together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pan_estimators.common.registry import promises
from pan_estimators.density.calibration import Calibration, calibrate_basic, calibrate_symmetric
from pan_estimators.density.cell_loss import MOST_ANNOUNCED, MOST_RELEASES
from pan_estimators.density.sampled_cells import CalibratedCells
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_count


@promises
def calibrated_bernoulli(*, universe: Universe | int, promise_epsilon: float, sample_size: int) -> CalibratedCells:
    """The density estimator that keeps the promise of the published ones, with less error for large samples.

    The published estimators spend half of the promise on the bit and half on the output. The sum of the two does not
    bound the joint loss. After the intrusion a user's seen bit may be drawn again. A seen 1 that is missing in
    the count then tells more than each observation alone. Here the loss of both is computed jointly. The pair of
    probabilities and the noise share it such that the error is least.

    Model: one-bit cells of a uniform sample; one intrusion at any time; one output at the end, after which
    the state is erased.

    Promise (calibrated.joint_privacy): ``promise_epsilon``, user-level, one intrusion, state and output jointly.
    With ``A = p1/p0``, ``B = q0/q1`` and noise on the count with ``lo <= f(k-1)/f(k) <= hi``:

    1.  Given the other users, an observation is the user's bit b and the noisy count. Its likelihood is
        ``P(b) f(.-b)`` if the user does not appear after the intrusion, else ``P(b) (q1 f + p1 f(.-1))``. P(1) is
        ``p1`` if the user appeared before the intrusion, else ``p0``.
    2.  For b = 0 the greatest ratio is ``B (q1 + p1 hi)`` or ``B/(q1 + p1 lo)``; for b = 1 it is
        ``A (p1 + q1/lo)`` or ``A/(p1 + q1/hi)``.
    3.  ``hi`` and ``lo`` are the limits for which all four are at most the exponential of the promise.
        Two-sided geometric noise attains them at every count, so that the loss is exactly the promised one.

    Error (calibrated.error): unbiased for d(S_M), with variance
    ``((1-d) p0 q0 + d p1 q1)/(m gap^2) + Var(noise)/(m gap)^2`` and ``gap = p1 - p0``. The pair
    minimises the greater of the values at d = 0 and d = 1. At a promise of 0.4 and m = 5000 this is 0.38 of
    the value of the optimal Bernoulli estimator at the same nominal promise, which that one exceeds. For few users
    this estimator has the larger noise: at a promise of 1 the errors are equal at about m = 30.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    promise_epsilon
        The promised loss, in nats, from 0.002 to 40.
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
    return _calibrated(
        "calibrated-bernoulli",
        universe,
        promise_epsilon,
        sample_size,
        lambda: calibrate_basic(promise_epsilon=promise_epsilon, sample_size=sample_size),
        claim="calibrated.joint_privacy",
    )


@promises
def calibrated_insert_delete(*, universe: Universe | int, promise_epsilon: float, sample_size: int) -> CalibratedCells:
    """The calibrated estimator of the fraction of users present at the end, with insertions and deletions.

    A deletion draws the bit from the initial distribution again (paper, Section 3, second remark).

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with deletions.

    Promise (calibrated.insert_delete): ``promise_epsilon``, user-level, one intrusion, state and output jointly. After
    the intrusion the user's bit may stay, be drawn as present, or be drawn as absent: with ``g_i = q_i f + p_i f(.-1)``
    the output has the distribution ``f(.-b)``, ``g_1`` or ``g_0``. For a seen 0 the greatest ratios are those without
    deletions, ``B (q1 + p1 hi)`` and ``B/(q1 + p1 lo)``; for a seen 1 they are now ``A (p0 + q0/lo)`` and ``A/(p0 +
    q0/hi)``. For a symmetric pair and symmetric noise these coincide: deletions cost nothing beyond symmetry.

    Error (calibrated.error): as without deletions, for the symmetric pair ``p1 = 1 - p0`` of least error.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    promise_epsilon
        The promised loss, in nats, from 0.002 to 40.
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
    return _calibrated(
        "calibrated-insert-delete",
        universe,
        promise_epsilon,
        sample_size,
        lambda: calibrate_symmetric(promise_epsilon, sample_size, deletions=True),
        deletions=True,
        claim="calibrated.insert_delete",
    )


@promises
def calibrated_continual_output(
    *, universe: Universe | int, promise_epsilon: float, sample_size: int, outputs: int = 2
) -> CalibratedCells:
    """The calibrated estimator that releases at each of ``outputs`` public times.

    It releases the density so far, each time with new noise. The times do not depend on the stream. Repeating the
    last release until the next one gives an estimate at every step of the stream at no further loss. A repeated
    release does not count the users who appeared since.

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with ``outputs`` releases. The intrusion is at any
    time among them, and the state is erased after the last.

    Promise (calibrated.continual_output): ``promise_epsilon``, user-level, one intrusion, state and all outputs
    jointly. Earlier outputs depend on the user's bit before the intrusion, which is a mixture. Later outputs
    depend on the seen bit only, so that the greatest ratio is a product of two factors. Each factor is the
    extreme of a ratio that is monotone in each ``f(k-1)/f(k)``, computed over both ends of all of them.

    Error (calibrated.error): every release has the error that is stated for one, with more noise on the
    count. A user who appears only once shows the same bit in all releases. The rate of decay of the noise
    is therefore divided by nearly their number R, and the variance of the noise grows as R^2. The variance of the bits,
    which prevails in large samples, grows less. At a promise of 1 and m = 1000 the mean squared error
    is 1.4, 2.2 and 4.7 times that of a single symmetric release for R = 2, 4 and 8. It does not use a tree of
    partial sums, whose error is logarithmic in R: beyond eight outputs other estimators are better.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    promise_epsilon
        The promised loss, in nats, from 0.002 to 40.
    sample_size
        Number m of sampled users, from 1 to U.
    outputs
        Number of releases R, from 2 to 8.

    Returns
    -------
    The estimator. Its state has m bits, and 128 more for the key of the sample if m < U.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    require_count("the number of outputs", outputs, least=2, most=MOST_RELEASES)
    return _calibrated(
        "calibrated-continual-output",
        universe,
        promise_epsilon,
        sample_size,
        lambda: calibrate_symmetric(promise_epsilon, sample_size, releases=outputs),
        outputs=outputs,
        claim="calibrated.continual_output",
        options=(("outputs", outputs),),
    )


@promises
def calibrated_announced_intrusions(
    *, universe: Universe | int, promise_epsilon: float, sample_size: int, announced: int = 1
) -> CalibratedCells:
    """The calibrated estimator for ``announced`` intrusions with notice, and one without.

    Call ``announce`` after each announced intrusion. It flips every bit with a calibrated probability
    (paper, Section 3, first remark, which gives no recipe).

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with announced intrusions before the
    unannounced one. Fewer of them are allowed. One more is refused.

    Promise (calibrated.announced_intrusions): ``promise_epsilon``, user-level, all states and the
    output jointly. Later observations depend on earlier updates through the seen bit only, so that the likelihood
    is a product over the stretches between intrusions. The greatest ratio is the largest product along the seen bits.
    Between two looks, a bit b has been flipped, or drawn again from the pair after the same flips. The flip
    separates the two looks.

    Error (calibrated.error): as stated there with no announced intrusion so far. After k of them the gap
    is ``(1 - 2 flip)^k`` times the first one, and the error grows by about its inverse square. With the
    promise 1.5, m = 1000 and ``announced=1`` it is 9 times that of :func:`~pan_estimators.calibrated_bernoulli` with
    the promise 1 after the announced intrusion. The pair and the flip minimise the error after all announced
    intrusions.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    promise_epsilon
        The promised loss, in nats; divided by ``2 + announced``, it is from 0.001 to 20.
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
    require_count("the number of announced intrusions", announced, most=MOST_ANNOUNCED)
    return _calibrated(
        "calibrated-announced-intrusions",
        universe,
        promise_epsilon,
        sample_size,
        lambda: calibrate_symmetric(promise_epsilon, sample_size, announced=announced),
        claim="calibrated.announced_intrusions",
        options=(("announced", announced),),
    )


def _calibrated(
    name: str,
    universe: Universe | int,
    promise_epsilon: float,
    sample_size: int,
    calibrate: Callable[[], Calibration],
    **more: Any,
) -> CalibratedCells:
    """The estimator, whose cells and noise are calibrated once its sample size is known to fit."""
    universe = as_universe(universe)
    require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
    return CalibratedCells(
        name=name,
        universe=universe,
        promise_epsilon=promise_epsilon,
        sample_size=sample_size,
        calibration=calibrate(),
        **more,
    )
