"""``panproof check``: verdict first, exact numbers, witnesses that can be computed again, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HERE = "tests.mechanisms.ten_lines"


@pytest.mark.more
def test_a_refutation_says_the_exact_loss_and_can_be_replayed(panproof, tmp_path):
    witness = tmp_path / "witness.json"
    outcome = panproof(f"check optimal-bernoulli --promise-epsilon log(9/4) --users 2 --witness {witness}")
    assert outcome.code == 1, outcome.err
    assert outcome.out.startswith("REFUTED")
    assert "2.00611 = log(2379/320), promised 0.81093" in outcome.out
    assert "[state seen], 0, [output] against 0, [state seen], [output]" in outcome.out
    assert "no growth beyond 1 appearance" in outcome.out
    again = panproof(f"replay {witness}")
    assert again.code == 1
    assert "loss 2.00611 = log(2379/320), recorded 2.00611 = log(2379/320)" in again.out
    assert json.loads(panproof(f"replay {witness} --json").out)["verdict"] == "REFUTED"


def test_a_kept_promise_has_exit_code_zero(panproof):
    outcome = panproof("check", f"{HERE}:NoisySet", "--length", 3)
    assert outcome.code == 0
    assert outcome.out.startswith("NOT_REFUTED")
    assert "up to 3" in outcome.out
    assert outcome.err == ""


def test_json_is_the_whole_result(panproof):
    outcome = panproof("check", f"{HERE}:BitThatIsOnlySet", "--users", 1, "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 1
    assert document["verdict"] == "REFUTED"
    assert document["growth"]["unbounded"]
    assert document["loss"]["ratio"].count("/") == 1
    assert document["coverage"][0]["streams"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((f"{HERE}:SquaredSet",), "takes a function of it"),
        ((f"{HERE}:NoiseOfItsOwn",), "draws from numpy.random"),
        ((f"{HERE}:Dying",), "SystemExit"),
        ((f"{HERE}:Vanishing",), "ended its process"),
        ((f"{HERE}:PlainObject", "--promise", "epsilon=1,adjacency=user-level"), "randomness interface"),
        (("optimal-bernoulli", "--promise-epsilon", 0.2, "--length", 9, "--seconds", 0.5), "would take about"),
    ],
)
def test_what_cannot_be_decided_says_why(panproof, arguments, words):
    outcome = panproof("check", *arguments)
    assert words in outcome.out
    assert outcome.code == 3 or arguments[0] == "optimal-bernoulli"


@pytest.mark.more
def test_a_file_named_as_a_module_of_python_is_checked_all_the_same(tmp_path):
    """Here and in the worker processes, and without replacing that module."""
    (tmp_path / "queue.py").write_text(
        "class Mine:\n"
        "    promise = 'epsilon=1,adjacency=user-level,observed=output'\n"
        "    def create(self, randomness):\n        return 0\n"
        "    def update(self, state, ids, randomness):\n        return 1\n"
        "    def release(self, state, randomness):\n        return randomness.laplace(state, 1.0)\n"
    )
    command = [sys.executable, "-P", "-m", "pan_audits", "check", "queue.py:Mine", "--users", "1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("NOT_REFUTED")


def test_the_profile_of_a_function_is_written_too(panproof, tmp_path):
    functions, profile = "tests.mechanisms.whole_inputs", tmp_path / "profile.json"
    given = ("--neighbours", f"{functions}:bits", "--epsilon", 1, "--profile", profile)
    outcome = panproof("check", f"{functions}:randomised_response", *given)
    assert outcome.code == 1, outcome.err
    table = json.loads(profile.read_text())["left_over_right"]
    assert table["delta"][0] == pytest.approx(0.5)


MECHANISMS = """
from panproof import Problem

def mechanism(data, rng):
    return data if rng.random() < 0.75 else 1 - data

def neighbours():
    yield 0, 1

class Smokers:
    problem = Problem.of_table({"smoker": [0, 1]}, rows=2)
    promise = "epsilon=1,adjacency=replace-row,observed=output,intrusions=0"

    def release(self, table, randomness):
        return sum(smoker for (smoker,) in table) + randomness.laplace(scale=1.0)
"""


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        ("exact-counter --promise epsilon=1,adjacency=user-level", "users sampled updates streams pairs states"),
        ("{}:Smokers", "rows tables pairs"),
        ("{}:mechanism --neighbours {}:neighbours --epsilon 1", "inputs pairs"),
    ],
)
def test_the_table_of_scopes_has_the_columns_of_its_inputs(panproof, tmp_path, words, headings):
    file = tmp_path / "mechanisms.py"
    file.write_text(MECHANISMS)
    done = panproof("check", *words.replace("{}", str(file)).split(), "--users", "1", "--length", "1")
    assert f"{headings} seconds loss" in [" ".join(line.split()) for line in done.out.splitlines()], done
