"""Privacy profiles of noise that was compared, and of Gaussian noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

import panproof
from pan_audits import Verdict
from pan_audits.choices.distributions import DiscreteGaussianDistribution, GaussianDistribution
from pan_audits.choices.numbers import as_float, exponent, rational
from pan_audits.exact.gaussian_profile import gaussian_part, largest_gaussian_ratio
from pan_audits.exact.observation import Coordinate, History, Path
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.stepping import Stepper
from tests.turns import every

INTEGERS = np.arange(-400, 401)


class Mechanism:
    """A mechanism on two inputs, in this process."""

    def __init__(self, one):
        self.one = one

    def create(self, randomness):
        return ""

    def update(self, state, ids, randomness):
        return state

    def release(self, state, randomness):
        return self.one(0 if state == "left" else 1, randomness)


def delta(mechanism, epsilon):
    """Both directions."""
    stepper = Stepper(Mechanism(mechanism), ("left", "right"))
    distributions = []
    for label in ("left", "right"):
        distribution = {}
        for probability, seen in stepper.outputs_on(label):
            outcome = History().then(seen).outcome
            distribution.setdefault(outcome.key, []).append((probability, outcome.path))
        distributions.append(distribution)
    return tuple(
        as_float(PrivacyProfile(one, other).delta(epsilon)) for one, other in (distributions, distributions[::-1])
    )


def geometric(centre, scale):
    ratio = math.exp(-1 / scale)
    return (1 - ratio) / (1 + ratio) * ratio ** np.abs(INTEGERS - centre)


def positive(left, right, epsilon):
    return float(np.maximum(left - math.exp(epsilon) * right, 0).sum())


def thresholded(centre, scale, least):
    """The distribution of a noisy count from a threshold on, with the rest as one value."""
    distribution = geometric(centre, scale)
    kept = np.where(least <= INTEGERS, distribution, 0.0)
    return np.append(kept, distribution[least > INTEGERS].sum())


@settings(max_examples=25, deadline=None)
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
    found = delta(release, epsilon)
    assert found == pytest.approx((positive(left, right, epsilon), positive(right, left, epsilon)), abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(
    counts=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=2),
    least=st.integers(0, 5),
    epsilon=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_several_keys_are_a_product(counts, least, epsilon):
    def release(place, rng):
        noisy = [count + rng.discrete_laplace(1.0) for count in counts[place]]
        return {key: one for key, one in enumerate(noisy) if one >= least}

    distributions = [np.multiply.outer(*(thresholded(count, 1.0, least) for count in side)) for side in counts]
    found = delta(release, epsilon)
    assert found == pytest.approx(
        (positive(*distributions, epsilon), positive(*distributions[::-1], epsilon)), abs=1e-12
    )


@settings(max_examples=8, deadline=None)
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

    def density(place, at):
        return sum(
            weight * math.exp(-abs(at - centre)) / 2 for weight, centre in ((chance, places[place]), (1 - chance, 0))
        )

    def below(place):
        return quad(lambda at: density(place, at), -40, least, points=[0, places[place]], limit=200)[0]

    def expected(one, other):
        gain = quad(
            lambda at: max(density(one, at) - math.exp(epsilon) * density(other, at), 0.0),
            least, 40, points=[0, *places], limit=500,
        )[0]  # fmt: skip
        return gain + max(below(one) - math.exp(epsilon) * below(other), 0.0)

    assert delta(release, epsilon) == pytest.approx((expected(0, 1), expected(1, 0)), abs=1e-6)


def keeps_from(least):
    def release(data, rng):
        counts = {key: data.count(key) + rng.discrete_laplace(1.0) for key in sorted(set(data))}
        return {key: noisy for key, noisy in counts.items() if noisy >= least}

    return release


def test_the_delta_of_a_threshold_decides():
    ratio = math.exp(-1)
    claimed = ratio**5 / (1 + ratio)
    refuted = panproof.check(keeps_from(5), ["a"], [], epsilon=1, delta=claimed)
    assert refuted.verdict is Verdict.REFUTED
    assert as_float(refuted.report.minimal.delta) == pytest.approx(ratio**4 / (1 + ratio))
    assert panproof.check(keeps_from(6), ["a"], [], epsilon=1, delta=claimed).verdict is Verdict.NOT_REFUTED


def test_two_keys_of_one_user_need_two_deltas():
    ratio = math.exp(-1)
    one = ratio**5 / (1 + ratio)
    both = 1 - (1 - one) ** 2
    kept = panproof.check(keeps_from(6), ["a", "b"], [], epsilon=1, delta=both)
    assert kept.verdict is Verdict.NOT_REFUTED, kept.report.reason
    assert panproof.check(keeps_from(6), ["a", "b"], [], epsilon=1, delta=one).verdict is Verdict.REFUTED


def two_numbers(data, rng):
    return [data[0] + rng.laplace(scale=1.0), data[1] + rng.laplace(scale=2.0)]


def test_a_number_with_the_same_distribution_on_both_sides_shows_nothing():
    # One location of Laplace noise that moves by two scales: 1 - exp(-(2 - 1)/2) at epsilon 1.
    found = panproof.check(two_numbers, [0, 5], [2, 5], epsilon=1, delta=0.4)
    assert found.verdict is Verdict.NOT_REFUTED
    assert as_float(found.report.witness.delta) == pytest.approx(1 - math.exp(-0.5))


def mixture(weights, places, distribution):
    total = sum(weights)
    return [
        (rational(weight) / total, Path((Coordinate((), distribution, Fraction(place)),)))
        for weight, place in zip(weights, places, strict=True)
    ]


def delta_of(left, right, epsilon):
    return as_float(gaussian_part(left, right, exponent(epsilon).power()))


def by_integration(left, right, epsilon, deviation):
    """The positive part by the trapezoidal rule on a fine grid."""
    grid = np.linspace(-16, 16, 200_001)
    height = sum(
        sign * float(weight.p) / float(weight.q) * norm.pdf(grid, float(path.coordinates[0].location), deviation)
        for sign, part in ((1, left), (-math.exp(epsilon), right))
        for weight, path in part
    )
    return np.trapezoid(np.maximum(height, 0), grid)


PLACES = st.lists(st.integers(-4, 4), min_size=1, max_size=3, unique=True)


@st.composite
def mixtures(draw):
    distribution = GaussianDistribution(Fraction(draw(st.sampled_from((1, 2, 4)))))
    sides = []
    for _ in range(2):
        places = draw(PLACES)
        weights = draw(st.lists(st.integers(1, 4), min_size=len(places), max_size=len(places)))
        sides.append(mixture(weights, places, distribution))
    return (*sides, draw(st.sampled_from((0.25, 0.5, 1.0))), float(distribution.variance) ** 0.5)


@settings(max_examples=25)
@given(mixtures())
def test_delta_of_two_mixtures_is_the_integral_of_the_positive_part(drawn):
    left, right, epsilon, deviation = drawn
    found = delta_of(left, right, epsilon)
    assert found == pytest.approx(by_integration(left, right, epsilon, deviation), abs=1e-7)


def test_fewer_zeros_than_changes_of_sign_are_proved():
    distribution = GaussianDistribution(Fraction(1))
    one, other = mixture([1], [0], distribution), mixture([1, 2, 1], [-1, 0, 1], distribution)
    assert delta_of(one, other, 0.25) == 0
    assert delta_of(other, one, 0.25) == pytest.approx(by_integration(other, one, 0.25, 1.0), abs=1e-7)


@settings(max_examples=40)
@given(mixtures(), st.booleans())
def test_each_direction_has_a_ratio_that_some_point_attains_or_none_bounds(drawn, turned):
    left, right, _, deviation = drawn
    one, other = (right, left) if turned else (left, right)
    found = largest_gaussian_ratio([one, other], lambda high, low: (high, low) == (0, 1))
    outermost = [[path.coordinates[0].location for _, path in part] for part in (one, other)]
    beyond = min(outermost[0]) < min(outermost[1]) or max(outermost[0]) > max(outermost[1])
    assert (found.ratio is None) is beyond
    if not beyond:
        # Where places at an end agree, the ratio there is that of their weights.
        grid = np.linspace(-60, 60, 2401)
        heights = [
            np.logaddexp.reduce(
                [
                    math.log(float(w.p) / float(w.q))
                    + norm.logpdf(grid, float(path.coordinates[0].location), deviation)
                    for w, path in part
                ]
            )
            for part in (one, other)
        ]
        assert math.log(as_float(found.ratio)) <= (heights[0] - heights[1]).max() + 1e-6


def inside_with_more(data, rng):
    """All places of the one distribution lie within those of the other, and it has the larger delta."""
    choice = rng.choice(4, p=[0.01, 0.49, 0.49, 0.01])
    return ([0, 0, 5, 5] if data else [-10, 5, 5, 10])[choice] + rng.normal(0, 1)


def test_the_larger_delta_may_belong_to_a_distribution_without_an_unbounded_ratio():
    distribution = GaussianDistribution(Fraction(1))
    one, other = mixture([1, 1], [0, 5], distribution), mixture([1, 98, 1], [-10, 5, 10], distribution)
    stated = by_integration(one, other, 0.5, 1.0)
    assert stated > 2.5 * by_integration(other, one, 0.5, 1.0)
    result = panproof.check(inside_with_more, 0, 1, epsilon=0.5, delta=0.3)
    assert result.verdict is Verdict.REFUTED
    assert as_float(result.report.witness.delta) == pytest.approx(stated, abs=1e-6)


def beside_and_between(data, rng):
    choice = rng.choice(3, p=[0.25, 0.5, 0.25])
    return (choice - 1 if data else 0) + rng.normal(0, 1)


@pytest.mark.more
def test_a_delta_that_is_kept_is_not_refuted_also_where_a_ratio_has_a_lower_bound_only():
    distribution = GaussianDistribution(Fraction(1))
    one, other = mixture([1], [0], distribution), mixture([1, 2, 1], [-1, 0, 1], distribution)
    stated = max(by_integration(one, other, 0.25, 1.0), by_integration(other, one, 0.25, 1.0))
    result = panproof.check(beside_and_between, 0, 1, epsilon=0.25, delta=1.01 * stated)
    assert result.verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize(("scale", "gap", "epsilon"), [(3, 1, 0.5), (0.5, 2, 1.0), (10, 1, 0.1)])
def test_delta_is_that_of_the_analytic_gaussian_mechanism(scale, gap, epsilon):
    """Balle and Wang 2018, Theorem 8."""
    distribution, away = GaussianDistribution(Fraction(scale) ** 2), gap / scale
    stated = norm.cdf(away / 2 - epsilon / away) - math.exp(epsilon) * norm.cdf(-away / 2 - epsilon / away)
    assert delta_of(mixture([1], [gap], distribution), mixture([1], [0], distribution), epsilon) == pytest.approx(
        stated, rel=1e-9
    )


def masses(variance, place, values):
    norm_of = sum(math.exp(-k * k / (2 * variance)) for k in range(-400, 401))
    return np.array([math.exp(-((k - place) ** 2) / (2 * variance)) / norm_of for k in values])


@pytest.mark.parametrize(("variance", "epsilon"), [(1, 0.5), (4, 1.0), (0.25, 0.25)])
def test_delta_of_discrete_noise_is_a_sum_over_the_integers(variance, epsilon):
    distribution, values = DiscreteGaussianDistribution(Fraction(variance)), range(-200, 200)
    one = 0.75 * masses(variance, 0, values) + 0.25 * masses(variance, 3, values)
    other = masses(variance, 1, values)
    left, right = mixture([3, 1], [0, 3], distribution), mixture([1], [1], distribution)
    stated = np.maximum(0, one - math.exp(epsilon) * other).sum()
    assert delta_of(left, right, epsilon) == pytest.approx(stated, rel=1e-9)


def test_the_ratio_is_infinite_unless_the_outermost_places_agree():
    distribution = GaussianDistribution(Fraction(1))
    one, wider = mixture([1, 1], [0, 1], distribution), mixture([1, 1, 1], [0, 1, 2], distribution)
    assert largest_gaussian_ratio([one, wider], None).ratio is None
    alike = largest_gaussian_ratio([one, mixture([1, 3], [0, 1], distribution)], None)
    assert (float(alike.ratio), alike.attained) == (2.0, False)
    assert largest_gaussian_ratio([one, one], None).ratio == 1


def several(data, rng):
    return [entry + noise for entry, noise in zip(data, rng.normal(0, 2, len(data)), strict=True)]


def test_noise_on_several_outputs_counts_with_the_distance_of_the_means():
    accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution

    peer = privacy_loss_distribution.from_gaussian_mechanism(2 / math.sqrt(5), value_discretization_interval=1e-4)
    assert accounting
    result = panproof.check(several, [0, 0, 0], [1, 2, 0], epsilon=0.5, delta=0.01)
    assert result.verdict is Verdict.REFUTED
    assert as_float(result.report.witness.delta) == pytest.approx(peer.get_delta_for_epsilon(0.5), abs=1e-4)


def gaussian(data, rng):
    return data + rng.normal(0, 3)


def discrete(data, rng):
    return data + rng.discrete_gaussian(0, 3)


def half_a_step(data, rng):
    return data / 2 + rng.discrete_gaussian(0, 3)


def wider_steps(data, rng):
    return data + 2 * rng.discrete_gaussian(0, 3)


@pytest.mark.parametrize("mechanism", every(2, [gaussian, discrete]))
def test_gaussian_noise_keeps_no_promise_without_a_delta(mechanism):
    result = panproof.check(mechanism, 0, 1, epsilon=5)
    assert (result.verdict, result.loss) == (Verdict.REFUTED, math.inf)


@pytest.mark.parametrize("mechanism", every(2, [half_a_step, wider_steps]))
@pytest.mark.parametrize("bound", every(2, [{"rho": 1.0}, {"epsilon": 1, "delta": 0.5}]))
def test_integer_noise_on_another_lattice_tells_the_inputs_apart(mechanism, bound):
    assert panproof.check(mechanism, 0, 1, **bound).verdict is Verdict.REFUTED


@pytest.mark.more
def test_discrete_noise_on_one_lattice_has_the_rho_of_gaussian_noise():
    result = panproof.check(discrete, 0, 1, rho=1 / 18)
    assert (result.verdict, float(result.loss)) == (Verdict.NOT_REFUTED, pytest.approx(1 / 18))


def two_discrete(data, rng):
    return data + rng.discrete_gaussian(0, 3) + rng.discrete_gaussian(0, 3)


def rounded(data, rng):
    return round(data + rng.normal(0, 3))


def of_two_widths(data, rng):
    return data + rng.normal(0, 1 + data)


@pytest.mark.parametrize(
    ("mechanism", "bound", "words"),
    every(
        2,
        [
            (two_discrete, {"rho": 1.0}, "a sum of several noise variables, one of them discrete Gaussian"),
            (two_discrete, {"epsilon": 1, "delta": 0.1}, "a sum of several noise variables"),
            (rounded, {"epsilon": 1, "delta": 0.1}, "rounds Gaussian noise"),
            (of_two_widths, {"epsilon": 1, "delta": 0.1}, "of several variances"),
        ],
    ),
)
def test_other_uses_are_inconclusive_with_the_reason(mechanism, bound, words):
    result = panproof.check(mechanism, 0, 1, **bound)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in str(result)


def chosen_lattice(data, rng):
    choice = rng.random() < 0.5
    return choice, data * (1 if choice else 0.5) + rng.discrete_gaussian(0, 3)


@pytest.mark.more
def test_a_choice_that_is_seen_does_not_hide_another_lattice():
    assert panproof.check(chosen_lattice, 0, 1, rho=1.0).verdict is Verdict.REFUTED
