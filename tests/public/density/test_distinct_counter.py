"""The distinct counter: its geometry, its estimate, its releases, its presets, and counters with one wrong line."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits import Verdict, find_mechanism
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gate.certificate import certify
from pan_estimators import (
    InputError,
    NumpyRandomness,
    Promise,
    create_estimator,
    dump_state,
    estimator_from_dict,
    parse_state,
)
from pan_estimators.common.estimator import Standing, standing_of
from pan_estimators.density.distinct.counter import distinct_counter
from pan_estimators.density.distinct.geometry import Geometry, Level
from pan_estimators.density.distinct.planning import calibrate_releases, costs_of_releases, plan_counter
from pan_estimators.density.distinct.presets import (
    PRESET_KIB,
    PRESET_RANGES,
    PRESET_TOTALS,
    planned_counter,
    presets,
)
from pan_estimators.density.distinct.shards import DividedCounter
from pan_estimators.density.distinct.union import CounterUnion
from pan_promises.families import Family, register, withdraw
from tests.benchmarks.distinct_coverage import CoverCase, ManyOutputs, counter_of, covered, released_counts
from tests.benchmarks.distinct_coverage import touched_numbers as touched
from tests.mechanisms import distinct_counters
from tests.turns import every

KEY = b"0123456789abcdef"
SIZE = 2**40
RANGE = {"bits": 2**12, "least": 1e2, "most": 1e5}


@pytest.fixture(scope="module")
def counter():
    """4,096 cells for 100 to 100,000 users."""
    return distinct_counter(universe=SIZE, promise_epsilon=1, **RANGE)


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


def test_many_runs_have_the_distribution_of_single_runs(counter):
    ids = np.random.default_rng(2).choice(SIZE, 500)
    randomness = NumpyRandomness(3)
    states = counter.update_many(counter.create_many(400, randomness), ids, randomness)
    many = counter.release_many(states, randomness)
    single = np.array(
        [counter.release(counter.update(counter.create(randomness), ids, randomness), randomness) for _ in range(400)]
    )
    deviation = np.sqrt(counter.distribution.variances(np.array([500.0]))[0] / 200)
    assert (np.abs(many.mean(axis=0) - single.mean(axis=0)) < 6 * deviation).all()


def test_nobody_gives_an_interval_from_zero(counter):
    randomness = NumpyRandomness(1)
    found = counter.estimate(counter.release(counter.create(randomness), randomness))
    assert found.low == 0
    assert found.high < 1_000


@pytest.mark.parametrize("users", [1, 3])
def test_the_exact_loss_is_the_promise_where_users_share_cells(users):
    mechanism = find_mechanism("distinct-counter", parameters={"universe": SIZE, "promise_epsilon": 1.0, **RANGE})
    instances = SmallInstances.of(mechanism)
    small = instances(users, None).estimator
    assert small.calibration == mechanism.estimator.calibration
    assert (len(small.geometry.levels) > 1) == (users > 1)
    result = run_check(instances, CheckSettings(users=users, length=3, seconds=60.0))
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(1.0, rel=1e-9)
    certificate = certify(mechanism, result)
    assert certificate.confirmed
    assert certificate.claim == "distinct.joint_privacy"


def test_a_smaller_promise_is_refused_by_the_counter_and_refuted_by_the_check():
    counter = distinct_counter(universe=3, promise_epsilon=1, levels="1:2,1:1", p_init=0.4, p_upd=0.6)
    with pytest.raises(InputError, match="this calibration loses"):
        replace(counter, promise_epsilon=0.8)
    # A stated loss is not believed, and chances that no source draws exactly are refused.
    noise = replace(counter.calibration, up=0.1, down=0.1, loss=0.5)
    with pytest.raises(InputError, match="this calibration loses 2"):
        replace(counter, calibration=noise)
    cells = replace(counter.cells, p_init=math.nextafter(0.375, 0))
    with pytest.raises(InputError, match="multiples of"):
        replace(counter, calibration=replace(counter.calibration, pairs=(cells,)), promise_epsilon=2.0)
    given = distinct_counter(
        universe=3, promise_epsilon=1, levels="1:2,1:1", p_init=math.nextafter(0.375, 0), p_upd=0.6
    )
    assert given.cells.p_init == 0.375
    promise = Promise.parse("epsilon=0.9,adjacency=user-level")
    mechanism = find_mechanism("distinct-counter", parameters={"universe": 3, "promise_epsilon": 1.0}, promise=promise)
    result = run_check(SmallInstances.of(mechanism), CheckSettings(users=2, length=2, seconds=60.0))
    assert result.verdict is Verdict.REFUTED


@pytest.mark.parametrize("releases", [1, 3])
def test_its_promise_is_proved_and_its_configuration_and_state_survive(counter, several, releases):
    counter = several if releases == 3 else counter
    assert standing_of(counter) is Standing.PROVED
    assert counter.promise.outputs == releases
    again = estimator_from_dict(counter.to_dict())
    assert again.to_dict() == counter.to_dict()
    assert pickle.loads(pickle.dumps(counter)).to_dict() == counter.to_dict()
    randomness = NumpyRandomness(1)
    state = counter.update(counter.create(randomness), [1, 2, 3], randomness)
    loaded, found = parse_state(dump_state(counter, state))
    assert loaded.to_dict() == counter.to_dict()
    assert np.array_equal(found.cells, state.cells)
    if releases == 3:
        several.release(state, randomness)
        assert parse_state(dump_state(several, state))[1].releases == 1


@pytest.mark.more
@given(
    st.sampled_from([2, 1_030, 5_000, 10**6, 2**40, 2**62]),
    st.sampled_from([1e-3, 0.1, 1.0, 20.0]),
    st.sampled_from([1_024, 4_096]),
    st.floats(0, 18),
    st.floats(0.1, 10),
)
@settings(max_examples=4, deadline=None)
def test_any_range_has_a_plan_that_fits_or_is_refused(size, epsilon, bits, first, decades):
    try:
        plan = plan_counter(size, 2 * epsilon, bits, 10**first, 10 ** (first + decades))
    except InputError:
        return
    assert plan.geometry.cells <= bits
    assert plan.geometry.first_indices[-1] <= size
    assert plan.calibration.loss <= 2 * epsilon


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"promise_epsilon": 42}, "between 0.002 and 40"),
        ({"promise_epsilon": "x"}, "a number of nats"),
        ({"least": 10, "most": 5}, "from a smaller to a larger"),
        ({"levels": "4:2"}, "need p_init and p_upd"),
        ({"levels": "4:2", "p_init": 0.1, "p_upd": 0.9}, "the state alone loses"),
        ({"levels": "9999:10000", "p_init": 0.4, "p_upd": 0.6}, "the universe has"),
        ({"p_init": 0.3}, "give levels as well"),
        ({"outputs": 0}, "number of releases"),
        ({"outputs": 2, "levels": "4:2,2:1", "p_init": 0.3, "p_upd": 0.6}, "p_upd is 1 - p_init"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(parameters, words):
    with pytest.raises(InputError, match=words):
        create_estimator("distinct-counter", **{"universe": 10**6, "promise_epsilon": 1.0} | parameters)


BROKEN = {
    "plain_last_level": (math.inf, 2),
    "small_noise": (1.86, 2),
    "skipped_draws": (math.inf, 2),
    "reused_draws": (math.inf, 2),
    "set_bits": (math.inf, 2),
    "exchanged_pair": (1.0459, 2),
    "published_bitmap": (math.inf, 2),
    "flipped_at_the_end": (math.inf, 2),
    "panes_with_one_budget": (1.858, 1),
    "panes_with_one_noise": (math.inf, 1),
    "right_counter": (None, 2),
}
MEMBERS = {f"broken-{name}": getattr(distinct_counters, name) for name in BROKEN}


@pytest.fixture(scope="module")
def broken():
    """The broken counters as a family, so that they are checked in this process."""
    register("pan_estimators", Family("broken", {"members": f"{__name__}:MEMBERS"}))
    yield
    withdraw("pan_estimators", "broken")


@pytest.mark.parametrize(("name", "loss", "users"), [(name, *case) for name, case in BROKEN.items()])
def test_broken_counters_are_refuted_and_the_right_one_is_not(broken, name, loss, users):
    mechanism = find_mechanism(f"broken-{name}", parameters={"universe": 3, "epsilon": 0.5})
    result = run_check(SmallInstances.of(mechanism), CheckSettings(users=users, length=users, seconds=60.0))
    assert result.verdict is (Verdict.REFUTED if loss else Verdict.NOT_REFUTED)
    assert loss is None or result.loss.nats == pytest.approx(loss, abs=0.01)


def test_the_witness_of_a_broken_counter_in_its_own_process_shows_the_state():
    result = panproof.check("tests.mechanisms.distinct_counters:set_bits", users=2, length=2)
    assert (result.verdict, result.loss) == ("REFUTED", math.inf)
    assert re.search(r"State\w*\(cells=\(\[[ FT]", str(result.witness))


def test_every_preset_keeps_its_promise_and_its_error():
    assert len(presets()) == len(PRESET_TOTALS) * len(PRESET_KIB) * len(PRESET_RANGES)
    for (total, bits, least, most), row in presets().items():
        found = planned_counter(total=total, bits=bits, least=least, most=most)
        assert found.geometry.cells <= bits
        assert 0.999 * total < found.calibration.loss <= total
        assert found.distribution.worst_error(least, most) == pytest.approx(row["worst_error"], rel=0.01)


def test_a_preset_that_loses_more_is_refused(monkeypatch):
    key = (1.0, 2**16, 1e4, 1e9)
    broken = {key: presets()[key] | {"p_upd": 0.9}}
    monkeypatch.setattr("pan_estimators.density.distinct.presets.presets", lambda: broken)
    with pytest.raises(InputError, match="the state alone loses"):
        planned_counter(total=1, bits=2**16, least=1e4, most=1e9)


KEYS = 1_000
SMALL = [CoverCase(2 * epsilon, memory, 1e4, 1e9) for epsilon in (0.5, 1) for memory in (128, 256, 512)]
FEW = CoverCase(1, 128, 1e2, 1e5)
PRESETS = [CoverCase(0.5, 2**10, 1e4, 1e9), CoverCase(0.2, 2**12, 1e5, 1e8)]
CASES = [*SMALL, FEW, *PRESETS]
PARTS = (0, 0.4, 0.8, 0.94, 1)
"""Places in the range: many at its top."""


def numbers_of(case):
    return [round(case.least * (case.most / case.least) ** part) for part in PARTS]


def counts_of(case):
    """The outputs of many keys for each number of users: ``(keys, users, levels)``."""
    counter, generator = counter_of(case), np.random.default_rng(7)
    cells = np.array([touched(counter.geometry, numbers_of(case), generator) for _ in range(KEYS)])
    return released_counts(counter, cells, generator)


def assert_stated(estimates, users, stated):
    """The root mean squared error of estimates is the stated one, up to its own standard error."""
    squares = (estimates / users - 1) ** 2
    error = np.sqrt(squares.mean())
    deviation = squares.std() / np.sqrt(squares.size) / (2 * error)
    assert 0.8 * stated - 4 * deviation < error
    # The few largest errors tell their own standard error badly: it is that of normal errors, if that is less.
    assert error < 1.1 * stated + 4 * min(deviation, 1.5 * stated / np.sqrt(2 * squares.size))


@pytest.mark.parametrize("case", every(3, CASES), ids=lambda case: case.text)
def test_the_error_and_the_coverage_are_those_that_are_stated(case):
    """The largest estimates of a counter whose last level fills just above its range were 500 times too large."""
    counter, counts = counter_of(case), counts_of(case)
    worst = counter.distribution.worst_error(case.least, case.most)
    for place, users in enumerate(numbers_of(case)):
        estimates = ManyOutputs(counter.distribution, counts[:, place]).fitted()[0]
        assert counter.estimate(counts[0, place]).count == pytest.approx(estimates[0], rel=1e-4)
        assert_stated(estimates, users, counter.expected_error(users))
        assert counter.expected_error(users) < 1.02 * worst
        inside, reliable = covered(case, users, counts[:, place])
        assert inside.mean() > 0.92
        assert reliable.mean() > 0.95
        assert inside[reliable].mean() > 0.92


@pytest.fixture(scope="module")
def several():
    """4,096 cells for 100 to 100,000 users, with three releases."""
    return distinct_counter(universe=SIZE, promise_epsilon=1, outputs=3, **RANGE)


@pytest.mark.parametrize(
    ("outputs", "users"),
    [(2, 1), pytest.param(3, 1, marks=pytest.mark.more)],
)
def test_the_exact_loss_is_the_promise_for_all_releases(outputs, users):
    parameters = {"universe": SIZE, "promise_epsilon": 1.0, "outputs": outputs, **RANGE}
    mechanism = find_mechanism("distinct-counter", parameters=parameters)
    result = run_check(SmallInstances.of(mechanism), CheckSettings(users=users, length=2, seconds=60.0))
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(1.0, rel=1e-9)
    certificate = certify(mechanism, result)
    assert certificate.confirmed
    assert certificate.claim == "distinct.releases"


@pytest.mark.parametrize(("epsilon", "releases"), [(0.001, 2), (0.5, 1), (0.5, 5), (20, 2)])
def test_the_noise_uses_up_the_promise(epsilon, releases):
    share = 0.8 if epsilon < 10 else 0.3
    p_init = round(2**40 / (1 + np.exp(2 * epsilon * share))) / 2**40
    found = calibrate_releases(2 * epsilon, p_init, releases)
    assert 2 * epsilon * (1 - 1e-7) < found.loss <= 2 * epsilon
    assert found.loss_of(deletions=False, releases=releases) == found.loss


def test_each_release_has_the_predicted_error_and_the_last_one_erases(several):
    runs, users, seen = 60, 4_000, 1_500
    found = []
    for seed in range(runs):
        randomness = NumpyRandomness(seed)
        ids = np.random.default_rng(seed).choice(SIZE, users)
        state = several.create(randomness)
        estimates = []
        for part in (ids[:seen], ids[seen:], ids[:10]):
            several.update(state, part, randomness)
            estimates.append(several.estimate(several.release(state, randomness)).count)
        found.append(estimates)
        assert not state.cells.any()
    for number, truth in enumerate((seen, users, users)):
        errors = np.array(found)[:, number] / truth - 1
        expected = several.expected_error(truth)
        assert 0.6 < errors.std() / expected < 1.45
        assert abs(errors.mean()) < 0.75 * expected
    with pytest.raises(InputError, match="covers 3 releases"):
        several.release(state, randomness)


def test_more_releases_cost_more(counter, several):
    one, more = costs_of_releases(size=SIZE, promise_epsilon=1, numbers=(1, 3), **RANGE)
    assert (one.releases, one.factor, more.releases) == (1, 1, 3)
    assert more.worst_error == pytest.approx(several.distribution.worst_error(1e2, 1e5))
    assert 1.1 < more.factor == pytest.approx(more.worst_error / counter.distribution.worst_error(1e2, 1e5))


def test_a_calibration_for_fewer_releases_is_refused(counter):
    """One release more than the noise was made for, as with bits that are kept over panes."""
    once = distinct_counter(universe=3, promise_epsilon=1, levels="1:2,1:1", p_init=0.4, p_upd=0.6)
    for_one = replace(once, calibration=calibrate_releases(1, 0.4, 1))
    with pytest.raises(InputError, match=r"with 2 releases this calibration loses 1\.\d+"):
        replace(for_one, outputs=2)
    with pytest.raises(InputError, match="symmetric"):
        replace(counter, outputs=2)


def test_shards_and_unions_of_several_releases_are_refused(several):
    with pytest.raises(InputError, match="with one release are divided"):
        DividedCounter(several, 2)
    with pytest.raises(InputError, match="one release each"):
        CounterUnion(several)
