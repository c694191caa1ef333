"""The running count of events: its distribution, the exact loss of its state and outputs together, and broken
counts.
"""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.witness import replay_exact
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.turnstile import observed_of
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.families import register, withdraw
from pan_promises.looks import EVERY, Observed
from pan_promises.promise import Promise
from pan_proofs.continual.dyadic_tree import decomposition
from tests.continual.test_counters import Given, Silent
from tests.continual.wrong_running_counts import FAMILY


@pytest.fixture(autouse=True)
def family():
    register("pan_estimators", FAMILY)
    yield
    withdraw("pan_estimators", "running-counts")


def checked(name="running-count", length=3, promise=None):
    made = find_mechanism(name, parameters={"steps": length, "rho": 0.5}, promise=promise)
    return run_check(SmallInstances.of(made), CheckSettings(users=1, length=length, seconds=60))


@pytest.mark.parametrize("length", [1, 2, 3, pytest.param(4, marks=pytest.mark.more)])
def test_the_state_and_all_outputs_lose_exactly_the_promise(length):
    found = checked(length=length)
    assert (found.verdict, found.loss.ratio, found.exact) == (Verdict.NOT_REFUTED, fmpq(1, 2), True), found.reason


@pytest.mark.parametrize(
    ("name", "length", "loss"),
    [
        # Event 2 after an intrusion at time 1 stands in clear in what the node (0, 2] adds.
        ("birth-alone", 2, None),
        # Event 1 before it stands in clear in the open node (0, 2].
        ("release-alone", 2, None),
        ("less-birth", 2, fmpq(1)),
        ("less-release", 2, fmpq(1)),
        ("split-noise", 2, fmpq(1)),
        ("one-level-less", 2, fmpq(1)),
        ("keeps-last", 1, None),
    ],
)
def test_broken_counts_are_refuted_with_a_witness_that_replays(name, length, loss):
    found = checked(name, length)
    assert found.verdict is Verdict.REFUTED, found.reason
    assert found.loss.unbounded if loss is None else found.loss.ratio == loss
    old, fresh = replay_exact(json.loads(json.dumps(found.minimal.to_dict())))
    assert old.loss == fresh.loss == found.minimal.loss


@pytest.mark.parametrize("name", ["birth-alone", "release-alone"])
def test_the_outputs_of_a_count_with_one_noise_are_private_alone(name):
    """The noise that is left suffices for the outputs: the joint observation breaks the promise, not each part."""
    promise = Promise(rho=0.5, adjacency=Adjacency.EVENT_LEVEL, observed=Observed.OUTPUT, intrusions=0, outputs=EVERY)
    assert checked(name, 2, promise).verdict is Verdict.NOT_REFUTED


def test_the_state_alone_of_a_count_with_noise_at_birth_is_private():
    promise = Promise(rho=0.5, adjacency=Adjacency.EVENT_LEVEL, observed=Observed.STATE, intrusions=1, outputs=EVERY)
    assert checked("birth-alone", 3, promise).verdict is Verdict.NOT_REFUTED
    assert checked("release-alone", 3, promise).loss.unbounded


def test_a_witness_of_two_intrusions_is_refused():
    document = json.loads(json.dumps(checked("less-birth", 2).minimal.to_dict()))
    first, second = document["users"]
    assert "state after 1" in second
    other = second.replace("state after 1", "state after 0")
    with pytest.raises(InputError, match="another observation"):
        replay_exact({**document, "users": [first, other]})


def test_the_state_of_an_intrusion_is_not_changed_by_later_entries():
    counter = PanPrivateRunningCount(steps=4, rho=0.5)
    stream = ((0, 1), (0, 1), None, (0, 1))
    outputs, state = observed_of(counter, stream, Observed.STATE_AND_OUTPUT, NumpyRandomness(1), after=2)
    assert (len(outputs), state.time) == (4, 2)


class Moved:
    """The observation of an adversary after so many steps, of a stream with one event."""

    def __init__(self, counter):
        self.counter = counter

    def release(self, data, randomness):
        after, place = data
        stream = tuple((0, 1) if step == place else None for step in range(self.counter.steps))
        outputs, state = observed_of(self.counter, stream, Observed.STATE_AND_OUTPUT, randomness, after=after)
        return [*outputs, *state.open, *state.closed]


