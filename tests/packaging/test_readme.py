"""What the README shows is what happens."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pan_audits.experiments.registry import FIGURES, experiment
from pan_estimators import ESTIMATORS

README = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"<!-- (.+?) -->\n```(?:\w+)\n(.*?)```", README, re.DOTALL)


def blocks(kind):
    return [(note, body) for note, body in BLOCKS if note.startswith(kind)]


def labels(text):
    """The first word of each line: the verdict, and what the line is about."""
    return [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith(" ")]


@pytest.mark.parametrize("body", [body for _, body in blocks("run")], ids=lambda body: body.splitlines()[0][2:60])
def test_commands_print_what_is_shown(elsewhere, body, request, ledger_store):
    for note, text in blocks("file"):
        (elsewhere.folder / note.split(": ")[1]).write_text(text)
    command, _, shown = body.partition("\n")
    words = command.removeprefix("$ ").replace("panproof", f"{shlex.quote(sys.executable)} -m pan_audits")
    if "gate" in command:
        words += " --time 2 --confirmation-runs 2000"
    if "compare" in command:
        words += " --runs 60"
    if "claims" in command:
        request.getfixturevalue("entries")
    variables = {**os.environ, "PANPROOF_CACHE": str(ledger_store.folder)}
    run = subprocess.run(
        words, shell=True, cwd=elsewhere.folder, capture_output=True, text=True, check=False, env=variables
    )
    assert labels(run.stdout) == labels(shown), run.stderr
    assert run.returncode == (1 if shown.startswith("REFUTED") else 0)


def test_the_python_example_runs(capsys):
    ((_, code),) = blocks("doctest")
    exec(compile(code, "README.md", "exec"), {})
    assert "density_low" in capsys.readouterr().out


def test_the_table_has_a_row_for_every_estimator():
    ((_, body),) = blocks("table")
    rows = [line.split()[0] for line in body.splitlines()[2:] if line.strip()]
    assert set(ESTIMATORS) <= set(rows)


def shown_verdicts():
    """The counts that the README shows for all experiments, and each sentence's verdict."""
    ((_, body),) = blocks("experiments")
    rows = re.findall(r"^(REPRODUCED|NOT_REPRODUCED|UNDECIDED) +([a-z0-9.-]+)", body, re.MULTILINE)
    return body.splitlines()[1], {name: verdict for verdict, name in rows}


def test_every_sentence_of_the_experiments_has_a_verdict(tmp_path):
    counts, verdicts = shown_verdicts()
    expected = {sentence.id for name in FIGURES for sentence in experiment(name).sentences}
    assert expected <= set(verdicts)
    assert all(name.startswith("real-streams.") for name in set(verdicts) - expected)
    for number, verdict in re.findall(r"(\d+) (\w+)", counts):
        assert list(verdicts.values()).count(verdict) == int(number)


@pytest.mark.slow
def test_the_experiments_come_out_as_shown(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "pan_audits", "reproduce", "all", "--out", tmp_path, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    _, verdicts = shown_verdicts()
    assert {each["id"]: each["verdict"] for each in json.loads(run.stdout)["sentences"]} == verdicts


def test_every_command_and_target_that_is_named_exists():
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    for target in set(re.findall(r"`?make ([a-z-]+)", README)):
        assert f"\n{target}:" in makefile, target
    for command, arguments in re.findall(r"`panproof ([a-z]+) ([^`]+)`", README):
        shown = subprocess.run(
            [sys.executable, "-m", "pan_audits", command, "--help"], capture_output=True, text=True, check=True
        ).stdout
        for option in re.findall(r"--[a-z-]+", arguments):
            assert option in shown, (command, option)
