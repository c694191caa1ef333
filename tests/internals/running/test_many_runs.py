"""Many runs at once: the same distribution as single runs, exactly at small sizes, and the same features of the same
states.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pan_audits import find_mechanism
from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features, stacked_features
from pan_audits.events.observing.subject import Subject, subject_of
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.subject.running.course import is_shipped
from pan_audits.subject.running.many_runs import (
    ManyObservations,
    features_of_many,
    made_singly,
    offers_many_runs,
    run_course_many,
)
from pan_audits.subject.running.runner import EstimatorRunner, course_of, likelihood_column
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    ListedSample,
    ManyRuns,
    NumpyRandomness,
    Stack,
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_insert_delete,
    load_stream,
    log_likelihood,
    optimal_bernoulli,
)
from pan_estimators.common.registry import with_budget
from tests.public.density.instances import small
from tests.turns import every

WITHOUT_CELLS = {"exact-counter", "pan-private-distinct-sampling"}
WITH_CELLS = [name for name in ESTIMATORS_OF_IDS if name not in WITHOUT_CELLS]
SIZES = [(16, 8), (40, 40), (60, 40), (3, 1)]


def made(name, universe=16, sample_size=8):
    return find_mechanism(name, parameters=with_budget(name, 0.3, {"universe": universe, "sample_size": sample_size}))


class Enumerating:
    """Random choices that follow a script; its probability is a fraction. Each noise is a bit, at its location."""

    def __init__(self, script):
        self.script, self.used, self.probability = script, 0, Fraction(1)

    def choice(self, options):
        place = self.script[self.used][0] if self.used < len(self.script) else 0
        if self.used >= len(self.script):
            self.script = (*self.script, (0, options))
        self.used += 1
        return place

    def bernoulli(self, probability, size):
        bits = [self.choice(2) for _ in range(size)]
        for bit in bits:
            self.probability *= Fraction(probability) if bit else 1 - Fraction(probability)
        return np.array(bits, dtype=bool)

    def uniform_integers(self, low, high, size):
        self.probability /= (high - low) ** size
        return np.array([low + self.choice(high - low) for _ in range(size)])

    def uniform_subset(self, population, size):
        subsets = list(itertools.combinations(range(population), size))
        self.probability /= len(subsets)
        return np.array(subsets[self.choice(len(subsets))])

    def keyed_sample(self, population, size):
        return ListedSample(population, self.uniform_subset(population, size))

    def laplace(self, location, scale, size=None):
        noise = 2 * self.bernoulli(0.5, 1 if size is None else size) - 1
        return float(location + scale * noise[0]) if size is None else location + scale * noise

    def two_sided_geometric(self, up, down, size):
        return 2 * self.bernoulli(up, size).astype(np.int64) - 1


def distribution(run):
    """The distribution of what a run shows, over all scripts."""
    found, pending = defaultdict(Fraction), [()]
    while pending:
        script = pending.pop()
        randomness = Enumerating(script)
        found[run(randomness)] += randomness.probability
        for place in range(len(script), len(randomness.script)):
            options = randomness.script[place][1]
            rest = randomness.script[len(script) : place]
            pending += [(*script, *rest, (other, options)) for other in range(1, options)]
    assert sum(found.values()) == 1
    return dict(found)


def shown(state):
    listed = state.sample.members() if hasattr(state.sample, "members") else state.sample
    return tuple(listed.tolist()), tuple(state.cells.tolist()), state.announced


def one(estimator, steps, randomness, runs=None):
    """What a run shows; with a number of runs, what each of the runs at once shows."""
    ending, states = ("", ()) if runs is None else ("_many", (runs,))
    call = {name: getattr(estimator, name + ending) for name in ("create", "update", "release")}
    state, seen = call["create"](*states, randomness), []
    for step in steps:
        if step == "look":
            seen.append(
                shown(state) if runs is None else [shown(estimator.state_of(state, run)) for run in range(runs)]
            )
        elif step == "announce":
            state = getattr(estimator, "announce" + ending)(state, randomness)
        elif step == "release":
            output = call["release"](state, randomness)
            seen.append(float(output) if runs is None else [float(each) for each in output])
        else:
            ids, deletions = step
            given = {} if deletions is None else {"deletions": np.array(deletions)}
            state = call["update"](state, np.array(ids), randomness, **given)
    return tuple(seen) if runs is None else tuple(zip(*seen, strict=True))


APPEAR = ([1, 0, 1], None)
EXACT = {
    "everyone": (optimal_bernoulli(universe=2, epsilon=0.5, sample_size=2), (APPEAR, "look", ([1], None), "release")),
    "listed": (optimal_bernoulli(universe=3, epsilon=0.5, sample_size=1), (APPEAR, "look", ([0], None), "release")),
    "keyed": (
        calibrated_bernoulli(universe=3, promise_epsilon=1, sample_size=1),
        (APPEAR, "look", ([2], None), "release"),
    ),
    "announced": (
        calibrated_announced_intrusions(universe=2, promise_epsilon=1.5, sample_size=1),
        (([0], None), "look", "announce", ([1], None), "look", "release"),
    ),
    "deletions": (
        calibrated_insert_delete(universe=2, promise_epsilon=1, sample_size=2),
        (([0, 1, 0], [False, False, True]), "look", ([1], [True]), "release"),
    ),
}


@pytest.mark.parametrize("kind", list(EXACT))
def test_one_run_of_many_has_exactly_the_distribution_of_a_single_run(kind):
    estimator, steps = EXACT[kind]
    assert distribution(lambda chance: one(estimator, steps, chance)) == distribution(
        lambda chance: one(estimator, steps, chance, 1)[0]
    )


@pytest.mark.parametrize("kind", ["everyone", "keyed"])
def test_two_runs_at_once_are_exactly_independent_and_each_has_the_distribution_of_a_single_run(kind):
    estimator, steps = EXACT[kind]
    steps = steps if kind != "everyone" else (([1], None), "look", "release")
    alone = distribution(lambda chance: one(estimator, steps, chance))
    together = distribution(lambda chance: one(estimator, steps, chance, 2))
    assert together == {(ours, theirs): p * q for ours, p in alone.items() for theirs, q in alone.items()}


def families_of(mechanism, stream=None):
    deletions = bool(getattr(mechanism.estimator, "deletions", False))
    found = catalogue(mechanism.promise, mechanism.population, deletions=deletions, stream=stream)
    return list(dict.fromkeys(pair.family for pair in found.pairs))


def drawn(estimator, promise, family, runs, seed):
    course = course_of(family, len(family.patterns) - 1)
    found = run_course_many(estimator, course, runs, NumpyRandomness(seed), states_seen=promise.sees_state)
    return found if promise.sees_output else ManyObservations(runs, found.states, ())


def single(estimator, observations, run):
    states = [estimator.state_of(states, run) for states in observations.states]
    return states, [output[run].item() for output in observations.outputs]


def same(found, rows):
    expected = Table.from_rows(rows)
    return found.names == expected.names and np.array_equal(found.values, expected.values, equal_nan=True)


@pytest.mark.parametrize("stream", [None, pytest.param("nycflights13", marks=pytest.mark.more)])
@pytest.mark.parametrize("name", every(2, WITH_CELLS))
def test_columns_of_many_runs_are_the_features_of_their_states_one_by_one(name, stream):
    universe = load_stream(stream, numbered=True).universe if stream else None
    for size in [(universe, universe.size), (universe, 50)] if stream else SIZES:
        mechanism = made(name, *size)
        estimator = mechanism.estimator
        for family in families_of(mechanism, stream)[1:2] if stream else families_of(mechanism)[::4]:
            observations = drawn(estimator, mechanism.promise, family, 3, (1, size[1]))
            subject = subject_of(estimator, family.user)
            found = features_of_many(estimator, observations, subject)
            assert same(
                found, [observation_features(*single(estimator, observations, run), subject) for run in range(3)]
            )


@pytest.mark.parametrize("size", [(16, 8), (60, 40)], ids=str)
@pytest.mark.parametrize("name", ["optimal-bernoulli", "laplace", "calibrated-insert-delete"])
def test_log_likelihoods_of_many_runs_are_those_of_their_states_one_by_one(name, size):
    mechanism = made(name, *size)
    runner = EstimatorRunner(mechanism.estimator, mechanism.promise)
    for family in families_of(mechanism)[::8]:
        place = len(family.patterns) - 1
        observations = drawn(mechanism.estimator, mechanism.promise, family, 100, (5, 6))
        states = [mechanism.estimator.state_of(observations.states[0], run) for run in range(100)]
        expected = log_likelihood(mechanism.estimator, states, observations.outputs[0], runner._streams(family))
        tables = [
            runner.observe(family, place, 100, (5, 6)),
            runner.observe(family, place, 100, (5, 6), features=False),
        ]
        for table in tables:
            found = np.column_stack([table.column(likelihood_column(other)) for other in range(len(family.patterns))])
            assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "part",
    [
        Stack(np.array([[2**60, 1], [2, 3]])),
        Stack(np.array([["a"], ["b"]])),
        Stack(np.array([2**60, 1])),
        Stack(np.zeros((2, 40), dtype=np.uint8), bytes_each=True),
    ],
    ids=["large numbers", "text", "large scalars", "long bytes"],
)
def test_what_columns_do_not_hold_is_left_to_the_features_of_single_runs(part):
    assert stacked_features([{"part": part}], [], 2, Subject(1)) is None


def test_arrays_of_any_shape_have_the_same_columns_as_one_by_one():
    generator = np.random.default_rng(3)
    for subject in (Subject(3, 3, 8), Subject(3), Subject("c", 2, 8), Subject((0, 1), 5, 8)):
        shapes = {
            "plain": generator.integers(0, 9, (4, 8)),
            "many": generator.random((4, 100)),
            "bits": generator.random((4, 8)) < 0.5,
            "packed": generator.integers(0, 255, (4, 1), dtype=np.uint8),
            "columns": generator.random((4, 8, 2)),
            "small": generator.integers(-5, 5, (4, 16), dtype=np.int8),
            "edges": generator.integers(0, 2, (4, 3, 2)),
            "nothing": np.empty((4, 0, 3)),
        }
        outputs = generator.random((4, 100 if subject.index else 1000))
        found = stacked_features([{name: Stack(values) for name, values in shapes.items()}], [outputs], 4, subject)
        states = [{name: values[run] for name, values in shapes.items()} for run in range(4)]
        rows = [observation_features([state], [output], subject) for state, output in zip(states, outputs, strict=True)]
        assert same(found, rows)


def test_shipped_estimators_offer_many_runs_and_their_mechanism_makes_them_at_once(monkeypatch):
    for name in ESTIMATORS_OF_IDS:
        assert isinstance(small(name), ManyRuns)
        assert is_shipped(small(name))
    assert 900 < sum(made_singly(0.25, (1, block)) for block in range(4000)) < 1100
    mechanism = made("calibrated-bernoulli")
    family = families_of(mechanism)[0]
    assert offers_many_runs(mechanism.estimator, family.schedule)
    runner = EstimatorRunner(mechanism.estimator, mechanism.promise)
    monkeypatch.setattr("pan_audits.subject.running.runner.run_course", lambda *_, **__: pytest.fail("a single run"))
    assert runner.observe(family, 0, 20, (1,)).runs == 20
    with pytest.raises(pytest.fail.Exception):
        replace(runner, singly=1.0).observe(family, 0, 20, (1,))
