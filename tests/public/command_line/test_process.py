"""The command as a process: what it imports and misses, closed pipes, full disks, and places that cannot be written."""

from __future__ import annotations

import inspect
import os
import shlex
import subprocess
import sys

import pytest

import pan_audits

# Imported before a test replaces what they import.
import pan_audits.gate.gate
import pan_audits.gate.overview
from pan_audits.cli.commands import COMMANDS, function_of
from pan_promises.errors import MissingExtraError
from pan_promises.extras import EXTRAS

SYMBOLIC = {"cvc5", "flint", "sympy", "z3"}
HEAVY = {"hypothesis", "joblib", "matplotlib", "numba", "pytest", "scipy", "statsmodels"} | SYMBOLIC
MAIN = "from pan_audits.cli import main; main()"


def ran(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def imported(code):
    """The packages of a fresh interpreter after running some code."""
    told = ran(f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint('|', *sorted(sys.modules))").stdout
    return {name.split(".")[0] for name in told.rpartition("|")[2].split()}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_shows_the_first_line_of_each_docstring(name):
    assert COMMANDS[name][1] == inspect.getdoc(function_of(name)).splitlines()[0]


@pytest.mark.parametrize("words", ["list", "plan dwork --promise-epsilon 1 --alpha 0.1 -m 500", "stream zipf -l 5"])
def test_a_command_imports_what_it_needs(words):
    assert not imported(f"sys.argv = {['panproof', *words.split()]}; {MAIN}") & HEAVY


def test_help_and_packages_import_no_engine():
    commands = "; ".join(f"import {home.partition(':')[0]}" for home, _ in COMMANDS.values())
    assert not imported(f"{commands}; sys.argv = ['panproof', '--help']; {MAIN}") & {"numpy", *HEAVY}
    assert not imported("import pan_estimators; from pan_estimators import calibrated_bernoulli, load_stream") & HEAVY
    # The exact check calculates with flint's fractions.
    assert not imported("from pan_audits import run_gate, run_check, find_mechanism") & (HEAVY - {"flint"})
    assert all(getattr(pan_audits, name).__module__.startswith("pan_audits.") for name in pan_audits.__all__)


@pytest.mark.parametrize(
    ("words", "extra"),
    [("gate optimal-bernoulli --promise-epsilon 0.2", "suite"), ("list --verdicts", "suite"), ("claims", "proofs")],
)
def test_a_command_whose_libraries_are_missing_names_the_extra(words, extra):
    run = ran(
        f"import sys; sys.modules.update(dict.fromkeys({[*EXTRAS[extra]]!r})); "
        f"sys.argv = {['panproof', *words.split()]!r}; {MAIN}"
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith(f"needs an optional library: pip install 'panproof[{extra}]'\n")


def test_functions_raise_what_the_commands_print(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    mechanism = pan_audits.find_mechanism("optimal-bernoulli", parameters={"epsilon": 0.1})
    with pytest.raises(MissingExtraError, match=r"a gate needs an optional library.*panproof\[suite\]"):
        pan_audits.run_gate(mechanism, pan_audits.Settings(seed=1))


PANPROOF = (sys.executable, "-m", "pan_audits")
KEPT = ("list", "--json")
REFUTED = ("check", "dwork", "--promise-epsilon", "log(9/4)", "--users", "1", "-l", "1", "--appearances", "2")


def end_of(words, output):
    """The exit code of a command, and what it says on standard error."""
    end = subprocess.run([*PANPROOF, *words], stdout=output, stderr=-1, text=True, check=False, timeout=120)
    return end.returncode, end.stderr


@pytest.mark.parametrize(("words", "verdict"), [(KEPT, 0), (REFUTED, 1)], ids=["kept", "refuted"])
def test_a_pipe_that_is_read_ends_with_the_verdict(words, verdict):
    shell = f"set -o pipefail; {shlex.join([*PANPROOF, *words])} | cat > /dev/null"
    assert subprocess.run(["bash", "-c", shell], check=False, timeout=120).returncode == verdict


# Rich, Typer, print and the end of Python each notice a closed pipe in their own way.
@pytest.mark.parametrize("words", [KEPT, ("list",), ("--help",), ("stream", "zipf", "--seed", "1"), REFUTED])
def test_a_closed_pipe_is_neither_a_verdict_nor_a_crash(words):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        assert end_of(words, output) == (141, "")


@pytest.mark.parametrize("words", [KEPT, ("list",)], ids=" ".join)
def test_a_full_disk_is_one_sentence(words):
    with open("/dev/full", "w") as full:
        code, said = end_of(words, full)
    assert code == 2
    assert said.startswith("panproof: cannot write")
    assert said.count("\n") == 1


LEAK = "exact-counter --promise epsilon=1,adjacency=user-level"


@pytest.mark.parametrize(
    "words",
    [
        f"check {LEAK} --witness",
        f"check {LEAK} --profile",
        f"gate {LEAK} --witness",
        f"gate {LEAK} --junit",
        f"gate {LEAK} --html",
        "list --verdicts --only dwork --junit",
        "claims --page",
    ],
)
def test_a_place_that_does_not_exist_is_told_before_any_work(panproof, tmp_path, words, monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("the work began")

    for place in (
        "exact.instances.check_in_worker",
        "gate.gate.run_gate",
        "gate.overview.overview",
        "cli.claims.derived",
    ):
        monkeypatch.setattr(f"pan_audits.{place}", forbidden)
    assert "there is no folder" in panproof(f"{words} {tmp_path}/absent/file").one_sentence()
    assert "it is a folder" in panproof(f"{words} {tmp_path}").one_sentence()


def test_a_folder_that_cannot_be_written_is_told_before_any_work(panproof, tmp_path, monkeypatch):
    monkeypatch.setattr("pan_audits.cli.claims.derived", lambda *_, **__: pytest.fail("the work began"))
    (tmp_path / "file").write_text("no folder")
    for place in ("file", "file/folder"):
        told = panproof(f"claims density.union_lemma --out {tmp_path}/{place}").one_sentence()
        assert f"cannot write to {tmp_path / place}: " in told
    monkeypatch.setattr("pan_proofs.rendering.pdf.shutil.which", lambda program: None)
    told = panproof(f"claims density.union_lemma --pdf --out {tmp_path}").one_sentence()
    assert "--pdf needs pdflatex" in told


@pytest.mark.parametrize("command", [f"check {LEAK} --users 1 --length 1", f"gate {LEAK} --runs 1000"])
def test_a_file_that_cannot_be_written_in_the_end_does_not_lose_the_verdict(panproof, command):
    """``/dev/full`` takes no bytes, as a full disk."""
    done = panproof(f"{command} --witness /dev/full")
    assert done.out.startswith("REFUTED")
    assert "witness written" not in done.out
    assert done.err.count("\n") == 1
    assert "cannot write /dev/full" in done.err
    assert done.code == 2


def test_a_gate_without_a_place_for_its_journal_goes_on(panproof, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    done = panproof(f"gate {LEAK} --runs 1000")
    assert (done.code, done.out.split()[0]) == (1, "REFUTED")
    assert done.err.startswith("panproof: no journal, an interrupted gate begins again: cannot write ")
