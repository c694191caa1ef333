"""Schemas and tables: every form of data gives the same table, and bad input gives one sentence."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.schema import Attribute, Schema, binary
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError

SCHEMA = Schema(
    (
        Attribute("smoker", ("no", "yes")),
        Attribute("age", edges=(0, 40, 65, 120)),
        Attribute("ill", (0, 1), missing=True),
    )
)
ROWS = [("yes", 39.5, 0), ("no", 120, None), ("no", 40, 1)]
CODES = [[1, 0, 0], [0, 2, 2], [0, 1, 1]]
COLUMNS = {name: [row[place] for row in ROWS] for place, name in enumerate(SCHEMA.names)}


def frames():
    yield "rows", ROWS
    yield "columns", dict(reversed(COLUMNS.items()))
    yield "dictionaries", [dict(zip(SCHEMA.names, row, strict=True)) for row in ROWS]
    yield "array", np.array(ROWS, dtype=object)


@pytest.mark.parametrize(("form", "data"), list(frames()), ids=[form for form, _ in frames()])
def test_each_form_of_data_gives_the_same_table(form, data):
    assert Table.of(data, SCHEMA).codes.tolist() == CODES


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_each_library_gives_the_same_table(library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    assert Table.of(make(COLUMNS), SCHEMA).codes.tolist() == CODES


def test_rows_and_columns_come_back_with_the_names_of_bins():
    table = Table.of(ROWS, SCHEMA)
    assert table.to_rows()[0] == ("yes", "[0, 40)", 0)
    assert Table.of(table.to_columns(), SCHEMA).codes.tolist() == CODES


def test_counts_are_those_of_the_rows():
    counts = Table.of(ROWS, SCHEMA).counts((2, 0))
    assert counts.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_a_schema_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(SCHEMA.to_dict()))
    assert Schema.of(str(file)) == Schema.of(file.read_text()) == Schema.of(SCHEMA.to_dict()) == SCHEMA
    assert SCHEMA.problem(4).schema[1] == ("age", (20.0, 52.5, 92.5))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "the table has no rows"),
        ([("yes", 39, 0, 1)], "a row has 3 values"),
        ([("maybe", 39, 0)], "the value 'maybe' of 'smoker' is not in its domain"),
        ([("yes", 121, 0)], "is not from 0 to 120"),
        ([(None, 39, 0)], "a value of 'smoker' is missing"),
        ([("yes", 39, 0.5)], "an attribute of numbers needs edges"),
        ({"smoker": ["yes"], "age": [3]}, "the data has no column 'ill'"),
        ({**COLUMNS, "name": [1, 2, 3]}, "the data has the column 'name', which the schema does not name"),
        ({**COLUMNS, "ill": [1]}, "the columns of a table have one length"),
        ("rows", "a table is a data frame"),
        ({**COLUMNS, "ill": 1}, "the column 'ill' is a list of values, got 1"),
        ([{"yes", 39, 0}], "a row has 3 values, one for each attribute of the schema, got {"),
    ],
)
def test_bad_data_gives_one_sentence(data, sentence):
    with pytest.raises(InputError, match=sentence):
        Table.of(data, SCHEMA)


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ({"attributes": []}, "a schema has 1 to 1000 attributes"),
        ({"attributes": [{"name": "a", "values": [0, 1]}] * 2}, "names each attribute once, got 'a' twice"),
        ({"attributes": [{"name": "a", "values": [0]}]}, "must have 2 to 256 categories, got 1"),
        ({"attributes": [{"name": "a", "values": [0, 0.0]}]}, "must differ"),
        ({"attributes": [{"name": "a", "edges": [1, 0, 2]}]}, "finite numbers in rising order"),
        ({"attributes": [{"name": "a"}]}, "either values or edges"),
        ({"attributes": [{"name": "a", "values": [0, 1], "size": 2}]}, "an attribute has no 'size'"),
        ({"attributes": [{"name": "a", "values": [0, math.inf]}]}, "of 'a' is a finite number or a text, got inf"),
        (
            {"attributes": [{"name": "a", "values": [0, 1], "missing": "no"}]},
            "missing of 'a' is true or false, got 'no'",
        ),
        ({"attributes": [{"name": "a", "values": [0, 1], "ordered": 1}]}, "ordered of 'a' is true or false, got 1"),
        ({"attributes": [{"name": "a", "edges": [False, True, 2]}]}, "finite numbers in rising order"),
        ({"attributes": [{"name": "a", "edges": [0, 1, 10**400]}]}, "is at most 2.31e.18 away from 0, got 10000"),
        ({"attributes": [{"name": "a", "edges": [-1e301, 0.5, 2]}]}, "is at most 1e.300 away from 0"),
        (
            {"attributes": [{"name": "a", "values": [0, 1]}], "missing": True},
            "attributes and nothing else, got 'missing'",
        ),
        ('{"attributes": [], "attributes": [{"name": "a", "values": [0, 1]}]}', "has the key 'attributes' twice"),
        ({}, "a list of attributes"),
        ("{", "is no JSON"),
        ("no such file.json", "cannot read the schema"),
    ],
)
def test_a_bad_schema_gives_one_sentence(schema, sentence):
    with pytest.raises(InputError, match=sentence):
        Schema.of(schema)


def test_bins_of_close_and_of_long_edges_have_names_of_their_own():
    for edges in [(20200101, 20200102, 20200103), (1000000.1, 1000000.2, 1000000.3), (-(2**61), 0, 2**61)]:
        attribute = Attribute("day", edges=edges)
        assert len(set(attribute.categories)) == 2
        assert attribute.categories[1].endswith("]")
        schema = Schema((attribute,))
        assert Table.of([[one] for one in attribute.categories], schema).codes.tolist() == [[0], [1]]


def test_rows_that_can_be_read_once_and_lazy_frames_are_tables():
    polars = pytest.importorskip("polars")
    assert Table.of((iter(row) for row in ROWS), SCHEMA).codes.tolist() == CODES
    assert Table.of(polars.DataFrame(COLUMNS).lazy(), SCHEMA).codes.tolist() == CODES


def test_binary_attributes_have_letters():
    assert binary(3).names == ("a", "b", "c")


def test_a_schema_without_end_is_refused():
    with pytest.raises(InputError, match="has more than"):
        Schema.of("/dev/zero")


VALUES = Schema((Attribute("a", (2**53, 5, 10, 0.1, -3, "x")), Attribute("b", (0, 1))))
EDGES = Schema((Attribute("a", edges=(0, 5, 2**53, 2**60)), Attribute("b", edges=(0.0, 0.1, 0.3, 2.5))))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740992", 2**53),
        ("9007199254740992.0", 2**53),
        ("9.007199254740992e15", 2**53),
        ("9007199254740993", None),
        ("9007199254740992.1", None),
        ("9007199254740991.99999999", None),
        ("10", 10),
        ("1e1", 10),
        ("+10", 10),
        (" 10", 10),
        ("10\t", 10),
        ("10.", 10),
        ("010", 10),
        ("1_0", None),
        ("0xa", None),
        ("\u0661\u0660", None),
        ("10\u00a0", None),
        ("0.1", 0.1),
        (".10", 0.1),
        ("0.1000000000000000055", None),
        ("-3", -3),
        ("- 3", None),
        ("--3", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
        ("1e999999999", None),
        ("1e-999999999", None),
        ("1e9999999999", None),
        ("x", "x"),
        (" x", None),
    ],
)
def test_a_number_in_a_file_is_read_as_it_is_written(tmp_path, text, value):
    (tmp_path / "d.csv").write_text(f"a,b\n{text},1\n")
    columns = read_csv(tmp_path / "d.csv", VALUES)
    if value is None:
        with pytest.raises(InputError, match="is not in its domain"):
            Table.of(columns, VALUES)
    else:
        assert VALUES.attributes[0].categories[Table.of(columns, VALUES).codes[0, 0]] == value


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a", "9007199254740992", 2),
        ("a", "9007199254740991.9999999", 1),
        ("a", "9007199254740993", 2),
        ("a", "4.99999999999999999999999", 0),
        ("a", "5", 1),
        ("a", str(2**60), 2),
        ("a", f"{2**60}.00001", None),
        ("a", "-1e-999", None),
        ("a", "1e-999", 0),
        ("a", "1_0", None),
        ("a", "nan", None),
        ("a", "1e400", None),
        ("b", "0.1", 1),
        ("b", "0.09999999999999999999999", 0),
        ("b", "0.3", 2),
        ("b", "2.50", 2),
        ("b", "2.5000000000000000000001", None),
    ],
)
def test_a_number_lies_in_the_bin_of_its_digits(tmp_path, name, text, place):
    fields = {"a": "1", "b": "1"} | {name: text}
    (tmp_path / "d.csv").write_text(f"a,b\n{fields['a']},{fields['b']}\n")
    columns = read_csv(tmp_path / "d.csv", EDGES)
    if place is None:
        with pytest.raises(InputError, match="is not from"):
            Table.of(columns, EDGES)
    else:
        assert Table.of(columns, EDGES).codes[0, EDGES.names.index(name)] == place


@pytest.mark.parametrize(
    ("edges", "value", "place"),
    [
        ((0, 2**53 + 1, 2**60), float(2**53), 0),
        ((0.5, 2**53, 2**60), 2**53 - 1, 0),
        ((0.5, 2.0**53, 2.0**60), 2**53 + 1, 1),
        ((0, 1, 2), 2, 1),
    ],
)
def test_a_number_of_a_frame_is_not_rounded_before_its_bin_is_found(edges, value, place):
    schema = Schema((Attribute("a", edges=edges),))
    assert Table.of({"a": [value]}, schema).codes[0, 0] == place
