from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.lemmas.hashing.distinct_sampling import Sampler
from pan_proofs.density.lemmas.hashing.linear_hash import joint_level_distribution
from pan_proofs.ledger import Role

VERDICTS = {
    "density.fm_hash": "PROVED_AMENDED",
    "density.ppds_privacy": "REFUTED",
    "density.ppds_error": "PROVED_AMENDED",
    "distinct_sampling.fixed_level": "PROVED",
}
few = settings(max_examples=30, deadline=None)
ratios = st.fractions(min_value=Fraction(11, 10), max_value=4, max_denominator=20)


def level_of(user, a, b, width):
    digits = format((a * user + b) % 2**width, f"0{width}b") if width else ""
    return len(digits) - len(digits.rstrip("0"))


def checked(level, members, levels, size):
    """The check of the listing, made once."""
    if len(members) < size:
        return level, members
    return level + 1, {user for user in members if not levels[user] <= level}


def outcomes(levels, stream, size, p, q, *, fixed=None):
    """Every outcome of the listing with its probability, by trying all sequences of coins."""
    users = len(levels)
    distribution = defaultdict(Fraction)
    for coins in itertools.product((True, False), repeat=users + len(stream)):
        level, members, chance = fixed or 0, set(), Fraction(1)
        for place, (coin, user) in enumerate(zip(coins, (*range(users), *stream), strict=True)):
            one = p if place < users else q
            # A coin that is not needed is tossed all the same: its two outcomes sum to 1.
            chance *= one if coin else 1 - one
            if user in members:
                members = members if coin else members - {user}
            else:
                members = members | {user} if coin and levels[user] >= level else members
                if fixed is None:
                    level, members = checked(level, members, levels, size)
        distribution[level, frozenset(members)] += chance
    return dict(distribution)


def all_levels(users):
    width = (users - 1).bit_length()
    for a in range(1, max(2, 2**width), 2):
        for b in range(2**width):
            yield tuple(level_of(user, a, b, width) for user in range(users))


def output(state, users, t):
    level, members = state
    return (Fraction(2**level * len(members), users) - (1 - t) / 2) / t


@pytest.mark.parametrize(("identifier", "verdict"), VERDICTS.items())
def test_the_verdicts_follow(identifier, verdict, entries):
    claim = entries[identifier].claim
    assert claim.verdict == verdict
    assert all(part.discharged for part in claim.parts)
    lines = [line for part in claim.parts for step in part.steps for line in step.lines]
    assert all(line.count("&") == 1 for line in lines)
    if verdict == "REFUTED":
        assert claim.nearby == "distinct_sampling.fixed_level"
        assert {part.role for part in claim.parts} >= {Role.COUNTEREXAMPLE}


@few
@given(st.integers(1, 7).flatmap(lambda q: st.tuples(st.just(q), *[st.integers(0, 2**q - 1)] * 3)))
def test_the_joint_distribution_of_two_levels_holds_for_each_odd_multiplier(case):
    width, u, v, half = case
    if u == v:
        v = (u + 1) % 2**width
    a = 2 * half + 1
    counts = defaultdict(int)
    for b in range(2**width):
        counts[level_of(u, a, b, width), level_of(v, a, b, width)] += 1
    valuation = next(k for k in range(width) if (u - v) % 2 ** (k + 1))
    assert {pair: Fraction(n, 2**width) for pair, n in counts.items()} == joint_level_distribution(width, valuation)


@few
@given(st.integers(1, 7).flatmap(lambda q: st.tuples(st.just(q), st.integers(0, 2 ** (q - 1) - 1), st.integers(0, q))))
def test_the_next_class_is_either_half_for_half_of_the_offsets(case):
    width, half, level = case
    level = min(level, width - 1)
    following = defaultdict(lambda: defaultdict(int))
    for b in range(2**width):
        levels = [level_of(user, 2 * half + 1, b, width) for user in range(2**width)]
        seen = tuple(tuple(u for u, own in enumerate(levels) if own >= k) for k in range(level + 2))
        following[seen[:-1]][seen[-1]] += 1
    assert len(following) == 2**level
    for seen, found in following.items():
        one, other = found
        assert sorted(one + other) == list(seen[-1])
        assert set(found.values()) == {2 ** (width - level - 1)}


@few
@given(ratios, st.sampled_from([(2, 2), (3, 2), (4, 2), (4, 3)]), st.lists(st.integers(0, 3), max_size=3), st.data())
def test_the_weight_of_each_user_has_the_mean_of_its_last_coin(ratio, case, stream, data):
    users, size = case
    stream = [user % users for user in stream]
    user = data.draw(st.integers(0, users - 1))
    hashes = list(all_levels(users))
    mean = sum(
        chance * 2**level
        for levels in hashes
        for (level, members), chance in outcomes(levels, stream, size, 1 / (1 + ratio), ratio / (1 + ratio)).items()
        if user in members
    ) / len(hashes)
    assert mean == (ratio if user in stream else 1) / (1 + ratio)


