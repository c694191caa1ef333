"""The comparison at equal memory: what fits, what is checked, and what is measured."""

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments.density.comparison import COMPARED, ComparisonRow, check_small, compare, largest_fitting
from pan_audits import Verdict
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    InputError,
    IntegerUniverse,
    NumpyRandomness,
    calibrate_basic,
    create_estimator,
    load_stream,
)
from tests.turns import every

SMALL = IntegerUniverse(1000)


@pytest.fixture
def few(monkeypatch):
    """Three estimators instead of nine."""
    names = ("optimal-bernoulli", "pan-private-distinct-sampling", "calibrated-bernoulli")
    monkeypatch.setattr("experiments.density.comparison.COMPARED", {name: {} for name in names})


def state_bits(name, size):
    return create_estimator(name, universe=SMALL, epsilon=0.3, sample_size=size, **COMPARED[name]).state_bits


def test_all_shipped_estimators_of_the_density_of_insertions_are_compared():
    others = {name for name in ESTIMATORS_OF_IDS if "insert-delete" in name or "announced" in name}
    assert set(COMPARED) == set(ESTIMATORS_OF_IDS) - others - {"graph-density", "exact-counter"}


@pytest.mark.parametrize("bits", every(3, [141, 140, 400, 1000, 999, 1001, 5000]))
@pytest.mark.parametrize("name", COMPARED)
def test_the_largest_sample_that_fits_is_chosen(name, bits):
    estimator = largest_fitting(name, universe=SMALL, epsilon=0.3, bits=bits, **COMPARED[name])
    assert estimator.state_bits <= bits
    assert estimator.universe == SMALL
    size = estimator.sample_size
    assert all(state_bits(name, larger) > bits for larger in {min(size + 1, 1000), 999, 1000} if larger > size)


def test_whoever_samples_everyone_keeps_no_ids():
    sizes = [
        largest_fitting("optimal-bernoulli", universe=SMALL, epsilon=0.3, bits=bits).sample_size for bits in (999, 1000)
    ]
    assert sizes == [999 // 11, 1000]


def test_too_little_room_is_told():
    with pytest.raises(InputError, match="129 bits, more than 128"):
        largest_fitting("calibrated-bernoulli", universe=SMALL, epsilon=0.3, bits=128)


def test_the_very_parameters_that_are_run_are_checked():
    """The same pair with the noise of another sample size keeps less, or not all that it might."""
    estimator = largest_fitting("calibrated-bernoulli", universe=IntegerUniverse(10**5), epsilon=0.3, bits=10_000)
    result = check_small(estimator, 0.3)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.6, abs=1e-8)
    less = replace(estimator.calibration, up=0.99 * estimator.calibration.up)
    assert check_small(replace(estimator, calibration=less), 0.3).verdict is Verdict.REFUTED
    more = replace(estimator.calibration, up=0.999, down=0.999)
    kept = check_small(replace(estimator, calibration=more), 0.3)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert kept.loss.nats < 0.59


def test_what_promises_nothing_is_held_against_two_epsilon():
    estimator = create_estimator("optimal-bernoulli", universe=SMALL, epsilon=0.7, sample_size=500)
    assert estimator.promise is None
    result = check_small(estimator, 0.7)
    assert float(result.promise.epsilon) == 1.4
    assert result.verdict is Verdict.REFUTED


def test_the_root_mean_squared_error_and_its_standard_error():
    errors = np.random.default_rng(3).normal(scale=0.2, size=(400, 500)) ** 2
    rows = [ComparisonRow("a name", {}, 1, 1, None, None, some) for some in errors]
    assert np.mean([row.rmse for row in rows]) == pytest.approx(0.2, rel=0.01)
    spread = np.std([row.rmse for row in rows])
    assert np.mean([row.rmse_error for row in rows]) == pytest.approx(spread, rel=0.1)


@pytest.mark.more
@pytest.mark.usefixtures("few")
def test_the_result_repeats_itself_and_does_not_depend_on_the_workers():
    settings = {"bits": 3000, "epsilon": 0.2, "stream": "nycflights13", "runs": 27}
    first, second = (compare(**settings, seed=4, jobs=jobs).to_dict() for jobs in (1, 2))
    assert json.dumps(first, allow_nan=False) == json.dumps(second, allow_nan=False)
    other = compare(**settings, seed=5).to_dict()
    assert [row["rmse"] for row in first["estimators"]] != [row["rmse"] for row in other["estimators"]]


@pytest.mark.usefixtures("few")
def test_the_error_is_that_of_releases_of_the_whole_stream():
    found = compare(bits=5000, epsilon=0.2, runs=200, seed=1)
    stream = load_stream("online-retail")
    density = np.unique(stream.ids).size / stream.universe.size
    assert found.density == density
    printed, sampling, calibrated = found.rows
    assert found.best is calibrated
    assert [row.keeps for row in found.rows] == [False, False, True]
    assert sampling.check.loss.unbounded
    assert found.ratio(calibrated) == 1
    assert found.ratio(printed) == pytest.approx((printed.rmse / calibrated.rmse) ** 2)
    # Noise of the release, of the bits, and of the choice of the sample.
    size, users = calibrated.sample_size, stream.universe.size
    expected = calibrate_basic(0.2, size).squared_error(size) + density * (1 - density) / size * (1 - size / users)
    assert abs(calibrated.rmse - expected**0.5) < 4 * calibrated.rmse_error
    estimator = create_estimator("optimal-bernoulli", universe=stream.universe, epsilon=0.2, sample_size=357)
    randomness = NumpyRandomness(np.random.SeedSequence(1, spawn_key=(0, 0)))
    state = estimator.update(estimator.create(randomness), stream.ids, randomness)
    assert (estimator.release(state, randomness) - density) ** 2 == printed.squared_errors[0]


@pytest.mark.usefixtures("few")
def test_what_does_not_fit_is_left_out_with_the_reason():
    found = compare(bits=60, epsilon=0.2, runs=2, seed=1)
    assert [row.name for row in found.rows] == ["optimal-bernoulli", "pan-private-distinct-sampling"]
    assert "more than 60" in found.left_out["calibrated-bernoulli"]
    assert found.best is None
    assert found.ratio(found.rows[0]) is None
    assert found.to_dict()["best"] is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"bits": 0}, "number of bits"),
        ({"bits": 5}, "no estimator"),
        ({"runs": 1}, "at least 2"),
        ({"stream": "nowhere"}, "online-retail, nycflights13, uniform, zipf"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"seed": -1}, "the seed"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(wrong, words):
    with pytest.raises(InputError, match=words):
        compare(**({"bits": 1000, "epsilon": 0.2, "runs": 2} | wrong))
