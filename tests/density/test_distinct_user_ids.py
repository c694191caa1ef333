"""The ids of a distinct user counter: all forms of a column, the law of the bits, and values that are no ids."""

import math
from contextlib import nullcontext

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pan_estimators import DistinctUserCounter, HashedUniverse, InputError, kernels
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct_geometry import Geometry, Level
from pan_estimators.density.distinct_touching import touched_cells
from pan_estimators.density.distinct_union import union_of
from pan_estimators.universes.universe import universe_from_dict
from tests.density.distinct_users import IDS, counter


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 100) | st.integers(1, 2**51)), min_size=1, max_size=32),
    st.integers(0, 2**60),
    st.booleans(),
)
@example([(5, 49)], 3, True)
@settings(max_examples=60, deadline=None)
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
        found = [touched_cells(geometry, part) for part in (indices[:1], indices[1:], indices[::2], indices[::3])]
        single = [touched_cells(geometry, indices[place : place + 1]).tolist() for place in range(0, indices.size, 7)]
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
    strings = [texts, np.array(texts), np.array(texts, dtype=object), pandas.Series(texts), polars.Series(texts)]
    strings += [pyarrow.array(texts), pyarrow.array(texts).dictionary_encode(), pandas.Series(texts, dtype=object)]
    strings += [pandas.Series(texts, dtype="category"), polars.Series(texts).cast(polars.Categorical)]
    strings += [pyarrow.array(texts, pyarrow.string_view()), np.array([text.encode() for text in texts])]
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
    """Touched cells are ones with probability p1, and the others with p0: bit for bit, over 400 states."""
    ids = IDS[:300].tolist()
    reference = counter(memory=128)
    touched = np.zeros(reference.estimator.geometry.cells, dtype=bool)
    indices = reference.estimator.universe.encode(np.array(ids))
    touched[reference.estimator.geometry.cells_of(indices)] = True
    runs = 60 if way == "add" else 400
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
        [1.5],
        [1.0],
        [True],
        [1, True],
        [None],
        [2**64],
        [1, "a"],
        [[1], [2]],
        np.array([-1, 5]),
        np.array([1.0]),
        np.array([True]),
        np.array([np.nan]),
        np.array([[1], [2]]),
        np.array([1, None]),
        np.ma.array([1, 2], mask=[False, True]),
        range(-3, 4),
        range(2**64, 2**64 + 2),
        pandas.DataFrame({"a": [1]}),
        pyarrow.table({"a": [1]}),
        polars.Series([1], dtype=polars.Int128),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        pyarrow.array([1, None]),
        pyarrow.array(["a", None]),
        pyarrow.array([1.0]),
        pyarrow.array([True]),
        pyarrow.array([-1]),
        pyarrow.nulls(2),
        pandas.Series([1.0, None]),
        pandas.Series(["a", None]),
        pandas.Series([True]),
        polars.Series([1, None]),
        polars.Series([-4]),
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
