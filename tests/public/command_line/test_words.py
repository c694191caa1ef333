"""The words of a call: a bad one is one sentence before any work; a former command becomes the present one."""

from __future__ import annotations

import collections
import os
from inspect import signature

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

import panproof as front_door
from experiments.__main__ import COMMANDS as EXPERIMENTS
from pan_audits.cli.commands import COMMANDS, present, single
from pan_audits.cli.judged import parse_settings
from pan_estimators import ESTIMATORS, InputError
from pan_estimators.common.registry import create_estimator, takes, with_promised
from pan_promises.errors import suggestion
from pan_promises.exact_epsilon import parse_epsilon

LONG = "9" * 400
GATE = "gate dwork --promise-epsilon 0.2 --runs 300"
CHECK = "check dwork --promise-epsilon 0.2"
ESTIMATE = "estimate dwork --promise-epsilon 1 in.txt"
INTEGERS = "estimate optimal-bernoulli --promise-epsilon 1 -u 1000"
COUNT = "count --promise-epsilon 2"
PANES = f"{COUNT} in.csv --every"
PLAN = "plan dwork --promise-epsilon 1 --alpha 0.1"
TEXTS = {
    "in.txt": b"1\n2\n",
    "in.csv": b"time,user\n2026-01-01T10:00,bob\n",
    "gap.csv": b"time,user\n2026-01-01T00:00:00,1\n2027-01-01T00:00:00,2\n",
    "empty.txt": b"",
    "gaps.txt": b"\n\n",
    "names.txt": b"1\nalice\n",
    "negative.txt": b"1\n-4\n",
    "large.txt": b"%d\n" % 2**64,
    "halves.txt": b"1.5\n",
    "bytes.txt": b"\xff\xfe\x00",
    "broken.gz": b"\x1f\x8b\x08\x00broken",
    "short.csv": b"customer_id,x\n1,2\n3\n",
    "not.parquet": b"no parquet at all",
    "precious": b"a poem",
}

