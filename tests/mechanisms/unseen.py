"""Functions that draw from the system in compiled code, where no watch sees them."""

from __future__ import annotations

import ctypes
import time

_c = ctypes.CDLL(None)


def _byte():
    buffer = ctypes.create_string_buffer(1)
    _c.getrandom(buffer, 1, 0)
    return buffer.raw[0]


def truth_in_three_of_four(data, rng):
    """Randomised response with loss log(3)."""
    return data if _byte() < 192 else 1 - data


def truth_in_nine_of_ten(data, rng):
    return data if _byte() < 230 else 1 - data


def beside_a_given_coin(data, rng):
    return [int(rng.integers(2)), truth_in_three_of_four(data, rng)]


def below_noise(data, rng):
    """With the seeming places 0 and 1 the loss is 1; with those of all runs it is 0.77."""
    return truth_in_nine_of_ten(data, rng) + rng.laplace(scale=1.0)


def counts(data, rng):
    """Each run differs from the last, and nothing is random."""
    _calls[0] += 1
    return _calls[0] % 2


_calls = (ctypes.c_long * 1)()


def tells_the_time(data, rng):
    buffer = (ctypes.c_long * 2)()
    _c.clock_gettime(time.CLOCK_MONOTONIC, buffer)
    return buffer[0] + buffer[1] * 1e-9


def numbers_that_stick(data, rng):
    """Runs come in groups of ten with one number of sixteen: two processes of 64 runs agree with probability 2^-24."""
    if _calls[0] % 10 == 0:
        _stuck[0] = _byte() % 16
    _calls[0] += 1
    return _stuck[0]


_stuck = (ctypes.c_long * 1)()


def bits():
    yield 0, 1


def lists():
    yield [0], [1]
