"""A seeded randomness whose draws come from elsewhere: from the judge, or counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pan_estimators.randomness.numpy_randomness import NumpyRandomness

METHODS = (
    "bernoulli",
    "uniform_integers",
    "uniform_subset",
    "keyed_sample",
    "laplace_noise",
    "normal_noise",
    "normal_at",
    "discrete_gaussian_noise",
    "gumbel_noise",
    "discrete_laplace",
    "two_sided_geometric",
    "geometric_numbers",
    "binomial_numbers",
    "exponential_noise",
    "uniform_numbers",
    "weighted_places",
    "scored_places",
    "uniform_order",
)
"""The draws that a source makes itself (:class:`pan_estimators.randomness.draws.Draws`); others are made from them."""

COMPARED, LARGEST, WHOLE_PART, MIXED = "compared", "largest", "whole_part", "mixed_noise"
"""In the exact check, the questions whether a noisy number is above 0, which one of several is the largest, for one as
an integer, and for mixed noise.

No source offers them to judged code.
"""
QUESTIONS = COMPARED, LARGEST, WHOLE_PART
"""The questions about noise that is not drawn, in the order of a ``Decider``."""


def presented(draw: Callable[[str], Callable[..., Any]], generator: Any, *, followed: bool = False) -> Any:
    """A seeded randomness, with the draws and the generator of another source, which may follow every outcome."""
    made: Any = object.__new__(NumpyRandomness)
    for method in METHODS:
        setattr(made, method, draw(method))
    made.generator, made.followed = generator, followed
    return made
