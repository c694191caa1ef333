"""The exact check of mechanisms whose noise decides: the loss as a closed form, and the time of the whole check."""

import time

import numpy as np
import pytest

import panproof
from tests.mechanisms import independent_elements as elements
from tests.mechanisms import noise_that_decides as mechanisms

PAIRS = (([0, 0, 0, 0], [1, 1, 1, 1]), ([0, 0, 0, 0], [1, 1, 1, -1]), ([0, 0, 0, 1], [1, 1, 1, 0]))

BITS_20, BITS_1000 = (
    ((elements.with_ones(length=length), elements.with_ones(3, 7, length=length)),) for length in (20, 1000)
)


def largest(queries, rng):
    return max(query + rng.laplace(scale=2.0) for query in queries)


def largest_by_gumbel(queries, rng):
    return int(np.argmax(np.array(queries) + rng.gumbel(scale=2.0, size=len(queries))))


def histogram(counts, rng):
    return [count if count > 1 else 0 for count in np.array(counts) + rng.laplace(scale=2.0, size=len(counts))]


def truncated_geometric(count, rng):
    return min(max(count + rng.discrete_laplace(2.0, 1)[0], 0), 10)


@pytest.mark.parametrize(
    ("name", "mechanism", "pairs"),
    [
        *((f"sparse vector, mechanism {n}", getattr(mechanisms, f"sparse_vector_{n}"), PAIRS) for n in (1, 4, 6)),
        ("numerical sparse vector", mechanisms.numerical_sparse_vector, PAIRS),
        ("report noisy max, argument", mechanisms.report_noisy_max, PAIRS),
        ("report noisy max, value", largest, PAIRS),
        ("report noisy max with Gumbel noise, argument", largest_by_gumbel, PAIRS),
        ("noisy histogram of 5 with a threshold", histogram, (([0, 1, 2, 3, 0], [1, 1, 2, 3, 0]),)),
        ("truncated geometric, 0 to 10", truncated_geometric, ((3, 4),)),
        ("randomised response, 20 bits", elements.randomised_response, BITS_20),
        ("randomised response, 1,000 bits", elements.randomised_response, BITS_1000),
        ("one-time RAPPOR, 1,000 bits", elements.rappor, BITS_1000),
    ],
)
def test_a_mechanism(benchmark, figure, name, mechanism, pairs):
    """By the front door, in a process of its own; a limit of 60 s was asked for."""
    seconds, losses = [], []

    def check():
        began = time.perf_counter()
        found = panproof.check(mechanism, neighbours=list(pairs), epsilon=1)
        seconds.append(time.perf_counter() - began)
        losses.append(found.report.loss)

    benchmark.pedantic(check, rounds=1)
    (loss,) = losses
    figure(f"{name}: seconds of an exact check", seconds[0], "< 60", f"loss {loss.describe()}")
    assert loss.unbounded or loss.nats > 0
