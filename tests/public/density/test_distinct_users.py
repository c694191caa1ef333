"""The distinct user counter: ids of every kind, releases, erasure, threads, forks, and its bytes."""

from __future__ import annotations

import copy
import io
import json
import math
import os
import pickle
import threading
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pan_estimators import DistinctUserCounter, HashedUniverse, InputError, NumpyRandomness, StateFileError, kernels
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct.geometry import Geometry, Level, marked_cells
from pan_estimators.density.distinct.union import union_of
from pan_estimators.density.distinct.users import load_counter, save_counter
from pan_estimators.states.state_format import StateReader, to_bytes
from pan_estimators.universes.universe import universe_from_dict
from tests.public.universes.test_columns import FORMS

KEY = b"0123456789abcdef"
RANGE = {"least": 1e2, "most": 1e5}
IDS = np.random.default_rng(1).integers(0, 2**63, 3_000)


def counter(seed=1, **parameters):
    """The counter."""
    return DistinctUserCounter(
        **{"promise_epsilon": 2, "key": KEY, "randomness": NumpyRandomness(seed)} | RANGE | parameters
    )


def test_a_release_erases_the_counter_and_keeps_the_output():
    one = DistinctUserCounter(promise_epsilon=2, **RANGE)
    key = one.estimator.universe.key
    one.add_many(IDS)
    assert "no release yet, 1 left" in one.promise
    cells = one._state.cells
    count = one.release()
    assert not cells.any()
    assert one.erased
    assert abs(count.count / 3_000 - 1) < 6 * one.expected_error(3_000)
    assert count.reliable
    assert "release 1 of 1" in count.promise
    assert "void" not in count.promise
    assert one.estimator.universe.key != key
    assert key.hex().encode() not in one.to_bytes()
    for use in (one.release, lambda: one.add(1), lambda: one.add_many([1])):
        with pytest.raises(InputError, match="covers 1 release, and 1 was made"):
            use()
    again = DistinctUserCounter.from_bytes(one.to_bytes())
    assert again.erased
    assert again.outputs == one.outputs
    assert again.get() == count.count
    with pytest.raises(InputError, match="covers 1 release"):
        again.release()


