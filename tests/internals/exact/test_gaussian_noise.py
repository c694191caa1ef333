"""Gaussian noise: deltas, ratios and rho, beside choices that the output shows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from dp_accounting.pld import privacy_loss_distribution
from flint import arb, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from pan_audits import Verdict
from pan_audits.choices.distributions import DiscreteGaussianDistribution, GaussianDistribution
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness, variance_of
from pan_audits.choices.numbers import as_float, exponent, rational
from pan_audits.exact.gaussian_profile import gaussian_part, largest_gaussian_ratio
from pan_audits.exact.observation import Coordinate, Path
from pan_audits.exact.outputs import outputs_again
from pan_audits.notions import Loss, notion_of
from pan_audits.notions.divergences import largest_divergence
from pan_audits.notions.gaussian_losses import GaussianLoss, GaussianOutput, bounds_of
from pan_promises.promise import Promise
from pan_proofs.engines.gaussian_observations import GaussianObservation
from tests.internals.exact.checking import delta_of, judged, stepper_of

RHO = Promise.parse("rho=0.1,adjacency=item-level,observed=output,intrusions=0")
WEIGHTS = st.integers(-2, 2)


def rho_of(mechanism, left, right):
    """The rho between two inputs."""
    stepper = stepper_of(mechanism, left, right)
    pair = outputs_again(stepper, stepper.ids, (0, 1), notion_of(RHO))
    return pair.loss.nats if pair else 0.0


def covariance_of(factor, variances):
    return tuple(
        tuple(sum((a * b * v for a, b, v in zip(one, other, variances, strict=True)), Fraction(0)) for other in factor)
        for one in factor
    )


@st.composite
def observations(draw):
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    factor = draw(st.lists(st.lists(WEIGHTS, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    variances = draw(st.lists(st.fractions(Fraction(1, 4), 4, max_denominator=4), min_size=columns, max_size=columns))
    noise = draw(st.lists(WEIGHTS, min_size=columns, max_size=columns))
    within = [sum(a * b for a, b in zip(row, noise, strict=True)) for row in factor]
    anywhere = draw(st.lists(WEIGHTS, min_size=rows, max_size=rows))
    return factor, variances, draw(st.sampled_from((within, anywhere)))


@settings(max_examples=30)
@given(observations())
def test_the_loss_is_that_of_the_engine_of_the_proofs(observation):
    factor, variances, change = observation
    identity = [[int(i == j) for j in range(len(factor))] for i in range(len(factor))]
    diagonal = [
        [sp.Rational(v.numerator, v.denominator) if i == j else 0 for j in range(len(variances))]
        for i, v in enumerate(variances)
    ]
    stated = GaussianObservation(identity, factor, diagonal).loss(change)
    (found,) = GaussianLoss.of(covariance_of(factor, variances)).of_differences(np.array([change], dtype=object))
    assert (stated == sp.oo) if found is None else (sp.Rational(int(found.p), int(found.q)) == stated)


def test_differences_of_any_size():
    loss, huge = GaussianLoss.of(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1, 3)))), 10**30
    assert loss.of_differences(np.array([[huge, 0], [3, 1]], dtype=object), 6) == [fmpq(huge**2, 72), fmpq(1, 6)]
    assert GaussianLoss.of(()).of_differences(np.zeros((1, 0), dtype=object)) == [fmpq(0)]


def test_a_difference_that_rounded_weights_explain_is_not_clear():
    one, other = (Fraction(2**0.5 / 2), Fraction(0.5**0.5 * (1 + 2**-40)))
    loss = GaussianLoss.of(covariance_of([[one], [other]], [Fraction(1)]))
    rows = np.array([[1, 1], [1, 0]], dtype=object)
    assert loss.of_differences(rows) == [None, None]
    assert [loss.clearly_apart(row) for row in rows] == [False, True]


@pytest.mark.parametrize(
    ("scale", "variance", "simple"),
    [
        (0.1, Fraction(1, 100), True),
        (math.sqrt(0.1), Fraction(1, 10), True),
        (math.sqrt(4 * 3 * 4 / 0.7), Fraction(480, 7), True),
        (Fraction(1, 3), Fraction(1, 9), True),
        (math.pi, Fraction(math.pi) ** 2, False),
    ],
)
def test_a_scale_is_a_fraction_or_a_square_root_of_one(scale, variance, simple):
    assert variance_of(scale) == (variance, simple)


def test_gaussian_noise_is_added_scaled_and_compared_and_nothing_else():
    randomness = GaussianRandomness()
    first, second = randomness.gaussian(1, 2.0, size=2)
    total = 3 * first - second + 0.5
    assert total.constant == Fraction(5, 2)
    assert sorted(weight for _, weight in total.terms) == [-1, 3]
    assert randomness.compared(total, True)
    for refused in (
        lambda: randomness.compared(first, True),
        lambda: randomness.whole_part(total, False, False),
        *(lambda scale=scale: randomness.gaussian(0.0, scale) for scale in (-1.0, math.inf, math.nan)),
    ):
        with pytest.raises(UnfollowableError):
            refused()
    assert randomness.gaussian(0.5, 0.0) == 0.5


@pytest.mark.parametrize(
    ("rho", "exact", "broken"),
    [
        (fmpq(1, 10), True, False),
        (fmpq(10**14 + 1, 10**15), True, True),
        (fmpq(10**14 + 1, 10**15), False, False),
        (fmpq(101, 1000), False, True),
        (None, False, True),
    ],
)
def test_a_promise_of_a_rho_is_broken_by_more_than_rounding_explains(rho, exact, broken):
    assert notion_of(RHO).broken_by(Loss(rho, unit="rho"), exact=exact) is broken


def mixture(weights, places, distribution):
    return [
        (rational(weight) / sum(weights), Path((Coordinate((), distribution, Fraction(place)),)))
        for weight, place in zip(weights, places, strict=True)
    ]


def delta_between(left, right, epsilon):
    return as_float(gaussian_part(left, right, exponent(epsilon).power()))


def log_density(side, grid, deviation):
    return np.logaddexp.reduce(
        [
            math.log(as_float(weight)) + norm.logpdf(grid, float(path.coordinates[0].location), deviation)
            for weight, path in side
        ]
    )


def by_integration(left, right, epsilon, deviation=1.0):
    """The positive part by the trapezoidal rule on a fine grid."""
    grid = np.linspace(-16, 16, 50_001)
    one, other = (np.exp(log_density(side, grid, deviation)) for side in (left, right))
    return np.trapezoid(np.maximum(one - math.exp(epsilon) * other, 0), grid)


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
def test_delta_is_the_integral_of_the_positive_part_and_some_point_attains_the_ratio(drawn):
    one, other, epsilon, deviation = drawn
    try:
        assert delta_between(one, other, epsilon) == pytest.approx(by_integration(*drawn), abs=1e-6)
    except UnfollowableError:
        # The difference touches 0.
        assume(False)
    found = largest_gaussian_ratio([one, other], lambda high, low: (high, low) == (0, 1))
    outermost = [[path.coordinates[0].location for _, path in part] for part in (one, other)]
    beyond = min(outermost[0]) < min(outermost[1]) or max(outermost[0]) > max(outermost[1])
    assert (found.ratio is None) is beyond
    if not beyond:
        # Where places at an end agree, the ratio there is that of their weights.
        grid = np.linspace(-60, 60, 2401)
        gap = log_density(one, grid, deviation) - log_density(other, grid, deviation)
        assert math.log(as_float(found.ratio)) <= gap.max() + 1e-6


UNIT = GaussianDistribution(Fraction(1))


def test_fewer_zeros_than_changes_of_sign_are_proved():
    one, other = mixture([1], [0], UNIT), mixture([1, 2, 1], [-1, 0, 1], UNIT)
    assert delta_between(one, other, 0.25) == 0
    assert delta_between(other, one, 0.25) == pytest.approx(by_integration(other, one, 0.25), abs=1e-6)


@pytest.mark.parametrize(("variance", "epsilon"), [(1, 0.5), (4, 1.0), (0.25, 0.25)])
def test_delta_of_discrete_noise_is_a_sum_over_the_integers(variance, epsilon):
    distribution, values = DiscreteGaussianDistribution(Fraction(variance)), np.arange(-200, 201)

    def masses(place):
        heights = np.exp(-((values - place) ** 2) / (2 * variance))
        return heights / heights.sum()

    left, right = mixture([3, 1], [0, 3], distribution), mixture([1], [1], distribution)
    stated = np.maximum(0, 0.75 * masses(0) + 0.25 * masses(3) - math.exp(epsilon) * masses(1)).sum()
    assert delta_between(left, right, epsilon) == pytest.approx(stated, rel=1e-9)


def inside_with_more(data, rng):
    """All places of the one distribution lie within those of the other, and it has the larger delta."""
    choice = rng.choice(4, p=[0.01, 0.49, 0.49, 0.01])
    return ([0, 0, 5, 5] if data else [-10, 5, 5, 10])[choice] + rng.normal(0, 1)


def test_the_larger_delta_may_belong_to_a_distribution_without_an_unbounded_ratio():
    one, other = mixture([1, 1], [0, 5], UNIT), mixture([1, 98, 1], [-10, 5, 10], UNIT)
    stated = by_integration(one, other, 0.5)
    assert stated > 2.5 * by_integration(other, one, 0.5)
    result = judged(inside_with_more, 0, 1, "epsilon=0.5,delta=0.3")
    assert result.verdict is Verdict.REFUTED
    assert as_float(result.witness.delta) == pytest.approx(stated, abs=1e-6)


def beside_and_between(data, rng):
    choice = rng.choice(3, p=[0.25, 0.5, 0.25])
    return (choice - 1 if data else 0) + rng.normal(0, 1)


def test_a_delta_that_is_kept_is_not_refuted_also_where_a_ratio_has_a_lower_bound_only():
    one, other = mixture([1], [0], UNIT), mixture([1, 2, 1], [-1, 0, 1], UNIT)
    stated = max(by_integration(one, other, 0.25), by_integration(other, one, 0.25))
    result = judged(beside_and_between, 0, 1, f"epsilon=0.25,delta={1.01 * stated}")
    assert result.verdict is Verdict.NOT_REFUTED


def test_noise_on_several_outputs_counts_with_the_distance_of_the_means():
    peer = privacy_loss_distribution.from_gaussian_mechanism(2 / math.sqrt(5), value_discretization_interval=1e-4)
    found = delta_of("[one + noise for one, noise in zip(data, rng.normal(0, 2, 3))]", [0, 0, 0], [1, 2, 0], 0.5)
    assert found == pytest.approx([peer.get_delta_for_epsilon(0.5)] * 2, abs=1e-4)


TWO_DISCRETE = "data + rng.discrete_gaussian(0, 3) + rng.discrete_gaussian(0, 3)"


@pytest.mark.parametrize(
    ("mechanism", "rho", "delta"),
    [
        ("data + rng.discrete_gaussian(0, 3)", 1 / 18, None),
        # Integer noise on another lattice tells the inputs apart.
        ("data / 2 + rng.discrete_gaussian(0, 3)", math.inf, 1.0),
        ("data + 2 * rng.discrete_gaussian(0, 3)", math.inf, 1.0),
        # A choice that is seen does not hide it.
        ("[c := rng.random() < 0.5, data * (1 if c else 0.5) + rng.discrete_gaussian(0, 3)]", math.inf, None),
    ],
)
def test_integer_noise_has_the_loss_of_gaussian_noise_on_one_lattice_alone(mechanism, rho, delta):
    assert rho_of(mechanism, 0, 1) == pytest.approx(rho)
    assert delta is None or delta_of(mechanism, 0, 1, 1.0) == (delta, delta)


def test_gaussian_noise_keeps_no_promise_without_a_delta():
    result = judged("data + rng.normal(0, 3)", 0, 1, "epsilon=5")
    assert (result.verdict, result.loss.nats) == (Verdict.REFUTED, math.inf)


@pytest.mark.parametrize(
    ("measure", "mechanism", "words"),
    [
        (rho_of, TWO_DISCRETE, "a sum of several noise variables, one of them discrete Gaussian"),
        (delta_of, TWO_DISCRETE, "a sum of several noise variables"),
        (delta_of, "round(data + rng.normal(0, 3))", "rounds Gaussian noise"),
        (delta_of, "data + rng.normal(0, 1 + data)", "of several variances"),
    ],
)
def test_other_uses_are_refused_with_the_reason(measure, mechanism, words):
    with pytest.raises(UnfollowableError, match=words):
        measure(mechanism, 0, 1, *([1.0] if measure is delta_of else []))


ONE = ((Fraction(1),),)


def outputs(weights, means, covariance=ONE):
    return {
        GaussianOutput((place,), (Fraction(mean),), covariance): fmpq(weight, sum(weights))
        for place, (weight, mean) in enumerate(zip(weights, means, strict=True))
    }


POINTS = np.logspace(-3, 5, 5_001)


def largest(p, q, losses):
    """The largest divergence over its order, with the limits of order 1 and of large orders."""
    p, q = (np.asarray(one) / sum(one) for one in (p, q))
    logs, losses = np.log(p / q), np.asarray(losses, dtype=float)
    exponents = np.log(p)[:, None] + np.outer(logs, POINTS) + np.outer(losses, POINTS * (1 + POINTS))
    top = exponents.max(axis=0)
    divergences = (top + np.log(np.exp(exponents - top).sum(axis=0))) / POINTS
    return max(float((p * (logs + losses)).sum()), float((divergences / (1 + POINTS)).max()), *losses)


def bounds_between(p, q, losses):
    choices = [
        (arb(int(a)) / int(sum(p)), ((arb(int(a)) / int(sum(p))) / (arb(int(b)) / int(sum(q)))).log(), arb(loss))
        for a, b, loss in zip(p, q, losses, strict=True)
    ]
    return largest_divergence(choices)


CHOICES = st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90), st.integers(-3, 3)), min_size=2, max_size=5)


@settings(max_examples=25)
@given(CHOICES, st.booleans())
def test_the_largest_divergence_lies_between_bounds_that_are_nearly_equal(choices, noisy):
    p, q, moves = zip(*choices, strict=True)
    losses = [move**2 / 2 if noisy else 0 for move in moves]
    low, high = bounds_between(p, q, losses)
    value = largest(p, q, losses)
    assert low <= value * (1 + 1e-5) + 1e-12
    assert high >= value * (1 - 1e-6) - 1e-12
    assert noisy or high - low <= 1e-4 * high + 1e-15
    bounds = bounds_of(outputs(p, [0] * len(p)), outputs(q, moves if noisy else [0] * len(p)))
    seen = max(value, largest(q, p, losses))
    assert as_float(bounds.least) - 1e-5 * seen <= seen <= as_float(bounds.most) * (1 + 1e-6) + 1e-9


def test_choices_cost_what_formulas_say():
    bounds = bounds_of(outputs([1, 3], [0, 0]), outputs([1, 3], [1, 2]))
    assert (bounds.least, bounds.most) == (fmpq(2), fmpq(2))
    quick, sharp = (bounds_of(outputs([1, 2], [0, 0]), outputs([2, 1], [0, 0]), sharp=sharp) for sharp in (False, True))
    # At most an eighth of the squared range; at order 1 it is log(2)/3, and nowhere larger.
    assert as_float(quick.most) == pytest.approx((2 * math.log(2)) ** 2 / 8)
    assert [as_float(one) for one in (quick.least, sharp.least, sharp.most)] == pytest.approx([math.log(2) / 3] * 3)


def test_a_hidden_choice_and_two_covariances_are_not_followed():
    hidden = {GaussianOutput((), (Fraction(mean),), ONE): fmpq(1, 2) for mean in (0, 1)}
    assert bounds_of(hidden, hidden) is None
    wider = ((Fraction(2),),)
    assert bounds_of(outputs([1, 1], [0, 0]), outputs([1, 1], [0, 0], wider)) is None
    assert bounds_of(outputs([1, 1], [0, 0]), outputs([1, 1], [0, 0], ((Fraction(0),),))).most is None


def gumbel(scores, rng):
    noisy = [score + rng.gumbel(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def permute_and_flip(scores, rng):
    noisy = [score + rng.exponential(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


@pytest.mark.parametrize(
    ("mechanism", "chance", "rho"),
    [
        (gumbel, lambda gap: 1 / (1 + math.exp(-gap / 2)), 0.1213),
        (permute_and_flip, lambda gap: 1 - math.exp(-gap / 2) / 2, 0.2605),
    ],
)
def test_the_rho_of_a_noisy_maximum_decides(mechanism, chance, rho):
    """Of scores that differ by a gap, for noise of scale 2."""
    p, q = ((chance(gap), 1 - chance(gap)) for gap in (0, 2))
    expected = max(largest(p, q, [0, 0]), largest(q, p, [0, 0]))
    assert expected == pytest.approx(rho, abs=1e-4)
    for factor, verdict in ((1.0001, Verdict.NOT_REFUTED), (0.9999, Verdict.REFUTED)):
        result = judged(mechanism, [0, 0], [1, -1], f"rho={expected * factor}")
        assert result.verdict is verdict
        assert result.loss.nats == pytest.approx(expected, rel=1e-5)
        assert "step sizes" not in result.reason


def test_the_rho_of_a_coin_is_its_divergence_of_order_one():
    assert rho_of("data if rng.random() < 0.75 else 1 - data", 0, 1) == pytest.approx(math.log(3) / 2, rel=1e-6)
