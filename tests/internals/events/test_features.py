"""Features: what an adversary can read from a state or an output of any kind."""

from __future__ import annotations

import array
import dataclasses
import itertools
import math
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from pan_audits.events.observing.features import Subject, fields_of, observation_features


def row(state, user=3, index=None, size=0, outputs=()):
    return observation_features([state], outputs, Subject(user, index, size))


def test_an_array_over_the_universe_is_looked_up_at_the_user():
    found = row({"marks": np.array([0, 0, 5, 0])}, user="c", index=2, size=4)
    assert found["marks of the user"] == 5
    found = row({"no ids": np.array([7, 9, 2, 5]), "marks": np.array([0.0, 0.0, 5.0, 0.0])}, "c", 2, 4)
    assert found["marks of the user, by index"] == 5
    found = row(np.arange(100.0), 57, 57, 100)
    assert found["state of the user"] == 57
    assert "state[57]" not in found


@pytest.mark.parametrize("kind", [np.array, list])
def test_every_element_of_an_output_is_read_up_to_256_and_a_longer_one_by_the_sums_of_its_blocks(kind):
    output = kind([0.5 * place for place in range(256)])
    found = row([], outputs=(output,))
    assert [found[f"output[{place}]"] for place in range(256)] == [0.5 * place for place in range(256)]
    numbers = [0.5 * place for place in range(1000)]
    found = row([], outputs=(kind(numbers),))
    blocks = {name: value for name, value in found.items() if ":" in name}
    assert len(blocks) == 256
    for name, value in blocks.items():
        low, high = map(int, name.removeprefix("output[").removesuffix("].sum").split(":"))
        assert 3 <= high - low <= 4
        assert value == sum(numbers[low:high])
    assert sum(blocks.values()) == sum(numbers)


@dataclasses.dataclass
class State:
    sample: np.ndarray
    cells: np.ndarray


def test_features_of_all_kinds_of_containers():
    state = {
        "inner": State(np.array([1, 3, 9]), np.array([True, False, True])),
        "seen": {1, 3},
        "counts": {3: 7, 8: 1},
        "nested": {"deep": [1.5, 2.5]},
        "text": "hello",
        "nothing": None,
        "mixed": [3, "a"],
        "huge": [10**400],
        "rng": np.random.default_rng(1),
        "bits": np.ones(1000),
    }
    found = row(state, outputs=(0.25,))
    assert (
        found.items()
        >= {
            "user in inner.sample": 1,
            "inner.cells of the user": 0,
            "inner.cells.sum": 2,
            "user in seen": 1,
            "user in counts": 1,
            "counts of the user": 7,
            "counts.sum": 8,
            "nested.deep.sum": 4,
            "text.length": 5,
            "nothing is None": 1,
            "user in mixed": 1,
            "output": 0.25,
            "bits.sum": 1000,
        }.items()
    )
    assert all(isinstance(value, float) for value in found.values())
    assert not any("rng" in name for name in found)
    absent = row(State(np.array([1, 4, 9]), np.array([True, False, True])))
    assert absent["user in sample"] == 0
    assert math.isnan(absent["cells of the user"])


def test_several_states_and_outputs_are_told_apart():
    found = observation_features([5, 6], [1.0, np.float64(2.0)], Subject(3))
    bits = {"state 1: state, bit of the user": 0.0, "state 2: state, bit of the user": 0.0}
    assert found == {"state 1: state": 5.0, "state 2: state": 6.0, "output 1": 1.0, "output 2": 2.0, **bits}
    assert observation_features([], [(1.0, 2.0)], Subject(3))["output[0]"] == 1


class Private:
    __slots__ = ("__hidden",)

    def __init__(self, hidden):
        self.__hidden = hidden


@dataclasses.dataclass
class Declared:
    count: int

    def __post_init__(self):
        self.beside = self.count + 1


class ListWithMemory(list):
    def __init__(self, memory):
        super().__init__([1, 2])
        self.memory = memory


def nested(value, levels):
    return value if levels == 0 else [nested(value, levels - 1)]


LARGE, TINY = 1 << 63, np.finfo(np.longdouble).eps
PAIRS = np.zeros(2, dtype=[("a", int)]), np.ones(2, dtype=[("a", int)])
TIMES = np.array([1, 2], dtype="M8[s]"), np.array([1, 3], dtype="M8[s]")


