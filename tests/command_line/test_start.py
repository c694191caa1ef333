"""The command starts without what it does not need, and says the same as when everything is imported."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import pan_audits
from pan_audits.cli.commands import COMMANDS, function_of

SYMBOLIC = {"cvc5", "flint", "sympy", "z3"}
HEAVY = {"hypothesis", "joblib", "matplotlib", "numba", "pytest", "scipy", "statsmodels"} | SYMBOLIC


MAIN = "from pan_audits.cli import main; main()"


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
    assert "unknown command 'gat'; did you mean gate?" in panproof("gat").one_sentence()
    for words in (("nothing",), ("--nothing",), ("gate",), ("gate", "--nothing"), ("plan", "nobody")):
        assert panproof(*words).code == 2, words
    assert panproof("--version").code == 0


def test_help_needs_none_of_what_it_describes():
    commands = "; ".join(f"import {home.partition(':')[0]}" for home, _ in COMMANDS.values())
    assert not imported(f"{commands}; sys.argv = ['panproof', '--help']; {MAIN}") & {"numpy", *HEAVY}


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["plan", "dwork", "--promise-epsilon", "1", "--alpha", "0.1", "-m", "500"],
        ["stream", "zipf", "-l", "5"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_imports_what_it_needs(words):
    assert not imported(f"sys.argv = {['panproof', *words]}; {MAIN}") & HEAVY


def test_importing_the_packages_imports_no_engine():
    assert not imported("import pan_estimators; from pan_estimators import calibrated_bernoulli, load_stream") & HEAVY
    assert not imported("import pan_audits") & {"numpy", *HEAVY}
    # The exact check calculates with flint's fractions.
    assert not imported("from pan_audits import run_gate, run_check, find_mechanism") & (HEAVY - {"flint"})


def test_what_is_imported_when_used_is_there():
    for name in pan_audits.__all__:
        assert getattr(pan_audits, name).__module__.startswith("pan_audits.")
