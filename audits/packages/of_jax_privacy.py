"""Noisy prefix sums by the matrix factorisations of jax-privacy: noise that is correlated between the steps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import noise_addition
from jax_privacy.matrix_factorization import toeplitz

STEPS = 8
STRATEGY = toeplitz.optimal_max_error_strategy_coefs(STEPS)
NOISING = toeplitz.materialize_lower_triangular(toeplitz.optimal_max_error_noising_coefs(STEPS))
SENSITIVITY = float(jnp.sqrt(toeplitz.sensitivity_squared(STRATEGY)))
BANDED = STRATEGY[:3]
INVERSE = toeplitz.inverse_as_streaming_matrix(BANDED)
SENSITIVITY_OF_BANDED = float(jnp.sqrt(toeplitz.sensitivity_squared(BANDED, STEPS)))


def _released(matrix, deviation):
    """A compiled function of the increments and a key."""

    def run(increments, key):
        privatizer = noise_addition.matrix_factorization_privatizer(matrix, stddev=deviation, prng_key=key)

        def step(state, value):
            noisy, state = privatizer.update(value, state)
            return state, noisy

        return jnp.cumsum(jax.lax.scan(step, privatizer.init(increments[0]), increments)[1])

    return jax.jit(run)


# A record counts in one step: rho is the squared sensitivity over twice the variance.
dense_sums = _released(NOISING, SENSITIVITY / np.sqrt(2 * 0.5))
streaming_sums = _released(INVERSE, SENSITIVITY_OF_BANDED / np.sqrt(2 * 0.5))


def _key(rng):
    return jax.random.key(int(rng.integers(2**31)))


def dense(data, rng):
    return np.asarray(dense_sums(jnp.array(data, dtype=jnp.float32), _key(rng)), dtype=np.float64)


def streaming(data, rng):
    return np.asarray(streaming_sums(jnp.array(data, dtype=jnp.float32), _key(rng)), dtype=np.float64)


def steps():
    yield [0.0] * STEPS, [1.0] + [0.0] * (STEPS - 1)
    yield [0.0] * STEPS, [0.0] * (STEPS - 1) + [1.0]
