"""Losses of published and calibrated estimators: exact listings, simulated runs, and the estimators' own numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import calibrate_symmetric
from pan_estimators.density.cell_loss import noise_limits, worst_ratio
from pan_proofs.density.claims.calibrated.optimal_split import CASES, ERROR, S, m, near, published_error
from pan_proofs.density.claims.calibrated.optimal_split import E as E_SPLIT
from pan_proofs.density.lemmas.flipped_bits import joint_ratio as announced_ratio
from pan_proofs.density.lemmas.flipped_bits import least_noise, pairs_after
from pan_proofs.density.lemmas.joint_loss import (
    FIRST,
    LIMITS,
    SECOND,
    WITH_DELETIONS,
    A,
    B,
    E,
    joint_ratio,
    limit,
    p0,
    p1,
    q1,
    r,
)
from pan_proofs.density.lemmas.published_events import (
    AFTER,
    BEFORE,
    BOTH,
    COIN,
    EXAMPLE,
    NEVER,
    PAIR,
    added_appearance,
    probability,
)
from pan_proofs.ledger.notation import epsilon

_few = settings(max_examples=30, deadline=None)
_chances = st.lists(
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), min_size=2, max_size=2, unique=True
)
_rates = st.fractions(Fraction(11, 10), 20, max_denominator=10)
_odds = st.fractions(Fraction(11, 10), 9, max_denominator=10)
_flips = st.fractions(Fraction(1, 20), Fraction(9, 20), max_denominator=20)


def exact(expression, **values):
    found = expression.subs({p0: values["low"], p1: values["high"], limit: values["rate"]})
    return Fraction(int(found.p), int(found.q))


def densities(low, high, ratios, updates):
    """By hand: for every pattern, what a seen bit and an output of each ratio weigh."""
    table = {}
    for before, after in product(updates, repeat=2):
        one = {"none": low, "insert": high, "delete": low}[before]
        final = {"insert": high, "delete": low}.get(after)
        for bit, rho in product((0, 1), ratios):
            chance = one if bit else 1 - one
            last = bit if final is None else final
            table.setdefault((before, after), []).append(chance * (last * rho + (1 - last)))
    return table


def largest(table, allowed=lambda one, other: True):
    pairs = (pair for pair in permutations(table, 2) if allowed(*pair))
    return max(x / y for one, other in pairs for x, y in zip(table[one], table[other], strict=True))


def nested(one, other):
    return all(b != "none" or a == "none" for a, b in zip(one, other, strict=True)) or all(
        a != "none" or b == "none" for a, b in zip(one, other, strict=True)
    )


@_few
@given(_chances, _rates)
def test_the_joint_loss_is_what_listing_all_patterns_finds(chances, rate):
    low, high = sorted(chances)
    values = {"low": low, "high": high, "rate": rate}
    table = densities(low, high, (rate, 1 / rate), ("none", "insert"))
    assert largest(table) == max(exact(FIRST, **values), exact(SECOND, **values))
    deleted = densities(low, high, (rate, 1 / rate), ("none", "insert", "delete"))
    assert largest(deleted) == max(exact(FIRST, **values), exact(WITH_DELETIONS, **values))
    third = exact(B / (q1 + p1 / limit), **values)
    assert largest(table, nested) == max(exact(q1 + p1 * limit, **values), exact(SECOND, **values), third)
    single = largest(table, lambda one, other: sum(a != b for a, b in zip(one, other, strict=True)) == 1)
    event = (exact(one, **values) for one in (A, B, q1 + p1 * limit, p1 + q1 * limit))
    assert single == max(event)


@_few
@given(_chances, st.fractions(Fraction(21, 20), 5, max_denominator=20))
def test_the_limits_of_the_noise_are_those_of_the_estimators(chances, excess):
    low, high = sorted(chances)
    total = max(high / low, (1 - low) / (1 - high)) * excess
    found = {
        name: Fraction(int(value.p), int(value.q))
        for name, one in LIMITS.items()
        for value in [one.subs({p0: low, p1: high, sp.Symbol("S", real=True): total})]
    }
    up, down = noise_limits(low, high, total)
    assert up == max(found["zero_high"], found["one_high"])
    assert down == max(found["one_low"], found["zero_low"])
    assert worst_ratio([(low, high)], up=up, down=down) == total


@_few
@given(_odds, _rates, st.integers(1, 5), st.booleans())
def test_several_outputs_lose_what_the_closed_form_says(odds, rate, outputs, deletions):
    pair = (1 / (1 + odds), odds / (1 + odds))
    stated = joint_ratio(sp.Integer(outputs)).subs({E: odds, r: rate})
    found = worst_ratio([pair], up=1 / rate, down=1 / rate, releases=outputs, deletions=deletions)
    assert found == Fraction(int(stated.p), int(stated.q))


@_few
@given(_odds, _flips, _rates, st.integers(0, 3))
def test_announced_intrusions_lose_what_the_recursion_says(odds, flip, rate, announced):
    pairs = pairs_after(odds, flip, announced)
    found = worst_ratio(pairs, up=1 / rate, down=1 / rate, flip=flip)
    assert found == announced_ratio(odds, flip, announced, rate)
    total = found * Fraction(6, 5)
    noise = least_noise(odds, flip, announced, total)
    assert noise > 1
    assert announced_ratio(odds, flip, announced, noise) == total


@pytest.mark.parametrize(("pair", "at"), [(COIN, sp.Rational(1, 2)), (PAIR, EXAMPLE), (COIN, sp.S.One)])
def test_the_events_of_the_counterexamples_have_their_probabilities_in_simulation(pair, at):
    generator, runs = np.random.default_rng(11), 400_000
    low, high = (float(one.subs(epsilon, at)) for one in pair)
    for pattern, bit, above in ((AFTER, 0, True), (BEFORE, 0, True), (BOTH, 1, False), (NEVER, 1, False)):
        before, after = ("none" not in str(one) for one in pattern)
        seen = generator.random(runs) < (high if before else low)
        final = generator.random(runs) < high if after else seen
        output = (final - low) / (high - low) + generator.laplace(0, 1 / float(at), runs)
        beyond = output > (1 - low) / (high - low) if above else output < -low / (high - low)
        frequency = float(np.mean((seen == bool(bit)) & beyond))
        stated = float(probability(pair, pattern, bit, above=above).subs(epsilon, at))
        assert abs(frequency - stated) < 6 * math.sqrt(stated * (1 - stated) / runs) + 1e-9


@pytest.mark.parametrize(("total", "size", "quoted"), [(*CASES[0], 0.3984), (*CASES[1], 0.4051)])
def test_the_best_split_is_what_the_estimators_find(total, size, quoted):
    found = calibrate_symmetric(float(total), size)
    low, high = (float(one) for one in near(total, size))
    p_init, p_upd = found.pairs[0].p_init, found.pairs[0].p_upd
    assert low * (1 - 1e-3) < p_upd / p_init < high * (1 + 1e-3)
    published = float(published_error(total, sp.Integer(size)))
    least = float(ERROR.subs({E_SPLIT: (low + high) / 2, S: math.exp(total), m: size}))
    assert least / published == pytest.approx(quoted, abs=1e-4)
    assert found.squared_error(size) == pytest.approx(least, rel=1e-6)


_ends = st.fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40)
_ratios = st.fractions(Fraction(11, 10), 60, max_denominator=20)


def _weight(pair, appears, seen, rho):
    """Density of a seen bit and an output over the noise's, by going through all draws of one user's bit."""
    total = Fraction(0)
    for draws in product((0, 1), repeat=3):
        at_intrusion = draws[1] if appears[0] else draws[0]
        final = draws[2] if appears[1] else at_intrusion
        if at_intrusion == seen:
            chances = (one if bit else 1 - one for bit, one in zip(draws, (pair[0], pair[1], pair[1]), strict=True))
            total += math.prod(chances) * (rho if final else 1)
    return total


def _enumerated(pair, rate):
    patterns = tuple(product((False, True), repeat=2))
    return max(
        _weight(pair, one, seen, rho) / _weight(pair, other, seen, rho)
        for one, other in product(patterns, repeat=2)
        for seen in (0, 1)
        for rho in (1 / rate, rate)
    )


@_few
@given(_ends, _ends, _ratios, st.lists(st.tuples(_ends, st.integers(-3, 4)), min_size=1, max_size=4))
def test_what_others_add_makes_no_ratio_larger(one, other, rate, others):
    pair = (min(one, other), max(one, other))
    largest = _enumerated(pair, rate)

    def mixed(appears, seen):
        # An output at 0 and two-sided geometric noise: others add k with some weight.
        terms = ((w * rate ** -abs(k), rate ** (abs(k) - abs(k + 1))) for w, k in others)
        return sum(size * _weight(pair, appears, seen, rho) for size, rho in terms)

    patterns = tuple(product((False, True), repeat=2))
    for first, second in product(patterns, repeat=2):
        for seen in (0, 1):
            assert mixed(first, seen) <= largest * mixed(second, seen)


def test_the_hand_example_of_the_tanh_pair_is_exact():
    factor = Fraction(3, 2)
    gap = (factor - 1) / (factor + 1)
    pair = ((1 - gap) / 2, (1 + gap) / 2)
    rate = factor ** int(1 / gap)
    ratio = _weight(pair, (False, True), 0, rate) / _weight(pair, (True, False), 0, rate)
    assert gap == Fraction(1, 5)
    assert ratio == Fraction(2379, 320) == _enumerated(pair, rate) > factor**2


def _shown(pair, rate, updates):
    """By all draws of two sampled users, u first: the bit of u seen as 0, the output above both, over the tail "
    "there."""
    total = Fraction(0)
    for start in product((0, 1), repeat=2):
        for drawn in product((0, 1), repeat=len(updates)):
            bits, seen_zero = list(start), False
            chance = math.prod(pair[0] if bit else 1 - pair[0] for bit in start)
            for number, (user, bit) in enumerate(zip(updates, drawn, strict=True)):
                bits[user] = bit
                chance *= pair[1] if bit else 1 - pair[1]
                if number == 0:
                    seen_zero = bits[0] == 0
            total += seen_zero * chance / rate ** (2 - sum(bits))
    return total


