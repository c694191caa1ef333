"""The words of a call: bad ones are one sentence before any work, former names still do what they did, and say so."""

from __future__ import annotations

import collections
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof as front_door
from experiments.__main__ import COMMANDS as EXPERIMENTS
from pan_audits.cli.commands import COMMANDS, present, single
from pan_audits.cli.judged import parse_settings
from pan_estimators import ESTIMATORS, InputError
from pan_estimators.common.promised import with_promised
from pan_estimators.common.registry import create_estimator, takes
from pan_promises.errors import CollectedInputError, Problems, sentences_of, suggestion
from pan_promises.exact_epsilon import parse_epsilon

LONG = "9" * 400
TEXT = "in.txt"
GATE = "gate dwork --promise-epsilon 0.2 --runs 300"
CHECK = "check dwork --promise-epsilon 0.2"
ESTIMATE = f"estimate dwork --promise-epsilon 1 {TEXT}"
PLAN = "plan dwork --promise-epsilon 1 --alpha 0.1"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("gate", "NAME"),
        ("gate dwork", "--promise-epsilon"),
        ("gate dwork -e", "-e"),
        (f"{GATE} --json=3", "--json"),
        (f"{GATE} more", "more"),
        (f"{GATE} --timeout nan", "--timeout"),
        (f"{GATE} --timeout 1e300", "--timeout"),
        (f"{GATE} --memory-limit 0", "--memory-limit"),
        (f"{GATE} --jobs 0", "--jobs"),
        (f"{GATE} --error 0", "--error"),
        (f"{GATE} --seed -1", "--seed"),
        (f"{GATE} --confirmation-runs 99", "--confirmation-runs"),
        (f"{GATE} --set universe=abc", "--universe"),
        (f"{GATE} --set colour=1", "colour"),
        (f"{GATE} --set epsilon=1", "both"),
        (f"{GATE} --epsilon 1", "one of them"),
        ("gate dwork --promise-epsilon 1 --runs 1_000", "--runs"),
        ("gate dwork --promise-epsilon 1 --runs 1e300", "--runs"),
        ("gate dwork --promise-epsilon 400000000*log(10001/10000)", "100000 bits"),
        ("gate bernoulli-family --promise-epsilon 0.2 --set half_gap=abc", "half_gap"),
        ("gate exact-counter --epsilon 1 --promise epsilon=1,adjacency=user-level", "exact-counter"),
        (f"{CHECK} --users 17", "--users"),
        (f"{CHECK} --length 100000000000", "--length"),
        (f"{CHECK} --appearances 1", "--appearances"),
        (f"{CHECK} -m {LONG}", "--sample-size"),
        (f"{CHECK} --seconds 0", "--seconds"),
        (f"{CHECK} --seconds inf", "--seconds"),
        (f"{CHECK} --set sample_size=1.5", "--sample-size"),
        (f"{CHECK} --promise epsilon=1,epsilon=2,adjacency=user-level", "'epsilon'"),
        (f"check dwork --promise-epsilon {LONG}*log(2)", "double"),
        ("check graph-density --promise-epsilon 0.2 --set vertices=5 --set universe=3", "--universe"),
        (f"estimate dwork -u 9 --promise-epsilon log({LONG}) {TEXT}", "double"),
        (f"estimate dwork -u 9 --promise-epsilon 1/{LONG} {TEXT}", "double"),
        (f"estimate dwork -u 9 --promise-epsilon 1e400 {TEXT}", "epsilon"),
        (f"estimate dwork -u 9 --promise-epsilon ٣ {TEXT}", "budget"),
        (f"estimate dwork -u 9 --promise-epsilon {'(' * 5000} {TEXT}", "1000 characters"),
        (f"{ESTIMATE} -u 100000000000", "GiB"),
        (f"estimate exact-counter --hash {2**62} {TEXT}", "GiB"),
        (f"{ESTIMATE} -u {2**62 + 1}", "--universe"),
        (f"{ESTIMATE} -u 9.5", "--universe"),
        (f"{ESTIMATE} -u 9 --first {2**63}", "--first"),
        (f"{ESTIMATE} -u 9 --level nan", "--level"),
        (f"{ESTIMATE} -u 9 --alpha 1e-400 --beta 0.5", "--alpha"),
        (f"{ESTIMATE} -u 9 --memory 1_0", "memory size"),
        ("list --seed 1", "--verdicts"),
        ("list --verdicts --promise-epsilon x", "budget"),
        (f"replay {TEXT} --runs 9", "--runs"),
        ("stream uniform --length 99999999999999", "--length"),
        ("stream zipf -u 100000000000", "--universe"),
        ("stream online-retail -u 5", "synthetic"),
        (f"{PLAN} -m 99999999999999999999", "--sample-size"),
        (f"{PLAN} --beta 1e-400", "--beta"),
        ("plan dwork --alpha 0.1 --beta 0.1", "--promise-epsilon"),
        ("claims --pdf", "--out"),
        ("stream --json-schema", "stream"),
        # A name that is nearly right
        ("gat", "gate?"),
        ("--versoin", "--version?"),
        ("gate dwork --sed 3", "--seed"),
        ("gate optimal-bernouli -e 1", "optimal-bernoulli?"),
        ("list --verdicts --only dwrok", "dwork?"),
        ("stream zpif", "zipf?"),
        ("claims density.union_lema", "density.union_lemma"),
        (f"{CHECK} --set sample_sze=3", "sample_size?"),
        (f"{GATE} --promise epsilon=1,adjacency=usr-level", "user-level?"),
        (f"{GATE} --engine daks", "dask?"),
        (f"{GATE} --isolation bublewrap", "bubblewrap?"),
        (f"{ESTIMATE} --format paruqet", "parquet"),
        ("claims --verdict refuetd", "REFUTED?"),
    ],
)
def test_a_bad_word_is_one_sentence_that_names_it(panproof, tmp_path, monkeypatch, words, named):
    (tmp_path / TEXT).write_text("1\n2\n")
    monkeypatch.chdir(tmp_path)
    told = panproof(*words.split(" ")).one_sentence()
    assert named in told
    assert len(told) < 450


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if takes(name, "epsilon") and not takes(name, "schema")])
@given(promised=st.floats(0.01, 0.9) | st.builds("log({}/5)".format, st.integers(6, 9)).map(parse_epsilon))
@settings(max_examples=4)
def test_every_estimator_promises_the_epsilon_that_it_is_given(name, promised):
    sizes = {"universe": 21, "sample_size": 9}
    made = create_estimator(
        name, **with_promised(name, {key: size for key, size in sizes.items() if takes(name, key)}, None, promised)
    )
    if made.promise is not None and made.promise.rho is None:
        assert float(made.promise.epsilon) == pytest.approx(float(promised), rel=1e-12)


