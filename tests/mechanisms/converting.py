"""Functions that convert noise with the built-in classes."""

from __future__ import annotations

import numpy as np


def as_array_type(data, rng):
    """``float`` is an array's type as well."""
    return float(np.array([data], dtype=float).astype(float)[0] + rng.laplace(scale=2.0))


def towards_zero(data, rng):
    return int(data + rng.laplace(scale=0.5))


def on_a_computed_double(data, rng):
    """In doubles 0.1 + 0.2 is not 0.3, and the output shows it."""
    return sum(data) + round(rng.laplace(scale=1.0))


def rest_of_cancelled_noise(data, rng):
    """In doubles a rest of the noise is left, except where the data are 0."""
    noise = rng.laplace(scale=1.0)
    return (data + noise) - noise - data


def noise_minus_itself(data, rng):
    noise = data + rng.laplace(scale=1.0)
    return noise - noise
