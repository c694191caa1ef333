"""Data that functions hold: defaults, closures, caches, attributes, texts and code."""

from __future__ import annotations

import functools

import numpy as np

from tests.variants.outside_memory import Bit, users


class DefaultArgument(Bit):
    def note(self, user, seen=[]):  # noqa: B006
        seen.append(user)


class KeywordDefault(Bit):
    def note(self, user, *, seen=set()):  # noqa: B006
        seen.add(user)


class CacheOfAFunction(Bit):
    def note(self, user):
        weight(user)


@functools.cache
def weight(user):
    return 1.0


def counter_of_users():
    last = None

    def count(user):
        nonlocal last
        last = user

    return count


count_user = counter_of_users()


class Closure(Bit):
    def note(self, user):
        count_user(user)


class ClosureOfAMethod(Bit):
    def _with_memory():
        seen = {}

        def note(self, user):
            seen[user] = True

        return note

    note = _with_memory()


class AttributeOfAFunction(Bit):
    def note(self, user):
        users.last = user


class TextOfAFunction(Bit):
    def note(self, user):
        users.__doc__ = f"{user}"


class NameInTheCode(Bit):
    def note(self, user):
        users.__code__ = users.__code__.replace(co_name=f"users of {user}")


class TextOfAProperty(Bit):
    nothing = property(lambda self: None)

    def note(self, user):
        type(self).nothing.__init__(None, None, None, f"{user}")


class AttributeOfAPartial(Bit):
    number = functools.partial(int)

    def note(self, user):
        self.number.user = user


class AttributeOfAStaticMethod(Bit):
    @staticmethod
    def number():
        return 1

    def note(self, user):
        vars(type(self))["number"].user = user


LEAKS = (
    "DefaultArgument",
    "KeywordDefault",
    "CacheOfAFunction",
    "Closure",
    "ClosureOfAMethod",
    "AttributeOfAFunction",
    "TextOfAFunction",
    "NameInTheCode",
    "TextOfAProperty",
    "AttributeOfAPartial",
    "AttributeOfAStaticMethod",
)
"""Each tells the last user, or all of them, to an intruder who sees the process."""


class CachedProperty(Bit):
    @functools.cached_property
    def table(self):
        return np.arange(4) / 4

    def note(self, user):
        self.table.sum()


class CachedTable(Bit):
    def note(self, user):
        powers(0.75)


@functools.lru_cache
def powers(probability):
    return [probability**power for power in range(4)]


TWINS = ("CachedProperty", "CachedTable")
"""Their caches are the same for all users."""