def test_the_aliases_and_the_context_manager():
    with counter() as one:
        assert one.partial_fit(IDS) is one
        one.update(5)
        value = one.get()
        assert one.get() == value
        assert one.releases == 1
    with counter() as one:
        one.add("a")
        state = one._state
    assert not state.cells.any()
    assert one.erased
    with pytest.raises(InputError, match="erased"):
        one.to_bytes()
    with pytest.raises(InputError, match="and 0 were made"):
        one.add("a")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"promise_epsilon": 42}, "between 0.002 and 40"),
        ({"promise_epsilon": None}, "number of nats"),
        ({"memory": 127}, "memory in bytes"),
        ({"memory": "8KiB"}, "memory in bytes"),
        ({"least": 0}, "from a smaller to a larger"),
        ({"most": None}, "two numbers"),
        ({"key": b"short"}, "16 bytes"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        counter(**parameters)


def test_a_large_error_and_an_estimate_outside_of_the_range_are_told():
    with pytest.warns(UserWarning, match="the standard error reaches"):
        poor = DistinctUserCounter(
            promise_epsilon=0.2, memory=1024, least=1e2, most=1e5, key=bytes(16), randomness=NumpyRandomness(1)
        )
    poor.add_many(IDS[:800])
    assert any("standard error is" in told for told in poor.release().warnings)
    far = counter(least=1e4, most=1e9)
    far.add_many(IDS[:500])
    count = far.release()
    assert not count.reliable
    assert any("outside three times" in told for told in count.warnings)
    assert json.loads(json.dumps(count.to_dict(), allow_nan=False))["reliable"] is False


def test_crafted_ids_spoil_the_estimate_and_the_output_says_so():
    """A person who knows the key sends 20,000 ids that touch the second level only."""
    one = counter(memory=2**13, least=1e4, most=1e9)
    geometry = one.estimator.geometry
    ids = np.arange(200_000)
    indices = one.estimator.universe.encode(ids)
    low, high = geometry.first_indices[1:3]
    one.add_many(ids[(indices >= low) & (indices < high)])
    count = one.release()
    assert not count.reliable
    assert any("contradict" in told for told in count.warnings)


def test_it_is_shown_in_a_notebook_and_drawn():
    one = counter()
    assert "expected error" in repr(one)
    assert "<div>" in one._repr_html_()
    with pytest.raises(InputError, match="before a release"):
        one.plot()
    one.add_many(IDS)
    one.release()
    assert "distinct count" in repr(one)
    assert "<table>" in one._repr_html_()
    assert len(one.plot().axes) == 2


@pytest.mark.parametrize("counters", [1, 4])
def test_threads_count_together_and_counters_with_one_key_beside_each_other(counters):
    made = [DistinctUserCounter(promise_epsilon=2, least=1e4, most=1e9, key=KEY) for _ in range(counters)]
    problems = []

    def feed(part):
        try:
            for start in range(0, 40_000, 5_000):
                made[part % counters].add_many(range(part * 40_000 + start, part * 40_000 + start + 5_000))
                made[part % counters].add(part)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=feed, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    for one in made:
        users = 160_000 / counters
        assert abs(one.release().count / users - 1) < 6 * one.expected_error(users)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_counter_is_not_copied(copied):
    with pytest.raises(InputError, match="could be released again"):
        copied(counter(memory=128))


def _told_by_a_child(use):
    """What a forked process is told that uses an object of its parent."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        told = "nothing"
        try:
            use()
        except InputError as problem:
            told = str(problem)
        except BaseException as problem:
            told = repr(problem)
        os.write(into, told.encode())
        os._exit(0)
    os.waitpid(child, 0)
    told = os.read(out, 10_000).decode()
    os.close(out)
    os.close(into)
    return told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_process_has_a_spent_copy():
    one = counter(releases=2)
    one.add_many(IDS)
    one.release()
    for use in (one.release, lambda: one.add(1), lambda: one.add_many([1]), one.to_bytes, lambda: one.partial_fit([1])):
        assert "belongs to the parent" in _told_by_a_child(use)
    assert _told_by_a_child(one.get) == "nothing"
    assert _told_by_a_child(lambda: one.outputs[0].count / (one._state.cells.size == 0)) == "nothing"
    assert _told_by_a_child(lambda: one.renewed().add_many(IDS)) == "nothing"
    # The parent goes on, also with a counter that it read from bytes, and a later counter is kept too.
    assert one.release().reliable
    again = DistinctUserCounter.from_bytes(counter().to_bytes())
    assert "belongs to the parent" in _told_by_a_child(again.release)
    assert "belongs to the parent" in _told_by_a_child(again.renewed().release)
    # A finished counter has nothing to leave.
    assert "covers 2 releases" in _told_by_a_child(one.release)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_fork_while_a_thread_counts_leaves_no_lock_behind():
    one = counter()
    with one._lock:
        assert "belongs to the parent" in _told_by_a_child(lambda: one.add(1))


def test_several_releases_share_one_promise_and_a_renewed_counter_has_another_key():
    one = DistinctUserCounter(promise_epsilon=2, least=1e3, most=1e9, releases=3)
    one.add_many(range(4_000))
    for number in (1, 2):
        assert abs(one.release().count / 4_000 - 1) < 0.25
        assert f"distinct.releases); release {number} of 3" in one.promise
        one = DistinctUserCounter.from_bytes(one.to_bytes())
    one.add_many(range(4_000, 8_000))
    key = one.estimator.universe.key
    assert abs(one.release().count / 8_000 - 1) < 0.25
    assert one.erased
    assert len(one.outputs) == 3
    other = one.renewed()
    assert other.estimator.universe.key not in (key, bytes(16))
    assert not other.erased
    assert other.releases == 0
    assert one.worst_error > DistinctUserCounter(promise_epsilon=2, least=1e3, most=1e9).worst_error


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 100) | st.integers(1, 2**51)), min_size=1, max_size=32),
    st.integers(0, 2**60),
    st.booleans(),
)
@example([(5, 49)], 3, True)
@settings(max_examples=40, deadline=None)
def test_the_fast_pass_touches_the_cells_of_the_geometry(pairs, rest, compiling):
    """The indices at the borders of all cells, together, some of them, and one at a time."""
    levels = tuple(Level(*pair) for pair in pairs)
    size = sum(level.cells * level.span for level in levels) + rest
    geometry = Geometry(size, levels)
    borders, begin = [size], 0
    for level in levels:
        borders += range(begin, begin + level.cells * level.span + 1, level.span)
        begin += level.cells * level.span
    indices = np.unique([border + step for border in borders for step in (-1, 0, 1)])
    indices = indices[(indices >= 0) & (indices < size)]
    kept, kernels.compiling = kernels.compiling, lambda: compiling
    try:
        found = [marked_cells(geometry, part) for part in (indices[:1], indices[1:], indices[::2], indices[::3])]
        single = [marked_cells(geometry, indices[place : place + 1]).tolist() for place in range(0, indices.size, 7)]
    finally:
        kernels.compiling = kept
    expected = [geometry.cells_of(part) for part in (indices[:1], indices[1:], indices[::2], indices[::3])]
    assert [cells.tolist() for cells in found] == [np.unique(cells).tolist() for cells in expected]
    assert single == [geometry.cells_of(indices[place : place + 1]).tolist() for place in range(0, indices.size, 7)]


def touched_by(feed):
    """The cells that a counter draws again, where every draw is a one."""
    one = counter(memory=1024)
    one._state.cells[:] = False
    feed(one)
    return np.flatnonzero(one._state.cells).tolist()


def test_all_forms_of_a_column_touch_the_same_cells(monkeypatch):
    monkeypatch.setattr(BernoulliCells, "draw_updated", lambda self, randomness, size: np.ones(size, dtype=bool))
    texts = [f"user {one} ä" for one in IDS.tolist()]
    integers = [IDS, IDS.astype(np.uint64), IDS.tolist(), tuple(IDS.tolist()), set(IDS.tolist()), IDS.astype(object)]
    integers += [
        pandas.Series(IDS),
        polars.Series(IDS),
        pyarrow.array(IDS),
        pyarrow.chunked_array([IDS[:7], IDS[7:]]),
    ]
    integers += [pandas.Series(IDS, dtype="UInt64"), pyarrow.array(IDS).dictionary_encode(), list(IDS)]
    strings = [texts, *(form(texts) for form in FORMS.values())]
    for forms in (integers, strings):
        expected = touched_by(lambda one, forms=forms: [one.add(user) for user in forms[0]])
        assert len(expected) > 300
        for form in forms:
            assert touched_by(lambda one, form=form: one.add_many(form)) == expected, type(form)
        long = forms[0] * 6 if isinstance(forms[0], list) else np.tile(forms[0], 6)
        for form in (pyarrow.array(long), polars.Series(long), pandas.Series(long), np.array(long)):
            assert touched_by(lambda one, form=form: one.add_many(form)) == expected, type(form)


@pytest.mark.parametrize("way", ["add", "add_many", "in pieces, twice"])
def test_the_state_has_one_distribution_for_every_way_to_add(way):
    """Touched cells are ones with probability p1, and the others with p0: bit for bit, over many states."""
    ids = IDS[:300].tolist()
    reference = counter(memory=128)
    touched = np.zeros(reference.estimator.geometry.cells, dtype=bool)
    indices = reference.estimator.universe.encode(np.array(ids))
    touched[reference.estimator.geometry.cells_of(indices)] = True
    runs = 40 if way == "add" else 200
    ones = np.zeros(touched.size)
    for seed in range(runs):
        one = counter(seed, memory=128)
        if way == "add":
            for user in ids:
                one.add(user)
        elif way == "add_many":
            one.add_many(np.array(ids))
        else:
            one.add_many(ids[:100] + ids)
            one.add_many(ids[100:])
        ones += one._state.cells
    cells = reference.estimator.cells
    for where, p in ((touched, cells.p_upd), (~touched, cells.p_init)):
        total = runs * int(where.sum())
        assert abs(ones[where].sum() - total * p) < 5 * math.sqrt(total * p * (1 - p))
        # Independent bits: the squared deviations of the cells have the variance of binomial numbers.
        spread = ((ones[where] - runs * p) ** 2).mean() / (runs * p * (1 - p))
        assert abs(spread - 1) < 5 * math.sqrt(2 / where.sum()) + 0.1


@pytest.mark.parametrize(
    "ids",
    [
        [-1],
        [1.0],
        [True],
        [None],
        [2**64],
        [1, "a"],
        [[1], [2]],
        np.array([-1, 5]),
        np.array([1.0]),
        np.array([True]),
        np.ma.array([1, 2], mask=[False, True]),
        range(-3, 4),
        pyarrow.table({"a": [1]}),
        polars.Series([1], dtype=polars.Int128),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        pyarrow.array(["a", None]),
        pyarrow.array([-1]),
        pyarrow.nulls(2),
        pandas.Series(["a", None]),
        pandas.Series([True]),
        polars.DataFrame({"a": [1], "b": [2]}),
        ["\ud800"],
        "abc",
        7,
        None,
        {"a": 1},
        iter([1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_bad_ids_are_refused_with_a_sentence_and_change_nothing(ids):
    one = counter(memory=128)
    before = one._state.cells.copy()
    with pytest.raises(InputError) as problem:
        one.add_many(ids)
    assert "\n" not in str(problem.value)
    assert np.array_equal(one._state.cells, before)


@pytest.mark.parametrize(
    "one", [-1, 1.0, True, None, 2**64, np.float64(3), b"a", (1,), "\ud800"], ids=lambda value: type(value).__name__
)
def test_a_bad_id_is_refused(one):
    with pytest.raises(InputError):
        counter(memory=128).add(one)


def test_ranges_and_empty_columns_are_columns(monkeypatch):
    monkeypatch.setattr(BernoulliCells, "draw_updated", lambda self, randomness, size: np.ones(size, dtype=bool))
    expected = touched_by(lambda one: one.add_many(np.arange(7, 3_000, 3)))
    assert touched_by(lambda one: one.add_many(range(7, 3_000, 3))) == expected
    for empty in ([], range(0), np.array([]), pandas.Series([], dtype=object), pyarrow.array([]), polars.Series([])):
        assert touched_by(lambda one, empty=empty: one.add_many(empty)) == []


def _objects_of_pandas(ids):
    return pandas.Series(ids, dtype=object)


NUMBERS = (5, np.int8(5), [5], np.array([5]), range(5, 6), pyarrow.array([5]), pandas.Series([5], dtype=object), {5})
TEXTS = ("5", np.str_("5"), ["5"], np.array(["5"]), pyarrow.array(["5"]), pandas.Series(["5"]), {"5"})


def _added(counter, ids):
    counter.add(ids) if isinstance(ids, (str, int, np.integer)) else counter.add_many(ids)


@pytest.mark.parametrize(("first", "later"), [(NUMBERS, TEXTS), (TEXTS, NUMBERS)], ids=["numbers", "texts"])
@pytest.mark.parametrize("saved", [False, True])
def test_the_first_ids_decide_the_kind_of_all(first, later, saved):
    """7 and the text 7 are two users: a counter of both kinds would count one user twice without a word."""
    for ids in first:
        one = counter()
        one.add_many([])
        one.add("")
        assert one.kind is None
        _added(one, ids)
        if saved:
            one = DistinctUserCounter.from_bytes(one.to_bytes())
        before = one._state.cells.copy()
        for other in later:
            with pytest.raises(InputError, match="7 and the text 7 would be counted as two users"):
                _added(one, other)
        assert (one._state.cells == before).all()
        # The empty text is the id of all missing ids beside those of either kind.
        for other in (*first, "", [""]):
            _added(one, other)
        renewed = one.renewed()
        _added(renewed, later[0])


def test_a_wrong_id_decides_nothing():
    one = counter()
    for wrong in (-1, None, 1.5):
        with pytest.raises(InputError):
            one.add(wrong)
    one.add("a")
    assert one.kind == "texts"


def test_a_union_of_counters_of_two_kinds_is_refused():
    made = {kind: counter(key=b"k" * 16) for kind in ("numbers", "texts", "nothing")}
    made["numbers"].add(5)
    made["texts"].add("5")
    with pytest.raises(InputError, match="7 and the text 7"):
        union_of(made["numbers"].estimator, made["texts"].estimator)
    for kind in ("numbers", "texts"):
        assert union_of(made[kind].estimator, made["nothing"].estimator).counter is made[kind].estimator


def test_a_universe_of_one_kind_refuses_the_other_in_every_form():
    for kind, right, wrong in (("whole numbers", NUMBERS, TEXTS), ("texts", TEXTS, NUMBERS)):
        for name in ("aes-cmac", "blake2b"):
            universe = HashedUniverse(2**20, b"k" * 16, name, kind)
            assert universe_from_dict(universe.to_dict()) == universe
            for ids in right:
                if not isinstance(ids, set):
                    universe.encode(ids)
            for ids in wrong:
                if not isinstance(ids, set):
                    with pytest.raises(InputError, match="7 and the text 7"):
                        universe.encode(ids)
            long = np.arange(20_000)
            texts = long.astype(str)
            for column in (texts, texts.tolist(), pyarrow.array(texts), pyarrow.array(texts).dictionary_encode()):
                with pytest.raises(InputError) if kind == "whole numbers" else nullcontext():
                    universe.encode(column)
            with pytest.raises(InputError) if kind == "texts" else nullcontext():
                universe.encode(long)
            with pytest.raises(InputError):
                universe.encode_one("5" if kind == "whole numbers" else 5)
    with pytest.raises(InputError, match="the ids of a hashed universe are"):
        HashedUniverse(5, b"k" * 16, ids="other")


LARGE = [1, 2**63 + 1]


@pytest.mark.parametrize("times", [1, 10_000])
@pytest.mark.parametrize("form", [list, lambda ids: np.array(ids, dtype=object), _objects_of_pandas])
def test_numbers_up_to_the_largest_of_64_bits_are_ids_in_every_form(form, times, monkeypatch):
    monkeypatch.setattr(BernoulliCells, "draw_updated", lambda self, randomness, size: np.ones(size, dtype=bool))
    wanted = touched_by(lambda one: one.add_many(np.array(LARGE, dtype=np.uint64)))
    assert touched_by(lambda one: one.add_many(form(LARGE * times))) == wanted
    universe = HashedUniverse(2**40, b"k" * 16)
    assert universe.encode(form(LARGE * times)).tolist()[:2] == [universe.encode_one(each) for each in LARGE]
    for wrong in ([1, 2**64], [-1, 2**63 + 1]):
        with pytest.raises(InputError):
            counter().add_many(form(wrong * times))
        with pytest.raises(InputError):
            universe.encode(form(wrong * times))


def test_a_counter_continues_from_its_bytes_and_from_a_file(tmp_path):
    one = counter()
    one.add_many(IDS)
    again = DistinctUserCounter.from_bytes(one.to_bytes())
    assert np.array_equal(again._state.cells, one._state.cells)
    assert again.estimator.to_dict() == one.estimator.to_dict()
    assert "void" in again.promise
    path, key_file = tmp_path / "state", tmp_path / "key"
    save_counter(path, one, key_file=key_file, place={"ids": 7})
    assert path.stat().st_mode & 0o777 == key_file.stat().st_mode & 0o777 == 0o600
    assert KEY.hex().encode() not in path.read_bytes()
    found, place = load_counter(path, key_file=key_file)
    assert place == {"ids": 7}
    assert found.estimator.to_dict() == one.estimator.to_dict()
    with pytest.raises(StateFileError, match="needs the file with the key"):
        load_counter(path)
    found.release()
    save_counter(path, found, key_file=key_file)
    assert not key_file.exists()
    assert load_counter(path)[0].erased


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"p_upd": 0.99}, "the state alone loses"),
        ({"promise_epsilon": 1e9}, "between 0.002 and 40"),
        ({"levels": [[8192, 2**61]]}, "the universe has"),
        ({"estimator": "dwork"}, "does not fit"),
    ],
)
def test_bytes_with_other_parameters_are_refused_though_their_checksum_is_right(change, words, monkeypatch):
    one = counter(memory=1024)
    of_dict = type(one.estimator).to_dict
    monkeypatch.setattr(type(one.estimator), "to_dict", lambda self: of_dict(self) | change)
    content = one.to_bytes()
    with pytest.raises(StateFileError, match=words):
        DistinctUserCounter.from_bytes(content)


VALUES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=3) | st.just(10**400)
VALUES |= st.lists(st.integers(-2, 2), max_size=2) | st.dictionaries(st.text(max_size=2), st.integers(), max_size=1)


def places(value, path=()):
    """The paths to all parts of a document."""
    found = [path] if path else []
    for key, part in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        found += places(part, (*path, key))
    return found


@given(st.booleans(), st.data())
@settings(max_examples=75, deadline=None)
def test_any_change_of_the_description_is_read_or_refused_with_a_sentence(spent, data):
    """The checksum is right: the file was not damaged but forged."""
    one = counter(memory=128)
    if spent:
        one.release()
    reader = StateReader(io.BytesIO(one.to_bytes()), len(one.to_bytes()), "it")
    about, arrays = reader.header.configuration, reader.arrays()
    *way, last = data.draw(st.sampled_from(places(about)))
    part = about
    for key in way:
        part = part[key]
    part[last] = data.draw(VALUES)
    try:
        content = to_bytes(replace(reader.header, configuration=about), arrays)
    except ValueError:
        return  # JSON has no such number.
    refused, found = "", None
    try:
        found = DistinctUserCounter.from_bytes(content)
    except StateFileError as problem:
        refused = str(problem)
    assert "\n" not in refused
    if found is None:
        return
    assert found.estimator.calibration.loss <= found.estimator.promise_epsilon <= 40
    repr(found)
    if not spent:
        found.add_many(IDS)
        found.release()
