"""The largest ratio of two distributions, also on lattices."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from flint import arb, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad

from pan_audits.choices.distributions import GeometricDistribution, LaplaceDistribution
from pan_audits.choices.numbers import Exponent, as_float, fraction, rational
from pan_audits.exact.observation import Coordinate, Path
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.scope import Update
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.supremum import largest_ratio
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_estimators import LogFraction, calibrated_bernoulli, optimal_bernoulli
from tests.exact.test_compared_noise import loss_of
from tests.mechanisms.ten_lines import GeometricSet, NoisySet, SkewedSet

weights = st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20)
locations = st.integers(-4, 4).map(lambda n: Fraction(n, 2))
mixtures = st.lists(st.tuples(weights, locations), min_size=1, max_size=4)
LAPLACE = LaplaceDistribution(Exponent(Fraction(3, 2)))


def laplace_mixture(parts, distribution=LAPLACE):
    return [(rational(weight), Path((Coordinate((), distribution, place),))) for weight, place in parts]


def density(parts, points, rate=1.5):
    return sum(float(w) * np.exp(-rate * np.abs(points - float(place))) for w, place in parts)


@given(mixtures, mixtures)
def test_no_point_of_the_line_has_a_larger_ratio_than_the_locations(left, right):
    points = np.linspace(-12, 12, 4801)
    both = [density(left, points), density(right, points)]
    seen = max(np.max(both[0] / both[1]), np.max(both[1] / both[0]))
    found = as_float(largest_ratio([laplace_mixture(left), laplace_mixture(right)]).ratio)
    assert seen <= found * (1 + 1e-12)
    assert seen >= found * (1 - 1e-12)  # the grid has every location


@given(mixtures, mixtures, st.data())
def test_nor_in_the_plane(left, right, data):
    def plane(parts):
        others = data.draw(st.lists(locations, min_size=len(parts), max_size=len(parts)))
        return [(w, (a, b)) for (w, a), b in zip(parts, others, strict=True)]

    left, right = plane(left), plane(right)
    points = np.linspace(-4, 4, 81)
    x, y = np.meshgrid(points, points)

    def height(parts):
        return sum(float(w) * np.exp(-1.5 * (abs(x - float(a)) + abs(y - float(b)))) for w, (a, b) in parts)

    both = [height(left), height(right)]
    seen = max(np.max(both[0] / both[1]), np.max(both[1] / both[0]))
    paths = [
        [(rational(w), Path(tuple(Coordinate((), LAPLACE, place) for place in places))) for w, places in parts]
        for parts in (left, right)
    ]
    assert seen <= as_float(largest_ratio(paths).ratio) * (1 + 1e-12)


@given(st.lists(st.tuples(weights, st.integers(-3, 3)), min_size=1, max_size=3), st.data())
def test_nor_of_the_integers(left, data):
    right = data.draw(st.lists(st.tuples(weights, st.integers(-3, 3)), min_size=1, max_size=3))
    distribution = GeometricDistribution(Fraction(1, 3), Fraction(1, 2))

    def mass(parts, k):
        return sum(w * (Fraction(1, 3) ** (k - n) if k >= n else Fraction(1, 2) ** (n - k)) for w, n in parts)

    both = [[mass(parts, k) for k in range(-8, 9)] for parts in (left, right)]
    ratios = [a / b for a, b in zip(*both, strict=True)] + [b / a for a, b in zip(*both, strict=True)]
    parts = [laplace_mixture([(w, Fraction(n)) for w, n in one], distribution) for one in (left, right)]
    largest = max(ratios)
    assert largest_ratio(parts).ratio == fmpq(largest.numerator, largest.denominator)


def test_different_lattices_and_missing_observations_are_told_apart_for_sure():
    here = laplace_mixture([(Fraction(1), Fraction(0))])
    assert largest_ratio([here, []]).ratio is None
    assert largest_ratio([[], here]).high == 1


def test_a_cell_that_is_seen_and_kept_is_told_from_one_that_is_drawn_again():
    seen = Coordinate((), LAPLACE, Fraction(0))
    follows = Path((seen, Coordinate((Fraction(1),), LAPLACE, Fraction(0))))
    alone = Path((seen, Coordinate((Fraction(0),), LAPLACE, Fraction(0))))
    assert largest_ratio([[(fmpq(1), follows)], [(fmpq(1), alone)]]).ratio is None


def test_heavier_tails_tell_two_streams_apart_for_sure():
    wide = laplace_mixture([(Fraction(1, 100), Fraction(0))], LaplaceDistribution(Exponent(Fraction(1))))
    narrow = laplace_mixture([(Fraction(1), Fraction(0))])
    found = largest_ratio([[*wide, *narrow], narrow])
    assert found.ratio is None
    assert found.high == 0


def test_balls_hold_the_truth_and_fractions_are_exact():
    ball = Exponent(Fraction(1, 3)).power()
    assert isinstance(ball, arb)
    assert ball.contains(arb(1) / 3 * 0 + (arb(1) / 3).exp())
    assert as_float(ball) == pytest.approx(math.exp(1 / 3))
    assert Exponent(Fraction(2), Fraction(3, 2)).power() == fmpq(9, 4)
    assert as_float(Exponent(Fraction(1, 2), Fraction(9, 4)).power()) == pytest.approx(1.5)


@pytest.mark.parametrize(("value", "meant"), [(0.6, "3/5"), (1 / 3, "1/3"), (1e-5, "1/100000"), (2.5, "5/2"), (7, "7")])
def test_doubles_are_read_as_the_fractions_that_were_meant(value, meant):
    assert fraction(value) == Fraction(meant)
    assert fraction(float(np.nextafter(value, 10))) == Fraction(meant)


def test_other_doubles_are_the_fractions_that_they_are():
    assert fraction(math.pi / 4) == Fraction(math.pi / 4)
    assert fraction(0.6 + 1e-12) == Fraction(0.6 + 1e-12)


def profile(estimator, left, right):
    return PrivacyProfile.of(Stepper(estimator, (0, 1)), left, right)


ONE_USER, NOBODY = (Update(0), SegmentEnd.RELEASE), (SegmentEnd.RELEASE,)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 2.0])
def test_profiles_agree_with_another_library(epsilon):
    laplace = privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-4)
    ours = as_float(profile(NoisySet(), ONE_USER, NOBODY).delta(epsilon))
    assert ours == pytest.approx(laplace.get_delta_for_epsilon(epsilon), abs=1e-7)
    assert ours == pytest.approx(max(0.0, 1 - math.exp((epsilon - 1) / 2)), abs=1e-14)
    discrete = privacy_loss_distribution.from_discrete_laplace_mechanism(1.0, sensitivity=1)
    ours = as_float(profile(GeometricSet(), ONE_USER, NOBODY).delta(epsilon))
    assert ours == pytest.approx(discrete.get_delta_for_epsilon(epsilon), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 1.5])
def test_the_profile_of_a_mixture_agrees_with_an_integral(epsilon):
    """Of state and output of an estimator: the discrete part is summed, the output integrated."""
    estimator = optimal_bernoulli(universe=2, epsilon=LogFraction(Fraction(3, 2)), sample_size=2)
    stepper = Stepper(estimator, (0, 1))
    left = (SegmentEnd.INTRUSION, Update(0), Update(1), SegmentEnd.RELEASE)
    right = (SegmentEnd.INTRUSION, Update(1), SegmentEnd.RELEASE)
    distributions = [stepper.distribution(stream) for stream in (left, right)]
    rate = 2 * math.log(1.5)

    def height(distribution, key, y):
        parts = [(as_float(w), float(path.coordinates[0].location)) for w, path in distribution.get(key, ())]
        return sum(w * rate / 2 * math.exp(-rate * abs(y - place)) for w, place in parts)

    total = 0.0
    for key in distributions[0]:
        breaks = [
            float(path.coordinates[0].location) for distribution in distributions for _, path in distribution[key]
        ]

        def positive(y, key=key):
            return max(0.0, height(distributions[0], key, y) - math.exp(epsilon) * height(distributions[1], key, y))

        total += quad(positive, -40, 60, points=sorted(set(breaks)), limit=2000)[0]
    assert as_float(PrivacyProfile.of(stepper, left, right).delta(epsilon)) == pytest.approx(total, abs=1e-6)


def test_the_profile_of_skewed_noise_is_a_fraction():
    ours = profile(SkewedSet(), ONE_USER, NOBODY)
    masses = {k: Fraction(1, 3) ** k if k >= 0 else Fraction(1, 2) ** -k for k in range(-60, 61)}
    total = Fraction(2, 3) * Fraction(1, 2) / (1 - Fraction(1, 6))
    expected = sum(max(Fraction(0), masses.get(k - 1, 0) - masses[k]) for k in masses) * total
    assert isinstance(ours.delta(0), fmpq)
    assert as_float(ours.delta(0)) == pytest.approx(float(expected), abs=1e-12)
    assert ours.delta(LogFraction(Fraction(3))) == 0
    assert ours.delta(LogFraction(Fraction(299, 100))) > 0


def test_the_export_composes_as_the_library_does():
    ours = profile(NoisySet(), ONE_USER, NOBODY).to_privacy_loss_distribution()
    theirs = privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-3)
    for count in (1, 5, 20):
        mine, other = (p.self_compose(count).get_epsilon_for_delta(1e-5) for p in (ours, theirs))
        assert mine == pytest.approx(other, rel=1e-3)
        assert mine >= other - 1e-6


def test_noise_on_a_lattice_that_misses_zero_has_a_profile_too():
    estimator = calibrated_bernoulli(universe=1, epsilon=0.4, sample_size=1)
    left, right = (
        (SegmentEnd.INTRUSION, Update(0), SegmentEnd.RELEASE),
        (Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE),
    )
    ours = PrivacyProfile.of(Stepper(estimator, (0,)), left, right)
    assert 0 < as_float(ours.delta(0.79)) < as_float(ours.delta(0.4)) < as_float(ours.delta(0)) < 1
    assert as_float(ours.delta(0.8 + 1e-9)) == 0
    composed = ours.to_privacy_loss_distribution().self_compose(4).get_epsilon_for_delta(1e-6)
    assert 0.8 < composed < 3.2 + 1e-6


def test_a_profile_is_bounded_by_the_exact_loss():
    estimator = optimal_bernoulli(universe=1, epsilon=LogFraction(Fraction(3, 2)), sample_size=1)
    stepper = Stepper(estimator, (0,))
    streams = [
        (SegmentEnd.INTRUSION, Update(0), SegmentEnd.RELEASE),
        (Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE),
    ]
    for left, right in product(streams, streams):
        assert as_float(PrivacyProfile.of(stepper, left, right).delta(math.log(2379 / 320) + 1e-12)) == 0
    worst = PrivacyProfile.of(stepper, *streams)
    assert as_float(worst.delta(math.log(2379 / 320) - 1e-6)) > 0


REACH = range(-150, 151)


def summed_loss(outputs, first, second, scale):
    """The largest ratio of the probabilities of two runs, from sums over the noise."""
    distributions = []
    for data in (first, second):
        distribution = Counter()
        for noise in REACH:
            weight = math.tanh(1 / (2 * scale)) * math.exp(-abs(noise) / scale)
            for value, part in outputs(data + noise):
                distribution[value] += part * weight
        distributions.append(distribution)
    return max(
        abs(math.log(distributions[0][value] / distributions[1][value]))
        for value in distributions[0]
        if distributions[1][value] > 0
    )


@pytest.mark.more
@given(
    least=st.sampled_from([-2, -1, 0, 0.5, 1, 2]),
    step=st.integers(1, 3),
    scale=st.sampled_from([1.0, 2.0]),
    other=st.sampled_from([None, 0, 0.5, 1]),
    first=st.integers(-2, 3),
    second=st.integers(-2, 3),
)
def test_clipped_integer_noise_has_the_loss_of_the_sums(least, step, scale, other, first, second):
    assume(first != second)

    def mechanism(data, rng):
        if other is not None and rng.random() < 0.25:
            return other
        return max(least, step * (data + rng.discrete_laplace(scale, 1)[0]))

    def outputs(count):
        clipped = max(least, step * count)
        return [(clipped, 1.0)] if other is None else [(clipped, 0.75), (other, 0.25)]

    found = loss_of(mechanism, first, second)
    assert found.nats == pytest.approx(summed_loss(outputs, first, second, scale), abs=1e-6)


@pytest.mark.parametrize("other", [True, Fraction(1), 1j])
def test_a_number_of_another_kind_leaves_an_upper_bound(other):
    def mechanism(data, rng):
        return other if rng.random() < 0.25 else data + rng.discrete_laplace(2.0, 1)[0]

    assert loss_of(mechanism, 0, 1).upper


def test_a_negative_zero_is_told_apart_from_integer_noise():
    def mechanism(data, rng):
        return -0.0 if rng.random() < 0.25 + data / 4 else rng.discrete_laplace(2.0, 1)[0]

    found = loss_of(mechanism, 0, 1)
    assert not found.upper
    assert found.nats == pytest.approx(math.log(2))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.float16, np.longdouble])
def test_numbers_of_numpy_count_together_with_the_noise(kind):
    found = loss_of(lambda data, rng: max(data + rng.discrete_laplace(2.0, 1)[0], kind(0)), 0, 1)
    assert found.nats == pytest.approx(0.5)
    assert found.upper == (kind is np.longdouble)


def test_a_lattice_on_which_doubles_round_leaves_an_upper_bound():
    """``0.1 * 3`` is another double than 0.3."""

    def mechanism(data, rng):
        return 0.3 if rng.random() < 0.25 + data / 4 else 0.1 * rng.discrete_laplace(2.0, 1)[0]

    assert loss_of(mechanism, 0, 1).upper
