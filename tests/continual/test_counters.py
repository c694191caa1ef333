"""The counters of turnstile streams: what they follow, the distribution of their noise, and their sensitivity."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panproof
from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.decaying_noise import DecayingNoise, decaying_noise, factors
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.members import MEMBERS
from pan_estimators.continual.presence import Presence
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.square_root_counter import _Runs, squared_sensitivity
from pan_estimators.continual.tree_noise import TreeNoise, tree_noise, used_nodes
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError

LONGEST = 12
WITH_ONE_NOISE = [
    name for name in MEMBERS if name not in ("sparse-vector", "turnstile-adaptive", "turnstile-best-of-both")
]
"""The counters whose noise does not depend on the stream. The others have tests of their own."""


class Silent:
    """A source of randomness whose noise is 0."""

    def gaussian(self, location=0.0, scale=1.0, size=None):
        if np.ndim(location):
            return np.array(location, dtype=float)
        return float(location) if size is None else np.full(size, float(location))


class Given(Silent):
    """A source of randomness whose noise is given."""

    def __init__(self, noise):
        self.noise = np.asarray(noise, dtype=float)

    def gaussian(self, location=0.0, scale=1.0, size=None):
        count = int(np.prod(size))
        taken, self.noise = self.noise[:count], self.noise[count:]
        return location + taken


entries = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([1, -1, 0])), max_size=LONGEST)


@st.composite
def cut_streams(draw):
    """Elements, signs and ends of the steps, and the places where the stream is cut between steps."""
    stream = draw(entries)
    ends = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    ends.append(len(stream))
    cuts = sorted(draw(st.sets(st.integers(0, len(ends)), max_size=3)))
    return [entry[0] for entry in stream], [entry[1] for entry in stream], ends, cuts


def followed(counter, stream, randomness):
    """The outputs on a stream that comes in parts."""
    elements, signs, ends, cuts = stream
    state = counter.create(randomness)
    outputs = []
    bounds = [0, *cuts, len(ends)]
    for first, last in itertools.pairwise(bounds):
        start = ends[first - 1] if first else 0
        stop = ends[last - 1] if last else 0
        part = counter.follow(
            state,
            np.array(elements[start:stop], dtype=int),
            np.array(signs[start:stop], dtype=int),
            randomness,
            np.array(ends[first:last], dtype=int) - start,
        )
        outputs += part.tolist()
    return outputs


def vectors(stream, last_entry_decides=False):
    """The existence of each element after each step, from the definition."""
    elements, signs, ends, _ = stream
    found = {element: [] for element in range(3)}
    for end in ends:
        for element, vector in found.items():
            own = [sign for one, sign in zip(elements[:end], signs[:end], strict=True) if one == element and sign]
            vector.append(int((own[-1] if own else 0) > 0 if last_entry_decides else sum(own) > 0))
    return list(found.values())


def changes(vector):
    return [int(now != before) for before, now in itertools.pairwise([0, *vector])]


def kept(vector, bound):
    """The vector that keeps its value after so many changes."""
    counts = np.cumsum(changes(vector))
    return [vector[int(np.flatnonzero(counts == min(count, bound))[0])] if count else 0 for count in counts]


def zeroed(vector, bound):
    """The vector that is 0 once its flippancy exceeds the bound; the first step is no flip."""
    flips = np.cumsum([0, *changes(vector)[1:]])
    return [value if flip <= bound else 0 for value, flip in zip(vector, flips, strict=True)]


@given(cut_streams(), st.integers(1, 3))
def test_without_noise_the_outputs_are_the_counts_of_the_truncated_vectors(stream, bound):
    steps = len(stream[2])
    plain, last = vectors(stream), vectors(stream, last_entry_decides=True)
    total = {
        CalibratedTurnstile(steps=steps, rho=1.0, flippancy=bound): [kept(vector, bound) for vector in plain],
        TurnstileGivenFlippancy(steps=steps, rho=1.0, flippancy=bound): [zeroed(vector, bound) for vector in plain],
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


@given(cut_streams())
def test_parts_of_a_stream_give_the_outputs_of_the_whole(stream):
    steps = len(stream[2])
    for counter in (
        CalibratedTurnstile(steps=steps, rho=1.0, flippancy=1),
        TurnstileGivenFlippancy(steps=steps, rho=1.0, flippancy=1),
        TurnstileRecompute(steps=steps, rho=1.0, period=1),
        Presence(steps=steps, rho=1.0),
    ):
        whole = followed(counter, (*stream[:3], []), NumpyRandomness(1))
        assert followed(counter, stream, NumpyRandomness(1)) == pytest.approx(whole, rel=1e-12, abs=1e-12)


def right_entries(chosen, steps):
    """The entries of a column of the right factor."""
    places = np.arange(steps)
    pairs = zip(chosen.right_shares, chosen.right_distances, strict=True)
    return np.sum([share * (1 - distance) ** places for share, distance in pairs], axis=0)


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
    entries = right_entries(chosen, steps)
    right = np.array(
        [[entries[row - column] if row >= column else 0.0 for column in range(steps)] for row in range(steps)]
    )
    left = left_factor(steps)
    assert left @ right == pytest.approx(np.tril(np.ones((steps, steps))), abs=1e-12)
    assert chosen.squared_row(steps) == pytest.approx(np.sum(left[-1] ** 2))
    assert chosen.squared_column(steps) == pytest.approx(np.sum(right[:, 0] ** 2), rel=1e-8)
    assert chosen.squared_column(steps) >= np.sum(right[:, 0] ** 2)
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
    chosen = factors(steps)
    product = (chosen.squared_row(steps) * chosen.squared_column(steps)) ** 0.5
    assert square_root_squares(steps) * 0.999 <= product <= square_root_squares(steps) * 1.001


def test_the_squares_of_the_square_root_are_those_of_the_literature():
    assert square_root_squares(1024) == pytest.approx(3.27255, abs=1e-5)
    assert square_root_squares(65536) == pytest.approx(4.59644, abs=1e-5)


def alternating(steps, bound):
    """All vectors of bits that change at most so many times from 0."""
    for vector in itertools.product([0, 1], repeat=steps):
        if sum(changes(vector)) <= bound:
            yield np.diff([0, *vector])


@pytest.mark.parametrize(("steps", "bound"), [(1, 1), (4, 1), (5, 2), (6, 2), (6, 3), (7, 4), (7, 7), (8, 6)])
def test_no_pair_of_truncated_vectors_exceeds_the_sensitivity(steps, bound):
    chosen = factors(steps)
    entries = right_entries(chosen, steps)
    right = np.array(
        [[entries[row - column] if row >= column else 0.0 for column in range(steps)] for row in range(steps)]
    )
    images = np.array([right @ vector for vector in alternating(steps, bound)])
    most = max(float(np.sum((image - images) ** 2, axis=1).max()) for image in images)
    limit = squared_sensitivity(chosen, bound, steps)
    assert limit <= (4 * bound - 2) * chosen.squared_column(steps)
    assert most <= limit
    # The bound is that of a stream without an end.
    assert most >= 0.75 * limit
    counter = CalibratedTurnstile(steps=steps, rho=0.5, flippancy=bound)
    assert counter.noise == pytest.approx((limit * chosen.squared_row(steps)) ** 0.5, rel=1e-5)


def longest_distance(steps, bound):
    """The largest squared distance that a search over the ends of runs finds, from equal runs on."""
    entries = right_entries(factors(steps), steps)
    shifted = np.array([np.concatenate([np.zeros(begin), entries[: steps - begin]]) for begin in range(steps)])
    inner = np.pad(shifted @ shifted.T, (0, 1))
    weights = np.full(bound + 1, 2.0) * (-1.0) ** np.arange(bound + 1)
    weights[[0, -1]] /= 2

    def value(ends):
        return float(weights @ inner[np.ix_(ends, ends)] @ weights)

    best, ends = 0.0, np.linspace(0, steps, bound + 1).astype(int)
    while value(ends) > best:
        best = value(ends)
        for place, move in itertools.product(range(bound + 1), (-2, -1, 1, 2)):
            tried = ends.copy()
            tried[place] += move
            ordered = tried.min() >= 0 and tried.max() <= steps and (np.diff(tried) > 0).all()
            if ordered and value(tried) > value(ends):
                ends = tried
    return best


@pytest.mark.parametrize(
    ("steps", "bound"), [(60, 1), (400, 1), (60, 2), (60, 3), (200, 5), (200, 16), (300, 64), (64, 64)]
)
def test_the_sensitivity_is_nearly_attained(steps, bound):
    found = longest_distance(steps, bound)
    assert 0.93 * squared_sensitivity(factors(steps), bound, steps) <= found
    assert found <= squared_sensitivity(factors(steps), bound, steps)


@pytest.mark.parametrize("exponent", [10, 14, 20, 25, 31])
@pytest.mark.parametrize("changes", [1, 2, 4, 8, 16, 64, 256])
def test_the_noise_is_a_tenth_below_that_of_the_square_root_at_four_columns_for_each_change(exponent, changes):
    steps = min(2**exponent, 2**31 - 1)
    chosen = factors(steps)
    squared = squared_sensitivity(chosen, changes, steps) * chosen.squared_row(steps)
    assert squared <= 0.9**2 * 4 * changes * square_root_squares(steps) ** 2


def test_the_length_of_the_ends_is_the_best_one_for_any_number_of_runs():
    for steps, changes in [(2**20, 3), (2**20, 16), (2**31 - 1, 10**6), (2**31 - 1, 2**31 - 1), (3, 3)]:
        chosen = _Runs.of(factors(steps))
        tried = np.geomspace(1e-6 * steps / changes, 0.4999 * steps, 2000)
        values = [
            2 * chosen.end(end) + (changes - 2) * chosen.middle((steps - 2 * end) / (changes - 2)) for end in tried
        ]
        assert max(values) <= chosen.largest(changes, steps) <= max(values) * (1 + 1e-5)


@pytest.mark.parametrize("steps", [1, 2, 3, 8, 13])
def test_a_tree_sums_the_nodes_of_the_dyadic_decomposition(steps):
    rows = []
    for place in range(steps):
        rows.append(tree_noise(TreeNoise(), steps, 1.0, Given(np.eye(steps)[place])))
    sums = np.array(rows).T
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
    settings = {"flippancy": 2} if "flippancy" in MEMBERS[name].__dataclass_fields__ else {}
    counter = MEMBERS[name](steps=31, rho=0.5, **settings)
    randomness = NumpyRandomness(7)
    none = np.zeros(31, dtype=int)
    outputs = np.array([counter.follow(counter.create(randomness), none, none, randomness) for _ in range(4000)])
    deviations = outputs.std(axis=0)
    assert deviations.max() == pytest.approx(counter.noise, rel=0.06)
    within = np.abs(outputs).max(axis=1) <= counter.half_width(0.9)
    assert within.mean() >= 0.88


class Careless(TurnstileRecompute):
    """A counter with half of the noise."""

    @property
    def noise(self):
        return super().noise / 2


@pytest.mark.slow
def test_a_promise_is_kept_exactly_on_small_streams_and_not_with_less_noise():
    kept, broken = (
        panproof.check(made(steps=3, rho=0.5, period=1), users=1, length=3) for made in (TurnstileRecompute, Careless)
    )
    assert (str(kept.verdict), kept.loss) == ("NOT_REFUTED", pytest.approx(0.5))
    assert (str(broken.verdict), broken.loss) == ("REFUTED", pytest.approx(2.0))


@pytest.mark.more
@pytest.mark.parametrize("name", WITH_ONE_NOISE)
def test_every_counter_keeps_its_promise_on_small_streams(name):
    settings = {"flippancy": 1} if "flippancy" in MEMBERS[name].__dataclass_fields__ else {}
    result = panproof.check(MEMBERS[name](steps=3, rho=0.5, **settings), users=1, length=3)
    assert str(result.verdict) == "NOT_REFUTED"
    assert 0 < result.loss <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TurnstileRecompute(steps=0, rho=1.0), "number of steps must be between 1"),
        (lambda: TurnstileRecompute(steps=5, rho=0.0), "rho must be positive"),
        (lambda: TurnstileRecompute(steps=5, rho=float("nan")), "rho must be positive"),
        (lambda: TurnstileRecompute(steps=5, rho=1.0, model="strikt"), "did you mean"),
        (lambda: TurnstileRecompute(steps=5, rho=1.0, period=6), "the period must be between 1 and 5"),
        (lambda: TurnstileGivenFlippancy(steps=5, rho=1.0, flippancy=0), "bound on the flippancy must be at least 1"),
        (lambda: CalibratedTurnstile(steps=5, rho=1.0, flippancy=1.5), "bound on the flippancy must be a whole number"),
        (lambda: Presence(steps=2**31, rho=1.0), "number of steps must be between 1"),
        (lambda: Presence(steps=5, rho=1.0).half_width(1.0), "level of an interval"),
    ],
)
def test_a_parameter_out_of_range_is_refused(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("model", "elements", "signs", "ends", "sentence"),
    [
        (
            "strict",
            [0, 1],
            [1, -1],
            None,
            "strict model has no deletion of an absent element, got one of element 1 in entry 2",
        ),
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
def test_a_bad_entry_is_refused_and_changes_nothing(model, elements, signs, ends, sentence):
    counter = TurnstileRecompute(steps=3, rho=1.0, period=1, model=model)
    state = counter.create(Silent())
    counter.follow(state, [5], [1], Silent())
    with pytest.raises(InputError, match=sentence):
        counter.follow(state, elements, signs, Silent(), ends)
    assert counter.follow(state, [6], [1], Silent()).tolist() == [2.0]


@pytest.mark.parametrize("stream", [[(0, 2)], [(0,)], ["a"], [(-1, 1)], [(0.5, 1)], [(True, 1)]])
def test_a_whole_input_has_entries(stream):
    with pytest.raises(InputError, match="an entry"):
        Presence(steps=3, rho=1.0).release(stream, Silent())


def test_a_whole_input_may_have_no_ops():
    outputs = Presence(steps=3, rho=1.0).release(((0, 1), None, (0, -1)), Silent())
    assert outputs == pytest.approx([1.0, 1.0, 0.0], abs=1e-5)
