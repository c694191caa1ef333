"""The largest ratio of two distributions, and their privacy profile, against grids, integrals and another library."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits import Verdict
from pan_audits.choices.distributions import GeometricDistribution, LaplaceDistribution
from pan_audits.choices.numbers import Exponent, as_float, fraction, rational
from pan_audits.exact.observation import Coordinate, Path
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.scope import Update
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.supremum import largest_ratio
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_estimators import LogFraction, optimal_bernoulli
from tests.internals.exact.checking import delta_of
from tests.mechanisms.ten_lines import GeometricSet, NoisySet

weights = st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20)
locations = st.integers(-4, 4).map(lambda n: Fraction(n, 2))
mixtures = st.lists(st.tuples(weights, locations, locations), min_size=1, max_size=4)
LAPLACE = LaplaceDistribution(Exponent(Fraction(3, 2)))


def mixture(parts, distribution=LAPLACE):
    return [
        (rational(weight), Path(tuple(Coordinate((), distribution, place) for place in places)))
        for weight, *places in parts
    ]


@settings(max_examples=50)
@given(mixtures, mixtures, st.integers(1, 2))
def test_no_point_of_the_line_or_the_plane_has_a_larger_ratio_than_the_locations(left, right, dimension):
    """The grid has every location."""
    left, right = ([(weight, *places[:dimension]) for weight, *places in side] for side in (left, right))
    points = np.meshgrid(*[np.linspace(-6, 6, 49)] * dimension)

    def height(parts):
        return sum(
            float(weight) * np.exp(-1.5 * sum(abs(x - float(place)) for x, place in zip(points, places, strict=True)))
            for weight, *places in parts
        )

    both = [height(left), height(right)]
    seen = max(np.max(both[0] / both[1]), np.max(both[1] / both[0]))
    assert as_float(largest_ratio([mixture(left), mixture(right)]).ratio) == pytest.approx(seen, rel=1e-12)


scaled = st.lists(st.tuples(weights, locations, st.sampled_from([1, Fraction(3, 2)])), min_size=1, max_size=3)


@settings(max_examples=40)
@given(scaled, scaled)
def test_nor_where_the_noise_has_several_scales(left, right):
    found = largest_ratio(
        [
            [
                part
                for weight, place, rate in side
                for part in mixture([(weight, place)], LaplaceDistribution(Exponent(Fraction(rate))))
            ]
            for side in (left, right)
        ]
    )
    if min(rate for *_, rate in left) != min(rate for *_, rate in right):
        assert found.ratio is None
        return
    points = np.linspace(-40, 40, 2561)
    one, other = (
        sum(float(w * rate) * np.exp(-float(rate) * abs(points - float(place))) for w, place, rate in side)
        for side in (left, right)
    )
    seen = max(np.max(one / other), np.max(other / one))
    assert as_float(found.ratio) <= seen * (1 + 1e-4)
    assert not found.attained or seen <= as_float(found.ratio) * (1 + 1e-9)


whole = st.lists(st.tuples(weights, st.integers(-3, 3).map(Fraction)), min_size=1, max_size=3)


@given(whole, whole)
def test_nor_of_the_integers(left, right):
    distribution = GeometricDistribution(Fraction(1, 3), Fraction(1, 2))

    def mass(parts, k):
        return sum(w * (Fraction(1, 3) ** int(k - n) if k >= n else Fraction(1, 2) ** int(n - k)) for w, n in parts)

    pairs = [(mass(left, k), mass(right, k)) for k in range(-8, 9)]
    largest = max(ratio for a, b in pairs for ratio in (a / b, b / a))
    found = largest_ratio([mixture(left, distribution), mixture(right, distribution)])
    assert found.ratio == fmpq(largest.numerator, largest.denominator)


def test_observations_of_one_stream_alone_are_told_apart_for_sure():
    here = mixture([(Fraction(1), Fraction(0))])
    assert largest_ratio([here, []]).ratio is None
    assert largest_ratio([[], here]).high == 1
    # A cell that is seen and kept, against one that is drawn again.
    seen = Coordinate((), LAPLACE, Fraction(0))
    follows, alone = (Path((seen, Coordinate((Fraction(slope),), LAPLACE, Fraction(0)))) for slope in (1, 0))
    assert largest_ratio([[(fmpq(1), follows)], [(fmpq(1), alone)]]).ratio is None
    # Heavier tails.
    wide = mixture([(Fraction(1, 100), Fraction(0))], LaplaceDistribution(Exponent(Fraction(1))))
    found = largest_ratio([[*wide, *here], here])
    assert (found.ratio, found.high) == (None, 0)


@pytest.mark.parametrize(("value", "meant"), [(0.6, "3/5"), (1 / 3, "1/3"), (1e-5, "1/100000"), (2.5, "5/2"), (7, "7")])
def test_doubles_are_read_as_the_fractions_that_were_meant(value, meant):
    assert fraction(value) == Fraction(meant)
    assert fraction(float(np.nextafter(value, 10))) == Fraction(meant)
    for other in (math.pi / 4, value + 1e-12):
        assert fraction(other) == Fraction(other)


ONE_USER, NOBODY = (Update(0), SegmentEnd.RELEASE), (SegmentEnd.RELEASE,)


def profile(estimator, left=ONE_USER, right=NOBODY):
    return PrivacyProfile.of(Stepper(estimator, (0, 1)), left, right)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.999, 1.0, 2.0])
def test_profiles_agree_with_another_library(epsilon):
    ours = as_float(profile(NoisySet()).delta(epsilon))
    assert ours == pytest.approx(max(0.0, 1 - math.exp((epsilon - 1) / 2)), abs=1e-14)
    discrete = privacy_loss_distribution.from_discrete_laplace_mechanism(1.0, sensitivity=1)
    ours = as_float(profile(GeometricSet()).delta(epsilon))
    assert ours == pytest.approx(discrete.get_delta_for_epsilon(epsilon), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_the_profile_of_a_mixture_agrees_with_an_integral(epsilon):
    """Of state and output of an estimator: the discrete part is summed, the output integrated."""
    estimator = optimal_bernoulli(universe=2, epsilon=LogFraction(Fraction(3, 2)), sample_size=2)
    stepper = Stepper(estimator, (0, 1))
    left = (SegmentEnd.INTRUSION, Update(0), Update(1), SegmentEnd.RELEASE)
    right = (SegmentEnd.INTRUSION, Update(1), SegmentEnd.RELEASE)
    distributions = [stepper.distribution(stream) for stream in (left, right)]
    rate, y = 2 * math.log(1.5), np.linspace(-20, 30, 100_001)

    def height(distribution, key):
        places = [(as_float(w), float(path.coordinates[0].location)) for w, path in distribution.get(key, ())]
        return sum(w * rate / 2 * np.exp(-rate * abs(y - place)) for w, place in places)

    total = 0.0
    for key in distributions[0]:
        one, other = (height(distribution, key) for distribution in distributions)
        total += np.trapezoid(np.maximum(one - math.exp(epsilon) * other, 0), y)
    assert as_float(PrivacyProfile.of(stepper, left, right).delta(epsilon)) == pytest.approx(total, abs=1e-6)


def test_the_export_composes_as_the_library_does():
    ours = profile(NoisySet()).to_privacy_loss_distribution()
    theirs = privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-3)
    for count in (1, 20):
        mine, other = (p.self_compose(count).get_epsilon_for_delta(1e-5) for p in (ours, theirs))
        assert mine == pytest.approx(other, rel=1e-3)
        assert mine >= other - 1e-6


def test_a_profile_is_bounded_by_the_exact_loss():
    estimator = optimal_bernoulli(universe=1, epsilon=LogFraction(Fraction(3, 2)), sample_size=1)
    streams = [(SegmentEnd.INTRUSION, *ONE_USER), (Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE)]
    for both in product(streams, streams):
        assert as_float(profile(estimator, *both).delta(math.log(2379 / 320) + 1e-12)) == 0
    assert as_float(profile(estimator, *streams).delta(math.log(2379 / 320) - 1e-6)) > 0


INTEGERS = np.arange(-400, 401)


def positive(left, right, epsilon):
    return float(np.maximum(left - math.exp(epsilon) * right, 0).sum())


def thresholded(centre, scale, least):
    """The distribution of a noisy count from a threshold on, with the rest as one value."""
    ratio = math.exp(-1 / scale)
    distribution = (1 - ratio) / (1 + ratio) * ratio ** np.abs(INTEGERS - centre)
    kept = np.where(least <= INTEGERS, distribution, 0.0)
    return np.append(kept, distribution[least > INTEGERS].sum())


@settings(max_examples=25)
@given(
    counts=st.lists(st.integers(0, 6), min_size=2, max_size=2),
    least=st.integers(-3, 8),
    scales=st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=2, max_size=2),
    epsilon=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
)
def test_a_noisy_count_from_a_threshold_on(counts, least, scales, epsilon):
    def release(place, rng):
        noisy = counts[place] + rng.discrete_laplace(scales[place])
        return noisy if noisy >= least else "few"

    left, right = (thresholded(*each, least) for each in zip(counts, scales, strict=True))
    found = delta_of(release, 0, 1, epsilon)
    assert found == pytest.approx((positive(left, right, epsilon), positive(right, left, epsilon)), abs=1e-12)


@settings(max_examples=10)
@given(
    counts=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=2),
    least=st.integers(0, 5),
    epsilon=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_several_keys_are_a_product(counts, least, epsilon):
    def release(place, rng):
        noisy = [count + rng.discrete_laplace(1.0) for count in counts[place]]
        return {key: one for key, one in enumerate(noisy) if one >= least}

    one, two = [np.multiply.outer(*(thresholded(count, 1.0, least) for count in side)) for side in counts]
    found = delta_of(release, 0, 1, epsilon)
    assert found == pytest.approx((positive(one, two, epsilon), positive(two, one, epsilon)), abs=1e-12)


@settings(max_examples=8)
@given(
    places=st.lists(st.integers(0, 4), min_size=2, max_size=2),
    chance=st.sampled_from([0.25, 0.5]),
    least=st.integers(-1, 4),
    epsilon=st.sampled_from([0.5, 1.0]),
)
def test_noise_with_a_density_beside_a_choice(places, chance, least, epsilon):
    def release(place, rng):
        centre = places[place] if rng.bernoulli(chance) else 0
        noisy = centre + rng.laplace(scale=1.0)
        return noisy if noisy > least else None

    grid = np.linspace(-40, 40, 80_001)
    one, other = (chance * np.exp(-abs(grid - place)) / 2 + (1 - chance) * np.exp(-abs(grid)) / 2 for place in places)
    above = grid >= least

    def expected(one, other):
        gap = one - math.exp(epsilon) * other
        # Below the least number the outputs are one.
        return np.trapezoid(np.maximum(gap, 0)[above], grid[above]) + max(
            np.trapezoid(gap[grid <= least], grid[grid <= least]), 0
        )

    assert delta_of(release, 0, 1, epsilon) == pytest.approx((expected(one, other), expected(other, one)), abs=1e-5)


def keeps_from(least):
    def release(data, rng):
        counts = {key: data.count(key) + rng.discrete_laplace(1.0) for key in sorted(set(data))}
        return {key: noisy for key, noisy in counts.items() if noisy >= least}

    return release


BELOW = math.exp(-1) / (1 + math.exp(-1))
"""The probability that the noise is less than 0."""


def test_the_delta_of_a_threshold_decides():
    claimed = BELOW * math.exp(-4)
    refuted = panproof.check(keeps_from(5), ["a"], [], epsilon=1, delta=claimed)
    assert refuted.verdict is Verdict.REFUTED
    assert as_float(refuted.report.minimal.delta) == pytest.approx(BELOW * math.exp(-3))
    assert panproof.check(keeps_from(6), ["a"], [], epsilon=1, delta=claimed).verdict is Verdict.NOT_REFUTED
