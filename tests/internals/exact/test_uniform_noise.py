"""Noise that code makes from uniform numbers, compared with closed forms."""

import math

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.noise import shown_as_noise
from pan_audits.choices.numbers import as_float
from pan_audits.choices.regions import distributions
from pan_audits.choices.regions.function import convolved
from tests.internals.exact.checking import delta_of, function_of, loss_of


def shown(value):
    """An output as it is sent: in place of uniform numbers it has noise."""
    if type(value) in (list, tuple):
        return type(value)(shown(each) for each in value)
    return shown(value.tolist()) if issubclass(type(value), np.ndarray) else shown_as_noise(value)


def sent(expression):
    """The function of an expression. ``u``, ``v`` and ``w`` are uniform numbers, ``half`` is one around 0."""
    mechanism = function_of(
        f"(lambda u, v, w, half: {expression})(rng.random(), rng.random(), rng.random(), rng.uniform(-0.5, 0.5))"
    )
    return lambda data, rng: shown(mechanism(data, rng))


LOSSES = {
    "data - np.log(u) + np.log(v)": 1,
    "data - np.log1p(-u) - rng.exponential()": 1,
    "data - 2 * np.sign(half) * np.log(1 - 2 * np.abs(half))": 1 / 2,
    "data - np.sign(half) * np.log(2 * np.abs(half))": 1,
    "data + np.copysign(1, u - 0.5) * np.log(v)": 1,
    "data - np.sign(u - 0.5) * np.log2(v)": math.log(2),
    "data + math.floor(-np.log(u)) - math.floor(-np.log(v))": 1,
    "data + rng.geometric(0.5) - rng.geometric(0.25)": math.log(2),
    "data + rng.exponential() - rng.exponential(2.0)": 1,
    "data + rng.exponential(2) + rng.exponential(2)": math.inf,
    "data + u + rng.laplace()": 1,
    "data + u + v + w + rng.laplace(scale=2.0)": 1 / 2,
    "data + max(u, v) + rng.laplace()": 1,
    "[data + (1 if rng.random() < 0.5 else -1) * rng.exponential() for _ in range(4)]": 4,
    "[data + (1 if rng.random() < 0.75 else -1) * rng.exponential() for _ in range(2)]": 2 * (1 + math.log(3)),
    "data - (lambda x: np.sign(x) * np.log(1 - 2 * np.abs(x)))(rng.uniform(-0.5, 0.5, 3))": 3,
    "data + (lambda x: x[0] - x[1])(-np.log(rng.random(2)))": 1,
    "[data - np.log(u), data + np.log(u)]": math.inf,
    # A hole in the middle, a bounded noise, and noise of one side.
    "data - np.sign(half) * np.log(np.abs(half))": math.inf,
    "data + u": math.inf,
    "data - np.log(u)": math.inf,
    "(data + (u + v > 1.5)) % 2": math.log(7),
    "(data + (max(u, v, w) == w)) % 2": math.log(2),
    "(data + (abs(u - 0.5) > 0.375)) % 2": math.log(3),
    "(data + (-np.log(u) > 1.0)) % 2": math.log(math.e - 1),
    "(data + round(3 * u)) % 4": math.log(2),
    "(data + math.floor(4 * u)) % 4": 0,
}


@pytest.mark.parametrize(("expression", "loss"), LOSSES.items())
def test_the_loss_is_that_of_a_closed_form(expression, loss):
    assert loss_of(sent(expression), 0, 1).nats == pytest.approx(loss, rel=1e-12)


RADIUS = "np.sqrt(-2 * np.log(u))"


