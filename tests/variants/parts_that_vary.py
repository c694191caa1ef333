"""Correct estimators with conditions inside lines: each part varies, or needs no words."""

from __future__ import annotations

import collections

import numpy as np

from tests.variants.parts_of_lines import Told


class BothValues(Told):
    def probability(self, user):
        return 3 / 4 if user % 2 else 1 / 4


class Refuses(Told):
    """The line of the error never ran, and is named. Its condition needs no words."""

    def probability(self, user):
        if not isinstance(user, int) or user < 0:
            raise ValueError("ids are whole numbers from 0")
        return 3 / 4


class Asserts(Told):
    def probability(self, user):
        assert isinstance(user, int), "ids are whole numbers"
        assert 0 <= user < 2**40, "ids are below 2**40"
        return 3 / 4


class Loops(Told):
    def probability(self, user):
        left, total = user, 0
        while left > 0:
            total += left
            left -= 1
        return 3 / 4


class TableOfAProbability(Told):
    tables = {}  # noqa: RUF012

    def probability(self, user):
        try:
            return self.tables["3/4"]
        except KeyError:
            self.tables["3/4"] = 3 / 4
        return 3 / 4


class TableThatIsFilledOnce(Told):
    tables = {}  # noqa: RUF012

    def probability(self, user):
        if 3 not in self.tables:
            self.tables[3] = [one / 4 for one in range(4)]
        return self.tables[3][3]


class DrawsByALimit(Told):
    def update(self, state, ids, randomness):
        for _ in np.atleast_1d(ids):
            state = bool(randomness.uniform_integers(0, 4, 1)[0] < 3)
        return state


class SharesOfUsers(Told):
    """Sums and quotients that vary with the user."""

    def probability(self, user):
        shares = [one / (user + 2) for one in range(1, user + 2)]
        return 7 / 10 + (max(shares) - min(shares)) / 100


class LibraryThatRunsAText(Told):
    """The library makes the class from a text."""

    def probability(self, user):
        return 3 / 4 if len(collections.namedtuple(f"Pair{user}", "x y")(0, 0)) == user % 3 else 1 / 4


class Seen(Told):
    """A state of several parts."""

    def create(self, randomness):
        return {"bit": super().create(randomness), "count": 0}

    def update(self, state, ids, randomness):
        users = np.atleast_1d(ids)
        return {"bit": super().update(state["bit"], users, randomness), "count": state["count"] + len(users)}

    def release(self, state, randomness):
        return state["bit"]


TWINS = (
    *("Told", "BothValues", "Refuses", "Asserts", "Loops", "TableOfAProbability"),
    *("TableThatIsFilledOnce", "DrawsByALimit", "SharesOfUsers", "Seen", "LibraryThatRunsAText"),
)
"""They keep their promise, and each part of their lines varies, or needs no words."""
