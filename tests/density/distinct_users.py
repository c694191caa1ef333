"""A distinct user counter with a known key, for tests."""

import numpy as np

from pan_estimators import DistinctUserCounter, NumpyRandomness

KEY = b"0123456789abcdef"
RANGE = {"least": 1e2, "most": 1e5}
IDS = np.random.default_rng(1).integers(0, 2**63, 3_000)


def counter(seed=1, **parameters):
    """The counter."""
    return DistinctUserCounter(**{"epsilon": 1, "key": KEY, "randomness": NumpyRandomness(seed)} | RANGE | parameters)
