"""The counters of turnstile streams: what they follow, their noise and sensitivity, and many runs at once."""

import itertools
import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.problems.turnstile import observed_of
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.isolation.whole_input import ManyWholeInputs
from pan_audits.subject.running.course import is_shipped
from pan_estimators.continual.decaying_noise import DecayingNoise, decaying_noise, factors
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.members import MEMBERS, create_counter, parameters_for
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence, _Runs, squared_sensitivity
from pan_estimators.continual.tree_noise import TreeNoise, tree_noise, used_nodes
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.states.plain_fields import state_from_plain, state_to_plain
from pan_promises.errors import InputError
from pan_promises.promise import Observed
from pan_proofs.continual.dyadic_tree import decomposition
from tests.public.continual.counters import Silent
from tests.public.continual.streams import Given, cut_streams, followed, vectors, zeroed

WITH_ONE_NOISE = [
    name for name in MEMBERS if name not in ("sparse-vector", "turnstile-adaptive", "turnstile-best-of-both")
]
"""The counters whose noise does not depend on the stream. The others have tests of their own."""


def made(name, **given):
    """A counter with as many of the parameters as it takes."""
    values = {"steps": 9, "rho": 0.5, "epsilon": 1.0, "flippancy": 2, "period": 2, "threshold": 1} | given
    return create_counter(name, parameters_for(name, values))


def changes(vector):
    return [int(now != before) for before, now in itertools.pairwise([0, *vector])]


def kept(vector, bound):
    """The vector that keeps its value after so many changes."""
    counts = np.cumsum(changes(vector))
    return [vector[int(np.flatnonzero(counts == min(count, bound))[0])] if count else 0 for count in counts]


