"""Many runs of a mechanism on one whole input: fresh inputs, independent draws, and outputs that keep their type."""

import copy
import random
import secrets
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import Subject
from pan_audits.events.table import Table
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.intake.discovery import find_thing
from pan_audits.subject.isolation.seeds import WORDS, words_of_runs
from pan_audits.subject.running.course import Observation
from pan_audits.subject.running.runner import features_of_runs

RUNS = 300
NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000ABCDEF))[0]
VALUES = [
    *(1, -(2**63), 2**70, True, 1.5, -0.0, NAN, float("inf"), None, "a", [1], (2.0,), {"a": 1}),
    *(np.float64(2.5), np.float64(NAN), np.int64(3), np.bool_(True), np.float32(1.5), np.int32(4)),
]


def outputs(function, data, other=0, runs=RUNS, seed=1):
    mechanism = find_thing(function, [data, other], parameters={}, epsilon=1)
    label = np.array([mechanism.problem.labels[0]])
    stacks = mechanism.estimator.runs_apart([(label, None, SegmentEnd.RELEASE)], runs, (seed,), states_seen=False)
    found = [one for stack in stacks for one in stack]
    assert all(one.states == () and len(one.outputs) == 1 for one in found)
    return [one.outputs[0] for one in found]


def bits(value):
    number = struct.pack("<d", value) if isinstance(value, float) else repr(value)
    return type(value).__name__, number


def any_value(data, rng):
    return VALUES[int(rng.integers(0, len(VALUES)))]


def test_outputs_keep_their_types_and_bits():
    found = outputs(any_value, 1)
    assert len(found) == RUNS
    assert {bits(one) for one in found} == {bits(one) for one in VALUES}


def changes_its_input(data, rng):
    before = repr(data)
    if isinstance(data, dict):
        data["b"] = rng.random()
    elif isinstance(data, np.ndarray):
        data[0] += rng.random()
    else:
        data.append(rng.random())
        if isinstance(data[0], list):
            data[0].append(1)
    return before


@pytest.mark.parametrize("data", [[1, 2], [[1], 2], {"a": 1}, np.zeros(2), [(1, [2])]])
def test_each_run_has_a_fresh_input(data):
    assert set(outputs(changes_its_input, data)) == {repr(data)}


def raises_at_times(data, rng):
    if rng.random() < 0.5:
        raise ValueError("no")
    return 1.0


def test_errors_are_outputs():
    kinds = [type(one).__name__ for one in outputs(raises_at_times, 1)]
    assert set(kinds) == {"Raised", "float"}
    assert 50 < kinds.count("Raised") < RUNS - 50


OWN, KEPT = random.Random(), [None]
NUMPY = np.random.default_rng()


def seeds_at_its_end(data):
    drawn = random.random() + np.random.random() + OWN.random()
    random.seed(0)
    np.random.seed(0)
    OWN.seed(0)
    return drawn


def copies_a_state(data):
    mine = random.Random()
    mine.setstate(random.getstate())
    return mine.random()


def copies_what_drew_once(data):
    if KEPT[0] is None:
        KEPT[0] = random.Random()
        KEPT[0].random()
    return copy.deepcopy(KEPT[0]).random()


def copies_the_older_state(data):
    mine = np.random.RandomState()
    mine.set_state(np.random.get_state())
    return mine.random_sample()


def keeps_a_copy_that_draws(data):
    if KEPT[0] is None:
        OWN.random()
        KEPT[0] = copy.deepcopy(OWN)
    return KEPT[0].random() - OWN.random()


def makes_generators(data):
    return random.Random().random() + np.random.default_rng().random() + NUMPY.random() + random.SystemRandom().random()


def goes_back(data):
    before = random.getstate()
    drawn = random.random()
    random.setstate(before)
    return drawn


SOURCES = [
    *(seeds_at_its_end, copies_a_state, copies_what_drew_once, copies_the_older_state),
    *(keeps_a_copy_that_draws, makes_generators, goes_back),
]


