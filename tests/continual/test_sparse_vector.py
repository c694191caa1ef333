"""The sparse vector technique: its answers, the distribution of its noise, its exact loss, and broken ones."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Update
from pan_audits.exact.search import search_pairs
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.witness import replay_exact
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.problems.inputs.turnstile.streams import to_text
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.continual import sparse_vector as sparse_vector_technique
from pan_estimators.continual.sparse_vector import SparseVector, SparseVectorTechnique
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from pan_promises.families import register, withdraw
from pan_proofs.continual.sparse_vector import SparseVector as GeometricSparseVector
from tests.continual.test_counters import cut_streams, vectors
from tests.continual.wrong_sparse_vectors import FAMILY


@pytest.fixture(autouse=True)
def family():
    register("pan_estimators", FAMILY)
    yield
    withdraw("pan_estimators", "sparse-vectors")


class Silent:
    """A source of randomness without noise."""

    def laplace(self, location=0.0, scale=1.0, size=None):
        return float(location) if size is None else np.full(size, float(location))


class Geometric:
    """Two-sided geometric noise in place of Laplace noise, for distributions that the proofs compute."""

    def __init__(self, generator):
        self.generator = generator

    def laplace(self, location=0.0, scale=1.0, size=None):
        success = 1 - np.exp(-1 / scale)
        drawn = self.generator.geometric(success, (2, size or 1))
        noise = (drawn[0] - drawn[1]).astype(float)
        return location + (noise if size is not None else noise[0])


def checked(name, length, **parameters):
    made = find_mechanism(
        name, parameters={"steps": length, "rho": 0.5, "threshold": 1, "model": "toggle", **parameters}
    )
    return run_check(SmallInstances.of(made), CheckSettings(users=1, length=length, seconds=60))


def loss_of_pair(name, left, right):
    """The exact loss of one pair of streams, and whether it breaks the promise."""
    made = find_mechanism(name, parameters={"steps": len(left), "rho": 0.5, "threshold": 1})
    stepper = Stepper(made.estimator, (to_text(left), to_text(right)))
    pair = [(Update(place), SegmentEnd.RELEASE) for place in (0, 1)]
    worst = search_pairs(stepper, [pair], made.promise).worst
    return worst.loss.nats, worst.violates(notion_of(made.promise), exact=True)


@given(cut_streams(), st.integers(1, 3), st.integers(-1, 3), st.integers(0, 2))
def test_without_noise_the_answers_compare_the_count_until_the_cutoff(stream, cutoff, threshold, flippancy):
    elements, signs, ends, cuts = stream
    counter = SparseVector(steps=len(ends), rho=1.0, threshold=threshold, cutoff=cutoff, least_flippancy=flippancy)
    plain = np.array(vectors(stream))
    flips = np.cumsum(np.diff(plain, axis=1, prepend=plain[:, :1]) != 0, axis=1)
    query = (flips >= flippancy).sum(axis=0) if flippancy else plain.sum(axis=0)
    above = query >= threshold
    expected = (above & (np.cumsum(above) <= cutoff)).astype(int).tolist()
    state, outputs = counter.create(Silent()), []
    for first, last in itertools.pairwise([0, *cuts, len(ends)]):
        start, stop = (ends[first - 1] if first else 0), (ends[last - 1] if last else 0)
        part = [np.array(column[start:stop], dtype=int) for column in (elements, signs)]
        outputs += counter.follow(state, *part, Silent(), np.array(ends[first:last], dtype=int) - start).tolist()
    assert outputs == expected


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


@pytest.mark.parametrize(
    ("length", "parameters"),
    [(3, {}), (3, {"cutoff": 2}), (3, {"least_flippancy": 1, "threshold": 0.5}), (2, {"model": "general"})],
)
def test_the_exact_loss_keeps_the_promise(length, parameters):
    found = checked("sparse-vector", length, **parameters)
    assert (found.verdict, found.exact) == (Verdict.NOT_REFUTED, True)
    assert 0.2 < found.loss.nats < 1


@pytest.mark.parametrize(("name", "length"), [("less-query-noise", 4), ("without-query-noise", 2)])
def test_broken_sparse_vectors_are_refuted_with_a_witness_that_replays(name, length):
    found = checked(name, length)
    assert found.verdict is Verdict.REFUTED
    old, fresh = replay_exact(json.loads(json.dumps(found.minimal.to_dict())))
    assert old.loss.nats == fresh.loss.nats == pytest.approx(found.minimal.loss.nats)


PRESENT, ABSENT = ((0, 1), *(None,) * 7), (None,) * 8
TURNED = ((0, 1), None, (0, -1), (0, -1), (0, 1), None, None), (None, None, None, None, (0, 1), None, None)


@pytest.mark.parametrize("name", ["fresh-threshold", "less-threshold-noise"])
def test_many_answers_break_a_technique_whose_threshold_does_not_hide_them(name):
    loss, breaks = loss_of_pair(name, PRESENT, ABSENT)
    assert breaks
    assert loss > 1.2
    assert loss_of_pair("sparse-vector", PRESENT, ABSENT)[1] is False


@pytest.mark.slow
def test_a_technique_without_a_cutoff_is_refuted_if_the_change_of_the_query_turns():
    assert loss_of_pair("without-cutoff", *TURNED)[1] is True
    assert loss_of_pair("sparse-vector", *TURNED)[1] is False


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"cutoff": 0}, "the cutoff must be at least 1"),
        ({"cutoff": 1.5}, "the cutoff must be a whole number"),
        ({"threshold": float("nan")}, "the threshold must be finite"),
        ({"threshold": "high"}, "the threshold must be a number"),
        ({"least_flippancy": -1}, "the least flippancy of the query must be at least 1"),
        ({"rho": 0}, "rho must be positive"),
    ],
)
def test_a_parameter_out_of_range_is_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        SparseVector(**{"steps": 4, "rho": 1.0, "threshold": 1.0, **parameters})
