"""A command that a report shows is one that a shell can take as it stands, with the same outcome."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import pytest

from pan_audits import GateReport, Settings, Verdict, find_mechanism
from pan_audits.reports.check import check_lines
from pan_audits.reports.commands import again, replay_command, witness_command
from pan_audits.reports.text import print_lines
from pan_audits.workers.limits import Limits
from pan_estimators import ESTIMATORS_OF_IDS, LabelUniverse, Promise, load_stream, parse_epsilon
from tests.audit.witnesses import audited_witness, exact_result

THEIRS = '''
import numpy as np

class Counter:
    """Remembers everybody."""

    def __init__(self, universe, label="x", flags=None, ratio=1.0):
        self.universe, self.label, self.flags, self.ratio = universe, label, flags, ratio

    def create(self, randomness):
        return np.zeros(self.universe, dtype=bool)

    def update(self, state, ids, randomness):
        state[np.asarray(ids)] = True
        return state

    def release(self, state, randomness):
        return float(state.mean())
'''
PROMISE = "epsilon=0.2,adjacency=user-level"


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """An estimator in a file whose name a shell must have quoted."""
    folder = tmp_path / "it's my folder"
    folder.mkdir()
    (folder / "a counter.py").write_text(THEIRS)
    monkeypatch.chdir(tmp_path)
    return "it's my folder/a counter.py:Counter"


@pytest.fixture
def parsed(panproof, monkeypatch):
    """What the command line makes of a command: the estimator and the settings of the gate."""

    def parse(command):
        found = {}

        class StopError(Exception):
            pass

        def noted(mechanism, settings, **_):
            found.update(mechanism=mechanism, settings=settings)
            raise StopError

        monkeypatch.setattr("pan_audits.gate.gate.run_gate", noted)
        assert shlex.split(command)[0] == "panproof"
        outcome = panproof(*shlex.split(command)[1:])
        assert found, outcome.err
        return found["mechanism"], found["settings"]

    return parse


def report_of(mechanism, settings, stream=None):
    return GateReport(
        name=mechanism.name,
        configuration=mechanism.configuration,
        promise=mechanism.promise,
        verdict=Verdict.INCONCLUSIVE,
        reason="",
        findings=(),
        accuracy=(),
        privacy=None,
        seed=settings.seed,
        error=settings.error,
        seconds=0.0,
        stream=stream,
        settings=settings,
    )


SETTINGS = [
    Settings(seed=5),
    Settings(seed=2**63, error=0.01, runs=5000, confirmation_runs=300, exact=False),
    Settings(seed=0, seconds=2.5, limits=Limits(seconds=33.5, memory_bytes=3 * 2**29)),
]


@pytest.mark.parametrize("name", [name for name in ESTIMATORS_OF_IDS if name != "exact-counter"])
def test_the_command_makes_the_same_estimator_with_the_same_settings(parsed, name):
    mechanism = find_mechanism(name, parameters={"epsilon": 0.1, "universe": 21, "sample_size": 5})
    settings = SETTINGS[len(name) % len(SETTINGS)]
    again, same = parsed(replay_command(report_of(mechanism, settings)))
    assert again.configuration == mechanism.configuration
    assert again.promise == replace(mechanism.promise, claim=None)
    assert same == settings


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(
    "promise",
    [
        "epsilon=2*log(3/2),adjacency=event-level,observed=state",
        "epsilon=0.9,delta=1e-7,adjacency=user-level-nested,observed=output,outputs=3",
        "epsilon=1/3,adjacency=user-level,announced=2,intrusions=0",
    ],
)
def test_a_promise_and_parameters_of_any_kind_survive_the_shell(parsed, theirs, promise, settings):
    parameters = {"universe": 7, "label": 'say "it\'s $HOME"; #', "flags": [True, None, "7", {"a": 1.5}], "ratio": 1e-9}
    for label in (parameters["label"], "7", "true", "", " x ", "a\nb", "ü=\\"):
        mechanism = find_mechanism(theirs, parameters=parameters | {"label": label}, promise=Promise.parse(promise))
        again, same = parsed(replay_command(report_of(mechanism, settings)))
        assert again.configuration == mechanism.configuration
        assert again.promise == mechanism.promise
        assert str(again.promise.epsilon) == str(mechanism.promise.epsilon)
        assert same == settings


def test_a_real_stream_comes_back(parsed):
    universe = load_stream("online-retail", numbered=True).universe
    mechanism = find_mechanism("dwork", parameters={"epsilon": 0.1, "universe": universe, "sample_size": 100})
    settings = Settings(seed=1, stream="online-retail")
    again, same = parsed(replay_command(report_of(mechanism, settings, stream="online-retail")))
    assert again.configuration == mechanism.configuration
    assert same == settings


def test_what_no_option_can_say_is_said_to_be_so():
    mechanism = find_mechanism("dwork", parameters={"epsilon": 0.1, "universe": LabelUniverse("abc"), "sample_size": 2})
    report = report_of(mechanism, Settings(seed=9))
    assert replay_command(report) == ""
    assert again(report) == "in Python only, with seed=9: no option gives the parameters of this estimator"


@pytest.mark.slow
def test_the_same_verdict_comes_of_the_command_in_the_report(panproof, theirs):
    gate = ["gate", theirs, "--promise", PROMISE, "--universe", 4, "--set", "label=a 'b'", "--no-exact"]
    outcome = panproof(*gate, "--runs", 3000, "--confirmation-runs", 500, "--witness", "my witness.json")
    assert outcome.code == 1, outcome.err
    commands = {line.partition("panproof ")[2] for line in outcome.out.splitlines() if "panproof " in line}
    (repeat,) = (command for command in commands if command.startswith("gate"))
    (replay,) = (command for command in commands if command.startswith("replay"))
    assert panproof(*shlex.split(repeat)).out.splitlines() == [
        line for line in outcome.out.splitlines() if "witness written" not in line
    ]
    # The person who copies the command names the code in it.
    repeated = panproof(*shlex.split(replay))
    assert (repeated.code, "as recorded" in repeated.out) == (1, True)


def test_a_replay_is_shown_for_any_name_of_a_file(panproof, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a b.json", "it's.json", "-x.json", "$(touch mark).json"):
        (tmp_path / name).write_text(json.dumps(audited_witness()))
        words = shlex.split(witness_command(name, "exact-counter"))
        assert panproof(*words[1:]).code == 1
    assert shlex.split(witness_command("w.json", "my file.py:X"))[3:] == ["--estimator", "my file.py:X"]


def test_a_command_is_one_line_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    command = "panproof gate " + " ".join(f"--set a{number}=1" for number in range(30))
    print_lines(Verdict.REFUTED, [("REFUTED", "x"), ("witness", "many words " * 20), ("again", command)])
    lines = capsys.readouterr().out.splitlines()
    assert sum(command in line for line in lines) == 1
    assert len(lines) > 3


def test_an_exact_check_suggests_no_option_that_the_estimator_does_not_take():
    promise = Promise.parse("epsilon=0.3,adjacency=user-level")
    found = replace(exact_result(), exact=False, promise=promise)
    assert "with --epsilon 'log(3/2)'" in dict(check_lines(found))["numbers"]
    assert "--epsilon" not in dict(check_lines(replace(found, configuration={"universe": 2})))["numbers"]


def test_a_budget_given_as_a_logarithm_comes_back_as_one():
    mechanism = find_mechanism("dwork", parameters={"epsilon": parse_epsilon("log(3/2)"), "universe": 4})
    assert "--promise 'epsilon=2*log(3/2)" in replay_command(report_of(mechanism, Settings(seed=1)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("optimal-bernoulli", "--promise-epsilon", 2),
            "makes no promise for these parameters, since its theorem is stated for epsilon up to 0.5 only, and "
            "epsilon is 1: give one",
        ),
        (("pan-private-distinct-sampling", "--promise-epsilon", 1.5), "only, and epsilon is 0.75: give one"),
        (
            ("bernoulli-family", "--promise-epsilon", 0.2, "--set", "half_gap=0.1"),
            "promises nothing for cells so far apart",
        ),
        (("exact-counter",), "since its state lists who appeared"),
    ],
)
def test_why_there_is_no_promise_is_said(panproof, arguments, words):
    said = panproof("gate", *arguments).one_sentence()
    assert words in said
    assert "--promise epsilon=1,adjacency=user-level" in said
