"""States that are equal by value and differ in a dump of the memory: each tells whether user 1 has appeared.

A leak has the state of ``first`` until user 1 appears, and then that of ``marked``. The twin of a leak has the marked
form at all times, and tells nothing.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from types import SimpleNamespace

import numpy as np


class Leak:
    promise = "epsilon=1, adjacency=user-level, observed=state"

    def create(self, randomness):
        return self.first()

    def update(self, state, ids, randomness):
        return self.marked() if 1 in np.atleast_1d(ids) else state

    def release(self, state, randomness):
        return 0

    def first(self):
        return {"x": 0}


class NegativeZero(Leak):
    def first(self):
        return {"x": 0.0}

    def marked(self):
        return {"x": -0.0}


class PayloadOfNan(Leak):
    def first(self):
        return {"x": math.nan}

    def marked(self):
        return {"x": float(np.uint64(0x7FF8000000000123).view(np.float64))}


class PayloadOfNanInAnArray(Leak):
    def first(self):
        return np.array([math.nan])

    def marked(self):
        return np.array([0x7FF8000000000123], dtype=np.uint64).view(np.float64)


class BitsOfABoolean(Leak):
    def first(self):
        return np.array([1], dtype=np.uint8).view(np.bool_)

    def marked(self):
        return np.array([2], dtype=np.uint8).view(np.bool_)


class NegativeZeroOfAComplex(Leak):
    def first(self):
        return {"x": complex(0.0, 0.0)}

    def marked(self):
        return {"x": complex(-0.0, 0.0)}


class BooleanForAnInteger(Leak):
    def marked(self):
        return {"x": False}


class DoubleForAnInteger(Leak):
    def marked(self):
        return {"x": 0.0}


class NumberOfNumpy(Leak):
    def marked(self):
        return {"x": np.int64(0)}


class TypeOfAnArray(Leak):
    def first(self):
        return np.zeros(2, dtype=np.int64)

    def marked(self):
        return np.zeros(2, dtype=np.int32)


class OrderOfBytes(TypeOfAnArray):
    def marked(self):
        return np.zeros(2, dtype=">i8")


class MetadataOfAType(TypeOfAnArray):
    def marked(self):
        return np.zeros(2, dtype=np.dtype(np.int64, metadata={"seen": 1}))


class ReadOnlyArray(TypeOfAnArray):
    def marked(self):
        array = self.first()
        array.flags.writeable = False
        return array


class PartOfALargerArray(TypeOfAnArray):
    def marked(self):
        return np.array([0, 0, 7])[:2]


class OrderOfMemory(Leak):
    def first(self):
        return np.zeros((2, 3))

    def marked(self):
        return np.asfortranarray(self.first())


class LengthOfTexts(Leak):
    def first(self):
        return np.array(["a"], dtype="U2")

    def marked(self):
        return np.array(["a"], dtype="U5")


class ArrayOfObjects(Leak):
    def first(self):
        return np.array([0, 1], dtype=object)

    def marked(self):
        return np.array([0, 1.0], dtype=object)


class Marked(np.ndarray):
    pass


class AttributeOfAnArray(Leak):
    def first(self):
        return np.zeros(2).view(Marked)

    def marked(self):
        array = self.first()
        array.seen = 1
        return array


class Number(int):
    pass


class AttributeOfAnInteger(Leak):
    def first(self):
        return {"x": Number(0)}

    def marked(self):
        state = self.first()
        state["x"].seen = True
        return state


class Text(str):
    pass


class AttributeOfAText(Leak):
    def first(self):
        return {"x": Text("a")}

    def marked(self):
        state = self.first()
        state["x"].seen = True
        return state


class FillOfAMaskedArray(Leak):
    def first(self):
        return {"x": np.ma.array([1.0, 2.0], mask=[False, True])}

    def marked(self):
        state = self.first()
        state["x"].fill_value = 77
        return state


class HardMask(FillOfAMaskedArray):
    def marked(self):
        state = self.first()
        state["x"].harden_mask()
        return state


class HiddenEntry(FillOfAMaskedArray):
    def marked(self):
        state = self.first()
        state["x"].data[1] = 7
        return state


class OrderOfASet(Leak):
    """Both integers have the same place in the table, which goes to the first one."""

    def first(self):
        return {0, 8}

    def marked(self):
        return {8, 0}


class OrderOfADictionary(Leak):
    def first(self):
        return {"a": 1, "b": 2}

    def marked(self):
        return {"b": 2, "a": 1}


class OrderOfAnOrderedDictionary(Leak):
    def first(self):
        return OrderedDict(a=1, b=2)

    def marked(self):
        return OrderedDict(b=2, a=1)


class CountOfZero(Leak):
    def first(self):
        return Counter(a=1)

    def marked(self):
        return Counter(a=1, b=0)


class OrderOfAttributes(Leak):
    def first(self):
        return SimpleNamespace(a=1, b=2)

    def marked(self):
        return SimpleNamespace(b=2, a=1)


class SharedPart(Leak):
    def first(self):
        return [[0], [0]]

    def marked(self):
        part = [0]
        return [part, part]


class RoomOfADeque(Leak):
    def first(self):
        return deque([1], maxlen=3)

    def marked(self):
        return deque([1], maxlen=4)


class DefaultOfADictionary(Leak):
    def first(self):
        return defaultdict(int)

    def marked(self):
        return defaultdict(float)


Pair = namedtuple("Pair", "a")


class NamedTuple(Leak):
    def first(self):
        return Pair(1)

    def marked(self):
        return (1,)


class EqualToAll:
    def __init__(self, seen=0):
        self.seen = seen

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        return "EqualToAll()"


class OwnEquality(Leak):
    def first(self):
        return EqualToAll()

    def marked(self):
        return EqualToAll(1)


LEAKS = {kind.__name__: kind for base in Leak.__subclasses__() for kind in (base, *base.__subclasses__())}


def _twin(leak):
    """An estimator whose state has the marked form of a leak at all times, so that it tells nothing."""

    class Twin(Leak):
        def first(self):
            return leak().marked()

        def marked(self):
            return leak().marked()

        def update(self, state, ids, randomness):
            return leak().marked()

    return Twin


for _name, _leak in LEAKS.items():
    globals()[f"TwinOf{_name}"] = _twin(_leak)
