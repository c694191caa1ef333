"""Correct estimators with tools of Python and of libraries that keep something: nothing of it depends on a user."""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import inspect
import itertools
import json
import logging
import math
import pickle
import queue
import random
import statistics
import string
import threading
import typing
import warnings

import numba
import numpy as np

from tests.variants.outside_memory import Bit

LOGGER = logging.getLogger(f"{__name__}.quiet")


@functools.cache
def table(probability, size):
    return tuple(probability**power for power in range(size))


class CacheOfPublicParameters(Bit):
    """The cache is filled by the first update, with parameters alone."""

    def note(self, user):
        table(0.75, 8)
        table(0.25, size=4)


class CacheOfAMethod(Bit):
    @functools.lru_cache  # noqa: B019
    def powers(self, probability):
        return [probability**power for power in range(4)]

    def note(self, user):
        self.powers(0.75)


class LockOfAnObject(Bit):
    def __init__(self):
        self.lock = threading.RLock()

    def note(self, user):
        with self.lock:
            pass


class ConditionOfThreads(Bit):
    """Each user notifies those who wait; nobody does."""

    changed = threading.Condition()

    def note(self, user):
        with self.changed:
            self.changed.notify_all()


_LOCAL = threading.local()


class TableOfAThread(Bit):
    def note(self, user):
        if not hasattr(_LOCAL, "table"):
            _LOCAL.table = table(0.75, 8)


class QueueThatIsEmptied(Bit):
    waiting = queue.SimpleQueue()

    def note(self, user):
        self.waiting.put(user)
        self.waiting.get()


class WritesToALogger(Bit):
    def note(self, user):
        LOGGER.info("an update")
        logging.getLogger(f"{__name__}.late").debug("another one")


class WarnsOfNumpy(Bit):
    """numpy warns at the same place for each user."""

    def note(self, user):
        np.log(np.zeros(1))


class SuppressesAWarning(Bit):
    def note(self, user):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn(f"{user}", stacklevel=1)


@numba.njit
def product(one, other):
    return one * other


class CompiledAtTheFirstUse(Bit):
    def note(self, user):
        product(0.5, 2.0)
        product(np.int64(user), 2)


@numba.vectorize
def halved(one):
    return one / 2


class CompiledForArrays(Bit):
    def note(self, user):
        halved(np.arange(3.0))


@functools.singledispatch
def weight(value):
    return 1.0


@weight.register
def _(value: int):
    return 1.0


class ChoosesByType(Bit):
    """The table of types is filled at the first call."""

    def note(self, user):
        weight(user)
        weight("a text")


class Steps(enum.Flag):
    READ = 1
    DRAW = 2


class MakesAFlag(Bit):
    """Python keeps each combination of flags. This one is the same for all users."""

    def note(self, user):
        (Steps.READ | Steps.DRAW) & Steps.READ


class CountsInADecimal(Bit):
    """The flags of the context tell that a quotient was rounded, and it always is."""

    def note(self, user):
        decimal.Decimal(1) / decimal.Decimal(3)


class UsesALocalContext(Bit):
    def note(self, user):
        with decimal.localcontext():
            decimal.Decimal(user) / decimal.Decimal(7)


class AddsFractions(Bit):
    def note(self, user):
        fractions.Fraction(1, 3) + user


class ReadsADate(Bit):
    def note(self, user):
        datetime.datetime.strptime("2020-01-02", "%Y-%m-%d")


class FillsATemplate(Bit):
    def note(self, user):
        string.Template("$one").substitute(one="x")


class CopiesByPickle(Bit):
    def note(self, user):
        pickle.loads(pickle.dumps([user]))


class AsksForASignature(Bit):
    def note(self, user):
        inspect.signature(table)


@dataclasses.dataclass(frozen=True)
class Record:
    value: int
    rest: typing.Any = None


class ReplacesARecord(Bit):
    def note(self, user):
        dataclasses.replace(Record(user), value=user + 1)


class WritesAText(Bit):
    def note(self, user):
        json.dumps({"user": user}, sort_keys=True)


class Shape(abc.ABC):  # noqa: B024
    @classmethod
    def __subclasshook__(cls, subclass):
        return True


class AsksForAShape(Bit):
    def note(self, user):
        isinstance(3.5, Shape)


class VectorisesAFunction(Bit):
    weigh = np.vectorize(lambda value: 1.0)

    def note(self, user):
        self.weigh(np.array([user]))


class NumbersInOrder(Bit):
    """A generator of the module that each call uses up."""

    def note(self, user):
        next(itertools.islice(itertools.count(), 3, None))


class GeneratorFromGivenRandomness(Bit):
    def note(self, user):
        random.Random(3).random()


class Statistics(Bit):
    def note(self, user):
        statistics.mean([user, 2, 3])


class CountsTypes(Bit):
    def note(self, user):
        collections.Counter([user]).most_common(1)


class ScopedAttribute(Bit):
    """It is restored before the call ends."""

    last = None

    def note(self, user):
        with contextlib.ExitStack() as stack:
            self.last = user
            stack.callback(vars(self).pop, "last")


class ChecksATable(Bit):
    """A large table of the parameters, made at the first use."""

    made = None

    def note(self, user):
        if ChecksATable.made is None:
            ChecksATable.made = np.exp(-np.arange(100.0))
        math.fsum(ChecksATable.made)


TWINS = tuple(kind.__name__ for kind in Bit.__subclasses__() if kind.__module__ == __name__)
