"""The minimum of a function in the open unit cube, by grids."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def minimum_in_cube(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], dimensions: int, *, rounds: int
) -> NDArray[np.float64]:
    """The minimiser in the open unit cube: a grid, then ever smaller grids around its best point."""
    points, centre, reach = 33 if dimensions == 1 else 25, np.full(dimensions, 0.5), 0.5
    best, least = centre, math.inf
    for _ in range(rounds):
        ticks = reach * np.linspace(-1, 1, points)
        grid = np.stack(np.meshgrid(*[ticks] * dimensions), axis=-1).reshape(-1, dimensions) + centre
        grid = grid[np.all((grid > 1e-4) & (grid < 1 - 1e-4), axis=1)]
        values = function(grid)
        place = int(np.nanargmin(values))
        if values[place] < least:
            best, least = grid[place], float(values[place])
        centre, reach, points = best, 3 * reach / (points - 1), 9
    return best