@pytest.mark.parametrize(
    "words",
    ["check dwork", "gate dwork", "audit dwork", f"estimate dwork -u 9 {TEXT}", f"count {TEXT}",
     "plan dwork --alpha 0.1 -m 9", "plan distinct --relative-error 0.1"],
)  # fmt: skip
def test_an_epsilon_that_was_half_the_promise_is_refused_with_both_new_forms(panproof, words):
    told = panproof(*words.split(), "--epsilon", "0.3").one_sentence()
    assert "--promise-epsilon '0.6'" in told
    assert "--promise-epsilon '0.3'" in told


def test_python_gives_epsilon_the_same_meaning():
    with pytest.raises(InputError, match="promise_epsilon"):
        front_door.check("dwork", epsilon=0.3)
    with pytest.raises(InputError, match="promise_epsilon"):
        front_door.estimator("dwork", epsilon=0.3, universe=4, sample_size=2)
    assert front_door.estimator("dwork", promise_epsilon=0.3, universe=4, sample_size=2).promise.epsilon == 0.3


def test_the_epsilon_of_another_person_s_class_must_be_the_promised_one(panproof):
    mine = ("tests.mechanisms.plain_objects:PlainObject", "--runs", 1000, "--seed", 1)
    promise = ("--promise", "epsilon=2,adjacency=user-level,observed=output,intrusions=0")
    assert "that of the promise" in panproof("audit", *mine, *promise, "--epsilon", 1).one_sentence()
    assert panproof("audit", *mine, *promise, "--set", "epsilon=1").code in (0, 3)


