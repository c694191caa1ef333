"""Tools and mechanisms of diffprivlib, with a fresh seed for every run."""

from __future__ import annotations

import numpy as np
from diffprivlib import mechanisms, tools


def seed(rng):
    return int(rng.integers(2**31))


def mean_of_the_system(data, rng):
    return float(tools.mean(np.array(data), epsilon=1.0, bounds=(0, 1)))


def mean(data, rng):
    return float(tools.mean(np.array(data), epsilon=1.0, bounds=(0, 1), random_state=seed(rng)))


def total(data, rng):
    return float(tools.sum(np.array(data), epsilon=1.0, bounds=(0, 1), random_state=seed(rng)))


def variance(data, rng):
    return float(tools.var(np.array(data), epsilon=1.0, bounds=(0, 1), random_state=seed(rng)))


def count(data, rng):
    return int(tools.count_nonzero(np.array(data), epsilon=1.0, random_state=seed(rng)))


def histogram(data, rng):
    return tools.histogram(np.array(data), epsilon=1.0, bins=2, range=(0, 1), random_state=seed(rng))[0].tolist()


def median(data, rng):
    return float(tools.median(np.array(data), epsilon=1.0, bounds=(0, 1), random_state=seed(rng)))


def laplace(data, rng):
    return float(mechanisms.Laplace(epsilon=1.0, sensitivity=1.0, random_state=seed(rng)).randomise(data))


def geometric(data, rng):
    return int(mechanisms.Geometric(epsilon=1.0, sensitivity=1, random_state=seed(rng)).randomise(int(data)))


def gaussian(data, rng):
    return float(mechanisms.Gaussian(epsilon=1.0, delta=0.01, sensitivity=1, random_state=seed(rng)).randomise(data))


def staircase(data, rng):
    return float(mechanisms.Staircase(epsilon=1.0, sensitivity=1.0, random_state=seed(rng)).randomise(data))


def binary(data, rng):
    return mechanisms.Binary(epsilon=1.0, value0="0", value1="1", random_state=seed(rng)).randomise(str(int(data)))


def replaced():
    """One of three rows has another value. The number of rows is public."""
    yield [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]


def added():
    """One row more. The number of rows is not public."""
    yield [1.0], [1.0, 1.0]


def added_at_the_other_end():
    """One row more, with another value. The number of rows is not public."""
    yield [1.0], [1.0, 0.0]


def numbers():
    """Two numbers at a distance of the sensitivity."""
    yield 0.0, 1.0
