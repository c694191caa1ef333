"""Distinct counters with several releases: their loss, their costs, their erasure, and refusals."""

from dataclasses import replace

import numpy as np
import pytest

from pan_audits import Verdict, find_variant
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gating.certificate import certify
from pan_estimators import (
    InputError,
    NumpyRandomness,
    dump_state,
    estimator_from_dict,
    parse_state,
)
from pan_estimators.common.standing import Standing, standing_of
from pan_estimators.density.distinct_counter import distinct_counter
from pan_estimators.density.distinct_releases import calibrate_releases, costs_of_releases
from pan_estimators.density.distinct_shards import DividedCounter
from pan_estimators.density.distinct_union import CounterUnion

SIZE = 2**40


@pytest.fixture(scope="module")
def counter():
    """4,096 cells for 100 to 100,000 users, with three releases."""
    return distinct_counter(universe=SIZE, epsilon=0.5, bits=2**12, least=1e2, most=1e5, outputs=3)


@pytest.mark.parametrize(
    ("outputs", "users"),
    [(2, 1), pytest.param(2, 2, marks=pytest.mark.more), pytest.param(3, 2, marks=pytest.mark.more)],
)
def test_the_exact_loss_is_the_promise_for_all_releases(outputs, users):
    parameters = {"universe": SIZE, "bits": 1024, "epsilon": 0.5, "outputs": outputs}
    variant = find_variant("distinct-counter", parameters=parameters)
    result = run_check(SmallInstances.of(variant), CheckSettings(users=users, length=2, seconds=60.0))
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(1.0, rel=1e-9)
    certificate = certify(variant, result)
    assert certificate.confirmed
    assert certificate.claim == "distinct.releases"


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 20])
@pytest.mark.parametrize("releases", [1, 2, 5])
def test_the_noise_uses_up_the_promise(epsilon, releases):
    share = 0.8 if epsilon < 10 else 0.3
    p_init = round(2**40 / (1 + np.exp(2 * epsilon * share))) / 2**40
    found = calibrate_releases(epsilon, p_init, releases)
    assert 2 * epsilon * (1 - 1e-7) < found.loss <= 2 * epsilon
    assert found.loss_of(deletions=False, releases=releases) == found.loss


@pytest.mark.slow
def test_more_releases_cost_more_and_as_much_as_stated():
    """8 KiB and 2 epsilon = 1 for 10,000 to 10^9 users: 1.11, 1.26 and 1.53 times the error."""
    costs = costs_of_releases(2**62, 0.5, 2**16, 1e4, 1e9)
    assert [one.releases for one in costs] == [1, 2, 4, 8]
    for one, stated in zip(costs, (1.0, 1.11, 1.26, 1.53), strict=True):
        assert one.factor == pytest.approx(stated, abs=0.02)


def test_each_release_has_the_predicted_error_and_the_last_one_erases(counter):
    runs, users, seen = 60, 4_000, 1_500
    found = []
    for seed in range(runs):
        randomness = NumpyRandomness(seed)
        ids = np.random.default_rng(seed).choice(SIZE, users)
        state = counter.create(randomness)
        estimates = []
        for part in (ids[:seen], ids[seen:], ids[:10]):
            counter.update(state, part, randomness)
            estimates.append(counter.estimate(counter.release(state, randomness)).count)
        found.append(estimates)
        assert not state.cells.any()
    for number, truth in enumerate((seen, users, users)):
        errors = np.array(found)[:, number] / truth - 1
        expected = counter.expected_error(truth)
        assert 0.6 < errors.std() / expected < 1.45
        assert abs(errors.mean()) < 0.75 * expected
    with pytest.raises(InputError, match="covers 3 releases"):
        counter.release(state, randomness)


def test_its_configuration_and_its_state_survive_between_releases(counter):
    assert counter.promise.claim == "distinct.releases"
    assert counter.promise.outputs == 3
    assert standing_of(counter) is Standing.PROVED
    assert estimator_from_dict(counter.to_dict()).to_dict() == counter.to_dict()
    randomness = NumpyRandomness(1)
    state = counter.update(counter.create(randomness), [1, 2, 3], randomness)
    counter.release(state, randomness)
    loaded, again = parse_state(dump_state(counter, state))
    assert loaded.to_dict() == counter.to_dict()
    assert again.releases == 1
    loaded.release(again, randomness)
    loaded.release(again, randomness)
    with pytest.raises(InputError, match="covers 3 releases"):
        loaded.update(again, [1], randomness)


def test_a_calibration_for_fewer_releases_is_refused():
    """One release more than the noise was made for, as with bits that are kept over panes."""
    once = distinct_counter(universe=3, epsilon=0.5, levels="1:2,1:1", p_init=0.4, p_upd=0.6)
    for_one = replace(once, calibration=calibrate_releases(0.5, 0.4, 1))
    with pytest.raises(InputError, match=r"with 2 releases this calibration loses 1\.\d+"):
        replace(for_one, outputs=2)
    planned = distinct_counter(universe=SIZE, epsilon=0.5, bits=1024, least=10, most=1e4)
    with pytest.raises(InputError, match="symmetric"):
        replace(planned, outputs=2)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"outputs": 0}, "number of releases"),
        ({"outputs": 9}, "number of releases"),
        ({"outputs": 2.5}, "number of releases"),
        ({"outputs": 2, "p_init": 0.3, "p_upd": 0.6}, "p_upd is 1 - p_init"),
        ({"outputs": 2, "p_init": 0.2, "p_upd": 0.8}, "the state alone loses"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(parameters, words):
    given = {"universe": 100, "epsilon": 0.5, "levels": "4:2,2:1", "p_init": 0.4, "p_upd": 0.6}
    with pytest.raises(InputError, match=words):
        distinct_counter(**given | parameters)


def test_shards_and_unions_of_several_releases_are_refused(counter):
    with pytest.raises(InputError, match="with one release are divided"):
        DividedCounter(counter, 2)
    with pytest.raises(InputError, match="one release each"):
        CounterUnion(counter)