def test_an_even_multiplier_does_not_halve_the_class():
    counts = defaultdict(int)
    for b in range(4):
        counts[tuple(u for u in range(4) if level_of(u, 2, b, 2) >= 1)] += 1
    assert set(counts) == {(), (0, 1, 2, 3)}


def test_simulated_levels_of_a_large_universe_follow_the_distribution():
    rng = np.random.default_rng(1)
    width, runs = 20, 200_000
    a, b = 2 * rng.integers(0, 2 ** (width - 1), runs) + 1, rng.integers(0, 2**width, runs)
    values = (a * 12345 + b) % 2**width, (a * (12345 + 8) + b) % 2**width
    one, two = ([((value % 2 ** (k + 1)) == 0) for k in range(6)] for value in values)
    for k in range(3):
        expected = 2.0 ** -(k + 1)
        both = (one[k] & two[k]).mean()
        assert abs(both - expected) < 6 * math.sqrt(expected / runs)
    assert not (one[3] & two[3]).any()


@few
@given(st.integers(1, 5), st.data())
def test_the_variance_over_the_hash_function_is_that_over_the_classes(width, data):
    level = data.draw(st.integers(0, width))
    stream = set(data.draw(st.lists(st.integers(0, 2**width - 1))))
    number = 2 ** (width - level)
    estimates = []
    for a in range(1, 2**width, 2):
        for b in range(2**width):
            qualify = {u for u in range(2**width) if level_of(u, a, b, width) >= level}
            assert len(qualify) == number
            estimates.append(Fraction(len(qualify & stream), number))
    mean = sum(estimates) / len(estimates)
    densities = [Fraction(len({u for u in stream if u % 2**level == c}), number) for c in range(2**level)]
    density = Fraction(len(stream), 2**width)
    assert mean == density
    variance = sum(one**2 for one in estimates) / len(estimates) - mean**2
    assert variance == sum(one**2 for one in densities) / 2**level - density**2