def loss_of_move(steps, after, before, later):
    """The loss if an event moves, by the covariance of the observation of numpy's own linear algebra."""
    counter = PanPrivateRunningCount(steps=steps, rho=0.5)

    def seen(place, noise):
        return np.array(Moved(counter).release((after, place), noise))

    means = seen(before, Silent()) - seen(later, Silent())
    number = 4 * steps + 8
    factor = np.array([seen(-1, Scaled(row)) for row in np.eye(number)]).T
    covariance = factor @ factor.T
    solved = np.linalg.pinv(covariance) @ means
    assert covariance @ solved == pytest.approx(means, abs=1e-9)
    return float(means @ solved / 2)


class Scaled(Given):
    """Draws that are given, times the scale."""

    def gaussian(self, location=0.0, scale=1.0, size=None):
        return location + scale * super().gaussian(0.0, scale, size)


def test_an_event_that_moves_across_the_intrusion_loses_exactly_twice_the_promise():
    steps = 6
    losses = {
        (before, after, later): loss_of_move(steps, after, before, later)
        for before, later in itertools.combinations(range(steps), 2)
        for after in range(steps + 1)
    }
    across = {place: loss for place, loss in losses.items() if place[0] < place[1] <= place[2]}
    assert max(losses.values()) == pytest.approx(1.0)
    assert max(across, key=across.get) == (0, 1, 1)
    assert max(loss for place, loss in losses.items() if place not in across) < 0.8


@given(
    st.lists(st.tuples(st.integers(0, 2**31 - 2), st.sampled_from([1, -1, 0])), max_size=20),
    st.lists(st.integers(0, 20), max_size=6),
    st.sets(st.integers(0, 7), max_size=3),
)
def test_without_noise_the_outputs_are_the_numbers_of_events_in_any_parts(entries, places, cuts):
    ends = [*sorted(min(place, len(entries)) for place in places), len(entries)]
    counter = PanPrivateRunningCount(steps=len(ends), rho=1.0)
    state, outputs = counter.create(Silent()), []
    for first, last in itertools.pairwise([0, *sorted(cut for cut in cuts if cut < len(ends)), len(ends)]):
        start, stop = (ends[first - 1] if first else 0), (ends[last - 1] if last else 0)
        part = np.array(entries[start:stop], dtype=np.int64).reshape(-1, 2)
        stops = np.array(ends[first:last], dtype=np.int64) - start
        outputs += counter.follow(state, part[:, 0], part[:, 1], Silent(), stops).tolist()
    assert outputs == [sum(sign for _, sign in entries[:end]) for end in ends]


@pytest.mark.parametrize("steps", [1, 2, 6, 13, 16])
def test_the_noise_of_an_output_is_that_of_its_nodes(steps):
    counter = PanPrivateRunningCount(steps=steps, rho=0.5)
    randomness = NumpyRandomness(3)
    none = np.zeros(steps, dtype=int)
    outputs = np.array([counter.follow(counter.create(randomness), none, none, randomness) for _ in range(3000)])
    levels = int(np.log2(steps)) + 1
    expected = [
        sum(levels + (levels - 1) * (end - start > 1) for start, end in decomposition(time))
        for time in range(1, steps + 1)
    ]
    assert outputs.var(axis=0) == pytest.approx(expected, rel=0.15)
    assert counter.noise**2 == pytest.approx(max(expected))
    assert (np.abs(outputs).max(axis=1) <= counter.half_width(0.9)).mean() >= 0.88


@pytest.mark.parametrize("steps", [6, 8])
def test_the_state_holds_open_nodes_and_released_ones_alone(steps):
    counter = PanPrivateRunningCount(steps=steps, rho=0.5)
    for time in range(steps + 1):
        state = counter.create(NumpyRandomness(1))
        if time:
            counter.follow(state, [0] * time, [1] * time, NumpyRandomness(1))
        inside = [
            level
            for level in range(counter.levels)
            if any(start < time < start + 2**level <= steps for start in range(0, steps, 2 ** (level + 1)))
        ]
        assert [level for level, one in enumerate(state.open) if one] == inside
        used = [level for level in range(counter.levels) if time >> level & 1]
        assert [level for level, one in enumerate(state.closed) if one] == used


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: PanPrivateRunningCount(steps=0, rho=1.0), "number of steps must be between 1"),
        (lambda: PanPrivateRunningCount(steps=4, rho=-1.0), "rho must be positive"),
        (lambda: PanPrivateRunningCount(steps=2, rho=1.0).release(((0, 1),) * 3, Silent()), "at most 2 steps"),
        (lambda: PanPrivateRunningCount(steps=2, rho=1.0).release(((0, 2),), Silent()), "a sign 1 or -1"),
        (lambda: PanPrivateRunningCount(steps=2, rho=1.0).half_width(0.0), "level of an interval"),
    ],
)
def test_bad_input_is_refused(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
