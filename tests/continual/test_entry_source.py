"""Insertions and deletions are read from columns as they are written, or refused with the row."""

import datetime

import pyarrow as pa
import pytest

from pan_audits.continual.entry_columns import EntryColumns
from pan_audits.continual.entry_source import EntryReader
from pan_promises.errors import InputError


def read(*batches):
    reader = EntryReader("the file")
    found = list(reader.read(batches))
    return reader, [value for entries in found for value in entries.elements.tolist()], found


def entries(action=None, time=None, element=None):
    size = len(next(column for column in (action, time, element) if column is not None))
    batch = {"element": [pa.array(element if element is not None else ["a"] * size)]}
    if action is not None:
        batch["action"] = [pa.array(action)]
    if time is not None:
        batch["time"] = [time if isinstance(time, pa.Array) else pa.array(time)]
    return read(batch)[2][0]


def test_elements_have_numbers_in_the_order_of_their_first_appearance():
    reader, numbers, _ = read({"element": [pa.array(["b", "a", "b"])]}, {"element": [pa.array(["c", "a"])]})
    assert numbers == [0, 1, 0, 2, 1]
    assert len(reader.numbers) == 3
    assert reader.rows == 5


def test_an_element_of_several_columns_is_their_combination():
    _, numbers, _ = read({"element": [pa.array(["a", "ab", "a"]), pa.array(["bc", "c", "bc"])]})
    assert numbers == [0, 1, 0]


def test_numbers_and_texts_name_the_same_element():
    _, numbers, _ = read({"element": [pa.array([7, 8])]}, {"element": [pa.array(["7", "08"])]})
    assert numbers == [0, 1, 0, 2]


def test_actions_are_words_or_numbers_by_their_sign():
    words = [
        "insert",
        " DELETE ",
        "in",
        "out",
        "+",
        "-",
        "add",
        "remove",
        "6",
        "-6",
        "0",
        "-0.0",
        "2.5",
        "arrive",
        "depart",
    ]
    assert entries(action=words).signs.tolist() == [1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 1, 1, -1]
    assert entries(action=[3, -2, 0]).signs.tolist() == [1, -1, 0]
    assert entries(action=[0.5, -2.0, 0.0]).signs.tolist() == [1, -1, 0]
    assert entries(element=["a", "b"]).signs.tolist() == [1, 1]


def test_times_are_iso_dates_or_seconds():
    hour = 3600 * 10**6
    expected = [0, hour]
    assert entries(time=["1970-01-01T00:00", "1970-01-01 01:00:00"]).times.tolist() == expected
    assert entries(time=["1970-01-01T00:00Z", "1970-01-01T02:00+01:00"]).times.tolist() == expected
    assert entries(time=["0", "3600"]).times.tolist() == expected
    assert entries(time=[0, 3600]).times.tolist() == expected
    stamps = [datetime.datetime(1970, 1, 1), datetime.datetime(1970, 1, 1, 1)]
    for unit in ("s", "ms", "us", "ns"):
        assert entries(time=pa.array(stamps, pa.timestamp(unit))).times.tolist() == expected
    assert entries(time=pa.array([datetime.date(1970, 1, 2)])).times.tolist() == [24 * hour]


@pytest.mark.parametrize(
    ("batch", "sentence"),
    [
        ({"element": [pa.array(["a", " "])]}, "row 2 of the file has no element"),
        ({"element": [pa.array(["a", None])]}, "row 2 of the file has no element"),
        ({"element": [pa.array([1.5])]}, "floating-point numbers as element"),
        ({"element": [pa.array(["a"])], "action": [pa.array(["buy"])]}, "row 1 of the file has the action 'buy'"),
        ({"element": [pa.array(["a"])], "action": [pa.array([float("nan")])]}, "row 1 of the file has"),
        ({"element": [pa.array(["a"])], "time": [pa.array(["noon"])]}, "row 1 of the file has the time 'noon'"),
        ({"element": [pa.array(["a"])], "time": [pa.array([None], pa.int64())]}, "row 1 of the file has no time"),
        ({"element": [pa.array(["a"] * 2)], "time": [pa.array([5, 4])]}, "the time in row 2 of the file lies before"),
        (
            {"element": [pa.array(["a"] * 2)], "time": [pa.array(["1970-01-01T00:00", "1970-01-01T00:00Z"])]},
            "row 2 of the file has the time .* and the rows before have no time zone",
        ),
    ],
)
def test_a_bad_row_is_named(batch, sentence):
    with pytest.raises(InputError, match=sentence):
        read(batch)


def test_times_are_in_order_from_batch_to_batch():
    later, sooner = ({"element": [pa.array(["a"])], "time": [pa.array([time])]} for time in (5, 4))
    with pytest.raises(InputError, match="the time in row 2 of the file lies before"):
        read(later, sooner)


def test_columns_are_found_by_their_roles_and_no_column_has_two():
    names = ["time", "element", "action", "more"]
    assert EntryColumns().places(names, "f") == {"element": (1,), "action": (2,), "time": (0,)}
    assert EntryColumns(("more", "element")).places(names, "f")["element"] == (3, 1)
    assert EntryColumns().places(["id"], "f") == {"element": (0,)}
    with pytest.raises(InputError, match="'more' of f is given twice"):
        EntryColumns(("more",), "more").places(names, "f")
    with pytest.raises(InputError, match="no column 'absent'"):
        EntryColumns(("absent",)).places(names, "f")
    with pytest.raises(InputError, match="no column 'element'"):
        EntryColumns().places(["a", "b"], "f")