@given(cut_streams(), st.integers(1, 3))
def test_without_noise_the_outputs_are_the_counts_of_the_truncated_vectors(stream, bound):
    steps = len(stream[2])
    plain, last = vectors(stream), vectors(stream, last_entry_decides=True)
    total = {
        CalibratedTurnstile(steps=steps, rho=1.0, flippancy=bound): [kept(vector, bound) for vector in plain],
        TurnstileGivenFlippancy(steps=steps, rho=1.0, flippancy=bound): zeroed(stream, bound),
        Presence(steps=steps, rho=1.0): last,
        TurnstileRecompute(steps=steps, rho=1.0, period=1): plain,
    }
    for counter, expected in total.items():
        # Two of the counters round to multiples of 2**-21 before the noise.
        assert followed(counter, stream, Silent()) == pytest.approx(np.sum(expected, axis=0), abs=1e-5), counter
    period = TurnstileRecompute(steps=steps, rho=1.0, period=min(2, steps))
    counts = np.sum(plain, axis=0).tolist()
    computed = [
        counts[time // period.period * period.period - 1] if time >= period.period else 0
        for time in range(1, steps + 1)
    ]
    assert followed(period, stream, Silent()) == computed


def written_and_read(state):
    """The state from plain data."""
    document, arrays = state_to_plain(state)
    return state_from_plain(type(state), json.loads(json.dumps(document)), arrays)


@pytest.mark.parametrize("name", [name for name in MEMBERS if not hasattr(MEMBERS[name], "state_to_arrays")])
@given(cut_streams())
@settings(max_examples=25)
def test_parts_of_a_stream_with_plain_states_between_them_give_the_outputs_of_the_whole(name, stream):
    counter = made(name, steps=len(stream[2]), period=1)
    # The other counters draw in the order of the parts.
    cuts = [] if hasattr(MEMBERS[name], "release_many") else stream[3]
    whole = followed(counter, (*stream[:3], cuts), NumpyRandomness(1))
    parts = followed(counter, stream, NumpyRandomness(1), between=written_and_read)
    assert parts == pytest.approx(whole, rel=1e-12, abs=1e-12)


def right_factor(chosen, steps):
    """The right factor of the prefix sums."""
    places = np.arange(steps)
    pairs = zip(chosen.right_shares, chosen.right_distances, strict=True)
    entries = np.sum([share * (1 - distance) ** places for share, distance in pairs], axis=0)
    return np.array([[entries[row - column] if row >= column else 0.0 for column in places] for row in places])


def left_factor(steps):
    """The matrix that takes the draws of the decaying noise to the outputs."""
    columns = []
    for place in range(steps):
        state = DecayingNoise(np.zeros(len(factors(steps).rates)))
        columns.append(decaying_noise(state, np.eye(steps)[place], factors(steps)))
    return np.array(columns).T


@pytest.mark.parametrize("steps", [1, 2, 7, 60])
def test_the_two_factors_have_the_product_of_the_prefix_sums(steps):
    chosen = factors(steps)
    left, right = left_factor(steps), right_factor(chosen, steps)
    assert left @ right == pytest.approx(np.tril(np.ones((steps, steps))), abs=1e-12)
    assert chosen.squared_row(steps) == pytest.approx(np.sum(left[-1] ** 2))
    column = np.sum(right[:, 0] ** 2)
    assert column <= chosen.squared_column(steps) == pytest.approx(column, rel=1e-8)
    assert min(chosen.right_shares) > 0
    assert all(0 <= distance <= 1 for distance in chosen.right_distances)


def square_root_squares(steps):
    """The squared norm of a column of the square root of the prefix sum: the sum of ``(binom(2k, k)/4^k)^2``."""
    entry, total = 1.0, 1.0
    for place in range(1, min(steps, 4096)):
        entry *= 1 - 0.5 / place
        total += entry * entry
    # From here on the entries agree with 1/sqrt(pi (k + 1/4)) up to 1e-9.
    return total if steps <= 4096 else total + math.log((steps - 0.25) / (4096 - 0.25)) / math.pi


@pytest.mark.parametrize("steps", [1, 10, 1000, 2**20, 2**31 - 1])
def test_the_noise_is_near_that_of_the_square_root(steps):
    # The value of the literature.
    assert square_root_squares(65536) == pytest.approx(4.59644, abs=1e-5)
    chosen, squares = factors(steps), square_root_squares(steps)
    product = (chosen.squared_row(steps) * chosen.squared_column(steps)) ** 0.5
    assert squares * 0.999 <= product <= squares * 1.001
    for most in (1, 2, 4, 16, 256):
        # A tenth below that of the square root at four columns for each change.
        squared = squared_sensitivity(chosen, most, steps) * chosen.squared_row(steps)
        assert steps < 1024 or squared <= 0.9**2 * 4 * most * squares**2


@pytest.mark.parametrize(("steps", "bound"), [(1, 1), (4, 1), (6, 2), (6, 3), (7, 7)])
def test_no_pair_of_truncated_vectors_exceeds_the_sensitivity(steps, bound):
    chosen = factors(steps)
    allowed = [one for one in itertools.product([0, 1], repeat=steps) if sum(changes(one)) <= bound]
    images = np.array([right_factor(chosen, steps) @ np.diff([0, *vector]) for vector in allowed])
    most = max(float(np.sum((image - images) ** 2, axis=1).max()) for image in images)
    limit = squared_sensitivity(chosen, bound, steps)
    assert limit <= (4 * bound - 2) * chosen.squared_column(steps)
    # The bound is that of a stream without an end.
    assert 0.75 * limit <= most <= limit
    counter = CalibratedTurnstile(steps=steps, rho=0.5, flippancy=bound)
    assert counter.noise == pytest.approx((limit * chosen.squared_row(steps)) ** 0.5, rel=1e-5)


def test_the_length_of_the_ends_is_the_best_one_for_any_number_of_runs():
    for steps, number in [(2**20, 3), (2**20, 16), (2**31 - 1, 10**6), (2**31 - 1, 2**31 - 1), (3, 3)]:
        chosen = _Runs.of(factors(steps))
        tried = np.geomspace(1e-6 * steps / number, 0.4999 * steps, 2000)
        values = [2 * chosen.end(end) + (number - 2) * chosen.middle((steps - 2 * end) / (number - 2)) for end in tried]
        assert max(values) <= chosen.largest(number, steps) <= max(values) * (1 + 1e-5)


@pytest.mark.parametrize("steps", [1, 3, 8, 13])
def test_a_tree_sums_the_nodes_of_the_dyadic_decomposition(steps):
    sums = np.array([tree_noise(TreeNoise(), steps, 1.0, Given(row)) for row in np.eye(steps)]).T
    assert sums.sum(axis=1).tolist() == [time.bit_count() for time in range(1, steps + 1)]
    assert set(np.unique(sums)) <= {0.0, 1.0}
    # Each node begins where the one before ends.
    for time in range(1, steps + 1):
        ends = [place + 1 for place in range(steps) if sums[time - 1, place]]
        assert ends[-1] == time
        assert [end & -end for end in ends] == [end - before for before, end in itertools.pairwise([0, *ends])]
    assert used_nodes(steps) == sums.sum(axis=1).max()


@pytest.mark.parametrize("name", WITH_ONE_NOISE)
def test_the_noise_has_the_stated_deviation(name):
    counter, randomness, none = made(name, steps=31, period=0), NumpyRandomness(7), np.zeros(31, dtype=int)
    outputs = np.array([counter.follow(counter.create(randomness), none, none, randomness) for _ in range(2000)])
    assert outputs.std(axis=0).max() == pytest.approx(counter.noise, rel=0.08)
    within = np.abs(outputs).max(axis=1) <= counter.half_width(0.9)
    assert within.mean() >= 0.875


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"steps": 0}, "number of steps must be between 1"),
        ({"steps": 2**31}, "number of steps must be between 1"),
        ({"steps": 2.5}, "number of steps must be a whole number"),
        ({"rho": 0.0}, "rho must be positive"),
        ({"rho": float("nan")}, "rho must be positive"),
        ({"model": "strikt"}, "did you mean"),
        ({"period": 10}, "the period must be between 1 and 9"),
        ({"flippancy": 0}, "bound on the flippancy must be at least 1"),
        ({"flippancy": 1.5}, "bound on the flippancy must be a whole number"),
        ({"hint": -1}, "the hint for the flippancy"),
        ({"hint": 1.5}, "the hint for the flippancy"),
        ({"cutoff": 0}, "the cutoff must be at least 1"),
        ({"threshold": float("nan")}, "the threshold must be finite"),
        ({"threshold": "high"}, "the threshold must be a number"),
        ({"least_flippancy": -1}, "the least flippancy of the query must be at least 1"),
    ],
)
def test_a_parameter_out_of_range_is_refused(name, wrong, sentence):
    if set(wrong) <= set(MEMBERS[name].__dataclass_fields__):
        with pytest.raises(InputError, match=sentence):
            made(name, **wrong)


