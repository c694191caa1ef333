"""Experiments at a small size: files, pages, seeds, and what does not depend on what."""

from __future__ import annotations

import csv
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import ValidationError

from experiments.toolkit import reproduction
from experiments.toolkit.figures import COLUMNS, MEASURED
from experiments.toolkit.reproduction import experiment, reproduce, resolve
from experiments.toolkit.results import Request
from experiments.toolkit.sentence import ReproductionVerdict
from pan_estimators import InputError
from pan_proofs.density.contents import EXPERIMENTS
from tests.command import validate
from tests.public.density.experiments.small import SMALL

QUICK = replace(SMALL, rounds=4)
_NAMES = ("figure-4", "figure-6")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return folder, reproduce(Request(names=_NAMES, folder=folder, setting=QUICK))


def _rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("claim", EXPERIMENTS)
def test_every_experiment_of_the_ledger_can_be_made_anew(claim):
    (name,) = resolve(claim)
    assert claim in experiment(name).claims
    assert experiment(name).sentences


def test_the_data_have_every_point_with_its_band(made):
    folder, _ = made
    rows = _rows(folder / "figure-6.csv")
    assert tuple(rows[0]) == COLUMNS
    measured = [row for row in rows if row["kind"] == MEASURED]
    assert len(measured) == 5 * 2 * 2 * len(QUICK.epsilons)
    for row in measured:
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
        assert row["repetitions"] == str(QUICK.error_repetitions)
    exact = {(row["panel"], row["series"], row["x"]): float(row["value"]) for row in rows if row["kind"] == "exact"}
    inside = [
        float(row["low"]) <= exact[key] <= float(row["high"])
        for row in measured
        if (key := (row["panel"], row["series"], row["x"])) in exact
    ]
    assert len(inside) == 4 * 2 * 2 * len(QUICK.epsilons)
    assert sum(inside) >= len(inside) - 3


@pytest.mark.more
def test_neither_the_jobs_nor_the_selection_change_anything(made, tmp_path):
    folder, found = made
    others = reproduce(Request(names=("figure-6",), folder=tmp_path, setting=QUICK, jobs=2))
    for file in ("figure-6.csv", "figure-6.json", "figure-6.svg"):
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes(), file
    assert {one for one in others.judgements if one.sentence.id.startswith("figure-6")} <= set(found.judgements)


def test_a_folder_that_is_there_but_cannot_be_written_is_told_before_anything_is_run(tmp_path, monkeypatch):
    folder = Path("/proc") if os.geteuid() == 0 else tmp_path  # no mode keeps the superuser out
    if folder is tmp_path:
        folder.chmod(0o500)
    monkeypatch.setattr(reproduction, "_figures", None)
    with pytest.raises(InputError, match=f"cannot write to {folder}: "):
        reproduce(Request(names=("figure-4", "figure-6"), folder=folder))


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path, kind):
    (tmp_path / f"figure-3.{kind}").mkdir()
    with pytest.raises(InputError, match=f"cannot write .*figure-3.{kind}"):
        reproduce(Request(names=("figure-3",), folder=tmp_path))


@pytest.mark.slow
def test_everything_at_the_published_sizes(tmp_path):
    found = reproduce(Request(names=resolve("all"), folder=tmp_path, jobs=2))
    assert found.decided
    wrong = {one.sentence.id for one in found.judgements if one.verdict is ReproductionVerdict.NOT_REPRODUCED}
    assert {"figure-4.zipf-density", "thesis-4.1.order-below-roth", "figure-6.ppds-robust"} <= wrong


def test_the_verdicts_come_first(experiments, tmp_path):
    found = experiments("reproduce", "figure-2", "thesis-4.6", "--out", tmp_path / "out", "--jobs", 1)
    assert found.code == 0
    first, _, worst, *others = found.out.splitlines()
    assert first == "7 REPRODUCED, 1 NOT_REPRODUCED, 0 UNDECIDED"
    assert worst.startswith("NOT_REPRODUCED  thesis-4.6.interval-is-all: ")
    assert {line.split()[0] for line in others[1:8]} == {"REPRODUCED"}
    assert others[-1].startswith("All verdicts are computed.")
    assert found.err == ""
    assert (tmp_path / "out" / "index.html").exists()


def test_json_and_a_claim_of_the_ledger_as_a_target(experiments, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.density.contenders.PUBLISHED", SMALL)
    found = experiments("reproduce", "density.figure_4", "--out", tmp_path, "--jobs", 1, "--json")
    stored = json.loads(found.out)
    validate("reproduce", stored)
    with pytest.raises(ValidationError):
        validate("reproduce", stored | {"counts": {}})
    assert set(stored["counts"]) == set(ReproductionVerdict)
    assert {one["id"].split(".")[0] for one in stored["sentences"]} == {"figure-4"}
    assert found.code == (3 if stored["counts"]["UNDECIDED"] else 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("figure-8 --out x", "unknown experiment 'figure-8'; did you mean figure-"),
        ("figure-2 --out x --error 0.9", "error budget"),
        ("figure-2 --out x --seed -1", "--seed"),
    ],
)
def test_bad_input_is_one_sentence(experiments, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert expected in experiments("reproduce", *words.split()).one_sentence()
    assert not (tmp_path / "x").exists()


def test_experiments_need_compiled_loops(experiments, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    told = experiments("reproduce", "figure-4", "--out", tmp_path / "out").one_sentence()
    assert told == "panproof: an experiment needs an optional library: pip install 'panproof[suite]'\n"
    assert not (tmp_path / "out").exists()
