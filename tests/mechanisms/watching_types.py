"""Functions that release their data if a number is no double, each in another way."""

from __future__ import annotations

import contextlib
from functools import lru_cache

RULES = {"number": lambda value: isinstance(value, (int, float))}


def in_a_table(data, rng):
    noisy = data + rng.laplace(scale=1.0)
    return float(noisy) if RULES["number"](noisy) else data


class Outer:
    class Inner:
        @staticmethod
        def is_double(value):
            return type(value) is float


@lru_cache
def converter():
    return float


@contextlib.contextmanager
def reading():
    yield float.fromhex("0x1p-1")


def in_a_nested_class(data, rng):
    noisy = float(data + rng.laplace(scale=1.0))
    return noisy if Outer.Inner.is_double(noisy) else data


def in_a_cache(data, rng):
    noisy = float(data + rng.laplace(scale=1.0))
    return noisy if converter() is float else data


def in_a_context(data, rng):
    with reading() as half:
        return float(data + half + rng.laplace(scale=1.0))
