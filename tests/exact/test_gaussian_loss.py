"""The rho of Gaussian laws with one covariance, against the engine of the proofs and against the definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness, variance_of
from pan_audits.notions import Loss, notion_of
from pan_audits.notions.gaussian_losses import GaussianLoss, ranges_differ
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
    """Orders 2 and 3 of two normal laws by integration: the order times rho."""
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
    assert Loss.none_of(RHO).nats == 0
