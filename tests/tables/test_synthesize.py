"""``panproof synthesize``: a CSV file in, a CSV file out, and one sentence for bad input."""

from __future__ import annotations

import csv
import json

import pytest
from jsonschema import Draft202012Validator

from pan_audits.command_line.schema import schema_of

SCHEMA = {
    "attributes": [
        {"name": "smoker", "values": ["no", "yes"]},
        {"name": "age", "edges": [0, 40, 120]},
        {"name": "ill", "values": [0, 1], "missing": True},
    ]
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    rows = ["yes,70,1,x", "no,20.5,0,y", "no,30,,z"] * 30
    (tmp_path / "data.csv").write_text("\n".join(["smoker,age,ill,name", *rows]) + "\n")
    return tmp_path


def synthesize(panproof, files, *words, data="data.csv"):
    return panproof("synthesize", files / data, "--schema", files / "schema.json", "--out", files / "out.csv", *words)


def test_the_rows_are_those_of_the_schema_and_like_the_data(panproof, files):
    outcome = synthesize(panproof, files, "--epsilon", 100, "--rows", 300)
    assert outcome.code == 0
    assert "promise      100, replace-row" in outcome.out
    assert "rows         300 in" in outcome.out
    with (files / "out.csv").open() as file:
        names, *rows = csv.reader(file)
    assert names == ["smoker", "age", "ill"]
    assert len(rows) == 300
    assert {row[0] for row in rows} == {"no", "yes"}
    assert {row[1] for row in rows} == {"[0, 40)", "[40, 120)"}
    assert {row[2] for row in rows} == {"", "0", "1"}
    assert sum((row[0] == "yes") == (row[2] == "1") for row in rows) > 250


def test_the_noise_is_secure_unless_a_seed_is_given(panproof, files):
    document = json.loads(synthesize(panproof, files, "--json").out)
    Draft202012Validator(schema_of("synthesize")).validate(document)
    assert document["secure"] is True
    assert document["rows"] == 90
    again = []
    for _ in range(2):
        seeded = synthesize(panproof, files, "--seed", 1)
        assert "none, since a seed was given" in seeded.out
        again.append((files / "out.csv").read_text())
    assert again[0] == again[1]
    assert json.loads(synthesize(panproof, files, "--seed", 1, "--json").out)["secure"] is False


def test_other_synthesizers_and_their_parameters(panproof, files):
    outcome = synthesize(panproof, files, "--by", "noisy-majority-vote", "--set", "sites=3", "--json")
    assert json.loads(outcome.out)["synthesizer"] == "noisy-majority-vote"


@pytest.mark.parametrize(
    ("content", "words", "sentence"),
    [
        ("smoker,age\nyes,3\n", (), "has no column 'ill'"),
        ("smoker,age,ill\n", (), "the table has no rows"),
        ("", (), "is empty"),
        ("smoker,age,ill\nyes,3,2\n", (), "the value '2' of 'ill' is not in its domain"),
        ("smoker,age,ill\nyes,old,1\n", (), "the value 'old' of 'age' is no number"),
        ("smoker,age,ill\nyes,300,1\n", (), "is not from 0 to 120"),
        ("smoker,age,ill\n,3,1\n", (), "a value of 'smoker' is missing"),
        ("smoker,age,ill\nyes,3\n", (), "row 2 of"),
        ("smoker,age,ill,ill\nyes,3,1,1\n", (), "has the column 'ill' twice"),
        ("smoker,age,ill\nyes,3,1\n", ("--epsilon", 0), "--epsilon must be positive"),
        ("smoker,age,ill\nyes,3,1\n", ("--by", "mst"), "unknown value 'mst' of --by"),
        ("smoker,age,ill\nyes,3,1\n", ("--set", "degree=9", "--by", "privbayes"), "the degree must be between 1 and 2"),
    ],
)
def test_bad_input_gives_one_sentence_and_no_file(panproof, files, content, words, sentence):
    (files / "bad.csv").write_text(content)
    assert sentence in synthesize(panproof, files, *words, data="bad.csv").one_sentence()
    assert not (files / "out.csv").exists()


def test_a_file_that_is_not_there_gives_one_sentence(panproof, files):
    assert "No such file" in synthesize(panproof, files, data="none.csv").one_sentence()
