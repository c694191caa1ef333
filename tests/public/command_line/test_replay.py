"""``panproof replay``: a file is data; it chooses no code, and makes no verdict by itself."""

from __future__ import annotations

import copy
import json
import shlex
import sys
from dataclasses import replace
from importlib import metadata

import pytest

from pan_audits import GateReport, Settings, Verdict, find_mechanism
from pan_audits.reports.commands import replay_command, witness_command
from pan_audits.subject.intake.discovery import ENTRY_POINTS
from pan_audits.workers.limits import Limits
from pan_estimators import ESTIMATORS_OF_IDS, Promise
from pan_estimators.common.registry import with_budget
from tests.internals.audit.witnesses import TEN_LINES, audited_witness, exact_report, exact_witness

NOISY = f"{TEN_LINES}:NoisySet"


@pytest.fixture
def replay(panproof, tmp_path):
    def run(document, *options):
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / "w.json").write_text(text)
        return panproof(f"replay {tmp_path / 'w.json'}", *options)

    return run


def changed(document, path, value):
    document = copy.deepcopy(document)
    *steps, last = path.split("/")
    holder = document
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    holder[int(last) if isinstance(holder, list) else last] = value
    return document


@pytest.fixture
def canary(tmp_path, monkeypatch):
    """A module that leaves a mark when it is imported, and another when it is called."""
    mark = tmp_path / "mark"
    code = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nclass Canary:\n    pass\n"
    (tmp_path / "a_canary.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return mark


def test_a_file_starts_no_process_whatever_it_names(replay, tmp_path):
    mark = tmp_path / "mark"
    arguments = {"args": f"touch {mark}", "shell": True}
    audited = audited_witness(estimator={"estimator": "subprocess:Popen", **arguments})
    for document in (
        audited,
        {"privacy": {"witness": audited}},
        exact_witness(estimator="subprocess:Popen", parameters=arguments),
        {"exact": {"minimal_witness": exact_witness(estimator="subprocess:Popen", parameters=arguments)}},
    ):
        said = replay(document).one_sentence()
        assert "'subprocess:Popen', which panproof does not ship" in said
        assert "--estimator subprocess:Popen" in said
    assert not mark.exists()


def test_a_page_is_data_too(panproof, tmp_path):
    witness = audited_witness(estimator={"estimator": "subprocess:Popen", "args": "true"})
    document = json.dumps({"privacy": {"witness": witness}}).replace("<", "\\u003c")
    page = f'<!DOCTYPE html><script type="application/json" id="report">{document}</script>'
    (tmp_path / "x.html").write_text(page)
    assert "a file cannot choose the code that is run" in panproof(f"replay {tmp_path / 'x.html'}").one_sentence()


@pytest.mark.parametrize("name", ["a_canary:Canary", "a_canary.py:Canary", "announced"])
def test_code_of_others_is_not_even_imported_unless_the_person_names_it(replay, canary, monkeypatch, name):
    point = metadata.EntryPoint("announced", "a_canary:Canary", ENTRY_POINTS)
    installed = metadata.entry_points
    monkeypatch.setattr(
        metadata, "entry_points", lambda group: (point,) if group == ENTRY_POINTS else installed(group=group)
    )
    for document in (audited_witness(estimator={"estimator": name}), exact_witness(estimator=name)):
        assert "--estimator" in replay(document).one_sentence()
        assert not canary.exists()
        said = replay(document, "--estimator", "dwork").one_sentence()
        assert repr(name) in said
        assert "'dwork'" in said
        assert not canary.exists()
    # Named by the person it is looked up, here in vain: it is no estimator, or cannot leave its mark where it runs.
    named = replay(audited_witness(estimator={"estimator": name}), "--estimator", name)
    sentence = named.one_sentence()
    assert "cannot be audited: define create" in sentence or "Read-only file system" in sentence
    sys.modules.pop("a_canary", None)


def test_code_that_the_person_names_is_run(replay):
    promise = "epsilon=0.9,delta=0.0487,adjacency=user-level,observed=output"
    report = exact_report(NOISY, None, promise)
    assert f"--estimator {NOISY}" in replay(report).one_sentence()
    outcome = replay(report, "--estimator", NOISY)
    assert outcome.code == 1, outcome.err
    assert outcome.out.startswith("REFUTED")
    document = changed(report, "minimal_witness/parameters/colour", "red")
    assert "no parameter 'colour'" in replay(document, "--estimator", NOISY).one_sentence()


def test_a_shipped_estimator_may_be_named_but_no_other(replay):
    assert replay(exact_witness(), "--estimator", "dwork").code == 1
    said = replay(exact_witness(), "--estimator", "lecture").one_sentence()
    assert "about the estimator 'dwork', but --estimator names 'lecture'" in said


def test_a_witness_with_the_former_parameter_epsilon_is_about_the_same_noise(panproof, replay, tmp_path):
    at = tmp_path / "made.json"
    options = ("--promise-epsilon", "2", "--promise", "epsilon=0.1,adjacency=user-level", "--sample-size", "1")
    assert panproof("check calibrated-bernoulli --users 1 --length 1", *options, "--witness", str(at)).code == 1
    document = json.loads(at.read_text())
    assert document["parameters"].pop("promise_epsilon") == 2
    document["parameters"]["epsilon"] = 1
    outcome = replay(document)
    assert outcome.code == 1, outcome.err
    assert "REFUTED loss 2, recorded 2" in outcome.out


MALFORMED = {
    "audited": [
        ("promise/outputs", 2**31 - 1, "promise.outputs: must be a whole number"),
        ("counts/left", -1, "counts.left: must be a whole number from 0"),
        ("counts/left", 501, "counts.left: must be a whole number from 0 to 500"),
        ("counts/runs", 10**12, "counts.runs: must be a whole number"),
        ("probability_left_at_least", 1.5, "probability_left_at_least: must be a number from 0 to 1"),
        ("error", 0.9, "error: must be a number"),
        ("seed", True, "seed: must be a whole number"),
        ("seed", "1", "seed: must be a whole number"),
        ("family/others", [[{"ids": [1], "times": 10**12}], []], "family.others[0][0].times: must be a whole"),
        ("family/others", [[{"ids": [2]}], []], "family.others: the user whose appearances differ is among them"),
        ("family/patterns", [[10**12, 0], [0, 0]], "family.patterns[0][0]: must be"),
        ("family/patterns", [[0, 0], [0, 0]], "family.patterns: the two streams are not adjacent"),
        ("family/user", {}, "family.user: must be a whole number"),
        ("family/schedule", ["intrusion"] * 4, "family.schedule: the promise does not allow these observations"),
        ("event/conditions", [["x", "~", 1]], "event.conditions[0][1]: unknown comparison"),
        ("event/conditions", [["no such thing", "<=", 1]], "uses 'no such thing', which no run"),
        ("promise/epsilon", -1, "promise: the epsilon of a promise must be positive"),
        ("promise/adjacency", "near", "promise.adjacency: must be one of user-level"),
        ("promise/colour", 1, 'promise: there is no "colour" here'),
        ("estimator/universe/size", "4", "estimator.universe.size: must be a whole number"),
        ("estimator/colour", 1, "exact-counter has no parameter 'colour'"),
    ],
    "exact": [
        ("promise/outputs", 2**31 - 1, "promise.outputs: must be a whole number"),
        ("user", 1, "user: must be a whole number from 0 to 0"),
        ("users", [0, 0], "the users must be distinct"),
        ("promise/adjacency", "event-level", "streams: the two streams are not adjacent"),
        ("promise/observed", "state", "streams: the promise does not allow these observations"),
        ("streams/0/1", {"delete": 0}, "streams: a user is deleted who is not present"),
        ("parameters/epsilon", "log(1e9)", "parameters.epsilon: a budget is a number"),
        ("loss/ratio", "1/0", "loss.ratio: must be a ratio"),
    ],
}


@pytest.mark.parametrize(("kind", "path", "value", "words"), [(k, *rest) for k in MALFORMED for rest in MALFORMED[k]])
def test_a_malformed_witness_is_one_sentence_that_names_the_place(replay, kind, path, value, words):
    document = audited_witness() if kind == "audited" else exact_witness()
    assert words in replay(changed(document, path, value)).one_sentence()


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"privacy": 1}, "privacy: must be an object, got 1"),
        ({"privacy": {"witness": [1]}}, "privacy.witness: must be an object"),
        ({"privacy": {"witness": {"promise": 1}}}, "privacy.witness: not a witness: 'family' is missing"),
        ({"privacy": None}, "this report has no witness"),
        ({"exact": {"minimal_witness": 5}}, "exact.minimal_witness: must be an object"),
        ({}, "not a witness: 'promise' is missing"),
        ('{"privacy": NaN}', "NaN is not a number of JSON"),
        ('{"privacy": 1e999}', "the number 1e999 is too large"),
        pytest.param('{"seed": ' + "9" * 5000 + "}", "a whole number of 5000 digits", id="digits"),
        ('{"privacy": 1, "privacy": 2}', 'the key "privacy" occurs twice'),
        ('{"name": "\\ud800"}', "half of a surrogate pair"),
        pytest.param('{"x": ' + "[" * 10**5 + "]" * 10**5 + "}", "nested too deeply", id="deep"),
    ],
)
def test_what_is_no_witness_at_all_is_one_sentence(replay, document, words):
    assert words in replay(document).one_sentence()