def many_sources(data, rng):
    first = random.random()
    return first, rng.random() if first < 0.5 else rng.laplace(), random.random(), np.random.random()


def secrets_of_the_system(data):
    return secrets.randbelow(10**6), random.SystemRandom().random()


def methods_of_random(data):
    return random.gauss(0, 1), random.randrange(10**6), random.sample(range(99), 2), OWN.uniform(1, 2)


def noise(data, rng):
    return rng.laplace(data), rng.normal(0, 2), rng.integers(10**6), rng.laplace(data, 0)


class Counter:
    def __init__(self):
        self.count, self.generator = random.random(), np.random.default_rng()

    def update(self, entry):
        self.count += entry

    def estimate(self):
        return self.count + self.generator.laplace()


DRAWN = {
    seeds_at_its_end: [1.250819253664952, 0.9259680591516986],
    makes_generators: [1.6839833387204262, 1.851895269944287],
    goes_back: [0.4733691526812528, 0.2508891897464287],
    many_sources: [
        (0.4733691526812528, 0.5118216247002567, 0.852004363333828, 0.7568596259795846),
        (0.2910615018165654, 0.16620516559297116, 0.9352515759968338, 0.6810993772532834),
    ],
    secrets_of_the_system: [(496363, 0.210774722215608), (263076, 0.23758810180248158)],
    methods_of_random: [
        (-1.927473640883212, 691208, [20, 66], 1.210774722215608),
        (-0.013624664941650266, 55756, [17, 55], 1.2375881018024817),
    ],
    noise: [
        (1.0239272362086922, 1.6432362869381905, 34852, 1.0),
        (1.4003832039888948, -1.0585524323396385, 271782, 1.0),
    ],
    Counter: [3.7934688778390337, 3.5709889149042096],
}
"""The outputs of the first run and of the last one, with which recorded witnesses are replayed."""


@pytest.mark.parametrize("function", DRAWN)
def test_each_run_has_the_draws_of_its_place(function):
    found = outputs(function, [1, 2] if function is Counter else 1, [1])
    assert [found[0], found[-1]] == DRAWN[function]


@pytest.mark.parametrize("function", SOURCES)
def test_no_run_repeats_the_draws_of_another(function):
    found = outputs(function, 1)
    # The two generators of one function have the same draws in the run that copies.
    assert len(set(found)) == RUNS
    if "KEPT" not in function.__code__.co_names:
        assert found == outputs(function, 1)
    assert not set(found) & set(outputs(function, 1, seed=2)) - {0.0}


@given(state=st.integers(0, 2**32 - 1), first=st.integers(0, 2**31), source=st.integers(1, 99))
def test_seeds_that_are_computed_together_are_those_of_numpy(state, first, source):
    runs = range(first, first + 3)
    singly = [np.random.SeedSequence([state, run, source]).generate_state(WORDS).tolist() for run in runs]
    assert words_of_runs(state, runs, source) == singly


def a_seed_of_its_own(data):
    return random.Random(7).random() + np.random.RandomState(7).random_sample()


def test_a_seed_of_the_code_holds_in_its_run():
    assert len(set(outputs(a_seed_of_its_own, 1))) == 1


@pytest.mark.parametrize(
    "found",
    [
        [1, 2, 3],
        [True, False, True],
        [1.5, 0, True, -3],
        [0.5, NAN, float("inf"), 1],
        [np.int64(3), 4, np.bool_(False), np.float64(2.5)],
        [2**53, 1, 2],
        [2**60, 2**60 + 1],
        [2**90, 1.5],
        [1e300, 2],
        [None, 1],
        ["1", 1],
    ],
)
def test_numbers_are_read_together_as_one_by_one(found):
    subject = Subject("user")
    runs = [Observation((), (one,)) for one in found]
    together = features_of_runs(runs, subject)
    singly = Table.from_rows([observation_features((), (one,), subject) for one in found])
    assert together.names == singly.names
    assert np.array_equal(together.values, singly.values, equal_nan=True)
