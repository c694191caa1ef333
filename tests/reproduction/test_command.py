"""``python -m experiments reproduce``."""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import replace

import pytest
from jsonschema import ValidationError

from experiments.__main__ import COMMANDS
from experiments.toolkit.registry import experiment
from experiments.toolkit.sentence import ReproductionVerdict
from pan_audits.cli.commands import function_of
from tests.command import validate


def test_the_verdicts_come_first(experiments, tmp_path):
    found = experiments("reproduce", "figure-2", "thesis-4.6", "--out", tmp_path / "out", "--jobs", 1)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0] == "7 REPRODUCED, 1 NOT_REPRODUCED, 0 UNDECIDED"
    assert lines[2].startswith("NOT_REPRODUCED  thesis-4.6.interval-is-all: ")
    sentence = experiment("thesis-4.6").sentences
    (said,) = [one.states for one in sentence if one.id == "thesis-4.6.interval-is-all"]
    assert lines[2].endswith(said)
    assert lines[3].startswith(" " * 16)
    rows = [line.split(":")[0].split() for line in lines[4:11]]
    assert {verdict for verdict, _ in rows} == {"REPRODUCED"}
    assert "figure-2.optbern-uses-all" in {identifier for _, identifier in rows}
    assert lines[11] == ""
    assert "Budgets 0.05 to 0.5, which the sources do not print; seed 2022; " in lines[12]
    assert lines[12].startswith("All verdicts are computed.")
    assert len(lines) == 13
    assert found.err == ""
    assert (tmp_path / "out" / "index.html").exists()


def test_everything_of_each_sentence_if_asked_for(experiments, tmp_path):
    found = experiments("reproduce", "figure-2", "--out", tmp_path, "--jobs", 1, "--verbose")
    for one in experiment("figure-2").sentences:
        assert f": {one.states}\n    tested: {one.meaning}\n    found: " in found.out
    assert "page" not in found.out.splitlines()[-1]


def test_a_line_of_a_terminal_is_not_wrapped(monkeypatch, tmp_path):
    from rich.console import Console

    from experiments.toolkit.command import print_reproduction
    from experiments.toolkit.reproduction import reproduce as make
    from experiments.toolkit.request import Request

    made = make(Request(names=("figure-2",), folder=tmp_path))
    screen = Console(width=60, force_terminal=True, record=True, color_system=None, highlight=False)
    print_reproduction(screen, made, folder=tmp_path, seconds=1)
    lines = screen.export_text().splitlines()
    rows = lines[2 : 2 + len(made.judgements)]
    assert all(len(line) <= 60 and line.startswith("REPRODUCED") for line in rows)
    assert all(line.endswith("…") for line in rows)


def test_json_and_a_claim_of_the_ledger_as_a_target(experiments, tmp_path, monkeypatch):
    from tests.density.experiments.small import SMALL

    monkeypatch.setattr("experiments.density.setting.PUBLISHED", SMALL)
    found = experiments("reproduce", "density.figure_4", "--out", tmp_path, "--jobs", 1, "--json")
    stored = json.loads(found.out)
    validate("reproduce", stored)
    with pytest.raises(ValidationError):
        validate("reproduce", stored | {"counts": {}})
    assert set(stored["counts"]) == set(ReproductionVerdict)
    assert {one["id"].split(".")[0] for one in stored["sentences"]} == {"figure-4"}
    assert found.code == (3 if stored["counts"]["UNDECIDED"] else 0)


@pytest.mark.more
def test_what_is_assumed_is_told(experiments, tmp_path, monkeypatch):
    from tests.density.experiments.small import SMALL

    monkeypatch.setattr("experiments.density.setting.PUBLISHED", replace(SMALL, rounds=1))
    found = experiments("reproduce", "figure-6", "--out", tmp_path, "--jobs", 1)
    assert found.code == 3
    assert "Assumed: the kurtosis of the error of PPDS is at most 6." in found.out
    assert (
        "Verdicts on errors are about the streams that this seed draws; with probability at least 1 - 1e-06, if "
        "the stated assumptions hold, none of the measured verdicts is wrong." in found.out
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("figure-8", "--out", "x"), "unknown experiment 'figure-8'; did you mean figure-"),
        (("figure-2", "--out", "x", "--error", "0.9"), "error budget"),
        (("figure-2", "--out", "x", "--seed", "-1"), "--seed"),
        (("figure-2", "--out", "x", "--seed", 2**64), "--seed"),
        (("figure-2", "--out", "x", "--error", 2), "--error must lie"),
        (("figre-4", "--out", "x"), "unknown experiment 'figre-4'; did you mean figure-4?"),
        (("figure-4", "--out", "x", "--data-format", "cvs"), "did you mean csv?"),
    ],
)
def test_bad_input_is_one_sentence(experiments, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert expected in experiments("reproduce", *words).one_sentence()
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_written_is_told_before_any_work(experiments, tmp_path, monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("the work began")

    monkeypatch.setattr("experiments.toolkit.reproduction.load_other", lambda name: forbidden)
    (tmp_path / "file").write_text("no folder")
    for place in ("file", "file/folder"):
        sentence = experiments("reproduce", "thesis-3.4", "--out", tmp_path / place).one_sentence()
        assert f"cannot write to {tmp_path / place}: " in sentence
    assert "the work began" in experiments("reproduce", "thesis-3.4", "--out", tmp_path / "absent" / "folder").err
    assert (tmp_path / "absent" / "folder").is_dir()


def test_experiments_need_compiled_loops(experiments, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    told = experiments("reproduce", "figure-4", "--out", tmp_path / "out").one_sentence()
    assert told == "panproof: an experiment needs an optional library: pip install 'panproof[suite]'\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_in_the_overview_and_has_help_with_an_example(experiments, name):
    assert f"│ {name} " in experiments("--help").out
    assert COMMANDS[name][1] == inspect.getdoc(function_of(name, COMMANDS)).splitlines()[0]
    shown = " ".join(experiments(name, "--help").out.split())
    assert f"Example: python -m experiments {name} " in shown
    assert f"`python -m experiments {name} --help` shows all" in experiments(name, "-x").err
    assert f"did you mean {name}?" in experiments(f"{name}s").one_sentence()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_panproof_tells_where_they_are(panproof, name):
    told = panproof(name, "--help").one_sentence()
    assert told == f"panproof: {name} is a command of the repository now: python -m experiments {name}\n"
