"""Objects whose contents are in compiled code, by authors who do not know the interface."""

from __future__ import annotations

import array
import hashlib
import random

import datasketches


class Marks(array.array):
    """A filter of eight marks: the user sets one of them."""

    def __new__(cls):
        return super().__new__(cls, "b", [0] * 8)

    def add(self, user):
        self[user % 8] = 1


class MarksOfCoins(Marks):
    """A correct twin: all marks are coins from the beginning, and each update tosses them again."""

    def __new__(cls):
        made = super().__new__(cls)
        made.add(None)
        return made

    def add(self, user):
        for place in range(8):
            self[place] = random.getrandbits(1)


class Digest:
    """A digest of compiled code that nobody can read; the output tells nothing of it."""

    def __init__(self):
        self.seen = hashlib.blake2b()

    def add(self, user):
        self.seen.update(str(user).encode())

    def result(self):
        return random.getrandbits(1)


class DigestThatTells(Digest):
    def result(self):
        return self.seen.digest()[0]


class Wrapped:
    """A sketch of compiled code in an attribute."""

    def __init__(self):
        self.sketch = datasketches.hll_sketch(7)

    def add(self, user):
        self.sketch.update(user)


def sketch(lg_k=7):
    return datasketches.hll_sketch(lg_k)


def returns_nothing():
    datasketches.hll_sketch(7)
