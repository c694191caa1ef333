"""Schemas and tables: forms of data, bad input, classes that read a schema, and the shipped Diabetes records."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from pan_audits.subject.isolation.importing import of_its_tables
from pan_estimators.tables import diabetes
from pan_estimators.tables.diabetes import load_diabetes, prepared, records_of, write
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from tests.public.families.noisy_tables import NoisyCount
from tests.public.tables.broken import HalfTheScale

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


FORMS = {
    "rows": ROWS,
    "rows that can be read once": (iter(row) for row in ROWS),
    "columns": dict(reversed(COLUMNS.items())),
    "dictionaries": [dict(zip(SCHEMA.names, row, strict=True)) for row in ROWS],
    "array": np.array(ROWS, dtype=object),
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "lazy polars": polars.DataFrame(COLUMNS).lazy(),
    "arrow": pyarrow.table(COLUMNS),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_data_gives_the_same_table(form):
    table = Table.of(FORMS[form], SCHEMA)
    assert table.codes.tolist() == CODES
    assert table.to_rows()[0] == ("yes", "[0, 40)", 0)
    assert Table.of(table.to_columns(), SCHEMA).codes.tolist() == CODES
    assert table.counts((2, 0)).tolist() == [[0, 1], [1, 0], [1, 0]]


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
        ([("yes", 121, 0)], "is not from 0 to 120"),
        ([(None, 39, 0)], "a value of 'smoker' is missing"),
        ([("yes", 39, 0.5)], "an attribute of numbers needs edges"),
        ({"smoker": ["yes"], "age": [3]}, "the data has no column 'ill'"),
        ({**COLUMNS, "name": [1, 2, 3]}, "the data has the column 'name', which the schema does not name"),
        ({**COLUMNS, "ill": [1]}, "the columns of a table have one length"),
        ("rows", "a table is a data frame"),
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
        (
            {"attributes": [{"name": "a", "values": [0, 1], "missing": "no"}]},
            "missing of 'a' is true or false, got 'no'",
        ),
        ({"attributes": [{"name": "a", "edges": [0, 1, 10**400]}]}, "is at most 2.31e.18 away from 0, got 10000"),
        (
            {"attributes": [{"name": "a", "values": [0, 1]}], "missing": True},
            "attributes and nothing else, got 'missing'",
        ),
        ('{"attributes": [], "attributes": [{"name": "a", "values": [0, 1]}]}', "has the key 'attributes' twice"),
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


VALUES = Schema((Attribute("a", (2**53, 5, 10, 0.1, -3, "x")), Attribute("b", (0, 1))))
EDGES = Schema((Attribute("a", edges=(0, 5, 2**53, 2**60)), Attribute("b", edges=(0.0, 0.1, 0.3, 2.5))))


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (2**53, ["9007199254740992", "9007199254740992.0", "9.007199254740992e15"]),
        (10, ["10", "1e1", "+10", " 10", "10\t", "10.", "010"]),
        (0.1, ["0.1", ".10"]),
        (-3, ["-3"]),
        ("x", ["x"]),
        (None, ["9007199254740993", "9007199254740992.1", "9007199254740991.99999999", "0.1000000000000000055"]),
        (None, ["1_0", "0xa", "\u0661\u0660", "10\u00a0", "- 3", "--3", "nan", "inf", " x"]),
        (None, ["1e400", "1e999999999", "1e-999999999", "1e9999999999"]),
    ],
)
def test_a_number_in_a_file_is_read_as_it_is_written(tmp_path, value, texts):
    for text in texts:
        (tmp_path / "d.csv").write_text(f"a,b\n{text},1\n")
        columns = read_csv(tmp_path / "d.csv", VALUES)
        if value is None:
            with pytest.raises(InputError, match="is not in its domain"):
                Table.of(columns, VALUES)
        else:
            assert VALUES.attributes[0].categories[Table.of(columns, VALUES).codes[0, 0]] == value


@pytest.mark.parametrize(
    ("name", "place", "texts"),
    [
        ("a", 0, ["4.99999999999999999999999", "1e-999"]),
        ("a", 1, ["9007199254740991.9999999", "5"]),
        ("a", 2, ["9007199254740992", "9007199254740993", str(2**60)]),
        ("a", None, [f"{2**60}.00001", "-1e-999", "1_0", "nan", "1e400"]),
        ("b", 0, ["0.09999999999999999999999"]),
        ("b", 1, ["0.1"]),
        ("b", 2, ["0.3", "2.50"]),
        ("b", None, ["2.5000000000000000000001"]),
    ],
)
def test_a_number_lies_in_the_bin_of_its_digits(tmp_path, name, place, texts):
    for text in texts:
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


OTHER = Schema((Attribute("a", (0, 1)), Attribute("c", ("x", "y", "z"))))


@dataclass(frozen=True)
class OfEveryTable:
    """It names no tables of its own."""

    epsilon: float = 1.0


def test_a_class_with_a_schema_is_made_for_the_stated_tables():
    made = HalfTheScale(**of_its_tables(HalfTheScale, "it", {"epsilon": 0.5}, OTHER.problem(3)))
    assert (made.epsilon, made.rows, made.schema.sizes) == (0.5, 3, (2, 3))
    assert made.problem.schema == OTHER.problem(3).schema
    own = of_its_tables(HalfTheScale, "it", {"schema": OTHER.to_dict(), "rows": 2}, OTHER.problem(3))
    assert own == {"schema": OTHER.to_dict(), "rows": 2}


def test_a_class_of_other_tables_is_bad_input():
    with pytest.raises(InputError, match=r"the columns 'smoker' \(2 values\), and the schema of --schema has"):
        of_its_tables(NoisyCount, "it", {}, OTHER.problem(3))
    with pytest.raises(InputError, match="let it take a parameter 'schema'"):
        of_its_tables(HalfTheScale, "it", {"schema": OTHER.to_dict()}, Problem.of_table({"a": [0, 1]}, 3))
    same = Problem.of_table({"smoker": [0, 1]}, rows=2)
    assert of_its_tables(NoisyCount, "it", {"epsilon": 2.0}, same) == {"epsilon": 2.0}
    assert of_its_tables(OfEveryTable, "it", {}, OTHER.problem(3)) == {}


_FIELDS = ("encounter_id", "patient_nbr", "age", "weight", "stay", "admission_type_id", "constant")
_LINES = [
    ("1", "p", "[10-20)", "?", "2", "10", "No", "250.83", "V27", "?"),
    ("2", "q", "[0-10)", "?", "14", "9", "No", "428", "785", "E909"),
    ("3", "p", "[20-30)", "?", "1", "9", "No", "140", "999", "486"),
]


def _text():
    file = io.StringIO()
    csv.writer(file).writerows([(*_FIELDS, "diag_1", "diag_2", "diag_3"), *_LINES])
    return file.getvalue()


def test_the_shipped_table_has_the_size_of_the_thesis():
    table = load_diabetes()
    assert (table.rows, len(table.schema.attributes)) == (71_518, 43)
    assert (min(table.schema.sizes), max(table.schema.sizes)) == (2, 118)
    assert table.codes.min() == 0
    assert (table.codes.max(axis=0) < table.schema.sizes).all()
    columns = dict(zip(table.schema.names, table.codes.T, strict=True))
    female = table.schema.attributes[1].values.index("Female")
    assert int((columns["gender"] == female).sum()) == 38_025
    assert table.schema.attributes[table.schema.names.index("diag_1")].size == 9


def test_a_patient_has_one_record_and_useless_attributes_are_left_out(tmp_path, monkeypatch):
    for name in ("diabetic_data.csv", "all.zip"):
        path = tmp_path / name
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("folder/diabetic_data.csv", _text())
        else:
            path.write_text(_text())
        table = prepared(records_of(path))
        assert table.schema.names == ("age", "stay", "admission_type_id", "diag_1", "diag_2", "diag_3")
        # The domains are those of all records, in the order of their numbers; the first record of a patient is kept.
        assert table.to_rows() == [
            ("[10-20)", 2, 10, "diabetes", "other", "other"),
            ("[0-10)", 14, 9, "circulatory", "circulatory", "other"),
        ]
        assert table.schema.attributes[0].values == ("[0-10)", "[10-20)", "[20-30)")
        assert [one.ordered for one in table.schema.attributes] == [True, True, False, False, False, False]
    write(table, tmp_path)
    monkeypatch.setattr(diabetes, "_FOLDER", tmp_path)
    again = load_diabetes.__wrapped__()
    assert again.schema == table.schema
    assert np.array_equal(again.codes, table.codes)
