"""``panproof synthesize``: rows, reports and models of a CSV file, and bad input in one sentence."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from pan_estimators.tables.fitted import Fitted
from pan_estimators.tables.frames import read_csv, write_csv
from pan_estimators.tables.table import Table
from tests.command import schema_of
from tests.public.tables.test_fitted import ROWS, SCHEMA

DATA = ("data.csv", "--schema", "s.json")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with a table and its schema."""
    monkeypatch.chdir(tmp_path)
    write_csv("data.csv", ROWS)
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA.to_dict()))
    return tmp_path


def test_rows_a_report_and_a_model_are_written(panproof, files):
    words = ("--epsilon", 1, "--delta", 1e-6, "--rows", 70)
    words += ("--out", "o.csv", "--report", "r.json", "--model-file", "m.json")
    outcome = panproof("synthesize", *DATA, *words)
    assert outcome.code == 0, outcome.err
    assert "this implies epsilon 1 at delta 1e-06" in outcome.out
    assert "written   70 rows to o.csv" in outcome.out
    assert Table.of(read_csv("o.csv", SCHEMA), SCHEMA).rows == 70
    report = json.loads((files / "r.json").read_text())
    assert (report["rows"], report["sampled"], report["seed"]) == (300, 70, None)
    assert len(Fitted.load("m.json").sample(5)["city"]) == 5


ADAPTIVE = ("-e", 1, "--mechanism", "adaptive-marginals")


@pytest.mark.parametrize(
    "budget", [("--epsilon", "log(3/2)"), ("--rho", 0.5), ("-e", 1, "--mechanism", "privbayes"), ADAPTIVE]
)
def test_a_document_follows_its_schema_and_a_seed_repeats_it(panproof, files, budget):
    def made(seed):
        words = ("--out", "o.csv", "--json", "--seed", seed)
        outcome = panproof("synthesize", *DATA, *budget, *words)
        assert outcome.code == 0, outcome.err
        found = json.loads(outcome.out)
        Draft202012Validator(schema_of("synthesize")).validate(found)
        return found, (files / "o.csv").read_text()

    first = made(3)
    assert first == made(3)
    assert first[1] != made(4)[1]


def test_rows_go_to_standard_output(panproof, files):
    outcome = panproof("synthesize", *DATA, "-e", 1, "--rows", 4, "--bins", "labels")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert (lines[0], len(lines)) == ("age,weight,smoker,city,children", 5)
    assert all(',"[0, 50.5)",' in line or ',"[50.5, 200]",' in line for line in lines[1:])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (DATA, "give one budget"),
        ((*DATA, "-e", "1", "--rho", "1"), "give one budget"),
        ((*DATA, "--rho", "1", "--delta", "0.1"), "--rho stands alone"),
        ((*DATA, "--rho", "1", "--mechanism", "privbayes"), "takes no --rho"),
        ((*DATA, "-e", "1", "--mechanism", "printed-privbayes"), "unknown mechanism"),
        ((*DATA, "-e", "1", "--bins", "x"), "--bins takes numbers or labels"),
        ((*DATA, "-e", "1", "--json"), "--json needs --out"),
        (("data.csv", "--schema", "none.json", "-e", "1"), "cannot read the schema"),
        (("none.csv", "--schema", "s.json", "-e", "1"), "cannot read 'none.csv'"),
        (("empty.csv", "--schema", "s.json", "-e", "1"), "the table has no rows"),
        (("wrong.csv", "--schema", "s.json", "-e", "1"), "the value 'Paris' of 'city' is not in its domain"),
        ((*DATA, "-e", "1", "--out", "none/o.csv"), "there is no folder"),
    ],
)
def test_bad_input_is_one_sentence(panproof, files, words, told):
    (files / "empty.csv").write_text("age,weight,smoker,city,children\n")
    (files / "wrong.csv").write_text("age,weight,smoker,city,children\n1,2,true,Paris,0\n")
    outcome = panproof("synthesize", *words)
    assert outcome.code == 2
    assert told in outcome.one_sentence()