@pytest.mark.parametrize(
    ("model", "elements", "signs", "ends", "sentence"),
    [
        ("strict", [0, 1], [1, -1], None, "no deletion of an absent element, got one of element 1 in entry 2"),
        ("toggle", [0, 0], [1, 1], None, "toggle model has no insertion of a present element"),
        ("general", [-1], [1], None, "an element must lie between 0"),
        ("general", [2**31], [1], None, "an element must lie between 0"),
        ("general", [0], [2], None, "a sign must be 1, -1 or 0, got 2"),
        ("general", [0.5], [1], None, "elements must be whole numbers"),
        ("general", [0, 1], [1], None, "lists of one length"),
        ("general", [0], [1], [0], "last step must end with the last entry"),
        ("general", [0], [1], [1, 0], "ends of the steps must be in order"),
        ("general", [0] * 4, [1] * 4, None, "at most 3 steps .*, got 1 and 4 more"),
    ],
)
@pytest.mark.parametrize("name", ["turnstile-recompute", "turnstile-adaptive", "calibrated-adaptive"])
def test_a_bad_entry_is_refused_and_changes_nothing(name, model, elements, signs, ends, sentence):
    counter = made(name, steps=3, period=1, model=model)
    state = counter.create(Silent())
    counter.follow(state, [5], [1], Silent())
    with pytest.raises(InputError, match=sentence):
        counter.follow(state, elements, signs, Silent(), ends)
    assert counter.follow(state, [6], [1], Silent()) == pytest.approx([2.0], abs=1e-5)


@pytest.mark.parametrize("stream", [[(0, 2)], [(0,)], ["a"], [(-1, 1)], [(0.5, 1)], [(True, 1)]])
def test_a_whole_input_has_entries_and_no_ops(stream):
    counter = Presence(steps=3, rho=1.0)
    with pytest.raises(InputError, match="an entry"):
        counter.release(stream, Silent())
    assert counter.release(((0, 1), None, (0, -1)), Silent()) == pytest.approx([1.0, 1.0, 0.0], abs=1e-5)


