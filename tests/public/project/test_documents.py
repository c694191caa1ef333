"""The README and the pages of docs/ show the real output of their commands."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from experiments.toolkit.reproduction import FIGURES, experiment
from pan_audits.cli.commands import COMMANDS, single
from tests.public.project.documents import OPTIONS, PAGES, PROGRAMS, ROOT, blocks, option_table


def labels(text):
    """The first word of each line: the verdict, and what the line is about."""
    return [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith(" ")]


def of_pages(shown, page_of):
    """Those of the README first; those of the other pages take longer."""
    return [
        pytest.param(one, marks=() if page_of(one) == "README.md" else pytest.mark.more, id=name)
        for one, name in shown.items()
    ]


RUN = {block: f"{block.page}: {block.command[:60]}" for block in blocks("run")}
SESSIONS = {page: page for page in sorted({block.page for block in blocks("session")})}


@pytest.mark.parametrize("block", of_pages(RUN, lambda block: block.page))
def test_commands_print_what_is_shown(elsewhere, block, request, ledger_store):
    for other in blocks("file"):
        (elsewhere.folder / other.note.split(": ")[1]).write_text(other.body)
    shown = block.body.partition("\n")[2]
    program = {"panproof": f"{shlex.quote(sys.executable)} -m pan_audits", "python": shlex.quote(sys.executable)}
    words = re.sub(r"\b(panproof|python)\b", lambda word: program[word[0]], block.command)
    if "gate" in block.command:
        words += " --runs 4000 --confirmation-runs 2000"
    if "compare" in block.command:
        words += " --runs 60"
    if "claims" in block.command:
        request.getfixturevalue("entries")
    variables = {**os.environ, "PANPROOF_CACHE": str(ledger_store.folder)}
    run = subprocess.run(
        words, shell=True, cwd=elsewhere.folder, capture_output=True, text=True, check=False, env=variables
    )
    assert labels(run.stdout) == labels(shown), run.stderr
    assert run.returncode == (1 if shown.startswith("REFUTED") else 0)


@pytest.mark.more
def test_pytest_prints_what_is_shown(elsewhere):
    for other in blocks("file"):
        (elsewhere.folder / other.note.split(": ")[1]).write_text(other.body)
    (block,) = blocks("pytest")
    run = subprocess.run(
        [sys.executable, "-m", *shlex.split(block.command), "-p", "no:cacheprovider"],
        cwd=elsewhere.folder,
        env={**os.environ, "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = re.sub(r"\n +", " ", block.body.partition("\n")[2]).splitlines()
    printed = [re.sub(r" +\[ *\d+%\]$", "", line) for line in run.stdout.splitlines()]
    assert [line for line in shown if line and line not in printed] == [], run.stdout
    assert run.returncode == pytest.ExitCode.TESTS_FAILED


def test_the_python_example_runs(capsys):
    (block,) = blocks("doctest")
    exec(compile(block.body, block.page, "exec"), {})
    assert "density_low" in capsys.readouterr().out


@pytest.mark.parametrize("page", of_pages(SESSIONS, str))
def test_the_python_sessions_of_a_page_come_out_as_shown(page):
    text = "\n".join(block.body for block in blocks("session") if block.page == page)
    session = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert session.examples
    assert doctest.DocTestRunner().run(session).failed == 0


def shown_verdicts():
    """The counts that are shown for all experiments, and each sentence's verdict."""
    (block,) = blocks("experiments")
    rows = re.findall(r"^(REPRODUCED|NOT_REPRODUCED|UNDECIDED) +([a-z0-9.-]+)", block.body, re.MULTILINE)
    return block.body.splitlines()[1], {name: verdict for verdict, name in rows}


def test_every_sentence_of_the_experiments_has_a_verdict():
    counts, verdicts = shown_verdicts()
    expected = {sentence.id for name in FIGURES for sentence in experiment(name).sentences}
    assert expected <= set(verdicts)
    assert all(name.startswith(("real-streams.", "turnstile.")) for name in set(verdicts) - expected)
    for number, verdict in re.findall(r"(\d+) (\w+)", counts):
        assert list(verdicts.values()).count(verdict) == int(number)


@pytest.mark.slow
def test_the_experiments_come_out_as_shown(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "experiments", "reproduce", "all", "--out", tmp_path, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    _, verdicts = shown_verdicts()
    assert {each["id"]: each["verdict"] for each in json.loads(run.stdout)["sentences"]} == verdicts


def options_of(command, table=COMMANDS):
    """The names of a command's options, and of its arguments in capitals."""
    names = set()
    for parameter in single(command, table).params:
        argument = parameter.param_type_name == "argument"
        names |= {parameter.name.upper()} if argument else {*parameter.opts, *parameter.secondary_opts}
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_option_of_a_command_that_is_named_exists(page):
    for program, table in PROGRAMS.items():
        for command, arguments in re.findall(rf"{program} ([a-z]+)((?: [^`\n|#]+)?)", PAGES[page]):
            if command in table:
                for option in re.findall(r"(?<= )--?[a-z][a-z-]*", arguments):
                    assert option in options_of(command, table), (command, option)


def test_the_page_of_the_command_line_has_all_commands_and_all_options():
    """``python -m tests.public.project.documents`` writes the table anew."""
    for program, table in PROGRAMS.items():
        assert re.findall(rf"^## {program} (\w+)$", PAGES[OPTIONS], re.MULTILINE) == list(table)
    assert PAGES[OPTIONS].endswith(option_table())


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page):
    for target in re.findall(r"\]\(([^)#\s]+)", PAGES[page]):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_module_that_is_named_exists(page):
    import pkgutil

    text = PAGES[page]
    for name in re.findall(r"`(?:estimators|proofs|audits|tests|docs)/[\w./*-]*`", text):
        assert list(ROOT.glob(name.strip("`/"))), name
    for name in re.findall(r"\bpan_(?:promises|estimators|proofs|audits)(?:\.\w+)+", text):
        assert pkgutil.resolve_name(name) is not None
