"""Prefix sums of the repository smooth-binary-mechanism, which is no package: a copy stands beside the environments."""

from __future__ import annotations

import importlib.util

import numpy as np

from packages.definitions import PACKAGES
from packages.environments import file_of

_FILE = file_of(next(package for package in PACKAGES if package.name == "smooth-binary-mechanism"))
_SPEC = importlib.util.spec_from_file_location("mechanism_noise_generation", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
module = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(module)


def smooth(data, rng, rho):
    noise = module.smooth_binary_mechanism_noise(len(data), rho=rho, noise_generator=rng.normal)
    return np.cumsum(data) + np.concatenate(list(noise))


def binary(data, rng, rho):
    noise = module.binary_mechanism_noise(len(data), rho=rho, noise_generator=rng.normal)
    return np.cumsum(data) + np.concatenate(list(noise))


def bits():
    yield [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]


def one_bit():
    yield [0], [1]