@pytest.mark.parametrize(
    "values",
    [
        (bytearray(8), bytearray(b"\1" * 8), b"\1\0" * 20, b"\0\1" * 20, memoryview(b"a"), memoryview(b"b")),
        (array.array("b", [0] * 8), array.array("b", [1] * 8), deque([0, 0]), deque([1, 1]), range(3), range(4)),
        (Decimal(1), Decimal(2), Decimal("0.1"), Decimal("0.10000000000000000001")),
        (Fraction(1, 3), Fraction(10**30, 3 * 10**30 + 1), np.longdouble(1), np.longdouble(1) + TINY),
        (1j, 2j, np.complex128(3j), np.complex128(4j), np.array([1j]), np.array([2j])),
        (LARGE, LARGE + 8, -LARGE, -LARGE - 8, 1 << 1999, (1 << 1999) + (1 << 900)),
        (np.uint64(LARGE), np.uint64(LARGE + 8), [LARGE, -1], [LARGE + 8, -1], [10**400], [10**400 + 1]),
        (np.array([LARGE], dtype=np.uint64), np.array([LARGE + 8], dtype=np.uint64)),
        (np.full(50, -(2**62)), np.r_[np.full(49, -(2**62)), -(2**62) + 1]),
        (np.array([1, None], dtype=object), np.array([2, None], dtype=object), *PAIRS, PAIRS[0][0], PAIRS[1][0]),
        (np.datetime64(1, "s"), np.datetime64(2, "s"), *TIMES),
        (np.ma.array([1, 2], mask=[0, 0]), np.ma.array([1, 2], mask=[0, 1])),
        ("1.5", "2.5", "a", ["a", "b"], ["a", "c"], {"a"}, {"b"}, {1}, {2}, {9: {"deep": 1}}, {9: {"deep": 2}}),
        (Private(0), Private(1), Declared(0), Declared(1), ListWithMemory(0), ListWithMemory(1)),
        (nested(1, 20), nested(2, 20), Ellipsis, NotImplemented),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_different_values_have_different_features(values):
    rows = [row({"part": value}) for value in values]
    assert all(ours != theirs for ours, theirs in itertools.combinations(rows, 2))
    for value, found in zip(values, rows, strict=True):
        assert all(isinstance(feature, float) for feature in found.values())
        assert row({"part": value}) == pytest.approx(found, nan_ok=True)


@pytest.mark.parametrize(
    "pack",
    [
        lambda cells: (cells, cells.tolist(), {"cells": cells}, {"cells": cells.tolist()}, (*cells.tolist(),)),
        lambda cells: (deque(cells.tolist()), array.array("b", cells.tolist()), cells.astype(object)),
        lambda cells: (cells.tobytes(), bytearray(cells.tobytes()), "".join(map(str, cells.tolist()))),
        lambda cells: ({"cells": cells.reshape(20, 20)}, np.repeat(cells, 3), np.tile(cells, 3)),
        lambda cells: (np.column_stack([cells, cells]), np.stack([cells, cells + 1.0]), np.tile(cells, (2, 3, 1))),
        lambda cells: ([[cell] for cell in cells.tolist()], [{"cell": cell} for cell in cells.tolist()]),
    ],
)
def test_the_entry_of_the_user_is_read_from_containers_of_any_shape(pack):
    cells = np.random.default_rng(1).integers(0, 4, 400).astype(np.uint8)
    changed, others = cells.copy(), cells.copy()
    changed[123], others[5] = 3 - changed[123], 3 - others[5]
    for states in zip(*map(pack, (cells, changed, others)), strict=True):
        rows = [row(state, 123, 123, 400) for state in states]
        ours, theirs, elsewhere = ({n: v for n, v in found.items() if "of the user" in n} for found in rows)
        assert ours != theirs
        assert ours == elsewhere
        assert len(rows[0]) <= 40


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("pack", [lambda bits: bits, lambda bits: bits.tobytes(), lambda bits: {"bits": bits}])
def test_the_bit_of_the_user_is_read_from_packed_bits(order, pack):
    bits = np.zeros(400, dtype=bool)
    bits[123] = True
    ours, none = (row(pack(np.packbits(each, bitorder=order)), 123, 123, 400) for each in (bits, bits & False))
    assert {name for name in ours if "bit of the user" in name and ours[name] != none[name]}
    assert [row({"users": 1 << bit}, 123, 123, 400)["users, bit of the user"] for bit in (122, 123)] == [0, 1]


@pytest.mark.parametrize(
    ("state", "user", "feature", "value"),
    [
        ([np.zeros(3), np.ones(3)], 3, "state[1].sum", 3),
        ((np.zeros((2, 2)), 1.0, "a"), 3, "user in state", 0),
        ([np.zeros(3), 3], 3, "user in state", 1),
        ([(1, np.zeros(2)), (2, 5)], (2, 5), "user in state", 1),
        (np.array([[1, 2], [2, 5]]), (2, 5), "user in state", 1),
        ({1: math.inf, 2: -math.inf}, 3, "state.sum", math.nan),
        ({1: 1.7e308, 2: 1.7e308}, 3, "state.sum", math.inf),
        (np.array([math.inf, -math.inf]), 3, "state.sum", math.nan),
    ],
)
def test_features_of_lists_of_arrays_and_of_infinities_do_not_fail(state, user, feature, value):
    assert row(state, user=user)[feature] == pytest.approx(value, nan_ok=True)


def test_the_fields_of_an_object_are_found_wherever_they_are():
    assert fields_of(Private(5)) == {"_Private__hidden": 5}
    assert fields_of(Declared(5)) == {"count": 5, "beside": 6}
    assert fields_of(5) is fields_of(Declared) is None


def test_the_digits_of_a_double_in_a_text_are_no_text():
    number, text = "0.30000000000000004", "0.25"
    assert observation_features([], [number], Subject(3)) == {"output as a number": float(number)}
    assert observation_features([], [text], Subject(3))["output.length"] == 4
