"""Functions that numba compiles."""

import numba
import numpy as np


@numba.njit
def coin(bit):
    return bit if np.random.random() < 0.75 else 1 - bit


@numba.njit
def doubled(value):
    return 2 * value


@numba.njit
def noisy_by_a_generator(value, rng):
    return value + rng.laplace(0.0, 1.0)


def coin_inside(bit):
    return coin(bit)


def noisy_outside(value):
    return doubled(value) + np.random.laplace(0.0, 2.0)
