"""Small mechanisms, each for a reason that a check prints: in one it is true, in its twin it must not appear."""

from __future__ import annotations

import ctypes
import decimal
import logging
import os
import sys
import time
import warnings


def noise(rng):
    return rng.laplace(scale=1.0)


def plain(data, rng):
    return sum(data) + noise(rng)


def clock_read(data, rng):
    began = time.perf_counter()
    return sum(data) + noise(rng) + 0 * began


def logged(data, rng):
    logging.getLogger("a").warning("begin")
    return sum(data) + noise(rng)


def iterator_out(data, rng):
    return iter([sum(data)])


def decimal_out(data, rng):
    return decimal.Decimal(sum(data)) + noise(rng)


def infinite(data, rng):
    return noise(rng) + float("inf")


def sorted_out(data, rng):
    return sorted(one + noise(rng) for one in data)


def one_threshold(data, rng):
    noisy = sum(data) + noise(rng)
    return noisy if noisy > 1 else None


def steps_of_two_sizes(data, rng):
    return sum(data) + (2 if data[1] else 1) * rng.discrete_laplace(1.0)


def steps_of_one_size(data, rng):
    return sum(data) + rng.discrete_laplace(1.0)


def normal(data, rng):
    return sum(data) + rng.normal(scale=3.0)


def global_draw(data, rng):
    import random

    return sum(data) + random.random()


def pairs(): yield ([1, 1], [1, 0])  # fmt: skip


def helper(data): return sum(data)  # fmt: skip


def dead_branch(data, rng):
    return plain(data, rng) + (helper(data) if len(data) > 5 else 0)


# What is printed


def printed(data, rng):
    print(sum(data))
    return plain(data, rng)


def printed_as_error(data, rng):
    sys.stderr.write(f"{data}\n")
    return plain(data, rng)


def written_to_a_descriptor(data, rng):
    os.write(1, str(data[1]).encode())
    return plain(data, rng)


def printed_in_c(data, rng):
    ctypes.CDLL(None).printf(b"%d\n", int(data[1]))
    return plain(data, rng)


def logged_data(data, rng):
    logging.getLogger("a").warning("sum %s", sum(data))
    return plain(data, rng)


def warned(data, rng):
    if data[1]:
        warnings.warn("large", stacklevel=1)
    return plain(data, rng)


def coin(data, rng):
    return data[1] if rng.random() < 0.7 else 1 - data[1]


def printed_flip(data, rng):
    told = coin(data, rng)
    print(told == data[1])
    return told


def printed_output(data, rng):
    told = coin(data, rng)
    print("the output is", told)
    return told


def printed_alike(data, rng):
    print("debug", len(data), file=sys.stderr)
    return plain(data, rng)


def printed_address(data, rng):
    print(object())
    return plain(data, rng)


def printed_noisy_output(data, rng):
    told = plain(data, rng)
    print(f"{time.time()}: {told}")
    return told


def printed_noise(data, rng):
    drawn = noise(rng)
    print(drawn)
    return sum(data) + drawn


LEAKS = (
    printed,
    printed_as_error,
    written_to_a_descriptor,
    printed_in_c,
    logged_data,
    warned,
    printed_flip,
)
HARMLESS = (printed_output, printed_alike, printed_address, logged)


class Memory:
    """A noisy sum whose state is a tuple."""

    promise = "epsilon=1,adjacency=event-level"

    def create(self, rng):
        return (0, [noise(rng)])

    def update(self, state, ids, rng):
        number, total = state
        return (number, [total[0] + sum(int(one == 1) for one in ids)])

    def release(self, state, rng):
        return state[1][0] + noise(rng)


class FlatMemory(Memory):
    def create(self, rng):
        return (0, noise(rng))

    def update(self, state, ids, rng):
        return (state[0], state[1] + sum(int(one == 1) for one in ids))

    def release(self, state, rng):
        return state[1] + noise(rng)


class ChangedMemory(Memory):
    def release(self, state, rng):
        state[1][0] += 1
        return state[1][0] + noise(rng)


class LoudMemory(FlatMemory):
    def update(self, state, ids, rng):
        if 1 in list(ids):
            print("one")
        return super().update(state, ids, rng)