def test_the_state_of_an_intrusion_is_not_changed_by_later_entries():
    counter = PanPrivateRunningCount(steps=4, rho=0.5)
    stream = ((0, 1), (0, 1), None, (0, 1))
    outputs, state = observed_of(counter, stream, Observed.STATE_AND_OUTPUT, NumpyRandomness(1), after=2)
    assert (len(outputs), state.time) == (4, 2)


@given(cut_streams())
def test_without_noise_the_outputs_are_the_numbers_of_events_in_any_parts(stream):
    counter = PanPrivateRunningCount(steps=len(stream[2]), rho=1.0)
    assert followed(counter, stream, Silent()) == [sum(stream[1][:end]) for end in stream[2]]


@pytest.mark.parametrize("steps", [1, 6, 13])
def test_the_noise_of_an_output_is_that_of_its_nodes(steps):
    counter = PanPrivateRunningCount(steps=steps, rho=0.5)
    randomness = NumpyRandomness(3)
    none = np.zeros(steps, dtype=int)
    states = [counter.create(randomness) for _ in range(3000)]
    outputs = np.array([counter.follow(state, none, none, randomness) for state in states])
    # The state holds no node that no later output uses.
    assert [bool(one) for one in states[0].closed] == [bool(steps >> level & 1) for level in range(counter.levels)]
    levels = int(np.log2(steps)) + 1
    expected = [
        sum(levels + (levels - 1) * (end - start > 1) for start, end in decomposition(time))
        for time in range(1, steps + 1)
    ]
    assert outputs.var(axis=0) == pytest.approx(expected, rel=0.15)
    assert counter.noise**2 == pytest.approx(max(expected))
    assert (np.abs(outputs).max(axis=1) <= counter.half_width(0.9)).mean() >= 0.88


AT_ONCE = tuple(name for name, factory in MEMBERS.items() if hasattr(factory, "release_many"))

ENTRIES = st.one_of(st.none(), st.tuples(st.integers(0, 2), st.sampled_from([1, -1])))


@dataclass
class Draws:
    """Standard normal numbers, kept, or those of one run given out again."""

    generator: np.random.Generator
    kept: list[Any] = field(default_factory=list)
    run: int | None = None

    def gaussian(self, location: Any = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        if self.run is not None:
            drawn = self.kept.pop(0)[self.run]
            assert np.shape(drawn) == (np.shape(location) if size is None else tuple(np.atleast_1d(size)))
        else:
            drawn = self.generator.standard_normal(np.shape(location) if size is None else size)
            self.kept.append(drawn)
        return location + scale * drawn


@pytest.mark.parametrize("name", AT_ONCE)
@given(stream=st.lists(ENTRIES, max_size=9), runs=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_a_run_of_many_is_a_single_run_on_its_own_draws(name: str, stream: list[Any], runs: int, seed: int) -> None:
    counter, draws = made(name), Draws(np.random.default_rng(seed))
    outputs = counter.release_many(tuple(stream), runs, draws)
    assert outputs.shape == (runs, len(stream))
    for run in range(runs):
        again = Draws(draws.generator, list(draws.kept), run)
        assert outputs[run].tolist() == counter.release(tuple(stream), again)
        assert not again.kept


@pytest.mark.parametrize("runs", [0, -1, 2**31 + 1, 1.5, True])
def test_a_number_of_runs_is_a_count(runs: Any) -> None:
    for stream, number in (((), runs), (((0, 1),) * 10, 2)):
        with pytest.raises(InputError):
            made("presence").release_many(stream, number, NumpyRandomness(0))


@pytest.mark.parametrize("name", ["presence", "turnstile-adaptive"])
def test_a_shipped_counter_is_audited_by_many_runs_where_it_makes_them(name: str) -> None:
    estimator = find_mechanism(name, parameters={"steps": 9, "rho": 0.5}).estimator
    assert isinstance(estimator, ManyWholeInputs) == is_shipped(estimator) == (name in AT_ONCE)
