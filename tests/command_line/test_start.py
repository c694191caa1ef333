"""The command starts without what it does not need, and says the same as when everything is imported."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from pan_audits.command_line.commands import COMMANDS, function_of

HEAVY = {"cvc5", "flint", "hypothesis", "joblib", "matplotlib", "numba", "scipy", "statsmodels", "sympy", "z3"}


def imported(code):
    """The packages of a fresh interpreter after running some code."""
    tell = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint('|', *sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in run.stdout.rpartition("|")[2].split()}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_shows_the_first_line_of_each_docstring(name):
    assert COMMANDS[name][1] == inspect.getdoc(function_of(name)).splitlines()[0]


def test_the_overview_and_each_help_are_complete(panproof):
    overview = panproof("--help")
    assert overview.code == 0
    for name in COMMANDS:
        assert f"│ {name} " in overview.out
        shown = panproof(name, "--help")
        assert shown.code == 0
        assert f" {name} [OPTIONS]" in shown.out.splitlines()[1]
        assert "Example" in shown.out
        assert "--help" in shown.out


def test_what_is_no_command_is_a_usage_error(panproof):
    assert panproof().code == 2
    assert "Did you mean 'gate'?" in panproof("gat").err
    for words in (("nothing",), ("--nothing",), ("gate",), ("gate", "--nothing"), ("plan", "nobody")):
        assert panproof(*words).code == 2, words
    assert panproof("--version").code == 0


@pytest.mark.parametrize("words", [["--help"], ["gate", "--help"], ["claims", "--help"], ["list"]], ids=" ".join)
def test_the_command_starts_without_what_it_does_not_need(words):
    code = f"sys.argv = ['panproof', *{words}]; from pan_audits.command_line import main; main()"
    assert not imported(code) & HEAVY
