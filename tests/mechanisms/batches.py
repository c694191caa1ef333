"""Functions that take a size: correct ones, and ones whose batches are not independent single runs."""

from __future__ import annotations

import numpy as np

from pan_promises.problem import Problem

pairs = [([1, 0], [1, 1])]


def correct(data, rng, size=None, scale=1.0):
    return sum(data) + rng.laplace(scale=scale, size=size)


def single_runs_of_correct(data, rng, scale=1.0):
    return correct(data, rng, scale=scale)


def correct_without_default(data, rng, size):
    return sum(data) + rng.laplace(scale=1.0, size=size)


def correct_with_two_numbers(data, rng, *, size=None):
    shape = 2 if size is None else (size, 2)
    return np.array(data) + rng.laplace(scale=2.0, size=shape)


def correct_as_a_list(data, rng, size=None):
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    return [sum(data) + rng.laplace(scale=1.0) for _ in range(size)]


def correct_and_changes_its_data(data, rng, size=None):
    total = sum(data)
    data.clear()
    return total + rng.laplace(scale=1.0, size=size)


def ordinary_parameter(data, rng, size=3):
    """The size is that of a sample, and no number of outputs."""
    return sum(data[:size]) + rng.laplace(scale=1.0)


class Smokers:
    problem = Problem.of_table({"smoker": [0, 1]}, rows=3)
    promise = "epsilon=1,adjacency=replace-row,observed=output,intrusions=0"

    def release(self, table, randomness, size=None):
        return sum(row[0] for row in table) + randomness.laplace(scale=1.0, size=size)


def shares_its_noise(data, rng, size=None):
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    return np.full(size, sum(data) + rng.laplace(scale=1.0))


def antithetic(data, rng, size=None):
    """The second half of a batch has the noise of the first half with the opposite sign."""
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    noise = rng.laplace(scale=1.0, size=-(-size // 2))
    return sum(data) + np.concatenate([noise, -noise])[:size]


def same_noise_in_every_batch(data, rng, size=None):
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    rng.random()
    return sum(data) + np.random.default_rng(7).laplace(scale=1.0, size=size)


def first_run_differs(data, rng, size=None):
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    noise = rng.laplace(scale=1.0, size=size)
    noise[0] = 0.0
    return sum(data) + noise


def ignores_its_data(data, rng, size=None):
    return sum(data) * (size is None) + rng.laplace(scale=1.0, size=size)


def leaks_and_hides_it(data, rng, size=None):
    """Single runs have a loss of 4; batches ignore the data."""
    return rng.laplace(scale=1.0, size=size) if size is not None else sum(data) + rng.laplace(scale=0.25)


def leaks_in_batches(data, rng, size=None):
    return sum(data) + rng.laplace(scale=1.0 if size is None else 0.2, size=size)


def sorts_its_outputs(data, rng, size=None):
    outputs = sum(data) + rng.laplace(scale=1.0, size=size)
    return outputs if size is None else np.sort(outputs)


_kept: dict[str, object] = {}


def keeps_its_noise(data, rng, size=None):
    """Noise of the first batch, moved by one place in each later one."""
    if size is None:
        return sum(data) + rng.laplace(scale=1.0)
    if size not in _kept:
        _kept[size] = rng.laplace(scale=1.0, size=size)
    _kept[size] = np.roll(_kept[size], 1)
    return sum(data) + _kept[size]


def counts_its_batches(data, rng, size=None):
    if size is not None:
        _kept["calls"] = _kept.get("calls", 0) + 1
    return sum(data) + rng.laplace(scale=1.0, size=size)


def gives_one_number(data, rng, size=None):
    return sum(data) + rng.laplace(scale=1.0)


def gives_too_few(data, rng, size=None):
    return sum(data) + rng.laplace(scale=1.0, size=size if size is None else size - 1)


def gives_columns(data, rng, size=None):
    return sum(data) + rng.laplace(scale=1.0, size=None if size is None else (size, 1))


def gives_nothing(data, rng, size=None):
    return sum(data) + rng.laplace(scale=1.0) if size is None else None


def fails(data, rng, size=None):
    if size is not None:
        raise ValueError("no batches today")
    return sum(data) + rng.laplace(scale=1.0)
