"""The distinct counter: its geometry, its law, its errors, its loss, and refusals."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits import Verdict, find_variant
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gating.certificate import certify
from pan_estimators import (
    InputError,
    NumpyRandomness,
    Promise,
    create_estimator,
    dump_state,
    estimator_from_dict,
    parse_state,
)
from pan_estimators.common.standing import Standing, standing_of
from pan_estimators.density.distinct_counter import distinct_counter
from pan_estimators.density.distinct_geometry import Geometry, Level
from pan_estimators.density.distinct_planning import plan_counter
from pan_estimators.universes.universe import HashedUniverse

KEY = b"0123456789abcdef"
SIZE = 2**40


@pytest.fixture(scope="module")
def counter():
    """4,096 cells for 100 to 100,000 users."""
    return distinct_counter(universe=SIZE, epsilon=0.5, bits=2**12, least=1e2, most=1e5)


def released(counter, users, seed):
    """A release after users at random places: a fresh hash for each seed."""
    randomness = NumpyRandomness(seed)
    ids = np.random.default_rng(seed).choice(SIZE, users)
    state = counter.update(counter.create(randomness), ids, randomness)
    return counter.release(state, randomness)


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 7)), min_size=1, max_size=5),
    st.integers(0, 20),
)
@settings(max_examples=60)
def test_every_index_has_the_cell_that_the_levels_give_it(pairs, rest):
    levels = tuple(Level(*pair) for pair in pairs)
    geometry = Geometry(sum(one.cells * one.span for one in levels) + rest, levels)
    expected, place = [], 0
    for level in levels:
        for _ in range(level.cells):
            expected += [place] * level.span
            place += 1
    assert geometry.cells == place
    assert geometry.cells_of(np.arange(geometry.size)).tolist() == expected


@pytest.mark.parametrize("users", [100, 3_000, 100_000])
def test_the_error_is_the_predicted_one_and_intervals_cover(counter, users):
    runs = 150
    found = [counter.estimate(released(counter, users, seed)) for seed in range(runs)]
    errors = np.array([one.count / users - 1 for one in found])
    expected = counter.expected_error(users)
    # A standard deviation of 150 normal errors is within 30% of the truth with probability above 0.9999.
    assert 0.7 < errors.std() / expected < 1.3
    assert abs(errors.mean()) < 5 * errors.std() / np.sqrt(runs) + expected**2
    covered = sum(one.low <= users <= one.high for one in found)
    assert covered > 0.85 * runs
    assert sum(one.reliable for one in found) > 0.9 * runs


def test_duplicates_and_order_change_no_law(counter):
    """The number of ones of each level has the same mean with duplicates and in another order."""
    ids = np.random.default_rng(1).choice(SIZE, 2_000)
    orders = (ids, np.concatenate([ids[::-1], ids, ids]))
    means = []
    for order in orders:
        randomness = NumpyRandomness(5)
        states = counter.update_many(counter.create_many(200, randomness), order, randomness)
        means.append(counter.release_many(states, randomness).mean(axis=0))
    deviation = np.sqrt(counter.law.variances(np.array([2_000.0]))[0] / 100)
    assert (np.abs(means[0] - means[1]) < 6 * deviation).all()


def test_many_runs_have_the_law_of_single_runs(counter):
    ids = np.random.default_rng(2).choice(SIZE, 500)
    randomness = NumpyRandomness(3)
    states = counter.update_many(counter.create_many(400, randomness), ids, randomness)
    many = counter.release_many(states, randomness)
    single = np.array(
        [counter.release(counter.update(counter.create(randomness), ids, randomness), randomness) for _ in range(400)]
    )
    deviation = np.sqrt(counter.law.variances(np.array([500.0]))[0] / 200)
    assert (np.abs(many.mean(axis=0) - single.mean(axis=0)) < 6 * deviation).all()


def test_crafted_ids_make_the_estimate_unreliable(counter):
    """Ids that touch every cell of one level contradict the other levels."""
    randomness = NumpyRandomness(4)
    geometry = counter.geometry
    ids = np.arange(int(geometry.first_indices[1]), int(geometry.first_indices[2]), geometry.levels[1].span)
    state = counter.update(counter.create(randomness), ids, randomness)
    assert not counter.estimate(counter.release(state, randomness)).reliable


def test_nobody_gives_an_interval_from_zero(counter):
    found = counter.estimate(released(counter, 0, 1))
    assert found.low == 0
    assert found.high < 1_000


@pytest.mark.parametrize("users", [1, 2, 3, pytest.param(4, marks=pytest.mark.more)])
def test_the_exact_loss_is_the_promise_where_users_share_cells(users):
    variant = find_variant("distinct-counter", parameters={"universe": SIZE, "bits": 1024, "epsilon": 0.5})
    instances = SmallInstances.of(variant)
    small = instances(users, None).estimator
    assert small.calibration == variant.estimator.calibration
    assert (len(small.geometry.levels) > 1) == (users > 1)
    result = run_check(instances, CheckSettings(users=users, length=3, seconds=60.0))
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(1.0, rel=1e-9)
    certificate = certify(variant, result)
    assert certificate.confirmed
    assert certificate.claim == "distinct.joint_privacy"


def test_a_smaller_promise_is_refused_by_the_counter_and_refuted_by_the_check():
    counter = distinct_counter(universe=3, epsilon=0.5, levels="1:2,1:1", p_init=0.4, p_upd=0.6)
    with pytest.raises(InputError, match="this calibration loses"):
        replace(counter, epsilon=0.4)
    # A stated loss is not believed, and chances that no source draws exactly are refused.
    noise = replace(counter.calibration, up=0.1, down=0.1, loss=0.5)
    with pytest.raises(InputError, match="this calibration loses 2"):
        replace(counter, calibration=noise)
    cells = replace(counter.cells, p_init=math.nextafter(0.375, 0))
    with pytest.raises(InputError, match="multiples of"):
        replace(counter, calibration=replace(counter.calibration, pairs=(cells,)), epsilon=1.0)
    given = distinct_counter(universe=3, epsilon=0.5, levels="1:2,1:1", p_init=math.nextafter(0.375, 0), p_upd=0.6)
    assert given.cells.p_init == 0.375
    promise = Promise.parse("epsilon=0.9,adjacency=user-level")
    variant = find_variant("distinct-counter", parameters={"universe": 3, "epsilon": 0.5}, promise=promise)
    result = run_check(SmallInstances.of(variant), CheckSettings(users=2, length=2, seconds=60.0))
    assert result.verdict is Verdict.REFUTED


def test_its_promise_is_proved_and_its_configuration_and_state_survive(counter):
    assert standing_of(counter) is Standing.PROVED
    again = estimator_from_dict(counter.to_dict())
    assert again.to_dict() == counter.to_dict()
    assert pickle.loads(pickle.dumps(counter)).to_dict() == counter.to_dict()
    randomness = NumpyRandomness(1)
    state = counter.update(counter.create(randomness), [1, 2, 3], randomness)
    loaded, found = parse_state(dump_state(counter, state))
    assert loaded.to_dict() == counter.to_dict()
    assert np.array_equal(found.cells, state.cells)


def test_a_second_release_is_refused_and_nothing_is_left(counter):
    randomness = NumpyRandomness(1)
    state = counter.update(counter.create(randomness), [1, 2, 3], randomness)
    cells = state.cells
    counter.release(state, randomness)
    assert not cells.any()
    for use in (lambda: counter.release(state, randomness), lambda: counter.update(state, [1], randomness)):
        with pytest.raises(InputError, match="covers 1 release"):
            use()


def test_hashed_texts_are_counted():
    counter = distinct_counter(universe=HashedUniverse(2**62, KEY), epsilon=2, bits=2**12, least=1e2, most=1e4)
    randomness = NumpyRandomness(6)
    state = counter.update(counter.create(randomness), [f"user {one}" for one in range(3_000)], randomness)
    found = counter.estimate(counter.release(state, randomness))
    assert abs(found.count / 3_000 - 1) < 6 * counter.expected_error(3_000)


@pytest.mark.more
def test_plans_meet_the_stated_errors():
    """8 KiB and 2 epsilon = 1: five decades, three decades and one decade."""
    for least, most, error in ((1e4, 1e9, 0.034), (1e5, 1e8, 0.027), (1e6, 1e7, 0.018)):
        assert plan_counter(2**62, 0.5, 2**16, least, most).worst_error <= error


@pytest.mark.more
@given(
    st.sampled_from([2, 1_030, 5_000, 10**6, 2**40, 2**62]),
    st.sampled_from([1e-3, 0.1, 1.0, 20.0]),
    st.sampled_from([1_024, 4_096]),
    st.floats(0, 18),
    st.floats(0.1, 10),
)
@settings(max_examples=12, deadline=None)
def test_any_range_has_a_plan_that_fits_or_is_refused(size, epsilon, bits, first, decades):
    try:
        plan = plan_counter(size, epsilon, bits, 10**first, 10 ** (first + decades))
    except InputError:
        return
    assert plan.geometry.cells <= bits
    assert plan.geometry.first_indices[-1] <= size
    assert plan.calibration.loss <= 2 * epsilon


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"epsilon": 0}, "between 0.001 and 20"),
        ({"epsilon": 21}, "between 0.001 and 20"),
        ({"epsilon": "x"}, "a number of nats"),
        ({"bits": 100}, "number of cells"),
        ({"least": 10, "most": 5}, "from a smaller to a larger"),
        ({"least": "a"}, "two numbers"),
        ({"levels": "4:2"}, "need p_init and p_upd"),
        ({"levels": "4:2", "p_init": 0.1, "p_upd": 0.9}, "the state alone loses"),
        ({"levels": "4:x", "p_init": 0.4, "p_upd": 0.6}, "whole numbers"),
        ({"levels": "9999:10000", "p_init": 0.4, "p_upd": 0.6}, "the universe has"),
        ({"p_init": 0.3}, "give levels as well"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(parameters, words):
    with pytest.raises(InputError, match=words):
        create_estimator("distinct-counter", **{"universe": 10**6, "epsilon": 0.5} | parameters)


@pytest.mark.parametrize("counts", [[1.0], [float("nan")] * 5, "x", None])
def test_counts_of_another_shape_are_refused(counter, counts):
    with pytest.raises(InputError, match="one finite count for each"):
        counter.estimate(counts)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("plain_last_level", math.inf),
        ("skipped_draws", math.inf),
        ("set_bits", math.inf),
        pytest.param("small_noise", 1.86, marks=pytest.mark.more),
    ],
)
def test_broken_counters_are_refuted_and_the_witness_shows_the_state(name, loss):
    result = panproof.check(f"tests.variants.distinct_counters:{name}", epsilon=0.5, users=2, length=2)
    assert result.verdict == "REFUTED"
    assert result.loss == pytest.approx(loss, abs=0.01)
    assert re.search(r"State\w*\(cells=\(\[[ FT]", str(result.witness))


def test_the_right_counter_in_its_own_process_is_not_refuted():
    result = panproof.check("tests.variants.distinct_counters:right_counter", epsilon=0.5, users=2, length=2)
    assert result.verdict == "NOT_REFUTED"