BAD = [
    ("gate", "NAME"),
    ("gate dwork", "--promise-epsilon"),
    ("gate dwork -e", "-e"),
    ("gate nothing", "unknown estimator 'nothing'"),
    ("gate no.module:X", "cannot be imported"),
    ("gate dwork --promise-epsilon 0", "epsilon must be"),
    ("gate dwork --promise-epsilon nan", "epsilon must be"),
    (f"{GATE} --json=3", "--json"),
    (f"{GATE} more", "more"),
    (f"{GATE} --timeout nan", "--timeout"),
    (f"{GATE} --memory-limit 0", "--memory-limit"),
    (f"{GATE} --jobs 0", "--jobs"),
    (f"{GATE} --error 0", "--error"),
    (f"{GATE} --seed -1", "--seed"),
    (f"{GATE} --confirmation-runs 99", "--confirmation-runs"),
    (f"{GATE} -u 4 -m 5", "5"),
    (f"{GATE} --stream nowhere", "nowhere"),
    (f"{GATE} --stream online-retail -u 4", "sets the universe"),
    (f"{GATE} --promise epsilon=1", "adjacency"),
    (f"{GATE} --set colour", "--set takes name=value"),
    (f"{GATE} --set universe=abc", "--universe"),
    (f"{GATE} --set colour=1", "no parameter 'colour'"),
    (f"{GATE} --set epsilon=1", "both"),
    (f"{GATE} --epsilon 1", "one of them"),
    (f"{GATE} --scheduler tcp://127.0.0.1:8786", "give --engine dask"),
    ("gate dwork --promise-epsilon 1 --runs 1_000", "--runs"),
    ("gate dwork --promise-epsilon 1 --runs 50", "number of runs must be at least 100"),
    ("gate dwork --promise-epsilon 400000000*log(10001/10000)", "100000 bits"),
    ("gate exact-counter --epsilon 1 --promise epsilon=1,adjacency=user-level", "exact-counter"),
    ("gate optimal-bernoulli --promise-epsilon 2", "its theorem is stated for epsilon up to 0.5 only"),
    ("check exact-counter", "makes no promise"),
    (f"{CHECK} --users 17", "--users"),
    (f"{CHECK} --length 100000000000", "--length"),
    (f"{CHECK} --appearances 1", "--appearances"),
    (f"{CHECK} -m {LONG}", "--sample-size"),
    (f"{CHECK} --seconds inf", "--seconds"),
    (f"{CHECK} --set sample_size=1.5", "--sample-size"),
    (f"{CHECK} --promise epsilon=1,epsilon=2,adjacency=user-level", "'epsilon'"),
    (f"check dwork --promise-epsilon {LONG}*log(2)", "double"),
    ("check graph-density --promise-epsilon 0.2 --set vertices=5 --set universe=3", "--universe"),
    (f"estimate dwork -u 9 --promise-epsilon 1/{LONG} in.txt", "double"),
    ("estimate dwork -u 9 --promise-epsilon 1e400 in.txt", "epsilon"),
    ("estimate dwork -u 9 --promise-epsilon ٣ in.txt", "budget"),
    (f"estimate dwork -u 9 --promise-epsilon {'(' * 5000} in.txt", "1000 characters"),
    ("estimate exact-counter -u 1000 --memory 1KiB in.txt", "exact-counter"),
    (ESTIMATE, "--universe, the number of users, or --hash"),
    (f"{ESTIMATE} -u 9 --hash 9", "either --universe"),
    (f"{ESTIMATE} -u 100000000000", "GiB"),
    (f"{ESTIMATE} -u {2**62 + 1}", "--universe"),
    (f"{ESTIMATE} -u 1", "outside"),
    (f"{ESTIMATE} -u 9 --first {2**63}", "--first"),
    (f"{ESTIMATE} -u 9 --level nan", "--level"),
    (f"{ESTIMATE} -u 9 --alpha 1e-400 --beta 0.5", "--alpha"),
    (f"{ESTIMATE} -u 9 --alpha 0.1", "beta"),
    (f"{ESTIMATE} -u 9 --memory 1_0", "memory size"),
    (f"{ESTIMATE} -u 9 --memory 2bits", "too few"),
    (f"{ESTIMATE} -u 9 --update-only --release-only", "give one of --update-only and --release"),
    (f"{ESTIMATE} -u 9 --checkpoint 5", "give --state"),
    (f"{ESTIMATE} -u 9 --state s --key-file s", "give two different files"),
    (f"{ESTIMATE} -u 9 --state s --checkpoint 0s", "got '0s'"),
    (f"{ESTIMATE} -u 9 --state no/folder/s", "No such file or directory"),
    (f"{ESTIMATE} -u 9 --state /dev/null", "not a regular file"),
    (f"{ESTIMATE} -u 9 --state precious", "is not a panproof state file"),
    (f"{ESTIMATE} -u 9 --state link", "is a symbolic link"),
    (f"{INTEGERS} nowhere", "there is no file"),
    (f"{INTEGERS} .", "is not a file"),
    (f"{INTEGERS} empty.txt", "the stream is empty"),
    (f"{INTEGERS} gaps.txt", "missing ids, the first in line 1"),
    (f"{INTEGERS} names.txt", "'alice' is not an integer"),
    (f"{INTEGERS} negative.txt", "outside"),
    (f"{INTEGERS} large.txt", "not an integer of 64 bits"),
    (f"{INTEGERS} halves.txt", "not an integer"),
    (f"{INTEGERS} bytes.txt", "UTF-8"),
    (f"{INTEGERS} broken.gz", "damaged"),
    (f"{INTEGERS} in.csv", "choose one with --column"),
    (f"{INTEGERS} -c nobody in.csv", "has no column 'nobody'"),
    (f"{INTEGERS} -c x short.csv", "cannot be read as CSV"),
    (f"{INTEGERS} not.parquet", "damaged"),
    ("count --promise-epsilon 0.0002 in.txt", "0.002"),
    ("count in.txt", "--promise-epsilon"),
    (COUNT, "give a file"),
    (f"{COUNT} --memory 100 in.txt", "memory"),
    (f"{COUNT} --from 1e5 --to 1e3 in.txt", "smaller to a larger"),
    (f"{COUNT} in.txt --update-only", "--state"),
    (f"{COUNT} in.txt --checkpoint x --state s", "--checkpoint takes"),
    (f"{COUNT} in.txt --state in.txt", "not a panproof state file"),
    (f"{COUNT} negative.txt --ids integer", "from 0 to 2^64 - 1"),
    (f"{COUNT} halves.parquet", "floating-point"),
    (f"{COUNT} empty.txt", "no ids"),
    ("count --release-only --state nothing", "no state file"),
    ("count --release-only --show --state s", "give one of"),
    ("count --show in.txt --state s", "leave out the file"),
    (f"{COUNT} --engine dask -", "reads files"),
    (f"{COUNT} --jobs 2 in.txt", "give --engine dask"),
    (f"{COUNT} --engine dask --seed 1 in.txt", "neither --seed"),
    (f"{PANES} 1h", "--releases R"),
    (f"{PANES} 1h --releases 2 --fresh-panes", "--releases R or --fresh-panes"),
    (f"{PANES} 0 --fresh-panes", "--every takes"),
    (f"{PANES} 10 --fresh-panes --time-column time", "panes of a time"),
    (f"{PANES} 1h --fresh-panes", "no clock"),
    (f"{PANES} 1h --fresh-panes --time-column user", "is ISO 8601"),
    (f"{PANES} 1h --fresh-panes --time-column time -c time", "two different columns"),
    (f"{PANES} 10 --fresh-panes --state s --key-file k", "leave out --key-file"),
    (f"{PANES} 10 --fresh-panes --state s --out s", "file of its own"),
    (f"{COUNT} in.csv --late count", "give --every"),
    ("list --seed 1", "--verdicts"),
    ("list --verdicts --promise-epsilon x", "budget"),
    ("replay in.txt --runs 9", "--runs"),
    ("replay nowhere", "cannot read"),
    ("stream uniform --length 99999999999999", "--length"),
    ("stream zipf -u 100000000000", "--universe"),
    ("stream online-retail -u 5", "synthetic"),
    ("stream --json-schema", "stream"),
    ("stream zipf --attribution", "zipf"),
    (f"{PLAN} -m 99999999999999999999", "--sample-size"),
    (f"{PLAN} --beta 1e-400", "--beta"),
    ("plan dwork --promise-epsilon 1 --alpha 0 --beta 0.1", "--alpha"),
    ("plan dwork --alpha 0.1 --beta 0.1", "--promise-epsilon"),
    ("claims --pdf", "--out"),
    ("claims density.union_lemma --page page.md", "without ids"),
    ("claims density.union_lemma --out /dev/null/out", "cannot write"),
    # A name that is nearly right
    ("gat", "gate?"),
    ("--versoin", "--version?"),
    ("gate dwork --sed 3", "--seed"),
    ("gate optimal-bernouli -e 1", "optimal-bernoulli?"),
    ("list --verdicts --only dwrok", "dwork?"),
    ("stream zpif", "zipf?"),
    ("claims density.union_lema", "density.union_lemma"),
    (f"{GATE} --promise epsilon=1,adjacency=usr-level", "user-level?"),
    (f"{GATE} --isolation bublewrap", "bubblewrap?"),
    (f"{ESTIMATE} --format paruqet", "parquet"),
    ("claims --verdict refuetd", "REFUTED?"),
]


