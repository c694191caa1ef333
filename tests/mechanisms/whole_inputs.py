"""Mechanisms that are given their whole input, and neighbours of such inputs."""

from __future__ import annotations

from pan_promises.problem import Problem


def randomised_response(data, rng):
    """Tells the bit with probability 3/4: loss log 3."""
    return data if rng.bernoulli(0.75, 1)[0] else 1 - data


def noisy_sum(data, rng, scale=1.0):
    """The sum plus Laplace noise: loss 1/scale for a change by 1."""
    return rng.laplace(sum(data), scale)


def converts_its_noise(data, rng):
    return sum(data) + float(rng.laplace_noise(0.0, 1.0, 1)[0])


def forgets_the_noise(data, rng):
    rng.bernoulli(0.5, 1)
    return sum(data)


def changes_its_input(data, rng):
    data.append(1)
    return rng.laplace(sum(data), 1.0)


class SumOfBits:
    """The sum plus Laplace noise of scale 1: each output costs 1."""

    problem = Problem.of_table({"bit": [0, 1]}, rows=3)
    promise = "epsilon=1,adjacency=replace-row,observed=output,intrusions=0,outputs=2"

    def release(self, table, rng):
        return rng.laplace(sum(bit for (bit,) in table), 1.0)


class FirstRow:
    """Tells the first row, which another row at the end does not change."""

    problem = Problem.of_table({"bit": [0, 1]}, rows=3)

    def release(self, table, rng):
        return table[0] if table else 0


class WhetherEmpty(FirstRow):
    """Tells an empty table from one with a row, and nothing else."""

    def release(self, table, rng):
        return len(table) == 0


class ChoosesItsNeighbours:
    """Leaks everything, and declares two inputs as the only pair."""

    problem = Problem.of_inputs(["x", "y"], [(0, 1)])
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state if isinstance(ids[-1], str) else state + len(ids)

    def release(self, state, randomness):
        return state


def _remembering():
    calls = 0

    def inside(data, rng):
        nonlocal calls
        calls += 1
        return rng.laplace(sum(data), 1.0)

    return inside


remembers_in_a_closure = _remembering()


class RemembersInItself:
    problem = Problem.of_table({"smoker": [0, 1]}, rows=2)
    promise = "epsilon=1,adjacency=replace-row,observed=output,intrusions=0"

    def __init__(self):
        self.calls = 0

    def release(self, table, randomness):
        self.calls += 1
        return randomness.laplace(float(sum(row[0] for row in table)), 1.0)


bits = [(0, 1)]


def sums():
    yield [0, 0, 1], [0, 1, 1]
    yield [1, 1], [1, 0]


def nothing():
    return []


def no_pairs():
    yield 1


def one_object():
    same = [1]
    yield same, same
