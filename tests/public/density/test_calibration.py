"""The tight loss is that of brute force, and calibrated parameters use up the promise and no more."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from pan_estimators import InputError, calibrate_basic, calibrate_symmetric, tight_joint_loss
from pan_estimators.density.calibration import noise_variance
from pan_estimators.density.cell_loss import noise_limits, worst_ratio


def ratio_of_all_patterns(pairs, up, down, flip, deletions, releases):
    """The worst ratio by listing schedules, outputs, seen bits and patterns, one by one."""
    last, worst = len(pairs) - 1, Fraction(0)
    for looks in itertools.combinations(range(last + releases), last + 1):
        events = ["look" if place in looks else "release" for place in range(last + releases)] + ["release"]
        patterns = list(itertools.product((None, 1, 0) if deletions else (None, 1), repeat=len(events)))
        for seen in itertools.product((0, 1), repeat=last + 1):
            for weights in itertools.product(((up, 1), (1, down)), repeat=releases):
                found = [likelihood(events, pattern, seen, weights, pairs, flip) for pattern in patterns]
                worst = max(worst, max(found) / min(found))
    return worst


def likelihood(events, pattern, seen, weights, pairs, flip):
    zero, one = 1 - pairs[0][0], pairs[0][0]
    looks, releases = 0, iter(weights)
    for drawn, event in zip(pattern, events, strict=True):
        if drawn is not None:
            p = pairs[min(looks, len(pairs) - 1)][drawn]
            zero, one = (1 - p) * (zero + one), p * (zero + one)
        if event == "release":
            of_zero, of_one = next(releases)
            zero, one = zero * of_zero, one * of_one
            continue
        zero, one = (0, one) if seen[looks] else (zero, 0)
        looks += 1
        if looks < len(pairs):
            zero, one = (1 - flip) * zero + flip * one, flip * zero + (1 - flip) * one
    return zero + one


def random_pairs(generator, count):
    pairs = []
    for _ in range(count):
        low, high = sorted(generator.choice(np.arange(1, 31), 2, replace=False).tolist())
        pairs.append((Fraction(low, 31), Fraction(high, 31)))
    return pairs


@pytest.mark.parametrize(
    ("announced", "releases", "deletions"),
    [(0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1), (2, 1, 0), (0, 2, 0), (0, 2, 1), (0, 3, 0), (1, 2, 0)],
)
def test_the_loss_is_that_of_all_pairs_of_patterns(announced, releases, deletions):
    generator = np.random.default_rng([announced, releases, deletions])
    for _ in range(2):
        pairs = random_pairs(generator, announced + 1)
        up, down, flip = (Fraction(int(generator.integers(1, 10)), 20 if last else 10) for last in (False, False, True))
        expected = ratio_of_all_patterns(pairs, up, down, flip, deletions, releases)
        noise = {"up": up, "down": down, "flip": flip}
        assert worst_ratio(pairs, **noise, deletions=bool(deletions), releases=releases) == expected
        doubles = [tuple(map(float, pair)) for pair in pairs]
        noise = {name: float(value) for name, value in noise.items()}
        loss = tight_joint_loss(doubles, **noise, deletions=bool(deletions), releases=releases)
        assert loss == pytest.approx(math.log(expected), rel=1e-12)


def test_parts_of_what_is_seen():
    pairs = [(0.3, 0.6)]
    assert tight_joint_loss(pairs, up=0.5, down=0.5, releases=0) == pytest.approx(math.log(2))
    expected = math.log(max((0.4 + 0.6 * 2) / (0.7 + 0.3 * 2), (0.7 + 0.3 / 2) / (0.4 + 0.6 / 2)))
    assert tight_joint_loss(pairs, up=0.5, down=0.5, sees_state=False) == pytest.approx(expected)


def published(epsilon, m):
    return 1 / (4 * m * math.sinh(epsilon / 2) ** 2) + 2 / (m * epsilon) ** 2


@pytest.mark.parametrize(
    ("epsilon", "m", "free", "symmetric"), [(0.2, 5000, 0.3822, 0.3984), (0.5, 1000, 0.3768, 0.4051)]
)
def test_errors_relative_to_the_published_estimator(epsilon, m, free, symmetric):
    assert calibrate_basic(promise_epsilon=2 * epsilon, sample_size=m).squared_error(m) / published(
        epsilon, m
    ) == pytest.approx(free, abs=1e-4)
    found = calibrate_symmetric(2 * epsilon, m).squared_error(m) / published(epsilon, m)
    assert found == pytest.approx(symmetric, abs=1e-4)


def test_no_other_pair_with_its_own_best_noise_has_less_error():
    for epsilon, m in ((0.05, 10), (0.2, 5000), (1.0, 50), (3.0, 10**6)):
        least = calibrate_basic(promise_epsilon=2 * epsilon, sample_size=m).squared_error(m)
        generator = np.random.default_rng(5)
        shares = generator.random((20_000, 2)) * 2 * epsilon
        p_init = np.expm1(shares[:, 1]) / np.expm1(shares.sum(axis=1))
        p_upd = np.exp(shares[:, 0]) * p_init
        with np.errstate(all="ignore"):
            up, down = noise_limits(p_init, p_upd, math.exp(2 * epsilon))
            cells = np.maximum(p_init * (1 - p_init), p_upd * (1 - p_upd))
            errors = (cells / m + noise_variance(up, down) / m**2) / (p_upd - p_init) ** 2
        errors = errors[(up < 1) & (down < 1)]
        assert least <= errors.min() * (1 + 1e-9)
        assert least >= 0.97 * errors.min()


def holds_and_is_used_up(found, total, *, deletions=False, releases=1):
    """In fractions for the very doubles; ``exp(total)`` is enclosed by its series."""
    exact = [(Fraction(cells.p_init), Fraction(cells.p_upd)) for cells in found.pairs]
    noise = {"up": Fraction(found.up), "down": Fraction(found.down), "flip": Fraction(found.flip)}
    ratio = worst_ratio(exact, **noise, deletions=deletions, releases=releases)
    return exponential_below(Fraction(total) * (1 - Fraction(1, 10**9))) <= ratio <= exponential_below(Fraction(total))


def exponential_below(x):
    halvings = max(0, math.ceil(math.log2(float(x))) + 1)
    small, term, total = x / 2**halvings, Fraction(1), Fraction(1)
    for n in range(1, 40):
        term = term * small / n
        total += term
    return Fraction(math.floor(total * 2**300), 2**300) ** 2**halvings


@pytest.mark.parametrize(("epsilon", "m"), [(1e-3, 7), (0.01, 10**7), (0.2, 300), (1.0, 1), (3.7, 10**5), (20.0, 300)])
def test_the_free_pair_uses_up_the_promise_and_no_more(epsilon, m):
    found = calibrate_basic(promise_epsilon=2 * epsilon, sample_size=m)
    assert holds_and_is_used_up(found, 2 * epsilon)
    assert 2 * epsilon * (1 - 1e-9) <= found.loss <= 2 * epsilon
    assert all(p * 2**40 == int(p * 2**40) for p in (found.pairs[0].p_init, found.pairs[0].p_upd))


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 5.0])
@pytest.mark.parametrize(
    ("deletions", "announced", "releases"),
    [(True, 0, 1), (False, 2, 1), (True, 4, 1), (False, 0, 2)],
)
def test_the_symmetric_pair_uses_up_the_promise_and_no_more(epsilon, deletions, announced, releases):
    total = (2 + announced) * epsilon
    found = calibrate_symmetric(total, 200, deletions=deletions, announced=announced, releases=releases)
    assert holds_and_is_used_up(found, total, deletions=deletions, releases=releases)
    assert found.up == found.down
    assert len(found.pairs) == announced + 1
    assert all(cells.p_init + cells.p_upd == 1 for cells in found.pairs)
    for before, after in itertools.pairwise(found.pairs):
        assert after.p_init == pytest.approx(before.through_flip(found.flip).p_init, abs=1e-15)
    if announced:
        noise = {"up": found.up, "down": found.down, "flip": found.flip}
        table = [(cells.p_init, cells.p_upd) for cells in found.pairs]
        fewer = [tight_joint_loss(table[:used], **noise, deletions=deletions) for used in range(1, announced + 1)]
        assert max(fewer) <= total


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: calibrate_basic(promise_epsilon=2e-4, sample_size=5), "between 0.002 and 40 here, got 0.0002"),
        (lambda: calibrate_symmetric(1.0, 5, announced=5), "announced intrusions must be between 0 and 4"),
        (lambda: calibrate_symmetric(1.0, 5, releases=9), "releases must be between 1 and 8"),
        (lambda: tight_joint_loss([(0.2, 0.8)], up=0.5, down=0.5, releases=9), "releases must be between 0 and 8"),
    ],
)
def test_requests_out_of_range_get_one_clear_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()