@pytest.mark.parametrize(("words", "named"), BAD)
def test_a_bad_word_is_one_sentence_that_names_it(panproof, tmp_path, monkeypatch, words, named):
    monkeypatch.chdir(tmp_path)
    for name, content in TEXTS.items():
        (tmp_path / name).write_bytes(content)
    parquet.write_table(arrow.table({"id": [1.5, 2.0]}), tmp_path / "halves.parquet")
    os.symlink("precious", "link")
    told = panproof(words).one_sentence()
    assert named in told
    assert len(told) < 450
    assert (tmp_path / "precious").read_text() == "a poem"
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in ESTIMATORS
        if "schema" not in (taken := signature(ESTIMATORS[name]).parameters)
        and taken.keys() & {"epsilon", "promise_epsilon"}
    ],
)
@pytest.mark.parametrize("promised", [0.37, parse_epsilon("log(9/5)")])
def test_every_estimator_promises_the_epsilon_that_it_is_given(name, promised):
    sizes = {"universe": 21, "sample_size": 9}
    made = create_estimator(
        name, **with_promised(name, {key: size for key, size in sizes.items() if takes(name, key)}, None, promised)
    )
    if made.promise is not None and made.promise.rho is None:
        assert float(made.promise.epsilon) == pytest.approx(float(promised), rel=1e-12)


