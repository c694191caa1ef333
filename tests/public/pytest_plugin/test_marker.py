"""The marker ``panproof``: what carries it is collected by any name, and judged in a process of its own."""

from __future__ import annotations

import shlex

import pytest

pytest_plugins = ["pytester"]

RESPONSE = """
import os
import pytest

print("imported by", os.getpid())


@pytest.mark.panproof(neighbours=[(0, 1)], epsilon={epsilon}{more})
def response(data, rng):
    if "PYTEST_CURRENT_TEST" in os.environ:
        raise RuntimeError("it runs in the process of pytest")
    return data if rng.bernoulli(0.75, 1)[0] else 1 - data
"""
OPEN = """
import pytest


class Base:
    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        return state + (len(ids) if hasattr(ids, "__len__") else 1)

    def release(self, state, randomness):
        return state
"""
MARKED = "@pytest.mark.panproof(epsilon=1, adjacency='user-level')\n"
QUIET = ("-q", "-p", "pan_audits.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture
def run(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # Where CI is set, the summary of pytest repeats the whole message.
    monkeypatch.delenv("CI", raising=False)

    def started(text, *words):
        pytester.makepyfile(test_theirs=text)
        return pytester.runpytest_subprocess(*QUIET, *words)

    return started


def collected(result):
    return [line for line in result.outlines if "::" in line]


def test_each_marked_thing_is_three_items_by_any_name(run):
    text = (
        OPEN
        + MARKED
        + "class Open(Base):\n    pass\n\n\nalias = Open\n"
        + MARKED
        + "def test_f(data, rng):\n    pass\n"
    )
    text += "\n\nclass TestOwn:\n    def test_it(self):\n        pass\n\n\nclass Unmarked(Open):\n    pass\n"
    parts = ("conduct", "accuracy", "privacy")
    marked = [f"test_theirs.py::{name}::{part}" for name in ("Open", "test_f") for part in parts]
    assert collected(run(text, "--collect-only")) == [*marked, "test_theirs.py::TestOwn::test_it"]
    assert collected(run(text, "--collect-only", "-m", "panproof", "--strict-markers")) == marked
    assert collected(run(text, "--collect-only", "-k", "Open and privacy")) == ["test_theirs.py::Open::privacy"]
    assert collected(run(text, "--collect-only", "test_theirs.py::test_f::accuracy")) == [marked[4]]


def test_several_markers_are_several_judgements_from_the_top(run):
    text = OPEN + "@pytest.mark.panproof(epsilon=9)\n@pytest.mark.panproof(epsilon=8)\nclass Open(Base):\n    pass\n"
    names = collected(run(text, "--collect-only", "-k", "conduct"))
    assert names == ["test_theirs.py::Open[1]::conduct", "test_theirs.py::Open[2]::conduct"]


@pytest.mark.slow
def test_a_refutation_fails_with_its_sentence_and_the_command(run):
    result = run(OPEN + MARKED + "class Open(Base):\n    pass\n")
    result.assert_outcomes(failed=1, skipped=2)
    result.stdout.fnmatch_lines(
        ["*Open privacy*", "REFUTED: User 0 *Loss infinite*", "again: pytest test_theirs.py::Open"]
    )
    for noise in ("Traceback", "Error", "marked.py"):
        result.stdout.no_fnmatch_line(f"*{noise}*")


@pytest.mark.parametrize("mode", ["prepend", "importlib"])
def test_a_function_is_judged_in_a_process_of_its_own(run, mode):
    result = run(RESPONSE.format(epsilon="1", more=""), f"--import-mode={mode}", "-k", "privacy")
    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["REFUTED: *probability 3/4 *Loss 1.09861 = log(3), promised 1."])


@pytest.mark.more
def test_what_keeps_its_promise_passes_with_the_effort_of_the_command_line(run):
    more = ", runs=400, exact=False, jobs=1"
    result = run(RESPONSE.format(epsilon="'log(3)'", more=more), "--panproof-seed=1", "--panproof-runs=3")
    result.assert_outcomes(passed=3)


@pytest.mark.more
def test_inconclusive_fails_with_its_reason_and_the_command_repeats_it(run):
    more = ", exact=False, jobs=1"
    result = run(RESPONSE.format(epsilon="1", more=more), "--panproof-runs=100", "-k", "privacy")
    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["INCONCLUSIVE: the runs that were allowed *"])
    (again,) = [shlex.split(line) for line in result.outlines if line.startswith("again: ")]
    assert again[1:4] == ["pytest", "test_theirs.py::response", "--panproof-runs"]
    assert "--panproof-seed" in again


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        ("epsilon=1", "makes no promise for these parameters"),
        ("adjacency='user-level'", "an adjacency makes a promise with an epsilon only"),
        ("epsilon=1, adjacency='user-level', colour='red'", "Open has no parameter 'colour'"),
        ("epsilon=1, adjacency='user-level', runs=3", "the number of runs must be at least 100, got 3"),
    ],
)
def test_bad_input_in_a_marker_is_one_sentence_about_this_thing(run, marker, sentence):
    text = OPEN + f"@pytest.mark.panproof({marker})\nclass Open(Base):\n    pass\n\n\ndef test_own():\n    pass\n"
    result = run(text, "-k", "privacy or own")
    result.assert_outcomes(passed=1, errors=1, deselected=2)
    result.stdout.fnmatch_lines([f"panproof: *{sentence}*"])
    result.stdout.no_fnmatch_line("*exception*")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "class TestOwn:\n    " + MARKED + "    def mechanism(self, data, rng):\n        pass\n",
            "mechanism is a method",
        ),
        ("@pytest.mark.parametrize('p', [1])\n" + MARKED + "class Open(Base):\n    pass\n", "cannot be parametrised"),
    ],
)
def test_a_marker_that_cannot_be_followed_is_an_error_of_the_collection(run, text, sentence):
    result = run(OPEN + text)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"panproof: {sentence}*".replace("panproof: cannot", "panproof: Open cannot")])


@pytest.mark.slow
def test_other_markers_keep_their_meaning(run):
    text = OPEN + "@pytest.mark.skip(reason='later')\n" + MARKED + "class Open(Base):\n    pass\n"
    run(text).assert_outcomes(skipped=3)
    run(text.replace("skip(reason", "xfail(reason")).assert_outcomes(skipped=2, xfailed=1)


def test_a_missing_extra_is_named_when_a_marked_thing_is_to_be_judged(pytester, run):
    pytester.makeconftest("import sys\nsys.modules['scipy'] = None\n")
    text = OPEN + MARKED + "class Open(Base):\n    pass\n\n\ndef test_own():\n    pass\n"
    result = run(text)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "pip install 'panproof[suite]'" in result.errlines[0]
    assert run(text, "--collect-only").ret == 0
    run(text, "-k", "own").assert_outcomes(passed=1, deselected=3)
