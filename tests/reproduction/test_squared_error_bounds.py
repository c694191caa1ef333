"""Bounds of a mean squared error: their coverage, their sharpness, and how they end with too few runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.toolkit.quantities import groups, mean_square_bounds


def _coverage(draw, flatness, *, size, group, error, repetitions):
    generator = np.random.default_rng(5)
    missed = np.zeros(2)
    for _ in range(repetitions):
        low, high = mean_square_bounds(
            groups(draw(generator, size), group), group=group, flatness=flatness, error=error
        )
        missed += (low > 1, high < 1)
    return missed / repetitions


def _rare(share):
    """Values of mean 1 and flatness 1/share that are mostly 0: the distribution for which the lower deviations are
    worst.
    """
    return lambda generator, size: (generator.random(size) < share) / share


@pytest.mark.parametrize(
    ("draw", "flatness"),
    [
        (lambda generator, size: generator.standard_normal(size) ** 2, 3.0),
        (lambda generator, size: generator.laplace(size=size) ** 2 / 2, 6.0),
        (lambda generator, size: generator.pareto(2.5, size) * 1.5, 6.0),
        (_rare(0.02), 50.0),
        (_rare(0.5), 2.0),
    ],
    ids=["Gaussian", "Laplace", "Pareto", "rare", "coin"],
)
@pytest.mark.parametrize("group", [1, 8])
def test_each_bound_fails_as_seldom_as_stated(draw, flatness, group):
    missed = _coverage(draw, flatness, size=400, group=group, error=0.05, repetitions=400)
    # Five standard deviations above the stated error.
    assert (missed <= 0.05 + 5 * np.sqrt(0.05 * 0.95 / 400)).all()


def test_a_flatness_that_is_too_small_is_found_out():
    """The coverage comes from the assumption: with half of it, the bounds fail more often than stated."""
    missed = _coverage(_rare(0.02), 3.0, size=400, group=1, error=0.05, repetitions=300)
    assert missed.max() > 0.1


def test_the_bounds_are_nearly_as_narrow_as_a_normal_approximation():
    flatness, error = 3.0, 1e-10
    size = math.ceil(2 * (flatness - 1) * -math.log(error) / 0.1**2)
    values = np.random.default_rng(3).standard_normal(size - size % 8) ** 2
    low, high = mean_square_bounds(groups(values, 8), group=8, flatness=flatness, error=error)
    assert values.mean() * 0.87 < low < values.mean() < high < values.mean() * 1.14


def test_scaling_the_values_scales_the_bounds():
    values = np.random.default_rng(4).standard_normal(800) ** 2
    low, high = mean_square_bounds(values, group=1, flatness=3.0, error=0.01)
    scaled = mean_square_bounds(values * 1e-6, group=1, flatness=3.0, error=0.01)
    assert scaled == pytest.approx((low * 1e-6, high * 1e-6), rel=1e-6)


def test_too_few_values_bound_nothing_from_above():
    assert mean_square_bounds(np.ones(1), group=1, flatness=3.0, error=1e-9)[1] == np.inf
    assert mean_square_bounds(np.zeros(50), group=1, flatness=3.0, error=0.1) == (0.0, np.inf)


@pytest.mark.parametrize(
    "wrong",
    [
        {"averages": np.array([])},
        {"averages": np.array([1.0, -1.0])},
        {"averages": np.array([1.0, np.nan])},
        {"group": 0},
        {"flatness": 1.0},
        {"error": 0.0},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    given = {"averages": np.ones(10), "group": 1, "flatness": 3.0, "error": 0.1} | wrong
    averages = given.pop("averages")
    with pytest.raises(ValueError, match="must be"):
        mean_square_bounds(averages, **given)


def test_groups_are_averages_of_neighbours():
    assert groups(np.array([1.0, 3.0, 2.0, 4.0, 9.0]), 2).tolist() == [2.0, 3.0]
