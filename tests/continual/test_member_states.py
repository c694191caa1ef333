"""The state of each shipped counter comes back from plain data, and the counter goes on with the same outputs."""

import json

import numpy as np
import pytest

from pan_estimators.continual.members import MEMBERS, create_counter, parameters_of
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.states.plain_fields import state_from_plain, state_to_plain


@pytest.mark.parametrize("name", [name for name in MEMBERS if not hasattr(MEMBERS[name], "state_to_arrays")])
def test_a_counter_goes_on_from_its_plain_state(name):
    given = {key: value for key, value in {"flippancy": 3, "threshold": 4}.items() if key in parameters_of(name)}
    counter = create_counter(name, {"steps": 60, "rho": 0.5, **given})
    draw = np.random.default_rng(1)
    elements, signs = draw.integers(0, 9, 60), draw.choice([1, -1, 0], 60)
    randomness = NumpyRandomness(2)
    state = counter.create(randomness)
    counter.follow(state, elements[:35], signs[:35], randomness)
    document, arrays = state_to_plain(state)
    kept = randomness.generator.bit_generator.state
    expected = counter.follow(state, elements[35:], signs[35:], randomness)
    again = state_from_plain(type(state), json.loads(json.dumps(document)), arrays)
    randomness.generator.bit_generator.state = kept
    found = counter.follow(again, elements[35:], signs[35:], randomness)
    assert np.asarray(found, dtype=float).tolist() == np.asarray(expected, dtype=float).tolist()
