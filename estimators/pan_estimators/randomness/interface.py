"""The randomness interface: every random choice of an estimator is one of these calls."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pan_estimators.randomness.numpy_names import NumpyNames


@runtime_checkable
class Randomness(NumpyNames, Protocol):
    """The source of random choices, passed as an argument and never global.

    An estimator is written once against these methods. It runs with a seeded generator (tests,
    audits), with secure random numbers (deployment), or with an enumerating implementation that
    follows every choice with its exact probability. Noise is drawn *at a location* rather than
    added afterwards, because a floating-point sum of a value and a noise can reveal the value.

    Most methods have the names, the parameters and the distributions of ``numpy.random.Generator``, as scalars and
    with ``size=``. ``categorical(log_weights)`` and ``exponential_mechanism(scores, epsilon, sensitivity)`` choose a
    place in a list:

    =====================================  ===============================================================
    name                                   in the exact check (``panproof check``)
    =====================================  ===============================================================
    ``integers``, ``choice``, ``bytes``    followed: every outcome with its probability
    ``permutation``, ``shuffle``           followed, up to 7 entries
    ``binomial``                           followed: every number of successes
    ``random``, ``uniform``                followed if the number is only compared with constants
    ``laplace``, ``geometric``             followed as a formula, in sums, multiples and comparisons
    ``exponential``                        followed in the same way
    ``categorical``,                       followed: every outcome with its probability, which is a fraction of sums of
    ``exponential_mechanism``              exponentials, or a proved interval if scores are logarithms
    ``gaussian``, ``normal``,              followed as a formula, in sums and multiples; never compared or rounded
    ``discrete_gaussian``
    =====================================  ===============================================================

    Further methods name the draw itself: ``bernoulli(probability)`` for a bit, or with a size for bits,
    ``uniform_integers``, ``uniform_subset`` and ``keyed_sample`` for samples, the integer noise
    ``discrete_laplace`` and ``two_sided_geometric``, which the exact check follows as well, and ``gaussian`` and
    ``discrete_gaussian`` for normal noise and integer noise at many locations at once. Any other name of
    numpy's ``Generator``, such as ``gamma`` or ``bit_generator``, raises an error. The error names the line of the
    estimator's code and the method to use instead.

    Laplace, normal and exponential noise of every source lies on a grid of a power of two that depends on the
    scale alone (a step is at most 2**-32 of the scale).
    """