def test_even_users_have_variance_one_quarter_and_simple_samples_the_stated_one():
    rng = np.random.default_rng(2)
    size, sampled, runs = 64, 16, 40_000
    appeared = np.arange(size) % 2 == 0
    simple = np.array([appeared[rng.choice(size, sampled, replace=False)].mean() for _ in range(runs)])
    stated = 1 / (4 * sampled) * (size - sampled) / (size - 1)
    assert abs(simple.var() - stated) < 0.05 * stated
    first = rng.integers(0, size // sampled, runs)
    systematic = np.array([appeared[start :: size // sampled].mean() for start in first])
    assert abs(systematic.var() - 0.25) < 0.005


@few
@given(ratios, st.sampled_from([(2, 1), (2, 2), (3, 2), (4, 2)]), st.lists(st.integers(0, 1), max_size=3), st.data())
def test_the_enumerator_agrees_with_all_sequences_of_coins(ratio, case, stream, data):
    users, size = case
    levels = data.draw(st.sampled_from(list(all_levels(users))))
    fixed = data.draw(st.sampled_from([None, 0, 1]))
    sampler = Sampler(users, size, ratio, fixed_level=fixed)
    distribution = {state: chance for state, chance in sampler.state_distribution(levels, stream).items() if chance}
    assert distribution == outcomes(levels, stream, size, 1 / (1 + ratio), ratio / (1 + ratio), fixed=fixed)


@few
@given(ratios, st.integers(1, 4), st.data())
def test_the_ratio_grows_with_every_appearance(ratio, users, data):
    size = data.draw(st.integers(1, users))
    levels = data.draw(st.sampled_from(list(all_levels(users))))
    others = frozenset(data.draw(st.permutations(range(1, users)))[: size - 1])
    p, q = 1 / (1 + ratio), ratio / (1 + ratio)
    seen = [outcomes(levels, (0,) * count, size, p, q)[0, others] for count in range(4)]
    assert [seen[0] / one for one in seen] == [(1 + ratio) ** count for count in range(4)]
    assert seen[0] / seen[1] > ratio
    assert seen[0] / seen[2] > ratio**2


@few
@given(ratios)
def test_bias_and_error_given_the_level_are_as_stated(ratio):
    t = (ratio - 1) / (ratio + 1)
    p, q = (1 - t) / 2, (1 + t) / 2
    for levels in all_levels(2):
        distribution = outcomes(levels, (), 2, p, q)
        zero = {state: chance for state, chance in distribution.items() if state[0] == 0}
        one = {state: chance for state, chance in distribution.items() if state[0] == 1 and chance}
        assert sum(one.values()) == (1 - t) ** 2 / 4
        bias = sum(chance * output(state, 2, t) for state, chance in zero.items()) / sum(zero.values())
        assert bias == -((1 - t) ** 2) / (2 * t * (3 - t))
        assert {output(state, 2, t) for state in one} == {(1 + t) / (2 * t)}
        assert ((1 + t) / (2 * t)) ** 2 > Fraction(1, 2) / (2 * t**2)


@settings(max_examples=12, deadline=None)
@given(ratios, st.sampled_from([(2, 2), (3, 2), (3, 3), (4, 2), (4, 3)]), st.lists(st.integers(0, 3), max_size=3))
def test_the_random_level_is_unbiased_over_all_randomness(ratio, case, stream):
    users, size = case
    stream = [user % users for user in stream]
    t = (ratio - 1) / (ratio + 1)
    hashes = list(all_levels(users))
    mean = sum(
        chance * output(state, users, t)
        for levels in hashes
        for state, chance in outcomes(levels, stream, size, (1 - t) / 2, (1 + t) / 2).items()
    ) / len(hashes)
    assert mean == Fraction(len(set(stream)), users)


def test_a_large_simulated_run_is_unbiased_over_all_randomness():
    rng = np.random.default_rng(3)
    width, size, runs, t = 5, 4, 20_000, 0.6
    users = 2**width
    stream = [3, 3, 4, 9, 9, 9, 17, 30, 1, 2]
    results = []
    for _ in range(runs):
        a, b = 2 * int(rng.integers(0, users // 2)) + 1, int(rng.integers(0, users))
        levels = [level_of(user, a, b, width) for user in range(users)]
        level, members = 0, set()
        coins = rng.random(users + len(stream))
        order = [(user, (1 - t) / 2) for user in range(users)] + [(user, (1 + t) / 2) for user in stream]
        for coin, (user, chance) in zip(coins, order, strict=True):
            if user in members:
                members = members if coin < chance else members - {user}
            elif levels[user] >= level:
                members = members | {user} if coin < chance else members
                level, members = checked(level, members, levels, size)
        results.append((2**level * len(members) / users - (1 - t) / 2) / t)
    expected = len(set(stream)) / users
    assert abs(np.mean(results) - expected) < 6 * np.std(results) / math.sqrt(runs)


@few
@given(st.integers(1, 6), st.integers(0, 6), ratios)
def test_mean_and_error_at_a_fixed_level_are_as_stated(number, appeared, ratio):
    appeared = min(appeared, number)
    t = (ratio - 1) / (ratio + 1)
    distribution = {0: Fraction(1)}
    for user in range(number):
        chance = (1 + t) / 2 if user < appeared else (1 - t) / 2
        following = defaultdict(Fraction)
        for ones, weight in distribution.items():
            following[ones] += weight * (1 - chance)
            following[ones + 1] += weight * chance
        distribution = following
    estimates = {ones: (Fraction(ones, number) - (1 - t) / 2) / t for ones in distribution}
    density = Fraction(appeared, number)
    assert sum(weight * estimates[ones] for ones, weight in distribution.items()) == density
    error = sum(weight * (estimates[ones] - density) ** 2 for ones, weight in distribution.items())
    assert error == (1 - t**2) / (4 * number * t**2)


def test_the_simulated_error_at_a_fixed_level_is_as_stated():
    rng = np.random.default_rng(4)
    number, appeared, epsilon, runs = 40, 10, 0.5, 400_000
    t = math.tanh(epsilon / 2)
    ones = rng.binomial(appeared, (1 + t) / 2, runs) + rng.binomial(number - appeared, (1 - t) / 2, runs)
    estimates = (ones / number - (1 - t) / 2) / t + rng.laplace(0, 1 / (number * epsilon), runs)
    squares = (estimates - appeared / number) ** 2
    stated = (1 - t**2) / (4 * number * t**2) + 2 / (number * epsilon) ** 2
    assert abs(squares.mean() - stated) < 6 * squares.std() / math.sqrt(runs)
    assert stated < 1 / (4 * number * t**2) + 2 / (number * epsilon) ** 2


@few
@given(st.floats(0.05, 3))
def test_the_calibrated_noise_keeps_the_joint_loss_below_twice_epsilon(epsilon):
    x = math.exp(epsilon)
    p, q = 1 / (1 + x), x / (1 + x)
    largest = 0.0
    # Densities of (bit seen, output y) over that of the noise at y, for appearances before and after the intrusion.
    for rho in (1 / x, 1.0, x):
        for bit in (0, 1):
            seen = []
            for before, after in itertools.product((False, True), repeat=2):
                chance = q if before else p
                one = q if after else float(bit)
                seen.append((chance if bit else 1 - chance) * (one * rho + 1 - one))
            largest = max(largest, max(seen) / min(seen))
    assert largest == pytest.approx(x * (x**2 + 1) / (x + 1))
    assert math.log(largest) < 2 * epsilon
