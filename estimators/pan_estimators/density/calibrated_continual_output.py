"""The calibrated estimator with several outputs, at public times."""

from __future__ import annotations

from pan_estimators.density.calibrated_cells import CalibratedCells
from pan_estimators.density.calibration import calibrate_symmetric
from pan_estimators.density.cell_loss import MOST_RELEASES
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import require_count


def calibrated_continual_output(
    *, universe: Universe | int, epsilon: float, sample_size: int, outputs: int = 2
) -> CalibratedCells:
    """The calibrated estimator that releases at each of ``outputs`` public times.

    It releases the density so far, each time with new noise. The times do not depend on the stream. Repeating the
    last release until the next one gives an estimate at every step of the stream at no further loss. A repeated
    release does not count the users who appeared since.

    Model: as for :func:`pan_estimators.calibrated_bernoulli`, with ``outputs`` releases. The intrusion is at any
    time among them, and the state is erased after the last.

    Promise (calibrated.continual_output): 2 epsilon, user-level, one intrusion, state and all outputs
    jointly. Earlier outputs depend on the user's bit before the intrusion, which is a mixture. Later outputs
    depend on the seen bit only, so that the greatest ratio is a product of two factors. Each factor is the
    extreme of a ratio that is monotone in each ``f(k-1)/f(k)``, computed over both ends of all of them.

    Error (calibrated.error): every release has the error that is stated for one, with more noise on the
    count. A user who appears only once shows the same bit in all releases. The rate of decay of the noise
    is therefore divided by nearly their number R, and the variance of the noise grows as R^2. The variance of the bits,
    which prevails in large samples, grows less. At epsilon = 0.5 and m = 1000 the mean squared error
    is 1.4, 2.2 and 4.7 times that of a single symmetric release for R = 2, 4 and 8. It does not use a tree of
    partial sums, whose error is logarithmic in R: beyond eight outputs other estimators are better.

    Parameters
    ----------
    universe
        The users: a universe, or their number U.
    epsilon
        Half of the promised loss, in nats, from 0.001 to 20.
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
    universe = as_universe(universe)
    require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
    require_count("the number of outputs", outputs, least=2, most=MOST_RELEASES)
    return CalibratedCells(
        name="calibrated-continual-output",
        universe=universe,
        epsilon=epsilon,
        sample_size=sample_size,
        calibration=calibrate_symmetric(2 * epsilon, sample_size, releases=outputs),
        outputs=outputs,
        claim="calibrated.continual_output",
        options=(("outputs", outputs),),
    )
