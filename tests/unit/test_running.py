"""Running somebody's estimator: features, seeds, workers, limits, and the journal."""

from __future__ import annotations

import array
import dataclasses
import itertools
import math
import threading
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from pan_audits.pairs import Family, Step, Updates
from pan_audits.pairs.family import basic_patterns, empty_segments
from pan_audits.running.features import Subject, fields_of, lowest_bit, observation_features
from pan_audits.running.journal import Journal
from pan_audits.running.limits import Failure, Limits, VariantError
from pan_audits.running.mechanism import EstimatorMechanism, likelihood_column, run_once, with_likelihood_ratio
from pan_audits.running.sampler import Sampler, requests_for, run_in_workers
from pan_estimators import (
    Adjacency,
    IntegerUniverse,
    NumpyRandomness,
    Promise,
    SampledCells,
    dwork,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from tests.variants import misbehaving

FAMILY = Family("x", 3, (Step.INTRUSION, Step.RELEASE), empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL)
SHORT = Limits(seconds=2, memory_bytes=2**30)


def row(state, user=3, index=None, size=0, outputs=()):
    return observation_features([state], outputs, Subject(user, index, size))


def test_features_say_what_a_state_holds_about_the_user():
    @dataclasses.dataclass
    class State:
        sample: np.ndarray
        cells: np.ndarray
        level: int

    found = row(State(np.array([1, 3, 9]), np.array([True, False, True]), 2))
    assert found["user in sample"] == 1
    assert found["cells of the user"] == 0
    assert found["cells.sum"] == 2
    assert found["cells[2]"] == 1
    assert found["level"] == 2
    absent = row(State(np.array([1, 4, 9]), np.array([True, False, True]), 2))
    assert absent["user in sample"] == 0
    assert math.isnan(absent["cells of the user"])


def test_an_array_over_the_universe_is_looked_up_at_the_user():
    found = row({"marks": np.array([0, 0, 5, 0])}, user="c", index=2, size=4)
    assert found["marks of the user"] == 5
    found = row({"no ids": np.array([7, 9, 2, 5]), "marks": np.array([0.0, 0.0, 5.0, 0.0])}, "c", 2, 4)
    assert found["marks of the user, by index"] == 5


def test_features_of_all_kinds_of_containers():
    found = row(
        {
            "seen": {1, 3},
            "counts": {3: 7, 8: 1},
            "nested": {"deep": [1.5, 2.5]},
            "text": "hello",
            "nothing": None,
            "mixed": [3, "a"],
            "huge": [10**400],
        },
        outputs=(0.25,),
    )
    assert found["user in seen"] == 1
    assert found["user in counts"] == 1
    assert found["counts of the user"] == 7
    assert found["counts.sum"] == 8
    assert found["nested.deep.sum"] == 4
    assert found["text.length"] == 5
    assert found["nothing is none"] == 1
    assert found["user in mixed"] == 1
    assert found["output"] == 0.25
    assert all(isinstance(value, float) for value in found.values())


def test_long_arrays_are_summed_up_and_generators_passed_over():
    found = row({"bits": np.ones(1000), "rng": np.random.default_rng(1)})
    assert found["bits.sum"] == 1000
    assert len(found) < 10


def test_several_states_and_outputs_are_told_apart():
    found = observation_features([5, 6], [1.0, np.float64(2.0)], Subject(3))
    bits = {"state 1: state, bit of the user": 0.0, "state 2: state, bit of the user": 0.0}
    assert found == {"state 1: state": 5.0, "state 2: state": 6.0, "output 1": 1.0, "output 2": 2.0, **bits}
    pair = observation_features([], [(1.0, 2.0)], Subject(3))
    assert pair["output[0]"] == 1


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
        (
            np.datetime64(1, "s"),
            np.datetime64(2, "s"),
            np.array([1, 2], dtype="M8[s]"),
            np.array([1, 3], dtype="M8[s]"),
        ),
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


def test_features_of_lists_of_arrays_and_of_infinities_do_not_fail():
    assert row([np.zeros(3), np.ones(3)])["state[1].sum"] == 3
    assert row((np.zeros((2, 2)), 1.0, "a"))["user in state"] == 0
    assert row([np.zeros(3), 3])["user in state"] == 1
    assert row([(1, np.zeros(2)), (2, 5)], user=(2, 5))["user in state"] == 1
    assert row(np.array([[1, 2], [2, 5]]), user=(2, 5))["user in state"] == 1
    assert math.isnan(row({1: math.inf, 2: -math.inf})["state.sum"])
    assert row({1: 1.7e308, 2: 1.7e308})["state.sum"] == math.inf
    assert math.isnan(row(np.array([math.inf, -math.inf]))["state.sum"])


def test_the_fields_of_an_object_are_found_wherever_they_are():
    assert fields_of(Private(5)) == {"_Private__hidden": 5}
    assert fields_of(Declared(5)) == {"count": 5, "beside": 6}
    assert fields_of(5) is None
    assert fields_of(Declared) is None


def test_the_lowest_bit_of_a_double():
    assert lowest_bit(np.array([1.0, 0.5, 3.0, 12.0, 0.1])).tolist() == [0, -1, 0, 2, -55]
    assert np.isnan(lowest_bit(np.array([0.0, np.inf]))).all()


def test_one_run_shows_the_states_and_outputs_of_the_schedule():
    estimator = optimal_bernoulli(universe=6, epsilon=0.5, sample_size=6)
    steps = (Step.ANNOUNCED, Step.INTRUSION, Step.RELEASE, Step.RELEASE)
    family = Family("x", 3, steps, empty_segments(4), ((1, 1, 1, 1), (0, 0, 0, 0)), Adjacency.USER_LEVEL)
    seen = run_once(estimator, family, 0, NumpyRandomness(1))
    assert [state.announced for state in seen.states] == [0, 1]
    assert len(seen.outputs) == 2
    assert seen.states[0] is not seen.states[1]


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    estimator = laplace(universe=6, epsilon=0.5, sample_size=4)
    mechanism = EstimatorMechanism(estimator, estimator.promise)
    tables = [mechanism.observe(FAMILY, 1, 20, seed) for seed in ((1, 2), (1, 2), (1, 3))]
    assert np.array_equal(tables[0].values, tables[1].values, equal_nan=True)
    assert not np.array_equal(tables[0].values, tables[2].values, equal_nan=True)


def test_only_what_the_promise_lets_the_intruder_see_is_in_the_table():
    estimator = dwork(universe=6, epsilon=0.5, sample_size=4)
    state = EstimatorMechanism(estimator, estimator.promise_of_state).observe(FAMILY, 0, 3, (1,))
    output = EstimatorMechanism(estimator, estimator.promise_of_output).observe(FAMILY, 0, 3, (1,))
    assert "output" not in state.names
    assert "cells.sum" in state.names
    assert output.names == ("output",)


def test_likelihoods_are_there_where_they_are_known():
    known = optimal_bernoulli(universe=6, epsilon=0.5, sample_size=4)
    table = EstimatorMechanism(known, known.promise).observe(FAMILY, 0, 5, (1,))
    assert likelihood_column(3) in table.names
    pair = with_likelihood_ratio(table, 0, 3)
    assert pair.names[-1] == "log-likelihood ratio"
    assert not any(name.startswith("log-likelihood under") for name in pair.names)
    unknown = pan_private_distinct_sampling(universe=6, epsilon=0.5, sample_size=4)
    table = EstimatorMechanism(unknown, unknown.promise).observe(FAMILY, 0, 5, (1,))
    assert with_likelihood_ratio(table, 0, 3) is table


def test_seeds_belong_to_the_stream_and_the_place_in_the_sample_alone():
    def seeds(**change):
        arguments = {"entropy": 5, "purpose": 1, "chunk": 0, **change}
        return {request.seed for request in requests_for(FAMILY, 1, 600, **arguments)}

    assert len(seeds()) == 3
    assert seeds() == seeds()
    for change in ({"entropy": 6}, {"purpose": 2}, {"chunk": 1}):
        assert not seeds() & seeds(**change)
    others = {request.seed for request in requests_for(FAMILY, 2, 600, entropy=5, purpose=1, chunk=0)}
    assert not seeds() & others


@pytest.fixture(scope="module")
def requests():
    return [r for place in range(4) for r in requests_for(FAMILY, place, 300, entropy=1, purpose=1, chunk=0)]


@pytest.fixture
def mechanism():
    estimator = dwork(universe=IntegerUniverse(6), epsilon=0.5, sample_size=4)
    return EstimatorMechanism(estimator, estimator.promise)


def equal(ours, theirs):
    return all(
        a.names == b.names and np.array_equal(a.values, b.values, equal_nan=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def test_workers_give_what_this_process_gives(requests, mechanism):
    assert equal(Sampler(mechanism, workers=2).draw(requests), Sampler(mechanism).draw(requests))


def test_an_interrupted_run_goes_on_from_its_journal_to_the_same_tables(requests, mechanism, tmp_path):
    whole = Sampler(mechanism).draw(requests)

    @dataclasses.dataclass
    class Interrupted:
        left: int

        def observe(self, *arguments):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            return mechanism.observe(*arguments)

    path = tmp_path / "journal"
    for request in requests[:5]:
        Sampler(mechanism, journal=Journal(path, {"a": 1})).draw([request])
    with pytest.raises(KeyboardInterrupt):
        Sampler(Interrupted(1), journal=Journal(path, {"a": 1})).draw(requests)
    resumed = Journal(path, {"a": 1})
    assert resumed.resumed
    again = Sampler(Interrupted(len(requests) - 5), journal=resumed).draw(requests)
    assert equal(again, whole)
    assert equal(Sampler(Interrupted(0), journal=Journal(path, {"a": 1})).draw(requests), whole)


def test_a_journal_remembers_the_first_value_of_a_fact_and_refuses_another_run(tmp_path):
    from pan_estimators import InputError

    path = tmp_path / "folder" / "journal"
    journal = Journal(path, {"a": 1})
    assert not journal.resumed
    assert journal.fact("seed", 5) == 5
    assert Journal(path, {"a": 1}).fact("seed", 6) == 5
    with pytest.raises(InputError, match="belongs to another run"):
        Journal(path, {"a": 2})
    journal.finish()
    assert not path.exists()
    (tmp_path / "noise").write_bytes(b"this is not a database, not at all" * 100)
    with pytest.raises(InputError, match="is not a journal"):
        Journal(tmp_path / "noise", {})


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        (misbehaving.Raises, "it raised KeyError in update .line .* of misbehaving.py.: 'total'"),
        (misbehaving.RaisesLate, "it raised RuntimeError in update .*: too many at once"),
        (misbehaving.Hangs, "did not finish within 2 s"),
        (misbehaving.SwallowsEverything, "did not finish within 2 s"),
        (misbehaving.ExhaustsMemory, "more than 1 GiB of memory"),
        (misbehaving.Exits, "tried to end the process"),
        (misbehaving.Dies, "its process was killed"),
        (misbehaving.Recurses, "recursed too deeply"),
    ],
)
def test_a_variant_that_misbehaves_in_a_worker_is_a_sentence(variant, words):
    family = dataclasses.replace(FAMILY, others=((Updates((1,), 150),), ()))
    estimator = variant()
    sampler = Sampler(EstimatorMechanism(estimator, estimator.promise), workers=2, limits=SHORT)
    with pytest.raises(VariantError, match=words) as caught:
        sampler.draw(requests_for(family, 1, 2, entropy=1, purpose=1, chunk=0))
    assert "\n" not in str(caught.value)


def test_an_estimator_that_cannot_travel_is_a_sentence():
    estimator = misbehaving.Counter()
    estimator.lock = threading.Lock()
    sampler = Sampler(EstimatorMechanism(estimator, estimator.promise), workers=2)
    with pytest.raises(VariantError, match="cannot be sent to another process"):
        sampler.draw(requests_for(FAMILY, 1, 2, entropy=1, purpose=1, chunk=0))


def test_what_a_variant_prints_is_counted_and_thrown_away(capfd):
    estimator = misbehaving.Prints()
    sampler = Sampler(EstimatorMechanism(estimator, estimator.promise), workers=2)
    sampler.draw(requests_for(FAMILY, 1, 50, entropy=1, purpose=1, chunk=0))
    assert sampler.printed >= 50 * 40_000
    assert capfd.readouterr() == ("", "")


def test_other_tasks_survive_one_that_fails():
    def fine():
        return 7

    def broken():
        raise ZeroDivisionError

    outcomes = run_in_workers([fine, broken, fine], 2, SHORT)
    assert [outcome.result for outcome in outcomes][::2] == [7, 7]
    assert isinstance(outcomes[1].result, Failure)


def test_an_estimator_is_frozen():
    estimator = dwork(universe=6, epsilon=0.5, sample_size=4)
    assert isinstance(estimator, SampledCells)
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimator.epsilon = 1.0
    assert Promise(epsilon=1, adjacency="user-level").epsilon == 1
