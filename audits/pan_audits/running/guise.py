"""One source of random choices in the guise of another: the same draws, under the class that a deployment uses.

An estimator that leaks only if its randomness is the secure one would pass every audit with a seeded one.
So the judged code is handed objects of exactly these two classes, by turns, and cannot tell from their class
or from their draws which one a deployment would hand in.
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
"""The draws that a source makes itself (:class:`pan_estimators.randomness.draws.Draws`); all else is made of them."""


def in_guise(guise: str, draw: Callable[[str], Callable[..., Any]], generator: Any = None) -> Any:
    """An object of the class of a guise, whose draws come from elsewhere.

    Parameters
    ----------
    guise
        :data:`SEEDED` or :data:`SECURE`.
    draw
        The function that stands for the method of a name.
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
    """A seeded randomness in a guise."""
    return in_guise(guise, lambda method: getattr(source, method), source.generator)