@_few
@given(_ends, _ends, _ratios)
def test_one_more_appearance_after_the_intrusion_has_the_stated_ratio(one, other, rate):
    pair = (min(one, other), max(one, other))
    ratio = _shown(pair, rate, (1, 0)) / _shown(pair, rate, (1,))
    assert ratio == 1 - pair[1] + pair[1] * rate


@pytest.mark.parametrize(("pair", "at"), [(COIN, sp.Rational(1, 2)), (COIN, sp.S.One), (PAIR, EXAMPLE)])
def test_the_probabilities_of_the_lead_events_are_those_of_simulated_runs(pair, at):
    source, runs = np.random.default_rng(5), 500_000
    before, after = (float(one.subs(epsilon, at)) for one in pair)
    for stream, stated in zip(((1, 0), (1,)), added_appearance(pair), strict=True):
        bits = source.random((2, runs)) < before
        looks = []
        for user in stream:
            bits[user] = source.random(runs) < after
            looks.append(bits[0].copy())
        output = (bits.mean(axis=0) - before) / (after - before) + source.laplace(0, 1 / (float(at) * 2), runs)
        frequency = float(np.mean(~looks[0] & (output > (1 - before) / (after - before))))
        expected = float(stated.subs(epsilon, at))
        assert abs(frequency - expected) < 6 * math.sqrt(expected * (1 - expected) / runs)


def test_the_hand_example_of_the_coin_breaks_the_promise():
    pair = (Fraction(1, 2), Fraction(5, 8))
    ratio = _weight(pair, (False, True), 0, Fraction(54)) / _weight(pair, (True, False), 0, Fraction(54))
    assert ratio == Fraction(91, 2) > 3