@pytest.mark.parametrize(
    ("expression", "deviation"),
    [
        (f"data + {RADIUS} * np.cos(2 * np.pi * v)", 1),
        ("data + 3 * np.sin(2 * np.pi * v) * (-2 * np.log(1 - u)) ** 0.5", 3),
        ("data + np.sqrt(-8 * np.log(u)) * np.cos(rng.uniform(0, 2 * np.pi))", 2),
        (f"(lambda r, t: [data + r * np.cos(t), data + r * np.sin(t)])({RADIUS}, 2 * np.pi * v)", 0.5**0.5),
        (f"(lambda r, t: [data + r * np.cos(t), data + r * np.cos(t)])({RADIUS}, 2 * np.pi * v)", 1),
        (f"(lambda r, t: data + r * np.cos(t) + r * np.sin(t))({RADIUS}, 2 * np.pi * v)", 2**0.5),
    ],
)
def test_a_radius_and_an_angle_make_two_independent_normal_variables(expression, deviation):
    expected = norm.cdf(0.5 / deviation - deviation / 2) - math.exp(0.5) * norm.cdf(-0.5 / deviation - deviation / 2)
    assert delta_of(sent(expression), 0, 1, 0.5) == pytest.approx([expected] * 2)


@pytest.mark.parametrize(
    ("expression", "deltas"),
    [
        ("data + 4 * u", [1 / 4, 1 / 4]),
        ("data - np.log(u)", [1 - math.exp(-1), 0]),
        # Numbers of a numerical integral.
        ("data + rng.laplace() + rng.laplace()", [0.0572378, 0.0572378]),
        ("data + 4 * u + rng.exponential()", [0.1154320, 0]),
    ],
)
def test_the_profile_of_made_noise(expression, deltas):
    epsilon = 1 if "exponential" in expression or "log" in expression else 0.5
    assert [as_float(one) for one in delta_of(sent(expression), 0, 1, epsilon)] == pytest.approx(deltas, rel=1e-5)


@pytest.mark.parametrize(
    "expression",
    [
        # A number that is used again in another way.
        "[data - np.log(u), data + u]",
        "[data - np.log(u), u < 0.5]",
        "[data + u, data - np.log(u)]",
        f"data + {RADIUS} * np.cos(2 * np.pi * u)",
        f"[data + {RADIUS} * np.cos(2 * np.pi * v), np.log(u)]",
        f"[data + {RADIUS} * np.cos(2 * np.pi * v), {RADIUS} * np.cos(2 * np.pi * w)]",
        f"[data + {RADIUS} * np.cos(2 * np.pi * v), v < 0.5]",
        # The rounding of doubles.
        "data + (u + 1e17) - 1e17",
        "data - (np.log(u) + 1e17 - 1e17)",
        "data + (u * 1e-30 + u) - u",
        "data + np.log(u) - np.log(u)",
        # Other distributions.
        f"data + {RADIUS}",
        f"data + {RADIUS} * np.cos(np.pi * v)",
        f"data + {RADIUS} * np.cos(6.28 * v)",
        "data - np.sign(half) * np.log(1 - np.abs(half))",
        "data - np.log(rng.uniform(1e-9, 1))",
        "data + u * v",
        "data + u**2",
        "data + (lambda x: [x[0] - x[1], x[1] - x[2]])(-np.log(rng.random(3)))[0] if u < v else np.exp(w)",
    ],
)
def test_what_has_no_known_distribution_is_refused(expression):
    with pytest.raises(UnfollowableError):
        loss_of(sent(expression), 0, 1)


RATIOS = st.fractions(0, 1, max_denominator=9).filter(lambda ratio: 0 < ratio < 1)


@given(st.tuples(RATIOS, RATIOS, RATIOS, RATIOS))
def test_a_sum_of_integer_noise_has_the_convolution_as_its_distribution(ratios):
    up, down, other_up, other_down = ((fmpq(ratio.numerator, ratio.denominator), fmpq(0)) for ratio in ratios)
    one, other = (distributions.two_sided_geometric(*each) for each in ((up, down), (other_up, other_down)))
    both = convolved(one, other)
    assert both.total == 1
    reach = range(-400, 401)
    for place in (-3, 0, 2):
        terms = (as_float(one.at(fmpq(k))) * as_float(other.at(fmpq(place - k))) for k in reach)
        assert as_float(both.at(fmpq(place))) == pytest.approx(math.fsum(terms), rel=1e-9)


def test_a_sum_of_three_uniform_numbers_has_its_known_density():
    one = distributions.uniform()
    density = convolved(convolved(one, one), one)
    assert density.total == 1
    assert [as_float(density.at(fmpq(place, 2))) for place in (1, 2, 3, 4, 5)] == [1 / 8, 1 / 2, 3 / 4, 1 / 2, 1 / 8]