def test_a_file_gives_no_orders_to_the_terminal(replay):
    order = "\x1b[2J\x1b[HCERTIFIED\n"
    said = replay(audited_witness(estimator={"estimator": order})).one_sentence()
    assert "must be the name of an estimator" in said
    named = audited_witness(estimator=audited_witness()["estimator"] | {order: 1})
    assert r"\x1b[2J" in replay(named).one_sentence()
    seen = changed(audited_witness(), "event/conditions", [["seen.sum", "<=", 0], [order, "nan", 0]])
    outcome = replay(seen, "--fresh")
    assert outcome.code in (1, 3)
    assert "\x1b" not in outcome.out
    assert "CERTIFIED\\n" in outcome.out


def test_what_has_no_end_and_what_is_no_text_is_refused(panproof, tmp_path):
    assert "more than 64 MiB" in panproof("replay /dev/zero").one_sentence()
    (tmp_path / "w.json").write_bytes(b'{"x": "\xff"}')
    assert "is not text in UTF-8: byte 7" in panproof(f"replay {tmp_path / 'w.json'}").one_sentence()


@pytest.mark.more
def test_sizes_beyond_all_memory_are_no_verdict_and_no_crash(replay):
    large = {"kind": "integers", "size": 10**12, "first": 0}
    for document in (
        changed(audited_witness(counts={"left": 1, "right": 0, "runs": 20}), "estimator/universe", large),
        exact_witness(parameters={"epsilon": "log(3/2)", "universe": 10**12, "sample_size": 10**12}),
    ):
        outcome = replay(document)
        assert outcome.code == 3, (outcome.out, outcome.err)
        assert outcome.out.startswith("INCONCLUSIVE  the estimator failed: ")
        assert outcome.err == ""
        assert json.loads(replay(document, "--json").out)["verdict"] == "INCONCLUSIVE"


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
    mechanism = find_mechanism(name, parameters=with_budget(name, 0.1, {"universe": 21, "sample_size": 5}))
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


@pytest.mark.slow
def test_the_same_verdict_comes_of_the_command_in_the_report(panproof, theirs):
    gate = ["audit", theirs, "--promise", PROMISE, "--universe", 4, "--set", "label=a 'b'"]
    outcome = panproof(*gate, "--runs", 3000, "--confirmation-runs", 500, "--witness", "my witness.json")
    assert outcome.code == 1, outcome.err
    commands = {line.partition("panproof ")[2] for line in outcome.out.splitlines() if "panproof " in line}
    (repeat,) = (command for command in commands if command.startswith(("audit", "gate")))
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
