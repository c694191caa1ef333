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
GUISES: dict[str, type] = {SEEDED: NumpyRandomness, SECURE: SecureRandomness}

METHODS = (
    "bernoulli",
    "uniform_integers",
    "uniform_subset",
    "keyed_sample",
    "laplace_noise",
    "normal_noise",
    "discrete_laplace",
    "two_sided_geometric",
    "geometric_numbers",
    "binomial_numbers",
    "exponential_noise",
    "uniform_numbers",
    "weighted_places",
    "uniform_order",
)
"""The draws that a source makes itself (:class:`pan_estimators.randomness.draws.Draws`); others are made from them."""


def in_guise(guise: str, draw: Callable[[str], Callable[..., Any]], generator: Any = None) -> Any:
    """An object of a class of randomness, whose draws come from another source.

    Parameters
    ----------
    guise
        :data:`SEEDED` or :data:`SECURE`.
    draw
        It maps the name of a method to the function that replaces it.
    generator
        The attribute of this name of a seeded randomness, which some estimators use.
    """
    kind = GUISES[guise]
    made: Any = object.__new__(kind)
    for method in METHODS:
        setattr(made, method, draw(method))
    if guise == SEEDED and generator is not None:
        made.generator = generator
    return made


def seeded(guise: str, source: NumpyRandomness) -> Any:
    """A seeded randomness under one of the two classes."""
    return in_guise(guise, lambda method: getattr(source, method), source.generator)
