"""``panproof reproduce``."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import pytest

from pan_audits.command_line.reproduce import DataFormat, reproduce
from pan_audits.reproduction.registry import experiment
from pan_audits.reproduction.sentence import ReproductionVerdict
from pan_audits.reproduction.setting import DEFAULT_SEED
from pan_audits.reproduction.tables import Format
from pan_audits.statistics import DEFAULT_ERROR


def test_the_verdicts_come_first(panproof, tmp_path):
    found = panproof("reproduce", "figure-2", "thesis-4.6", "--out", tmp_path / "out", "--jobs", 1)
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


def test_everything_of_each_sentence_if_asked_for(panproof, tmp_path):
    found = panproof("reproduce", "figure-2", "--out", tmp_path, "--jobs", 1, "--verbose")
    for one in experiment("figure-2").sentences:
        assert f": {one.states}\n    tested: {one.meaning}\n    found: " in found.out
    assert "page" not in found.out.splitlines()[-1]


def test_a_line_of_a_terminal_is_not_wrapped(monkeypatch, tmp_path):
    from rich.console import Console

    from pan_audits.reproduction.printed import print_reproduction
    from pan_audits.reproduction.reproduction import reproduce as make
    from pan_audits.reproduction.request import Request

    made = make(Request(names=("figure-2",), folder=tmp_path))
    screen = Console(width=60, force_terminal=True, record=True, color_system=None, highlight=False)
    print_reproduction(screen, made, folder=tmp_path, seconds=1)
    lines = screen.export_text().splitlines()
    rows = lines[2 : 2 + len(made.judgements)]
    assert all(len(line) <= 60 and line.startswith("REPRODUCED") for line in rows)
    assert all(line.endswith("…") for line in rows)


def test_json_and_a_claim_of_the_ledger_as_a_target(panproof, tmp_path, monkeypatch):
    from tests.density.experiments.small import SMALL

    monkeypatch.setattr("pan_audits.density.experiments.setting.PUBLISHED", SMALL)
    found = panproof("reproduce", "density.figure_4", "--out", tmp_path, "--jobs", 1, "--json")
    stored = json.loads(found.out)
    assert set(stored["counts"]) == set(ReproductionVerdict)
    assert {one["id"].split(".")[0] for one in stored["sentences"]} == {"figure-4"}
    assert found.code == (3 if stored["counts"]["UNDECIDED"] else 0)


@pytest.mark.more
def test_what_is_assumed_is_told(panproof, tmp_path, monkeypatch):
    from tests.density.experiments.small import SMALL

    monkeypatch.setattr("pan_audits.density.experiments.setting.PUBLISHED", replace(SMALL, rounds=1))
    found = panproof("reproduce", "figure-6", "--out", tmp_path, "--jobs", 1)
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
        (("figure-2", "--out", "x", "--seed", "-1"), "--seed must be"),
    ],
)
def test_bad_input_is_one_sentence(panproof, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert expected in panproof("reproduce", *words).one_sentence()
    assert not (tmp_path / "x").exists()


def test_the_help_has_an_example(panproof):
    assert "Example: panproof reproduce figure-4 --out figures" in " ".join(panproof("reproduce", "--help").out.split())


def test_the_defaults_and_formats_of_the_command_are_those_of_the_experiments():
    """The command repeats them, so that its help need not import the experiments."""
    defaults = {name: one.default for name, one in inspect.signature(reproduce).parameters.items()}
    assert defaults["seed"] == DEFAULT_SEED
    assert defaults["error"] == DEFAULT_ERROR
    assert [one.value for one in DataFormat] == [one.value for one in Format]
