"""``python -m experiments compare``."""

from __future__ import annotations

import json

import pytest
from jsonschema import ValidationError

from experiments.density.comparison import COMPARED
from tests.command import validate


@pytest.fixture
def few(monkeypatch):
    names = ("bernoulli-family", "optimal-bernoulli", "calibrated-bernoulli")
    monkeypatch.setattr("experiments.density.comparison.COMPARED", {name: {} for name in names})


@pytest.mark.more
@pytest.mark.usefixtures("few")
def test_who_keeps_the_promise_best_comes_first(experiments):
    words = ("compare", "--bits", 5000, "--runs", 10, "--seed", 1, "--jobs", 1)
    found = experiments(*words)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].startswith("calibrated-bernoulli has the least error of those that keep their promise, 0.0")
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.strip()}
    assert rows["calibrated-bernoulli"][:5] == ["NOT_REFUTED", "4,872", "5,000", "0.4", "0.4"]
    assert rows["optimal-bernoulli"][:5] == ["REFUTED", "357", "4,998", "0.4", "1.71294"]
    assert rows["calibrated-bernoulli"][-1] == "1.00"
    assert float(rows["optimal-bernoulli"][-1]) > 10
    assert "5,942" in rows["exact-counter"]
    assert "density 0.7358" in found.out
    assert "does not fit" in found.out
    assert "seed 1;" in found.out
    assert "promises nothing" not in found.out
    assert experiments(*words).out.splitlines()[:-1] == lines[:-1]


@pytest.mark.usefixtures("few")
def test_what_has_less_error_and_breaks_its_promise_is_named(experiments):
    found = experiments("compare", "--bits", 6000, "--parameter", "0.5", "--runs", 30, "--jobs", 1, "--seed", 1)
    assert "; only estimators that break their promise have less: bernoulli-family." in found.out.splitlines()[0]
    assert "fits as well" in found.out


@pytest.mark.usefixtures("few")
def test_what_cannot_be_compared_is_left_out_with_the_reason(experiments):
    """Above epsilon = 1/2 nothing is promised; one pair is no pair of probabilities there, a key takes too much."""
    found = experiments("compare", "--bits", 100, "--parameter", "0.6", "--runs", 3, "--jobs", 1, "--seed", 1)
    assert found.out.startswith("None of these estimators keeps its promise.")
    assert "left out: bernoulli-family: the two probabilities of a cell" in found.out
    assert "left out: calibrated-bernoulli: a sample of one user takes 129 bits, more than 100" in found.out
    assert "an estimator without a promise is compared with 2 epsilon" in found.out


@pytest.mark.more
def test_json_has_every_estimator(experiments):
    words = ("compare", "--stream", "zipf", "-b", 2000, "--parameter", "log(3/2)", "--runs", 2, "--json", "--jobs", 1)
    found = json.loads(experiments(*words).out)
    validate("compare", found)
    with pytest.raises(ValidationError):
        validate("compare", found | {"estimators": {}})
    assert [row["name"] for row in found["estimators"]] == list(COMPARED)
    assert found["best"] in {"calibrated-bernoulli", "calibrated-continual-output"}
    kept = {row["name"] for row in found["estimators"] if row["verdict"] == "NOT_REFUTED"}
    assert kept == {"calibrated-bernoulli", "calibrated-continual-output"}
    assert found["exact_counter_bits"] == found["users"] == found["updates"] == 100_000
    assert all(row["state_bits"] <= 2000 for row in found["estimators"])
    assert isinstance(found["seed"], int)


def test_bad_input_is_one_sentence(experiments):
    told = experiments("compare", "--stream", "unifrom").one_sentence()
    assert "did you mean uniform?" in told
    assert "--runs must be" in experiments("compare", "--runs", 10**12).one_sentence()
    for words in (
        ("--bits", 0),
        ("--runs", 1),
        ("--stream", "nowhere"),
        ("--parameter", "tiny"),
        ("--parameter", "0"),
        ("--bits", 3),
    ):
        experiments("compare", *words).one_sentence()