@pytest.mark.parametrize(
    "words", ["check dwork", "audit dwork", "estimate dwork -u 9 in.txt", "count in.txt", "plan dwork --alpha 0.1 -m 9"]
)
def test_an_epsilon_that_was_half_the_promise_is_refused_with_both_new_forms(panproof, words):
    told = panproof(f"{words} --epsilon 0.3").one_sentence()
    assert "--promise-epsilon '0.6'" in told
    assert "--promise-epsilon '0.3'" in told


def test_python_gives_epsilon_the_same_meaning():
    with pytest.raises(InputError, match="promise_epsilon"):
        front_door.estimator("dwork", epsilon=0.3, universe=4, sample_size=2)
    assert front_door.estimator("dwork", promise_epsilon=0.3, universe=4, sample_size=2).promise.epsilon == 0.3


def test_an_option_takes_one_kind_of_value_in_all_commands():
    kinds = collections.defaultdict(set)
    for table in (COMMANDS, EXPERIMENTS):
        for name in table:
            for option in single(name, table).params:
                for word in (*option.opts, *option.secondary_opts):
                    kinds[word].add(getattr(option, "is_flag", False))
    assert {word for word, found in kinds.items() if len(found) > 1} == set()


@pytest.mark.parametrize(
    ("words", "now"),
    [
        ("derive --out x", "claims --out x"),
        ("schema list", "list --json-schema"),
        ("audit", "list --verdicts"),
        ("audit --only dwork -j 2 --json", "list --verdicts --only dwork -j 2 --json"),
        ("audit --seed=3 --stream x", "list --verdicts --seed=3 --stream x"),
        ("audit --epsilon 1 dwork", "audit --epsilon 1 dwork"),
        ("audit --doubles dwork", "audit --doubles dwork"),
        ("audit --help", "audit --help"),
        ("gate dwork --no-exact -v", "audit dwork -v"),
    ],
)
def test_a_former_command_becomes_the_present_one(words, now):
    assert present(words.split()) == now.split()


def test_a_former_option_says_that_it_will_go(panproof):
    old, new = (panproof(f"stream zipf {option} 5 --seed 1") for option in ("-t", "--length"))
    assert (old.code, old.out) == (new.code, new.out)
    assert "the old name goes with the next release" in old.err


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
    shown = " ".join(panproof(f"{name} --help").out.split())
    assert f"Example: panproof {name} " in f"{shown} ".replace("Examples:", "Example:")


def test_the_overview_names_all_commands(panproof):
    shown = panproof("--help").out
    assert all(f"│ {name} " in shown for name in COMMANDS)
    assert panproof("").code == 2


def test_only_names_that_are_as_close_as_the_closest_are_suggested():
    assert suggestion("bern", ["a-bern-b", "c-bern-d"], overview=".") == "did you mean c-bern-d or a-bern-b? ."
    assert suggestion("x" * 10**6, ["dwork"]) == "known are dwork"
    assert suggestion("user-lvel", ["user-level", "user-level-nested"]).startswith("did you mean user-level? ")
