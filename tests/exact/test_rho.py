"""The rho of outputs: Gaussian noise of one covariance, beside choices that the output shows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

import panproof
from pan_audits import Verdict
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness, variance_of
from pan_audits.notions import Loss, notion_of
from pan_audits.notions.divergences import largest_divergence
from pan_audits.notions.gaussian_losses import GaussianLoss, GaussianOutput, bounds_of, ranges_differ
from pan_promises.adjacency import Adjacency
from pan_promises.looks import Observed
from pan_promises.promise import Promise
from pan_proofs.engines.gaussian_observations import GaussianObservation

WEIGHTS = st.integers(-2, 2)


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


@pytest.mark.more
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


def test_the_loss_bounds_every_renyi_divergence_and_is_attained():
    """Orders 2 and 3 of two normal distributions by integration: the order times rho."""
    (rho,) = GaussianLoss.of(((Fraction(9, 4),),)).of_differences(np.array([[2]], dtype=object))
    one, other = norm(0, 1.5), norm(2, 1.5)
    for order in (2, 3):

        def weighted(y, order=order):
            return math.exp(order * one.logpdf(y) + (1 - order) * other.logpdf(y))

        moment, _ = quad(weighted, -30, 30)
        assert math.log(moment) / (order - 1) == pytest.approx(order * float(rho.p) / float(rho.q))


def test_differences_over_a_unit_and_of_any_size():
    loss = GaussianLoss.of(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1, 3))))
    assert loss.of_differences(np.array([[3, 1], [0, 0]], dtype=object), 6) == [fmpq(1, 6), fmpq(0)]
    huge = 10**30
    assert loss.of_differences(np.array([[huge, 0]], dtype=object)) == [fmpq(huge**2, 2)]


def test_no_noisy_number_at_all_has_the_loss_0():
    assert GaussianLoss.of(()).of_differences(np.zeros((1, 0), dtype=object)) == [fmpq(0)]


def test_ranges_of_covariances():
    full, first, second = (((1, 0), (0, 1)), ((1, 0), (0, 0)), ((0, 0), (0, 1)))
    exact = [tuple(tuple(map(Fraction, row)) for row in rows) for rows in (full, first, second)]
    doubled = tuple(tuple(2 * one for one in row) for row in exact[1])
    assert ranges_differ(exact[0], exact[1])
    assert ranges_differ(exact[1], exact[2])
    assert not ranges_differ(exact[1], doubled)
    assert not ranges_differ((), ())


def test_a_difference_that_rounded_weights_explain_is_not_clear():
    one, other = (Fraction(2**0.5 / 2), Fraction(0.5**0.5 * (1 + 2**-40)))
    loss = GaussianLoss.of(covariance_of([[one], [other]], [Fraction(1)]))
    rows = np.array([[1, 1], [1, 0]], dtype=object)
    assert loss.of_differences(rows) == [None, None]
    assert [loss.clearly_apart(row) for row in rows] == [False, True]


@pytest.mark.parametrize(
    ("scale", "variance", "simple"),
    [
        (2, 4, True),
        (0.1, Fraction(1, 100), True),
        (math.sqrt(2), 2, True),
        (math.sqrt(0.1), Fraction(1, 10), True),
        (math.sqrt(4 * 3 * 4 / 0.7), Fraction(480, 7), True),
        (Fraction(1, 3), Fraction(1, 9), True),
        (math.pi, Fraction(math.pi) ** 2, False),
    ],
)
def test_a_scale_is_a_fraction_or_a_square_root_of_one(scale, variance, simple):
    assert variance_of(scale) == (variance, simple)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(UnfollowableError):
        GaussianRandomness().gaussian(0.0, scale)


def test_gaussian_noise_is_added_and_scaled_and_nothing_else():
    randomness = GaussianRandomness()
    first, second = randomness.gaussian(1, 2.0, size=2)
    total = 3 * first - second + 0.5
    assert total.constant == Fraction(5, 2)
    assert sorted(weight for _, weight in total.terms) == [-1, 3]
    assert randomness.gaussian(0.0, 1.0).identity != randomness.gaussian(0.0, 1.0).identity
    with pytest.raises(UnfollowableError):
        randomness.compared(total, True)
    with pytest.raises(UnfollowableError):
        randomness.whole_part(total, False, False)


RHO = Promise(rho=0.1, adjacency=Adjacency.ITEM_LEVEL, observed=Observed.OUTPUT, intrusions=0)


@pytest.mark.parametrize(
    ("rho", "exact", "broken"),
    [
        (fmpq(1, 10), True, False),
        (fmpq(10**14 + 1, 10**15), True, True),
        (fmpq(10**14 + 1, 10**15), False, False),
        (fmpq(101, 1000), False, True),
        (fmpq(0), True, False),
        (None, False, True),
    ],
)
def test_a_promise_of_a_rho_is_broken_by_more_than_rounding_explains(rho, exact, broken):
    assert notion_of(RHO).broken_by(Loss(rho, unit="rho"), exact=exact) is broken


def test_the_share_of_the_promised_rho_is_told():
    assert notion_of(RHO).compared(Loss(fmpq(1, 40), unit="rho")) == "rho 0.025 = 1/40, promised rho 0.1 (25% of it)"
    assert notion_of(RHO).compared(Loss(None, unit="rho")) == "infinite, promised rho 0.1"
    assert Loss(fmpq(1, 2), unit="rho") > Loss(fmpq(1, 3), unit="rho")
    assert notion_of(RHO).none.nats == 0


ORDERS = (1.0001, *np.geomspace(1.001, 1000, 2000))
SIDES = st.lists(st.integers(1, 40), min_size=2, max_size=4)
ONE = ((Fraction(1),),)


def distribution(weights, means, covariance=ONE):
    total = sum(weights)
    return {
        GaussianOutput((place,), (Fraction(mean),), covariance): fmpq(weight, total)
        for place, (weight, mean) in enumerate(zip(weights, means, strict=True))
    }


def largest(weights, other, losses):
    """The largest divergence over its order, of the orders that are tried."""
    p, q = (np.array(one) / sum(one) for one in (weights, other))
    found = []
    for order in ORDERS:
        terms = order * np.log(p) + (1 - order) * np.log(q) + order * (order - 1) * np.array(losses)
        top = terms.max()
        found.append((top + math.log(np.exp(terms - top).sum())) / (order - 1) / order)
    return max(found)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_the_largest_divergence_lies_between_the_bounds(data):
    weights = data.draw(SIDES)
    other = data.draw(st.lists(st.integers(1, 40), min_size=len(weights), max_size=len(weights)))
    moves = data.draw(st.lists(st.integers(-3, 3), min_size=len(weights), max_size=len(weights)))
    bounds = bounds_of(distribution(weights, [0] * len(weights)), distribution(other, moves))
    losses = [move**2 / 2 for move in moves]
    seen = max(largest(weights, other, losses), largest(other, weights, losses))
    least, most = (float(Fraction(int(one.p), int(one.q))) for one in (bounds.least, bounds.most))
    assert least <= most
    assert seen <= most + 1e-9
    # The order 1000 is not infinity: the largest loss is reached in the limit.
    assert least - 0.02 <= seen or least == max(losses)


def test_equal_choices_leave_the_loss_of_the_noise():
    bounds = bounds_of(distribution([1, 3], [0, 0]), distribution([1, 3], [1, 2]))
    assert (bounds.least, bounds.most) == (fmpq(2), fmpq(2))


def test_choices_alone_cost_at_most_an_eighth_of_the_squared_range():
    quick = bounds_of(distribution([1, 2], [0, 0]), distribution([2, 1], [0, 0]), sharp=False)
    width = 2 * math.log(2)
    assert float(quick.most.p) / float(quick.most.q) == pytest.approx(width**2 / 8)
    # At order 1 it is log(2)/3, and nowhere larger.
    for bounds in (quick, bounds_of(distribution([1, 2], [0, 0]), distribution([2, 1], [0, 0]))):
        assert float(bounds.least.p) / float(bounds.least.q) == pytest.approx(math.log(2) / 3)
    assert float(bounds.most.p) / float(bounds.most.q) == pytest.approx(math.log(2) / 3)


def test_a_hidden_choice_and_two_covariances_are_not_followed():
    hidden = {GaussianOutput((), (Fraction(mean),), ONE): fmpq(1, 2) for mean in (0, 1)}
    assert bounds_of(hidden, hidden) is None
    wider = ((Fraction(2),),)
    assert bounds_of(distribution([1, 1], [0, 0]), distribution([1, 1], [0, 0], wider)) is None
    assert bounds_of(distribution([1, 1], [0, 0]), distribution([1, 1], [0, 0], ((Fraction(0),),))).most is None


POINTS = np.logspace(-3, 5, 50_001)


def expected(p, q, losses):
    """The largest divergence over its order, with the limits of order 1 and of large orders."""
    logs, p = np.log(p / q), np.asarray(p)
    exponents = np.log(p)[:, None] + np.outer(logs, POINTS) + np.outer(losses, POINTS * (1 + POINTS))
    top = exponents.max(axis=0)
    divergences = (top + np.log(np.exp(exponents - top).sum(axis=0))) / POINTS
    return max(float((p * (logs + losses)).sum()), float((divergences / (1 + POINTS)).max()), max(losses))


def found(p, q, losses):
    choices = [
        (arb(int(a)) / int(sum(p)), ((arb(int(a)) / int(sum(p))) / (arb(int(b)) / int(sum(q)))).log(), arb(loss))
        for a, b, loss in zip(p, q, losses, strict=True)
    ]
    return largest_divergence(choices)


CHANCES = st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), min_size=2, max_size=5)


@settings(max_examples=25, deadline=None)
@given(CHANCES)
def test_both_bounds_hold_and_are_nearly_equal(weights):
    p, q = (np.array(side) for side in zip(*weights, strict=True))
    low, high = found(p, q, [0] * len(p))
    value = expected(p / p.sum(), q / q.sum(), [0] * len(p))
    assert low <= value * (1 + 1e-6) + 1e-12
    assert high >= value * (1 - 1e-6) - 1e-12
    assert high - low <= 1e-4 * high + 1e-15


@settings(max_examples=10, deadline=None)
@given(CHANCES, st.data())
def test_both_bounds_hold_with_noise_beside(weights, data):
    p, q = (np.array(side) for side in zip(*weights, strict=True))
    losses = [data.draw(st.sampled_from([0.0, 0.25, 1.0, 2.0])) for _ in p]
    low, high = found(p, q, losses)
    value = expected(p / p.sum(), q / q.sum(), losses)
    assert low <= value * (1 + 1e-6) + 1e-12
    assert high >= value * (1 - 1e-6) - 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomised_response_has_its_divergence_of_order_one(epsilon):
    whole = round(10**6 * math.exp(epsilon) / (1 + math.exp(epsilon)))
    p = whole / 10**6
    low, high = found((whole, 10**6 - whole), (10**6 - whole, whole), (0, 0))
    assert low == pytest.approx((2 * p - 1) * math.log(p / (1 - p)), rel=1e-9)
    assert high == pytest.approx(low, rel=1e-9)


def gumbel(scores, rng):
    noisy = [score + rng.gumbel(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def permute_and_flip(scores, rng):
    noisy = [score + rng.exponential(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def coin(bit, rng):
    return bit if rng.random() < 0.75 else 1 - bit


def distribution_of_the_largest(mechanism, gap):
    """The probabilities of the two choices of scores that differ by a gap, for noise of scale 2."""
    first = 1 / (1 + math.exp(-gap / 2)) if mechanism is gumbel else 1 - math.exp(-gap / 2) / 2
    return np.array([first, 1 - first])


@pytest.mark.parametrize("mechanism", [gumbel, permute_and_flip])
def test_the_rho_of_a_noisy_maximum_decides(mechanism):
    p, q = distribution_of_the_largest(mechanism, 0), distribution_of_the_largest(mechanism, 2)
    rho = max(expected(p, q, [0, 0]), expected(q, p, [0, 0]))
    assert rho == pytest.approx({"gumbel": 0.1213, "permute_and_flip": 0.2605}[mechanism.__name__], abs=1e-4)
    kept = panproof.check(mechanism, [0, 0], [1, -1], rho=rho * 1.0001)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert kept.loss == pytest.approx(rho, rel=1e-6)
    refuted = panproof.check(mechanism, [0, 0], [1, -1], rho=rho * 0.9999)
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.loss == pytest.approx(rho, rel=1e-6)


def test_the_rho_of_a_coin_is_its_divergence_of_order_one():
    rho = math.log(3) / 2
    assert panproof.check(coin, 0, 1, rho=0.5).verdict is Verdict.REFUTED
    result = panproof.check(coin, 0, 1, rho=0.5494)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == pytest.approx(rho, rel=1e-6)


def test_no_reason_speaks_of_noise_that_is_not_there():
    text = str(panproof.check(gumbel, [0, 0], [1, -1], rho=0.125))
    assert "step sizes" not in text
    assert "rho at most 0.1213" in text
