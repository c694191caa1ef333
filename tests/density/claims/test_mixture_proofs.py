"""The largest ratio of Laplace mixtures is found at an atom, and what has no finite loss is shown to have none."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from pan_proofs import (
    Status,
    constant_beyond_atoms,
    distinct_sampling_is_unbounded,
    distinct_sampling_loss,
    kept_to_redrawn,
    largest_ratio,
    monotone_between_atoms,
    monotone_in_one_coordinate,
    real_cells_are_unbounded,
)
from pan_proofs.density.lemmas.losses.unbounded_losses import appearances, cell, chance, mean, redrawn_density, scale


def laplace(width):
    return lambda distance: math.exp(-abs(distance) / width)


def random_mixture(source, dimension, draw):
    return {tuple(draw() for _ in range(dimension)): source.uniform(0.05, 1) for _ in range(source.randint(1, 4))}


@pytest.mark.more
def test_every_step_is_discharged():
    steps = (
        *monotone_between_atoms(),
        *constant_beyond_atoms(),
        monotone_in_one_coordinate(),
        *real_cells_are_unbounded(),
        *distinct_sampling_is_unbounded(),
    )
    for obligation in steps:
        assert obligation.status is Status.DISCHARGED, str(obligation)


def test_no_output_on_a_dense_grid_has_a_larger_ratio_on_the_line():
    source = random.Random(3)
    grid = np.linspace(-12, 12, 4801)
    for _ in range(60):
        width = source.uniform(0.2, 3)
        above, below = (random_mixture(source, 1, lambda: source.uniform(-4, 4)) for _ in range(2))
        largest = largest_ratio(above, below, [laplace(width)])

        def density(mixture, width=width):
            return sum(weight * np.exp(-np.abs(grid - place) / width) for (place,), weight in mixture.items())

        assert (density(above) / density(below)).max() <= largest.value * (1 + 1e-12)
        assert largest.at in {*above, *below}


def test_no_integer_has_a_larger_ratio_for_one_sided_rates_either_and_fractions_stay_exact():
    source = random.Random(4)
    up, down = Fraction(1, 3), Fraction(3, 5)

    def decay(distance):
        return up**distance if distance >= 0 else down**-distance

    for _ in range(40):
        above, below = (
            {
                atom: Fraction(weight)
                for atom, weight in random_mixture(source, 1, lambda: source.randint(-5, 5)).items()
            }
            for _ in range(2)
        )
        largest = largest_ratio(above, below, [decay])
        assert isinstance(largest.value, Fraction)
        ratios = [
            sum(w * decay(y - place) for (place,), w in above.items())
            / sum(w * decay(y - place) for (place,), w in below.items())
            for y in range(-30, 31)
        ]
        assert max(ratios) == largest.value


def test_no_output_on_a_dense_grid_has_a_larger_ratio_in_the_plane():
    source = random.Random(5)
    grids = np.linspace(-6, 6, 241)[:, None], np.linspace(-6, 6, 241)[None, :]
    for _ in range(30):
        widths = source.uniform(0.3, 2), source.uniform(0.3, 2)
        above, below = (random_mixture(source, 2, lambda: source.uniform(-3, 3)) for _ in range(2))
        largest = largest_ratio(above, below, [laplace(width) for width in widths])

        def density(mixture, widths=widths):
            return sum(
                weight * math.prod(np.exp(-np.abs(g - x) / w) for g, x, w in zip(grids, place, widths, strict=True))
                for place, weight in mixture.items()
            )

        assert (density(above) / density(below)).max() <= largest.value * (1 + 1e-12)


def test_two_scales_break_the_theorem():
    """With a scale of its own for each mixture, the largest ratio need not be at an atom."""
    grid = np.linspace(-40, 40, 801)
    above = np.exp(-np.abs(grid) / 2)
    below = np.exp(-np.abs(grid))
    assert (above / below).max() > above[400] / below[400]


def test_mixtures_without_weight_or_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match="positive weight"):
        largest_ratio({(0,): 0.0}, {(0,): 1.0}, [laplace(1)])
    with pytest.raises(ValueError, match="1 coordinates"):
        largest_ratio({(0, 1): 1.0}, {(0, 1): 1.0}, [laplace(1)])


def test_the_redrawn_density_is_the_integral_of_the_product():
    for width, height in itertools.product((0.5, 2.0), (0.3, 4.0)):
        grid = np.linspace(-80, 80, 1_600_001)
        product = np.exp(-np.abs(grid) / width) * np.exp(-np.abs(height - grid) / width) / (4 * width**2)
        formula = redrawn_density().subs({scale: width, mean: 0, sp.Symbol("y", real=True): height})
        assert float(formula) == pytest.approx(float(np.trapezoid(product, grid)), rel=1e-6)


def test_the_ratio_of_real_valued_cells_passes_every_bound():
    ratio = kept_to_redrawn().subs({scale: 1, mean: 0})
    values = [float(ratio.subs(cell, height)) for height in (0, 5, 10, 20)]
    assert values == sorted(values)
    assert values[-1] > 1e6


def test_distinct_sampling_passes_two_epsilon_after_two_appearances():
    for epsilon in (0.1, 0.5):
        after = math.exp(epsilon) / (1 + math.exp(epsilon))
        loss = distinct_sampling_loss().subs({appearances: 2, chance: after})
        assert float(loss) == pytest.approx(2 * math.log(1 + math.exp(epsilon)))
        assert float(loss) > 2 * epsilon


def test_distinct_sampling_in_the_smallest_case_by_enumeration():
    """Universe of two, m = 2, level 0: the state with only the other user in the sample."""
    p1 = Fraction(3, 5)
    state = {(0, frozenset({0})): Fraction(1)}
    for k in range(1, 5):
        following: dict[tuple[int, frozenset[int]], Fraction] = {}
        for (level, members), weight in state.items():
            for inside, probability in ((True, p1), (False, 1 - p1)):
                now = members | {1} if inside else members - {1}
                full = inside and 1 not in members and len(now) >= 2
                key = (level + 1, frozenset()) if full else (level, frozenset(now))
                following[key] = following.get(key, Fraction(0)) + weight * probability
        state = following
        assert 1 / state[0, frozenset({0})] == (1 - p1) ** -k
