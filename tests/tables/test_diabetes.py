"""The shipped Diabetes records, and the steps that make them."""

from __future__ import annotations

import csv
import io
import zipfile

import numpy as np
import pytest

from pan_estimators.tables import diabetes
from pan_estimators.tables.diabetes import group_of, load_diabetes, prepared, records_of, write
from pan_promises.errors import InputError

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


@pytest.mark.parametrize(
    ("code", "group"),
    [
        ("?", "other"),
        ("V58", "other"),
        ("E935", "other"),
        ("250", "diabetes"),
        ("250.6", "diabetes"),
        ("251", "other"),
        ("389.9", "other"),
        ("390", "circulatory"),
        ("459.9", "circulatory"),
        ("786.5", "respiratory"),
        ("787", "digestive"),
        ("788", "genitourinary"),
        ("239", "neoplasms"),
        ("240", "other"),
        ("739", "musculoskeletal"),
        ("800", "injury"),
    ],
)
def test_a_diagnosis_has_its_group(code, group):
    assert group_of(code) == group


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe"])
def test_another_file_is_refused_in_one_sentence(tmp_path, content):
    for name in ("data.csv", "data.zip"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="data"):
            records_of(tmp_path / name)
    with pytest.raises(InputError, match="No such file"):
        records_of(tmp_path / "nowhere.csv")
