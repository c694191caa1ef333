"""How a thing of any form takes its input, and what its output shows."""

from __future__ import annotations

from functools import partial, wraps

import numpy as np
import pytest

from pan_audits.subject.isolation.forms import MethodOf, form_of
from pan_audits.subject.isolation.measurements import promise_of_measurement
from pan_audits.subject.isolation.released import released
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError


def told(*places, **named):
    return [*places, *sorted(named.items())]


def plain(data, alpha=2, *, beta=3): return told(data, alpha, beta)  # fmt: skip


def second(data, r): return told(data, r is not None)  # fmt: skip


def named(data, alpha, rng): return told(data, alpha, rng is not None)  # fmt: skip


def seeded(data, seed): return told(data, type(seed))  # fmt: skip


def legacy(data, random_state): return told(data, hasattr(random_state, "randint"))  # fmt: skip


def legacy_default(data, random_state=None): return told(data, random_state)  # fmt: skip


def first(alpha, data): return told(alpha, data)  # fmt: skip


def only_named(*, data, alpha): return told(data, alpha)  # fmt: skip


def places_only(data, r, /, alpha): return told(data, r is not None, alpha)  # fmt: skip


def _wrapping(function):
    @wraps(function)
    def wrapper(*places):
        return function(*places)

    return wrapper


def many(*data): return len(data)  # fmt: skip


def keywords(data, **options): return told(data, **options)  # fmt: skip


def sized(data, size): return told(data, size)  # fmt: skip


class Model:
    def __init__(self, alpha, rng=5):
        self.alpha, self.given = alpha, rng

    def fit(self, X, y, weight=1):
        self.found_ = told(X, y, self.alpha, weight, self.given != 5)

    def both(self, data, beta):
        return told(data, self.alpha, beta)


CASES = [
    (plain, {}, 7, [7, 2, 3]),
    (plain, {"alpha": 4, "beta": 5}, 7, [7, 4, 5]),
    (partial(plain, beta=9), {"alpha": 4}, 7, [7, 4, 9]),
    (partial(first, 1), {}, 7, [1, 7]),
    (first, {"alpha": 1}, 7, [1, 7]),
    (second, {}, 7, [7, True]),
    (named, {"alpha": 4}, 7, [7, 4, True]),
    (seeded, {}, 7, [7, int]),
    (legacy, {}, 7, [7, True]),
    (legacy_default, {}, 7, [7, None]),
    (only_named, {"alpha": 4}, 7, [7, 4]),
    (places_only, {"alpha": 4}, 7, [7, True, 4]),
    (many, {}, 7, 2),
    (_wrapping(second), {}, 7, [7, True]),
    (keywords, {"alpha": 4}, 7, [7, ("alpha", 4)]),
    (sized, {}, 7, [7, None]),
    (len, {}, [7, 8], 2),
    (Model, {"alpha": 4, "weight": 2}, (7, 8), {"found_": [7, 8, 4, 2, True]}),
    (Model(4), {"weight": 2}, (7, 8), {"found_": [7, 8, 4, 2, False]}),
    (MethodOf(Model, "both"), {"alpha": 4, "beta": 5}, 7, [7, 4, 5]),
    (Model(4).both, {"beta": 5}, 7, [7, 4, 5]),
    (lambda: partial(plain, beta=9), {}, 7, [7, 2, 9]),
]


@pytest.mark.parametrize(("thing", "given", "data", "expected"), CASES)
def test_the_input_the_parameters_and_the_randomness_find_their_places(thing, given, data, expected):
    assert form_of(thing, given, "it")(data, NumpyRandomness(0)) == expected


REFUSED = [
    (lambda data, rng, alpha: data, {}, "it needs a value for its parameter 'alpha'"),
    (only_named, {}, "it needs a value for its parameter"),
    (Model, {}, "it needs the parameter 'alpha'"),
    (plain, {"gamma": 1}, "gamma"),
    (Model, {"alpha": 1, "gamma": 1}, "gamma"),
    (Model.both, {}, "it is a function of an object"),
    (object(), {}, "it is or makes an object of object"),
]


@pytest.mark.parametrize(("thing", "given", "sentence"), REFUSED)
def test_a_form_that_takes_no_input_is_refused_with_the_reason(thing, given, sentence):
    with pytest.raises(InputError, match=sentence):
        form_of(thing, given, "it")


def test_a_live_object_is_fitted_as_a_copy():
    model = Model(4)
    form_of(model, {}, "it")((7, 8), NumpyRandomness(0))
    assert not hasattr(model, "found_")


@pytest.mark.parametrize("value", [1, [1, (2.0, None)], {"a": [1]}, np.zeros(3), np.float32(1), {1, 2}, Model(1)])
def test_contents_that_are_data_stay_the_same_object(value):
    assert released(value) is value


class Measured:
    """What a measurement of OpenDP shows."""

    def __init__(self, metric, measure="MaxDivergence", loss=lambda distance: distance / 4):
        self.input_metric, self.output_measure, self.map = metric, measure, loss


DISTANCES = [
    ("AbsoluteDistance(i32)", 3, 8, 5),
    ("L1Distance(i32)", [1, 2], [3, 1], 3),
    ("L2Distance(f64)", [0, 0], [3, 4], 5),
    ("LInfDistance(T=i32)", [1, 2], [3, 1], 2),
    ("DiscreteDistance()", "a", "b", 1),
    ("SymmetricDistance()", [1, 1, 2], [1, 2, 2, 3], 3),
    ("InsertDeleteDistance()", [1, 2, 3], [2, 3, 1], 2),
    ("ChangeOneDistance()", [1, 2, 3], [3, 2, 2], 1),
    ("HammingDistance()", [1, 2, 3], [3, 2, 1], 2),
]


@pytest.mark.parametrize(("metric", "left", "right", "distance"), DISTANCES)
def test_the_promise_of_a_measurement_is_its_map_at_the_distance(metric, left, right, distance):
    promise = promise_of_measurement(Measured(metric), [(left, left), (left, right)])
    assert promise is not None
    assert promise.epsilon == distance / 4


def test_the_measure_of_a_measurement_is_its_notion():
    approximate = Measured("DiscreteDistance()", "Approximate(MaxDivergence)", lambda distance: (2.0, 0.25))
    promise = promise_of_measurement(approximate, [(0, 1)])
    assert promise is not None
    assert (promise.epsilon, promise.delta) == (2.0, 0.25)
    promise = promise_of_measurement(Measured("DiscreteDistance()", "ZeroConcentratedDivergence"), [(0, 1)])
    assert promise is not None
    assert promise.rho == 0.25
    assert promise_of_measurement(plain, [(0, 1)]) is None
    for unknown in (Measured("PartitionDistance()"), Measured("DiscreteDistance()", "RenyiDivergence")):
        with pytest.raises(InputError, match="give the promise"):
            promise_of_measurement(unknown, [(0, 1)])
