"""One mechanism in many forms: the sum of some numbers with Laplace noise of scale 1 / epsilon."""

from __future__ import annotations

import dataclasses
import enum
import random
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np


def noisy(data, epsilon):
    return sum(data) + np.random.laplace(scale=1 / epsilon)


def parameter_first(epsilon, data):
    return noisy(data, epsilon)


def by_name(*, data, epsilon):
    return noisy(data, epsilon)


def randomness_last(data, epsilon, rng):
    return sum(data) + rng.laplace(scale=1 / epsilon)


def yielded(data, epsilon):
    for _ in range(2):
        yield noisy(data, epsilon / 2)


def yielded_late(data, epsilon):
    yield from [0] * 1024
    yield data[0]


def iterated(data, epsilon):
    return iter([noisy(data, epsilon)])


class Scaled:
    """The base of the classes: it has its epsilon, and makes noise."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def _noisy(self, data):
        return noisy(data, self.epsilon)


class Callable(Scaled):
    def __call__(self, data):
        return self._noisy(data)


class Randomising(Scaled):
    def randomise(self, value):
        return self._noisy(value)


class Releasing(Scaled):
    def release(self, data, rng):
        return sum(data) + rng.laplace(scale=1 / self.epsilon)


class OfAnotherName(Scaled):
    def protect(self, data):
        return self._noisy(data)


class DrawnWhenMade(Scaled):
    """Its noise is drawn when it is made: each run needs a new object."""

    def __init__(self, epsilon):
        super().__init__(epsilon)
        self.noise = np.random.laplace(scale=1 / epsilon)

    def release(self, data):
        return sum(data) + self.noise


class Fitting(Scaled):
    """A model as those of scikit-learn, which keeps its data under a name that is not published."""

    def fit(self, X, y=None):
        self._seen = X
        self.sum_ = self._noisy(X)
        return self


class FittingPairs(Scaled):
    def fit(self, X, y):
        self.sums_ = [self._noisy(X) / 2, self._noisy(y) / 2]


class Keeping(Scaled):
    """A model that publishes its data beside a noisy sum."""

    def fit(self, data):
        self.data, self.sum = list(data), self._noisy(data)


class Sampling(Scaled):
    def fit(self, data):
        self._sum = self._noisy(data)

    def sample(self, rows):
        return [self._sum] * rows


class Counting(Scaled):
    def __init__(self, epsilon):
        super().__init__(epsilon)
        self.total = 0

    def add(self, value):
        self.total += value

    def result(self):
        return self._noisy([self.total])


def maker(epsilon):
    return partial(noisy, epsilon=epsilon)


class Colour(enum.Enum):
    RED = 0
    BLUE = 1


@dataclasses.dataclass
class Record:
    colour: Colour


def coin(data):
    return data if random.random() < 0.75 else 1 - data


def shown_as(form):
    def mechanism(data):
        return form(coin(data))

    return mechanism


def _frame(bit):
    import pandas

    return pandas.DataFrame({"bit": [bit, 0]})


def _series(bit):
    import pandas

    return pandas.Series([bit, 0])


def _labelled(bit, what):
    import pandas

    if what == "columns":
        return pandas.DataFrame([[bit, 0]], columns=["a", "a"])
    if what == "categories":
        return pandas.Series(["a"], dtype=pandas.CategoricalDtype(["a", str(bit)]))
    made = pandas.DataFrame({"a": [0]}, index=pandas.Index([0], name=str(bit) if what == "index" else None))
    made.attrs = {"bit": bit} if what == "attrs" else {}
    return made["a"].rename(str(bit)) if what == "name" else made


LABELS = ("columns", "categories", "index", "attrs", "name")
SHOWN = {
    "an enumeration": Colour,
    "a record": lambda bit: Record(Colour(bit)),
    "a date": lambda bit: date(2020, 1, 1 + bit),
    "a path": lambda bit: Path(str(bit)),
    "a range": range,
    "a generator": lambda bit: (each for each in [bit]),
    "an ellipsis": lambda bit: ... if bit else NotImplemented,
    "a frame": _frame,
    "a series": _series,
    **{f"a series or frame by its {what}": partial(_labelled, what=what) for what in LABELS},
    "parts": lambda bit: {"bit": [None, (Colour(bit),)]},
}
