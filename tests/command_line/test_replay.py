"""``panproof replay``: a file is data; it chooses no code, and makes no verdict by itself."""

from __future__ import annotations

import copy
import json
import sys
from importlib import metadata

import pytest

from pan_audits.subject.intake.discovery import ENTRY_POINTS
from pan_promises.errors import InputError
from tests.audit.witnesses import TEN_LINES, audited_witness, exact_report, exact_witness

NOISY = f"{TEN_LINES}:NoisySet"


@pytest.fixture
def replay(panproof, tmp_path):
    def run(document, *options):
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / "w.json").write_text(text)
        return panproof("replay", tmp_path / "w.json", *options)

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
    assert "a file cannot choose the code that is run" in panproof("replay", tmp_path / "x.html").one_sentence()


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


def test_the_code_has_the_memory_and_the_time_of_the_options(replay, monkeypatch):
    asked = []

    def refuse(*names, limits, **options):
        asked.append((limits.seconds, limits.memory_bytes))
        raise InputError("no estimator")

    monkeypatch.setattr("pan_audits.subject.intake.asked.find_mechanism", refuse)
    document = audited_witness(estimator={"estimator": NOISY})
    for options in ((), ("--memory-limit", "32", "--timeout", "600")):
        assert replay(document, "--estimator", NOISY, *options).one_sentence() == "panproof: no estimator\n"
    assert asked == [(120.0, 2 * 2**30), (600.0, 32 * 2**30)]


def test_a_shipped_estimator_may_be_named_but_no_other(replay):
    assert replay(exact_witness(), "--estimator", "dwork").code == 1
    said = replay(exact_witness(), "--estimator", "lecture").one_sentence()
    assert "about the estimator 'dwork', but --estimator names 'lecture'" in said


BOTH_DIFFER = [["intrusion", {"update": 0}, "release"], ["intrusion", {"update": 1}, "release"]]
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


def test_streams_of_two_users_are_not_adjacent(replay):
    document = exact_witness(users=[0, 1], streams=BOTH_DIFFER)
    assert "streams: the two streams differ in more than the updates of one user" in replay(document).one_sentence()


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
    assert "more than 64 MiB" in panproof("replay", "/dev/zero").one_sentence()
    (tmp_path / "w.json").write_bytes(b'{"x": "\xff"}')
    assert "is not text in UTF-8: byte 7" in panproof("replay", tmp_path / "w.json").one_sentence()


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
