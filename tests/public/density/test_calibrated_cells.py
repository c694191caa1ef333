"""The calibrated estimators: what they draw, what they release, what they keep, and the loss of the code itself."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from pan_audits import find_mechanism
from pan_estimators import (
    CountRun,
    CountUse,
    DistinctUserCounter,
    HashedUniverse,
    InputError,
    KeyedSample,
    ListedSample,
    NumpyRandomness,
    SecureRandomness,
    StateFileError,
    WholePopulation,
    calibrate_basic,
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_continual_output,
    calibrated_insert_delete,
    costs_of_releases,
    counter_for_union,
    create_estimator,
    dump_state,
    estimator_from_dict,
    parse_state,
)
from pan_promises.exact_epsilon import LogFraction

FACTORIES = [
    calibrated_bernoulli,
    calibrated_insert_delete,
    calibrated_announced_intrusions,
    calibrated_continual_output,
]
NAMES = [factory.__name__.replace("_", "-") for factory in FACTORIES]


@pytest.fixture(params=FACTORIES, ids=NAMES)
def factory(request):
    return request.param


def test_promises_say_what_is_promised():
    budget = LogFraction(Fraction(3, 2))
    assert calibrated_bernoulli(universe=9, promise_epsilon=budget, sample_size=5).promise.epsilon == budget
    noticed = calibrated_announced_intrusions(universe=90, promise_epsilon=6, sample_size=60, announced=2)
    assert (noticed.promise.epsilon, noticed.promise.announced, noticed.announced) == (6.0, 2, 2)
    several = calibrated_continual_output(universe=9, promise_epsilon=0.6, sample_size=5, outputs=3)
    assert (several.promise.epsilon, several.promise.outputs) == (0.6, 3)
    assert "3 outputs" in several.promise.describe()


def test_outputs_are_unbiased_with_the_stated_variance(factory):
    estimator, randomness = factory(universe=200, promise_epsilon=1.2, sample_size=80), NumpyRandomness(11)
    present, runs = np.arange(120), 1500
    errors, squares = np.empty(runs), np.empty(runs)
    for number in range(runs):
        state = estimator.update(estimator.create(randomness), present, randomness)
        sampled = (estimator.sampled_users(state) < 120).mean()
        errors[number] = estimator.release(state, randomness) - sampled
        squares[number] = errors[number] ** 2 / estimator.statements[1].value(sampled, 80)
    assert isinstance(estimator.release(estimator.create(randomness), randomness), float)
    assert abs(errors.mean()) < 5 * errors.std() / math.sqrt(runs)
    assert abs(squares.mean() - 1) < 5 * squares.std() / math.sqrt(runs)
    worst = max(estimator.statements[1].value(density, 80) for density in (0.0, 1.0))
    if not estimator.announced:
        assert estimator.calibration.squared_error(80) == pytest.approx(worst)


def test_users_from_before_and_after_an_announced_intrusion_weigh_the_same():
    estimator = calibrated_announced_intrusions(universe=60, promise_epsilon=6, sample_size=60, announced=2)
    randomness, runs = NumpyRandomness(12), 1500
    for first in (0, 30, 60):
        outputs = []
        for _ in range(runs):
            state = estimator.update(estimator.create(randomness), np.arange(first), randomness)
            state = estimator.announce(state, randomness)
            state = estimator.update(state, np.arange(first, 60), randomness)
            outputs.append(estimator.release(estimator.announce(state, randomness), randomness))
        assert abs(np.mean(outputs) - 1) < 5 * np.std(outputs) / math.sqrt(runs)
    state = estimator.announce(estimator.announce(estimator.create(randomness), randomness), randomness)
    with pytest.raises(InputError, match="nothing after more than 2 announced intrusions"):
        estimator.announce(state, randomness)
    with pytest.raises(InputError, match="nothing after more than 0"):
        calibrated_bernoulli(universe=4, promise_epsilon=1, sample_size=2).announce(state, randomness)


def test_the_state_is_bits_and_a_key():
    part = calibrated_bernoulli(universe=2**62, promise_epsilon=1, sample_size=8000)
    state = part.create(NumpyRandomness(20))
    assert isinstance(state.sample, KeyedSample)
    assert part.state_bits == 8000 + 128
    assert len(dump_state(part, state)) < 1000 + 16 + 600
    whole = calibrated_bernoulli(universe=8000, promise_epsilon=1, sample_size=8000)
    assert isinstance(whole.create(NumpyRandomness(20)).sample, WholePopulation)
    assert whole.state_bits == 8000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda state: setattr(state, "cells", state.cells[:-1]), "has 6 values of type bool, where there must be 7"),
        (lambda state: setattr(state, "announced", 1), "between 0 and 0"),
        (lambda state: setattr(state, "sample", ListedSample(30, np.arange(6))), "has 6 values of type int64, where"),
    ],
)
def test_a_file_that_is_no_state_of_the_estimator_is_refused(change, words):
    estimator = calibrated_bernoulli(universe=30, promise_epsilon=1, sample_size=7)
    state = estimator.create(NumpyRandomness(1))
    change(state)
    with pytest.raises(StateFileError, match=words):
        parse_state(dump_state(estimator, state))


def test_secure_randomness_serves_as_well(factory):
    estimator, randomness = (
        factory(universe=HashedUniverse(100), promise_epsilon=40.0, sample_size=50),
        SecureRandomness(),
    )
    state = estimator.update(estimator.create(randomness), [f"user {i}" for i in range(60)], randomness)
    occupied = np.unique(estimator.universe.encode([f"user {i}" for i in range(60)]))
    sampled = np.isin(estimator.sampled_users(state), occupied).mean()
    assert estimator.release(state, randomness) == pytest.approx(sampled, abs=0.05)


def test_further_parameters_are_checked_and_kept():
    with pytest.raises(InputError, match="outputs must be between 2 and 8"):
        calibrated_continual_output(universe=10, promise_epsilon=0.6, sample_size=5, outputs=9)
    with pytest.raises(InputError, match="announced intrusions must be between 1 and 4"):
        calibrated_announced_intrusions(universe=10, promise_epsilon=0.6, sample_size=5, announced=0)
    estimator = create_estimator(
        "calibrated-continual-output", universe=10, promise_epsilon=0.6, sample_size=5, outputs=3
    )
    assert estimator.to_dict()["outputs"] == 3
    state = calibrated_bernoulli(universe=10, promise_epsilon=0.6, sample_size=5).create(NumpyRandomness(1))
    with pytest.raises(InputError, match="has no deletions"):
        calibrated_bernoulli(universe=10, promise_epsilon=0.6, sample_size=5).update(
            state, [1], NumpyRandomness(1), deletions=[True]
        )


SEVEN = {"universe": {"kind": "integers", "size": 7, "first": 0}, "epsilon": 0.1, "sample_size": 7}
THREE = {"universe": {"kind": "integers", "size": 3, "first": 0}, "levels": [[1, 2], [1, 1]], "outputs": 2}


@pytest.mark.parametrize(
    ("configuration", "promised", "noise"),
    [
        (SEVEN | {"estimator": "calibrated-bernoulli"}, 0.2, "0x1.ab2a640e08034p-1"),
        (SEVEN | {"estimator": "calibrated-insert-delete"}, 0.2, "0x1.ab5482ededa4cp-1"),
        (SEVEN | {"estimator": "calibrated-continual-output", "outputs": 2}, 0.2, "0x1.d35959828d88fp-1"),
        (SEVEN | {"estimator": "calibrated-announced-intrusions", "announced": 2}, 0.4, "0x1.a884fa7f1863cp-1"),
        (
            THREE | {"estimator": "distinct-counter", "epsilon": 0.3, "p_init": 0.45, "p_upd": 0.55},
            0.6,
            "0x1.74302b85a63c5p-1",
        ),
    ],
)
def test_a_state_of_an_earlier_version_keeps_its_noise(configuration, promised, noise):
    """The noise was printed by the version that took a part of the promise as epsilon."""
    made = estimator_from_dict(configuration)
    assert (made.promise.epsilon, made.calibration.up.hex()) == (promised, noise)
    again = parse_state(dump_state(made, made.create(NumpyRandomness(1))))[0]
    assert again.calibration == made.calibration


@pytest.mark.parametrize(
    ("refused", "given"),
    [
        (lambda: DistinctUserCounter(0.5), "promise_epsilon=1.0"),
        (lambda: DistinctUserCounter(epsilon=0.5), "promise_epsilon=1.0"),
        (lambda: calibrated_bernoulli(universe=9, epsilon=0.3, sample_size=5), "promise_epsilon=0.6"),
        (lambda: calibrated_announced_intrusions(universe=9, epsilon=0.5, sample_size=5), "promise_epsilon=1.5"),
        (lambda: create_estimator("calibrated-announced-intrusions", epsilon=1, announced=2), "promise_epsilon=4"),
        (lambda: find_mechanism("distinct-counter", parameters={"epsilon": 0.3}), "promise_epsilon=0.6"),
        (lambda: CountRun.begin(CountUse(("-",)), {"epsilon": 0.5}), "promise_epsilon=1.0"),
        (lambda: counter_for_union(universe=9, epsilon=0.5), "promise_epsilon=1.0"),
        (lambda: calibrate_basic(0.2, 100), "promise_epsilon=0.4"),
        (lambda: costs_of_releases(2**40, 0.5, 2**12, 1e2, 1e5), "promise_epsilon"),
    ],
)
def test_an_epsilon_that_was_a_part_of_the_promise_is_refused_with_the_number_to_give(refused, given):
    with pytest.raises(InputError, match="for the noise that it had") as caught:
        refused()
    assert given in str(caught.value)


@pytest.mark.parametrize("budget", ["--promise-epsilon 0.6", "--set promise_epsilon=0.6"])
def test_a_command_judges_the_promise_that_it_is_given(panproof, budget):
    told = panproof(f"check calibrated-bernoulli {budget} --users 1 --length 1").out
    assert "exact loss   0.6, promised 0.6" in told
