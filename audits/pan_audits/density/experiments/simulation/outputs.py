"""The data that simulated runs keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Outputs:
    """Independent runs of an estimator on one stream.

    Attributes
    ----------
    outputs
        The output of each run, shape ``(runs,)``.
    sampled_densities
        d(S_M) of each run, shape ``(runs,)``: the part of the sampled users that appear. For distinct sampling
        the users that qualify at the final level are the sample; if no user qualifies, it is not a number.
    """

    outputs: NDArray[np.float64]
    sampled_densities: NDArray[np.float64]
