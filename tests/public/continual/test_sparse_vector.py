"""The sparse vector technique: its answers, the distribution of its noise, and its error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators.continual import sparse_vector as sparse_vector_technique
from pan_estimators.continual.sparse_vector import SparseVector, SparseVectorTechnique
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_proofs.continual.claims.sparse_vector import SparseVector as GeometricSparseVector
from tests.public.continual.counters import Silent
from tests.public.continual.streams import cut_streams, flippancies, followed, vectors


class Geometric:
    """Two-sided geometric noise in place of Laplace noise, for distributions that the proofs compute."""

    def __init__(self, generator):
        self.generator = generator

    def laplace(self, location=0.0, scale=1.0, size=None):
        success = 1 - np.exp(-1 / scale)
        drawn = self.generator.geometric(success, (2, size or 1))
        noise = (drawn[0] - drawn[1]).astype(float)
        return location + (noise if size is not None else noise[0])


@given(cut_streams(), st.integers(1, 3), st.integers(-1, 3), st.integers(0, 2))
def test_without_noise_the_answers_compare_the_count_until_the_cutoff(stream, cutoff, threshold, flippancy):
    counter = SparseVector(steps=len(stream[2]), rho=1.0, threshold=threshold, cutoff=cutoff, least_flippancy=flippancy)
    query = np.sum(flippancies(stream) >= flippancy if flippancy else vectors(stream), axis=0)
    above = query >= threshold
    assert followed(counter, stream, Silent()) == (above & (np.cumsum(above) <= cutoff)).astype(int).tolist()


@pytest.mark.parametrize("block", [2, 2**14])
def test_the_answers_have_the_distribution_of_the_proof(block, monkeypatch):
    """With 10,000 runs a correct distribution fails with probability below 1e-6 by Hoeffding's bound."""
    monkeypatch.setattr(sparse_vector_technique, "_BLOCK", block)
    technique, randomness, runs = (
        SparseVectorTechnique(epsilon=2.0, cutoff=2),
        Geometric(np.random.default_rng(3)),
        10_000,
    )
    queries = (0, -1, 2, 0)
    ratios = [np.exp(-1 / scale) for scale in (technique.threshold_scale, technique.query_scale)]
    distribution = GeometricSparseVector(2, *ratios).distribution(queries)
    counted = dict.fromkeys(distribution, 0)
    for _ in range(runs):
        state, answers = technique.begin(randomness), []
        while len(answers) < len(queries):
            rest = np.array(queries[len(answers) :])
            below = technique.below(state, rest, 0.0, randomness)
            answers += [0] * below + [1] * (below < rest.size)
        counted[tuple(answers)] += 1
    bound = np.sqrt(np.log(2 * len(distribution) / 1e-6) / (2 * runs))
    assert sum(distribution.values()) == pytest.approx(1)
    assert all(abs(count / runs - float(distribution[answers])) <= bound for answers, count in counted.items())


def test_the_scales_are_those_of_the_listing():
    technique = SparseVector(steps=8, rho=2.0, threshold=1, cutoff=3).technique
    assert (technique.epsilon, technique.threshold_scale, technique.query_scale) == (2.0, 1.0, 6.0)
    assert SparseVector(steps=8, rho=2.0, threshold=1).promise.epsilon == 2.0


def test_an_answer_is_accurate_within_the_stated_error():
    counter = SparseVector(steps=200, rho=0.5, threshold=60, cutoff=1)
    elements, signs = np.arange(200), np.ones(200, dtype=int)
    randomness, wrong = NumpyRandomness(5), 0
    error = counter.error(0.2)
    for _ in range(300):
        answers = counter.follow(counter.create(randomness), elements, signs, randomness)
        first = int(answers.argmax()) if answers.any() else 200
        wrong += not 60 - error <= first + 1 <= 60 + error + 1
    assert wrong / 300 <= 0.2