def test_an_option_takes_one_kind_of_value_in_all_commands():
    kinds = collections.defaultdict(set)
    for table in (COMMANDS, EXPERIMENTS):
        for name in table:
            for option in single(name, table).params:
                for word in (*option.opts, *option.secondary_opts):
                    kinds[word].add(getattr(option, "is_flag", False))
    assert {word for word, found in kinds.items() if len(found) > 1} == set()
    assert len(COMMANDS) == 12


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("schema list", "list --json-schema"),
        ("check dwork --promise-epsilon 0.2 -u 1 --length 1 --time 9", "check dwork --promise-epsilon 0.2 --users 1 "
         "--length 1 --seconds 9"),
        ("stream zipf -t 5 --seed 1", "stream zipf --length 5 --seed 1"),
    ],
)  # fmt: skip
def test_a_former_name_does_the_same_and_says_that_it_will_go(panproof, former, now):
    old, new = panproof(*former.split()), panproof(*now.split())
    assert (old.code, _without_times(old.out)) == (new.code, _without_times(new.out))
    assert "the old name goes with the next release" in old.err
    assert new.err == ""


def _without_times(text):
    return [
        line for line in text.splitlines() if "second" not in line and not any(part in line for part in (" s", "."))
    ]


@pytest.mark.parametrize(
    ("words", "now"),
    [
        (["derive", "--out", "x"], ["claims", "--out", "x"]),
        (["audit"], ["list", "--verdicts"]),
        (
            ["audit", "--only", "dwork", "-j", "2", "--json"],
            ["list", "--verdicts", "--only", "dwork", "-j", "2", "--json"],
        ),
        (["audit", "--seed=3", "--stream", "x"], ["list", "--verdicts", "--seed=3", "--stream", "x"]),
        (["audit", "--epsilon", "1", "dwork"], ["audit", "--epsilon", "1", "dwork"]),
        (["audit", "--doubles", "dwork"], ["audit", "--doubles", "dwork"]),
        (["audit", "--help"], ["audit", "--help"]),
        (["gate", "dwork", "--no-exact", "-v"], ["audit", "dwork", "-v"]),
    ],
)
def test_a_former_command_becomes_the_present_one(words, now):
    assert present(words) == now


@pytest.mark.parametrize("text", ["a=1", "_b={}", "c=1e400", "d=" + "9" * 5000, "e=" + "[" * 10**5, "f=NaN", "g="])
def test_settings_are_json_where_they_can_be_and_else_text(text):
    (value,) = parse_settings([text]).values()
    assert value == {"a=1": 1, "_b={}": {}, "c=1e400": float("inf")}.get(text, text.partition("=")[2])


@pytest.mark.parametrize("pairs", [["a=1", "a=2"], ['a={"b": 1, "b": 2}'], ["a b=1"], ["=1"], ["epsilon=x"]])
def test_settings_that_say_two_things_are_refused(pairs):
    with pytest.raises(InputError):
        parse_settings(pairs)


def test_a_defect_of_the_package_is_one_line_and_the_traceback_is_there_for_the_asking(panproof, monkeypatch):
    monkeypatch.setattr("pan_audits.subject.intake.discovery.installed_mechanisms", lambda *_: {}["nothing"])
    outcome = panproof("list")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (3, "", 1)
    assert outcome.err.startswith("panproof: internal error, please report it: KeyError: 'nothing' (test_words.py")
    monkeypatch.setenv("PANPROOF_TRACEBACK", "1")
    assert "Traceback" in panproof("list").err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example_that_names_it(panproof, name):
    shown = " ".join(panproof(name, "--help").out.split())
    assert f"Example: panproof {name} " in f"{shown} ".replace("Examples:", "Example:")
    assert f"│ {name} " in panproof("--help").out


def test_only_names_that_are_as_close_as_the_closest_are_suggested():
    assert suggestion("dwrok", ["dwork", "laplace"]) == "did you mean dwork? known are dwork, laplace"
    assert suggestion("bern", ["a-bern-b", "c-bern-d"], overview=".") == "did you mean c-bern-d or a-bern-b? ."
    assert suggestion("x" * 10**6, ["dwork"]) == "known are dwork"
    assert suggestion("user-lvel", ["user-level", "user-level-nested"]).startswith("did you mean user-level? ")


def test_several_bad_inputs_are_one_error_with_a_sentence_for_each():
    problems = Problems()
    problems.raise_any()
    for sentence in ("one", "two", "one"):
        with problems.collected():
            raise InputError(sentence)
    with pytest.raises(CollectedInputError) as caught:
        problems.raise_any()
    assert sentences_of(caught.value) == ("one", "two")


@pytest.mark.more
def test_every_document_has_the_version_of_its_format(panproof):
    for words in ("list", "plan dwork --promise-epsilon 1 --alpha 0.1 -m 5"):
        assert json.loads(panproof(*words.split(), "--json").out)["panproof"] == 1
