"""The calibrated estimators: what they draw, what they release, what they keep, and the loss of the code itself."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, chi2_contingency

from pan_estimators import (
    CalibratedCells,
    HashedUniverse,
    InputError,
    KeyedSample,
    ListedSample,
    NumpyRandomness,
    SecureRandomness,
    StateFileError,
    WholePopulation,
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_continual_output,
    calibrated_insert_delete,
    confidence_interval,
    create_estimator,
    distinct_count,
    dump_state,
    load_state,
    parse_state,
    save_state,
)
from pan_promises.exact_epsilon import LogFraction

FACTORIES = [
    calibrated_bernoulli,
    calibrated_insert_delete,
    calibrated_announced_intrusions,
    calibrated_continual_output,
]
NAMES = [factory.__name__.replace("_", "-") for factory in FACTORIES]


@pytest.fixture(params=FACTORIES, ids=NAMES)
def factory(request):
    return request.param


class Marker:
    """Noise that is not drawn: it remembers the count that it was added to, and what was done to the sum."""

    def __init__(self, count=0, shift=Fraction(0), factor=Fraction(1)):
        self.count, self.shift, self.factor = count, shift, factor

    def __radd__(self, count):
        assert type(count) is int
        return Marker(count)

    def __sub__(self, shift):
        return Marker(self.count, self.shift + Fraction(shift), self.factor)

    def __truediv__(self, factor):
        return Marker(self.count, self.shift, self.factor * Fraction(factor))


class Enumerating:
    """Random bits that follow a script; its probability is a fraction."""

    def __init__(self, script):
        self.script, self.used, self.probability, self.asked = script, 0, Fraction(1), 0

    def bernoulli(self, probability, size):
        bits = []
        for _ in range(size):
            bit = self.script[self.used] if self.used < len(self.script) else False
            self.used += 1
            self.probability *= Fraction(probability) if bit else 1 - Fraction(probability)
            bits.append(bit)
        return np.array(bits, dtype=bool)

    def keyed_sample(self, population, size):
        return ListedSample(population, np.arange(size))

    def two_sided_geometric(self, up, down, size):
        assert size == 1
        return np.array([Marker()], dtype=object)


def distribution(estimator, steps):
    """Distribution of the seen states and of the counts behind the outputs, over all scripts."""
    found = defaultdict(Fraction)
    pending = [()]
    while pending:
        script = pending.pop()
        randomness = Enumerating(script)
        seen, counts = play(estimator, steps, randomness)
        found[seen, counts] += randomness.probability
        for place in range(len(script), randomness.used):
            pending.append((*script, *[False] * (place - len(script)), True))
    assert sum(found.values()) == 1
    return found


def play(estimator, steps, randomness):
    state, seen, counts = estimator.create(randomness), [], []
    for step in steps:
        if step == "look":
            seen.append(tuple(state.cells.tolist()))
        elif step == "announce":
            seen.append(tuple(state.cells.tolist()))
            state = estimator.announce(state, randomness)
        elif step == "release":
            output = estimator.release(state, randomness)
            assert output.shift == Fraction(estimator.centre(state.announced))
            counts.append(output.count)
        else:
            user, deletes = step
            state = estimator.update(state, [user], randomness, **({"deletions": [True]} if deletes else {}))
    return tuple(seen), tuple(counts)


def densities(estimator, steps):
    """Exact probability of each observation: seen bits and noisy counts, up to the constant of the noise."""
    up, down = Fraction(estimator.up), Fraction(estimator.down)
    found, m = defaultdict(Fraction), estimator.sample_size
    for (seen, counts), probability in distribution(estimator, steps).items():
        for noisy in itertools.product(range(-1, m + 2), repeat=len(counts)):
            weight = probability
            for value, count in zip(noisy, counts, strict=True):
                weight *= up ** (value - count) if value >= count else down ** (count - value)
            found[seen, noisy] += weight
    return found


def worst_loss(estimator, schedule):
    """Over all pairs of streams that differ in one user, who does at most one thing in each gap."""
    things = [(), ((0, False),)] + ([((0, True),)] if estimator.deletions else [])
    others = ((), ((1, False),)) if estimator.universe.size > 1 else ((),)
    worst = Fraction(0)
    for other in itertools.product(others, repeat=len(schedule)):
        distributions = []
        for own in itertools.product(things, repeat=len(schedule)):
            gaps = zip(own, other, schedule, strict=True)
            distributions.append(
                densities(estimator, [item for mine, theirs, event in gaps for item in (*mine, *theirs, event)])
            )
        for observation in distributions[0]:
            values = [found[observation] for found in distributions]
            worst = max(worst, max(values) / min(values))
    return math.log(worst)


@pytest.mark.parametrize("size", [1, 2])
def test_the_loss_of_the_code_is_the_promise(size):
    basic = calibrated_bernoulli(universe=size, epsilon=0.7, sample_size=size)
    assert worst_loss(basic, ("look", "release")) == pytest.approx(1.4, rel=1e-9)
    both = calibrated_insert_delete(universe=size, epsilon=0.7, sample_size=size)
    assert worst_loss(both, ("look", "release")) == pytest.approx(1.4, rel=1e-9)
    noticed = calibrated_announced_intrusions(universe=size, epsilon=0.7, sample_size=size)
    assert worst_loss(noticed, ("announce", "look", "release")) == pytest.approx(2.1, rel=1e-9)
    several = calibrated_continual_output(universe=1, epsilon=0.7, sample_size=1)
    losses = [worst_loss(several, order) for order in (("look", "release", "release"), ("release", "look", "release"))]
    assert max(losses) == pytest.approx(1.4, rel=1e-9)
    assert max(losses) <= 1.4


def test_the_promises_of_the_parts_are_their_losses():
    basic = calibrated_bernoulli(universe=1, epsilon=0.7, sample_size=1)
    assert worst_loss(basic, ("look",)) == pytest.approx(basic.promise_of_state.epsilon, rel=1e-9)
    assert worst_loss(basic, ("release",)) == pytest.approx(basic.promise_of_output.epsilon, rel=1e-9)
    noticed = calibrated_announced_intrusions(universe=1, epsilon=0.7, sample_size=1)
    assert worst_loss(noticed, ("announce", "look")) == pytest.approx(noticed.promise_of_state.epsilon, rel=1e-9)


def test_the_loss_of_a_smaller_noise_would_exceed_the_promise():
    from dataclasses import replace

    basic = calibrated_bernoulli(universe=1, epsilon=0.7, sample_size=1)
    weaker = replace(basic, calibration=replace(basic.calibration, up=basic.up * 0.99, down=basic.down * 0.99))
    assert worst_loss(weaker, ("look", "release")) > 1.4 + 1e-3


def test_promises_say_what_is_promised():
    budget = LogFraction(Fraction(3, 2))
    assert calibrated_bernoulli(universe=9, epsilon=budget, sample_size=5).promise.epsilon == 2 * budget
    noticed = calibrated_announced_intrusions(universe=9, epsilon=0.5, sample_size=5, announced=3)
    assert (noticed.promise.epsilon, noticed.promise.announced, noticed.announced) == (2.5, 3, 3)
    several = calibrated_continual_output(universe=9, epsilon=0.5, sample_size=5, outputs=5)
    assert (several.promise.epsilon, several.promise.outputs) == (1.0, 5)
    assert "5 outputs" in several.promise.describe()


@pytest.mark.more
def test_outputs_are_unbiased_with_the_stated_variance(factory):
    estimator, randomness = factory(universe=200, epsilon=0.6, sample_size=80), NumpyRandomness(11)
    present, runs = np.arange(120), 5000
    errors, squares = np.empty(runs), np.empty(runs)
    for number in range(runs):
        state = estimator.update(estimator.create(randomness), present, randomness)
        sampled = (estimator.sampled_users(state) < 120).mean()
        errors[number] = estimator.release(state, randomness) - sampled
        squares[number] = errors[number] ** 2 / estimator.statements[1].value(sampled, 80)
    assert isinstance(estimator.release(estimator.create(randomness), randomness), float)
    assert abs(errors.mean()) < 5 * errors.std() / math.sqrt(runs)
    assert abs(squares.mean() - 1) < 5 * squares.std() / math.sqrt(runs)
    worst = max(estimator.statements[1].value(density, 80) for density in (0.0, 1.0))
    if not estimator.announced:
        assert estimator.calibration.squared_error(80) == pytest.approx(worst)


def test_users_from_before_and_after_an_announced_intrusion_weigh_the_same():
    estimator = calibrated_announced_intrusions(universe=60, epsilon=1.5, sample_size=60, announced=2)
    randomness, runs = NumpyRandomness(12), 4000
    for first in (0, 30, 60):
        outputs = []
        for _ in range(runs):
            state = estimator.update(estimator.create(randomness), np.arange(first), randomness)
            state = estimator.announce(state, randomness)
            state = estimator.update(state, np.arange(first, 60), randomness)
            outputs.append(estimator.release(estimator.announce(state, randomness), randomness))
        assert abs(np.mean(outputs) - 1) < 5 * np.std(outputs) / math.sqrt(runs)
    state = estimator.announce(estimator.announce(estimator.create(randomness), randomness), randomness)
    with pytest.raises(InputError, match="nothing after more than 2 announced intrusions"):
        estimator.announce(state, randomness)
    with pytest.raises(InputError, match="nothing after more than 0"):
        calibrated_bernoulli(universe=4, epsilon=0.5, sample_size=2).announce(state, randomness)


@pytest.mark.more
def test_a_batch_and_single_updates_have_one_distribution():
    ids = np.array([3, 2, 3, 5, 2, 3])
    deletions = np.array([False, False, True, False, True, False])
    small = calibrated_insert_delete(universe=8, epsilon=1.0, sample_size=4)
    randomness, runs = NumpyRandomness(13), 6000
    counts = np.zeros((2, 16))
    for batch in (0, 1):
        for _ in range(runs):
            state = small.create(randomness)
            cuts = [slice(0, 6)] if batch else [slice(i, i + 1) for i in range(6)]
            for cut in cuts:
                state = small.update(state, ids[cut], randomness, deletions=deletions[cut])
            counts[batch, int(np.packbits(state.cells, bitorder="little")[0])] += 1
    assert chi2_contingency(counts).pvalue > 1e-5


@pytest.mark.parametrize("flags", [None, [False, False, False, True, False]])
def test_only_sampled_users_who_are_touched_are_drawn_again(flags):
    estimator = calibrated_insert_delete(universe=10**6, epsilon=20.0, sample_size=500)
    state = estimator.create(NumpyRandomness(14))
    members = estimator.sampled_users(state)
    assert not state.cells.any()  # at this budget a bit is wrong once in a thousand million times
    ids = [int(members[3]), 1 + int(members[3]), int(members[8]), int(members[3]), int(members[9])]
    flags = None if flags is None else np.array(flags)
    state = estimator.update(state, ids, NumpyRandomness(15), deletions=flags)
    expected = {3, 8, 9} if flags is None else {8, 9}
    if 1 + members[3] not in members:
        assert set(np.flatnonzero(state.cells)) == expected


def test_the_dense_and_the_sparse_way_touch_the_same_cells():
    estimator = calibrated_bernoulli(universe=1000, epsilon=20.0, sample_size=300)
    ids = np.random.default_rng(16).integers(0, 1000, 900)
    dense, sparse = (estimator.create(NumpyRandomness(17)) for _ in range(2))
    dense = estimator.update(dense, ids, NumpyRandomness(18))
    for part in np.array_split(ids, 30):
        sparse = estimator.update(sparse, part, NumpyRandomness(19))
    assert dense.cells.tolist() == sparse.cells.tolist()
    assert dense.cells.sum() == np.isin(estimator.sampled_users(dense), ids).sum()


def test_the_state_is_bits_and_a_key():
    part = calibrated_bernoulli(universe=2**62, epsilon=0.5, sample_size=8000)
    state = part.create(NumpyRandomness(20))
    assert isinstance(state.sample, KeyedSample)
    assert part.state_bits == 8000 + 128
    assert len(dump_state(part, state)) < 1000 + 16 + 600
    whole = calibrated_bernoulli(universe=8000, epsilon=0.5, sample_size=8000)
    assert isinstance(whole.create(NumpyRandomness(20)).sample, WholePopulation)
    assert whole.state_bits == 8000


@pytest.mark.parametrize("universe", [50, 7, 2**62, HashedUniverse(10**6, b"0123456789abcdef")])
def test_a_state_survives_its_file(factory, universe, tmp_path):
    estimator = factory(universe=universe, epsilon=0.5, sample_size=7)
    state = estimator.update(estimator.create(NumpyRandomness(1)), [1, 2], NumpyRandomness(2))
    state = estimator.announce(state, NumpyRandomness(3)) if estimator.announced else state
    save_state(tmp_path / "state", estimator, state)
    found, loaded = load_state(tmp_path / "state", estimator)
    assert isinstance(found, CalibratedCells)
    assert (found.to_dict(), found.calibration) == (estimator.to_dict(), estimator.calibration)
    assert (loaded.sample, loaded.cells.tolist(), loaded.announced) == (
        state.sample,
        state.cells.tolist(),
        state.announced,
    )
    outputs = [
        estimator.release(estimator.update(each, [3], NumpyRandomness(4)), NumpyRandomness(5))
        for each in (state, loaded)
    ]
    assert outputs[0] == outputs[1]
    assert pickle.loads(pickle.dumps(estimator)) == estimator


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda state: setattr(state, "cells", state.cells[:-1]), "has 6 values of type bool, where there must be 7"),
        (lambda state: setattr(state, "announced", 1), "between 0 and 0"),
        (lambda state: setattr(state, "sample", ListedSample(30, np.arange(6))), "has 6 values of type int64, where"),
    ],
)
def test_a_file_that_is_no_state_of_the_estimator_is_refused(change, words):
    estimator = calibrated_bernoulli(universe=30, epsilon=0.5, sample_size=7)
    state = estimator.create(NumpyRandomness(1))
    change(state)
    with pytest.raises(StateFileError, match=words):
        parse_state(dump_state(estimator, state))


def test_secure_randomness_serves_as_well(factory):
    estimator, randomness = factory(universe=HashedUniverse(100), epsilon=20.0, sample_size=50), SecureRandomness()
    state = estimator.update(estimator.create(randomness), [f"user {i}" for i in range(60)], randomness)
    occupied = np.unique(estimator.universe.encode([f"user {i}" for i in range(60)]))
    sampled = np.isin(estimator.sampled_users(state), occupied).mean()
    assert estimator.release(state, randomness) == pytest.approx(sampled, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 0.0}, "between 0.001 and 20 here, got 0.0"),
        ({"epsilon": 21.0}, "between 0.001 and 20"),
        ({"sample_size": 11}, "between 1 and 10 .the size of the universe., got 11"),
        ({"sample_size": 2.5}, "whole number, got 2.5"),
        ({"universe": 0}, "the universe size must be"),
    ],
)
def test_bad_configurations_get_one_clear_sentence(factory, arguments, words):
    with pytest.raises(InputError, match=words):
        factory(**{"universe": 10, "epsilon": 0.3, "sample_size": 5, **arguments})


def test_further_parameters_are_checked_and_kept():
    with pytest.raises(InputError, match="outputs must be between 2 and 8"):
        calibrated_continual_output(universe=10, epsilon=0.3, sample_size=5, outputs=9)
    with pytest.raises(InputError, match="announced intrusions must be between 1 and 4"):
        calibrated_announced_intrusions(universe=10, epsilon=0.3, sample_size=5, announced=0)
    estimator = create_estimator("calibrated-continual-output", universe=10, epsilon=0.3, sample_size=5, outputs=3)
    assert estimator.to_dict()["outputs"] == 3
    state = calibrated_bernoulli(universe=10, epsilon=0.3, sample_size=5).create(NumpyRandomness(1))
    with pytest.raises(InputError, match="has no deletions"):
        calibrated_bernoulli(universe=10, epsilon=0.3, sample_size=5).update(
            state, [1], NumpyRandomness(1), deletions=[True]
        )


@pytest.mark.parametrize(("users", "m", "present"), [(60, 60, 25), (60, 30, 60), (200, 80, 120)])
def test_each_end_of_an_interval_misses_with_at_most_half_of_the_stated_probability(users, m, present):
    estimator, randomness = calibrated_bernoulli(universe=users, epsilon=0.8, sample_size=m), NumpyRandomness(21)
    known, low, high, runs = {}, 0, 0, 1500
    for _ in range(runs):
        state = estimator.update(estimator.create(randomness), np.arange(present), randomness)
        released = estimator.release(state, randomness)
        if released not in known:
            known[released] = confidence_interval(estimator, released, level=0.8)
        low += known[released].count_low > present
        high += known[released].count_high < present
    for missed, clipped in ((low, present == users), (high, False)):
        assert binomtest(missed, runs, 0.1, alternative="greater").pvalue > 1e-6
        assert clipped or missed / runs > 0.03  # outputs are integers, so that some of the 10% is lost
    assert distinct_count(estimator, 0.5) == users / 2


def test_the_interval_is_narrower_than_the_published_one_as_the_errors_say():
    ours, theirs = (
        confidence_interval(create_estimator(name, universe=10**6, epsilon=0.2, sample_size=5000), 0.4)
        for name in ("calibrated-bernoulli", "optimal-bernoulli")
    )
    width = (ours.density_high - ours.density_low) / (theirs.density_high - theirs.density_low)
    assert width == pytest.approx(math.sqrt(0.3822), abs=0.02)
