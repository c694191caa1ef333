"""Errors are one line each: all bad words of a call at once, with a suggestion for a misspelt one."""

from __future__ import annotations

import json

import pytest

from pan_audits.command_line.commands import COMMANDS
from pan_promises.errors import CollectedInputError, InputError, Problems, sentences_of, suggestion


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("gate", "optimal-bernouli", "-e", 1),
            "unknown estimator 'optimal-bernouli'; did you mean optimal-bernoulli?",
        ),
        (("check", "optimal-bernouli", "-e", 1), "did you mean optimal-bernoulli? `panproof list` shows all"),
        (("estimate", "dwrok", "-", "-e", 1), "did you mean dwork? `panproof list` shows all"),
        (("audit", "--only", "dwrok"), "did you mean dwork?"),
        (("gate", "dwork", "-e", 1, "--stream", "online-retial"), "did you mean online-retail? known are"),
        (("stream", "zpif"), "did you mean zipf? known are online-retail, nycflights13, uniform, zipf"),
        (("claims", "density.union_lema"), "unknown claim 'density.union_lema'; did you mean density.union_lemma"),
        (("derive", "density.union_lema", "--out", "x"), "did you mean density.union_lemma"),
        (("check", "dwork", "-e", 1, "--set", "sample_sze=3"), "no parameter 'sample_sze'; did you mean sample_size?"),
        (
            ("check", "tests.variants.ten_lines:NoisySet", "--set", "a=3"),
            "NoisySet has no parameter 'a'; known are none",
        ),
        (
            ("gate", "dwork", "--promise", "epsilon=1,adjacency=usr-level", "-e", 1),
            "did you mean user-level? known are",
        ),
        (
            ("gate", "dwork", "--promise", "epsilon=1,adjacency=user-level,observed=stat", "-e", 1),
            "unknown observation 'stat'; did you mean state?",
        ),
        (("gate", "dwork", "--promise", "epsilon=1,adjacncy=user-level", "-e", 1), "did you mean adjacency?"),
        (("gate", "dwork", "-e", 1, "--engine", "daks"), "unknown engine 'daks'; did you mean dask?"),
        (
            ("gate", "dwork", "-e", 1, "--isolation", "bublewrap"),
            "unknown isolation 'bublewrap'; did you mean bubblewrap?",
        ),
        (("estimate", "dwork", "-", "-u", 9, "-e", 1, "--format", "paruqet"), "of --format; did you mean parquet?"),
        (("estimate", "dwork", "-", "-u", 9, "-e", 1, "--missing", "skp"), "of --missing; did you mean skip?"),
        (("claims", "--verdict", "refuetd"), "of --verdict; did you mean REFUTED?"),
        (("plan", "dwrok", "-e", 1, "--alpha", 0.1, "--beta", 0.1), "of NAME; did you mean dwork?"),
        (("gat",), "unknown command 'gat'; did you mean gate? `panproof --help` shows all"),
        (("--versoin",), "unknown option '--versoin'; did you mean --version?"),
        (("gate", "dwork", "--sed", 3, "-e", 1), "unknown option '--sed'; did you mean --seed"),
        (("gate", "dwork", "-e", 1, "-x"), "unknown option '-x'; `panproof gate --help` shows all"),
    ],
)
def test_a_misspelt_name_gets_a_suggestion(panproof, words, said):
    assert said in panproof(*words).one_sentence()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gate",), "panproof: the argument NAME is missing (A shipped or installed estimator"),
        (("derive",), "panproof: --out is missing (Folder for the files); `panproof derive --help` shows all"),
        (("gate", "dwork", "-e"), "panproof: -e needs a value"),
        (("gate", "dwork", "-e", 1, "--json=3"), "panproof: --json takes no value"),
        (("gate", "dwork", "more", "-e", 1), "panproof: unexpected argument 'more'"),
        (("gate", "dwork"), "panproof: dwork needs a privacy budget: give --epsilon"),
        (
            ("gate", "bernoulli-family", "-e", 0.1, "--set", "half_gap=abc"),
            "has a value of the wrong kind: half_gap = 'abc'",
        ),
    ],
)
def test_a_usage_error_has_the_style_of_all_errors(panproof, words, said):
    assert said in panproof(*words).one_sentence()


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ("gate", "dwork", "--set", "universe=abc", "-e", "nan", "--seed", -1),
            ["--set is for", "--epsilon must be positive and finite, got nan", "--seed must be"],
        ),
        (
            ("gate", "dwork", "--set", "a b", "--set", "colour=1", "--set", "=", "-e", 1),
            ["--set takes name=value, got 'a b'", "--set takes name=value, got '='"],
        ),
        (
            ("gate", "dwork", "--set", "colour=1", "--set", "sample_sze=1", "--jobs", 0),
            ["--jobs must be", "no parameter 'colour'", "no parameter 'sample_sze'", "dwork needs a privacy budget"],
        ),
        (
            ("gate", "dwrok", "--sed", 3, "--runs", "x", "--json=1"),
            ["'--sed'", "--json takes no value", "--runs takes"],
        ),
        (("plan", "--beta", 2), ["--beta must lie", "the argument NAME is missing", "--epsilon is"]),
        (("claims", "density.union_lema", "nothing", "--jobs", 0), ["--jobs", "'density.union_lema'", "'nothing'"]),
        (
            ("estimate", "dwork", "-", "--memory", "4XB", "--checkpoint", "x", "--level", 2, "--ids", "txt"),
            ["a memory size is", "--checkpoint takes", "--level must", "of --ids"],
        ),
    ],
)
def test_all_bad_words_are_named_at_once_and_nothing_that_follows_from_them(panproof, words, lines):
    told = panproof(*words).sentences()
    assert len(told) == len(lines), told
    for line, part in zip(told, lines, strict=True):
        assert part in line


def test_help_is_shown_although_other_words_are_bad(panproof):
    outcome = panproof("gate", "dwork", "--sed", 3, "--jobs", 0, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Example: panproof gate" in outcome.out


def test_a_defect_of_the_package_is_one_line_and_the_traceback_is_there_for_the_asking(panproof, monkeypatch):
    def broken(*_):
        return {}["nothing"]

    monkeypatch.setattr("pan_audits.intake.discovery.installed_variants", broken)
    outcome = panproof("list")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (3, "", 1)
    assert outcome.err.startswith("panproof: internal error, please report it: KeyError: 'nothing' (test_messages.py")
    monkeypatch.setenv("PANPROOF_TRACEBACK", "1")
    assert "Traceback" in panproof("list").err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example_that_names_it(panproof, name):
    shown = " ".join(panproof(name, "--help").out.split())
    assert f"Example: panproof {name} " in f"{shown} ".replace("Examples:", "Example:")


@pytest.mark.more
def test_every_document_has_the_version_of_its_format(panproof):
    for words in (("list",), ("plan", "dwork", "-e", 1, "--alpha", 0.1, "-m", 5)):
        assert json.loads(panproof(*words, "--json").out)["panproof"] == 1


def test_only_names_that_are_as_close_as_the_closest_are_suggested():
    assert suggestion("dwrok", ["dwork", "laplace"]) == "did you mean dwork? known are dwork, laplace"
    assert suggestion("DWORK", ["dwork"], overview="see the list") == "did you mean dwork? see the list"
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
    assert str(caught.value) == "one; two"
