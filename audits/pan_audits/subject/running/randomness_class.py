"""A source of random choices under the class of another source, with the same draws.

An estimator that leaks data only with the secure randomness would pass every audit with a seeded one.
The judged code therefore gets objects of exactly these two classes. It cannot tell from their class
or from their draws which one a deployment would use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness

SEEDED, SECURE = "seeded", "secure"
CLASSES: dict[str, type] = {SEEDED: NumpyRandomness, SECURE: SecureRandomness}

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

COMPARED, WHOLE_PART = "compared", "whole_part"
"""In the exact check, the questions whether a noisy number is above 0, and for it as an integer.

No source offers them to judged code.
"""


def presented_as(randomness_class: str, draw: Callable[[str], Callable[..., Any]], generator: Any = None) -> Any:
    """An object of a class of randomness, whose draws come from another source."""
    kind = CLASSES[randomness_class]
    made: Any = object.__new__(kind)
    for method in METHODS:
        setattr(made, method, draw(method))
    if randomness_class == SEEDED and generator is not None:
        made.generator = generator
    return made


def seeded(randomness_class: str, source: NumpyRandomness) -> Any:
    """A seeded randomness under one of the two classes."""
    return presented_as(randomness_class, lambda method: getattr(source, method), source.generator)
