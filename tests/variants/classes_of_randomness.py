"""Estimators that leak with one class of randomness alone. Their state is one bit, so that one run shows it rarely."""

from __future__ import annotations

import numpy as np

from pan_estimators import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from tests.variants.outside_memory import Bit


class OfOneClass(Bit):
    def update(self, state, ids, randomness):
        for _ in np.atleast_1d(ids):
            state = bool(randomness.bernoulli(1 if self.leaks(randomness) else 3 / 4, 1)[0])
        return state

    def leaks(self, randomness):
        return False


class NameOfTheType(OfOneClass):
    def leaks(self, randomness):
        return type(randomness).__name__ == "SecureRandomness"


class InstanceOfAClass(OfOneClass):
    def leaks(self, randomness):
        return not isinstance(randomness, NumpyRandomness)


class SecureInstance(OfOneClass):
    def leaks(self, randomness):
        return isinstance(randomness, SecureRandomness)


class ModuleOfTheType(OfOneClass):
    def leaks(self, randomness):
        return "secure" in type(randomness).__module__


class AttributeOfTheRandomness(OfOneClass):
    def leaks(self, randomness):
        return not hasattr(randomness, "generator")


class TextOfTheRandomness(OfOneClass):
    def leaks(self, randomness):
        return "Secure" in repr(randomness)


LEAKS = tuple(kind.__name__ for kind in OfOneClass.__subclasses__())


class AsksForTheType(OfOneClass):
    """It asks, and does nothing with the answer."""

    def leaks(self, randomness):
        return isinstance(randomness, SecureRandomness) and not isinstance(randomness, SecureRandomness)


class DrawsElsewhere(OfOneClass):
    def leaks(self, randomness):
        return np.random.default_rng().random() < 0.5


TWINS = ("OfOneClass", "AsksForTheType", "DrawsElsewhere")
"""The class of the randomness changes nothing."""
