"""Options of all commands: a value out of range, or no number at all, is one sentence before anything is done."""

from __future__ import annotations

import pytest

from pan_audits.command_line.judged import parse_settings
from pan_estimators import InputError

LONG = "9" * 400
TEXT = "in.txt"
GATE = ("gate", "dwork", "-e", 0.1, "--runs", 300)
CHECK = ("check", "dwork", "-e", 0.1)
ESTIMATE = ("estimate", "dwork", "-e", 0.5, TEXT)
PLAN = ("plan", "dwork", "--alpha", 0.1)


@pytest.fixture(autouse=True)
def a_short_stream(tmp_path, monkeypatch):
    (tmp_path / TEXT).write_text("1\n2\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("estimate", "dwork", "-u", 9, "-e", f"log({LONG})", TEXT), "numbers that a double can hold"),
        (("estimate", "dwork", "-u", 9, "-e", f"1/{LONG}", TEXT), "too small for a double"),
        (("estimate", "dwork", "-u", 9, "-e", LONG, TEXT), "epsilon must be positive and finite"),
        (("estimate", "dwork", "-u", 9, "-e", "1e400", TEXT), "epsilon must be positive and finite"),
        (("estimate", "dwork", "-u", 9, "-e", "1_0", TEXT), "a budget is a number of nats"),
        (("estimate", "dwork", "-u", 9, "-e", "٣", TEXT), "a budget is a number of nats"),
        (("estimate", "dwork", "-u", 9, "-e", "((log(2)))", TEXT), "a budget is a number of nats"),
        (("estimate", "dwork", "-u", 9, "-e", "(" * 5000, TEXT), "at most 1000 characters"),
        (("check", "dwork", "-e", f"{LONG}*log(2)"), "numbers that a double can hold"),
        (("gate", "dwork", "-e", "400000000*log(10001/10000)"), "more than 100000 bits"),
        (("audit", "-e", f"1/{LONG}"), "too small for a double"),
        ((*PLAN, "-e", f"log({LONG})", "-m", 5), "numbers that a double can hold"),
        ((*ESTIMATE, "-u", 100000000000), "100000000000 cells take at least"),
        (("estimate", "exact-counter", "-u", 100000000000, TEXT), "100000000000 cells take at least"),
        (("estimate", "exact-counter", "--hash", 2**62, TEXT), "cells take at least"),
        ((*ESTIMATE, "-u", 2**62 + 1), "--universe must be a whole number from 1 to 2^62"),
        ((*ESTIMATE, "-u", "1_0"), "--universe takes a whole number"),
        ((*ESTIMATE, "-u", "9.0"), "--universe takes a whole number"),
        ((*ESTIMATE, "-u", -4), "--universe must be"),
        ((*ESTIMATE, "-u", 9, "--first", 2**63), "--first must be"),
        ((*ESTIMATE, "--hash", 0), "--hash must be"),
        ((*ESTIMATE, "-u", 9, "--seed", -1), "--seed must be a whole number from 0 to 2^64 - 1, got -1"),
        ((*ESTIMATE, "-u", 9, "--seed", 2**64), "--seed must be"),
        ((*ESTIMATE, "-u", 9, "--level", "nan"), "--level must lie strictly between 0 and 1"),
        ((*ESTIMATE, "-u", 9, "--alpha", "1e-400", "--beta", 0.5), "--alpha must lie"),
        ((*ESTIMATE, "-u", 9, "--memory", LONG), "a memory size is"),
        ((*ESTIMATE, "-u", 9, "--memory", "1_0"), "a memory size is"),
        ((*ESTIMATE, "-u", 9, "--memory", "٣"), "a memory size is"),
        ((*CHECK, "-u", 100000000000), "--users or --rows must be a whole number from 1 to 16, got 100000000000"),
        ((*CHECK, "-l", 100000000000), "--length must be a whole number from 1 to 64"),
        ((*CHECK, "--appearances", 100000000000), "--appearances must be a whole number from 2 to 64"),
        ((*CHECK, "-m", LONG), "--sample-size takes a whole number"),
        ((*CHECK, "--time", 0), "--time must be positive"),
        ((*CHECK, "--time", "inf"), "--time must be positive and at most 1e+08 seconds"),
        ((*CHECK, "--time", "nan"), "--time must be positive"),
        ((*CHECK, "--set", "universe=abc"), "give --universe (--users in check)"),
        ((*CHECK, "--set", "sample_size=1.5"), "give --sample-size"),
        ((*CHECK, "--set", "epsilon=2"), "give --epsilon"),
        (("check", "graph-density", "-e", 0.1, "--set", "vertices=5"), "either a universe or its number of vertices"),
        ((*CHECK, "--promise", "epsilon=1,epsilon=2,adjacency=user-level"), "'epsilon' twice"),
        ((*GATE, "--seed", -1), "--seed must be"),
        ((*GATE, "--timeout", "nan"), "--timeout must be positive and at most 1e+08 seconds, got 'nan'"),
        ((*GATE, "--timeout", 0), "--timeout must be positive"),
        ((*GATE, "--timeout", "1e300"), "--timeout must be positive"),
        ((*GATE, "--memory", "nan"), "--memory must be positive"),
        ((*GATE, "--memory", "1e300"), "--memory must be positive"),
        ((*GATE, "--memory", 0), "--memory must be positive"),
        ((*GATE, "--jobs", 0), "--jobs must be a whole number from 1 to 256, got 0"),
        ((*GATE, "--error", 0), "--error must lie strictly between 0 and 1"),
        ((*GATE, "--confirmation-runs", 99), "--confirmation-runs must be"),
        ((*GATE, "--set", "universe=abc"), "give --universe"),
        (("gate", "dwork", "-e", 0.1, "--runs", "1_000"), "--runs takes a number"),
        (("gate", "dwork", "-e", 0.1, "--runs", "1e300"), "--runs must be a whole number of runs up to 2^53"),
        (("replay", TEXT, "--runs", 9), "--runs must be a whole number from 10"),
        (("stream", "uniform", "-t", 99999999999999), "--length must be a whole number from 0 to 100000000"),
        (("stream", "zipf", "-u", 100000000000), "--universe must be at most 100000000"),
        (("stream", "uniform", "--seed", -1), "--seed must be"),
        (("stream", "uniform", "-u", 2**63), "--universe must be"),
        (("stream", "online-retail", "-u", 5), "are for a synthetic stream"),
        ((*PLAN, "-e", 0.5, "-m", 99999999999999999999), "--sample-size must be a whole number from 1 to 2^62"),
        ((*PLAN, "-e", 0.5, "--beta", "1e-400"), "--beta must lie"),
    ],
)
def test_a_value_out_of_range_is_one_sentence(panproof, words, said):
    told = panproof(*words).one_sentence()
    assert said in told
    assert len(told) < 400


def test_the_largest_sample_of_all_can_be_planned_with(panproof):
    for alpha in (0.1, 0.99999999, 1e-300):
        assert panproof("plan", "dwork", "-e", 0.5, "--alpha", alpha, "-m", 2**62).code == 0
    assert panproof("plan", "dwork", "-e", "log(3/2)", "--alpha", 0.1, "--beta", 0.05).code == 0


@pytest.mark.parametrize("text", ["a=1", "_b={}", "c=1e400", "d=" + "9" * 5000, "e=" + "[" * 10**5, "f=NaN", "g="])
def test_settings_are_json_where_they_can_be_and_else_text(text):
    (value,) = parse_settings([text]).values()
    assert value == {"a=1": 1, "_b={}": {}, "c=1e400": float("inf")}.get(text, text.partition("=")[2])


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (["a=1", "a=2"], "gives 'a' twice"),
        (['a={"b": 1, "b": 2}'], "a repeated key"),
        (["a b=1"], "takes name=value"),
        (["=1"], "takes name=value"),
    ],
)
def test_settings_that_say_two_things_are_refused(pairs, said):
    with pytest.raises(InputError, match=said):
        parse_settings(pairs)
