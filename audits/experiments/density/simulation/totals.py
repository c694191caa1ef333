"""The sum of the cells of a sample of which a given number of users have appeared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.density.simulation.truncated_gaussian import TruncatedGaussianCells
from pan_estimators.density.cells import BernoulliCells, LaplaceCells

_FLAT = 1.0
"""Up to this epsilon a truncated Gaussian cell is drawn from a uniform one, beyond it from a half-normal one."""
_CELLS = 10**7
"""Cells between two chances to interrupt."""


def counts(
    cells: BernoulliCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """The number of ones among ``sample_size`` bits after ``appeared`` users have appeared; shape of ``appeared``."""
    present: NDArray[np.int64] = generator.binomial(appeared, cells.p_upd)
    return present + generator.binomial(sample_size - appeared, cells.p_init)


def laplace_totals(
    cells: LaplaceCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The sum of Laplace cells: a Laplace variable is the difference of two exponential ones.

    Real cells lie on a grid of steps below ``2**-32`` of their scale, which is left out here.
    """
    means = appeared * cells.mu_upd + (sample_size - appeared) * cells.mu_init
    gamma = generator.gamma(sample_size, cells.scale, (2, appeared.size))
    return np.asarray(means + gamma[0] - gamma[1])


def truncated_gaussian_totals(
    cells: TruncatedGaussianCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The sum of truncated Gaussian cells, cell by cell: their sum has no simpler distribution."""
    totals = np.empty(appeared.size)
    chunk = max(1, _CELLS // sample_size)
    for start in range(0, appeared.size, chunk):
        part = slice(start, start + chunk)
        totals[part] = _add_up(generator, appeared[part], sample_size, cells.epsilon, cells.epsilon <= _FLAT)
    return totals


@njit(nogil=True, cache=True)
def _add_up(generator: Any, appeared: Any, sample_size: int, epsilon: float, flat: bool) -> Any:
    totals = np.empty(appeared.size)
    deviation = np.sqrt(0.5 / epsilon)
    for run in range(appeared.size):
        total = 0.0
        for cell in range(sample_size):
            if flat:
                while True:
                    value = generator.random()
                    drop = epsilon * value * value
                    height = generator.random()
                    # exp(-x) >= 1 - x, which decides most draws.
                    if height < 1 - drop or height < np.exp(-drop):
                        break
            else:
                value = deviation * abs(generator.standard_normal())
                while value > 1:
                    value = deviation * abs(generator.standard_normal())
            # The distribution around 1 is the mirror image of the one around 0.
            total += 1 - value if cell < appeared[run] else value
        totals[run] = total
    return totals
