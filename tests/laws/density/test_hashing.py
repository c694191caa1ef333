from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.lemmas.distinct_sampling import Sampler, joint_level_distribution

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
