"""Randomness, the only source of random choices: an interface, a fast seeded source, and a secure one."""

from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness

__all__ = ["NumpyRandomness", "Randomness", "SecureRandomness"]
