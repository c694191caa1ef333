"""Leaks inside a line for another form of an id, and numbers that differ between processes."""

from __future__ import annotations

import math

from tests.variants.parts_of_lines import Told


class Boolean(Told):
    def probability(self, user):
        return 1 if isinstance(user, bool) else 3 / 4


class DerivedInteger(Told):
    def probability(self, user):
        return 3 / 4 + (type(user) is not int) / 4


class Negative(Told):
    def probability(self, user):
        return 1 - (user >= 0) / 4


class NumberOfNumpy(Told):
    def probability(self, user):
        return 1 if hasattr(user, "dtype") else 3 / 4


class LongText(Told):
    def probability(self, user):
        return 1 if len(str(user)) > 40 else 3 / 4


class NoText(Told):
    def probability(self, user):
        return 3 / 4 if str(user) else 1


class NotInAscii(Told):
    def probability(self, user):
        return 1 - str(user).isascii() / 4


class MinusZero(Told):
    def probability(self, user):
        return 1 - (math.copysign(1, user) > 0) / 4


LEAKS = tuple(kind.__name__ for kind in Told.__subclasses__() if kind.__module__ == __name__)
"""They treat another form of an id differently."""


class HashOfAText(Told):
    def probability(self, user):
        return 3 / 4 - (hash(f"{user}") % 8) / 100


class HashInATuple(Told):
    def probability(self, user):
        return 3 / 4 - (hash(("a", user)) % 8) / 100


class AddressOfAnObject(Told):
    def probability(self, user):
        return 3 / 4 - (id(user) // 32 % 8) / 100


LOOKS = ("HashOfAText", "HashInATuple", "AddressOfAnObject")
"""They ask for numbers that differ between processes."""


class HashOfANumber(Told):
    def probability(self, user):
        return 3 / 4 - (hash(user) % 2) / 100
