"""``panproof plan``, ``list`` and ``stream``."""

from __future__ import annotations

import json

import pytest

from pan_estimators import ESTIMATORS
from pan_estimators.density.distinct.planning import plan_counter
from pan_estimators.density.distinct.presets import UNIVERSE


def test_plan_gives_the_least_sample_and_its_beta(panproof):
    least = json.loads(
        panproof("plan", "optimal-bernoulli", "--promise-epsilon", 1, "--alpha", 0.1, "--beta", 0.05, "--json").out
    )
    size = least["sample_size"]
    for sample, enough in ((size, True), (size - 1, False)):
        found = panproof("plan", "optimal-bernoulli", "--promise-epsilon", 1, "--alpha", 0.1, "-m", sample, "--json")
        assert (json.loads(found.out)["beta"] <= 0.05) == enough
    assert (
        str(size) in panproof("plan", "optimal-bernoulli", "--promise-epsilon", 1, "--alpha", 0.1, "--beta", 0.05).out
    )
    assert "says nothing" in panproof("plan", "dwork", "--promise-epsilon", 1, "--alpha", 0.001, "-m", 2).out


@pytest.mark.slow
def test_plan_gives_the_memory_of_a_distinct_counter(panproof):
    words = ("plan", "distinct", "--promise-epsilon", 1, "--from", 1e6, "--to", 1e7)
    found = json.loads(panproof(*words, "--relative-error", 0.08, "--json").out)
    assert 0.07 < found["worst_error"] <= 0.08
    smaller = plan_counter(UNIVERSE, 0.5, round(8 * found["memory"] / 1.1), 1e6, 1e7)
    assert smaller.worst_error > 0.08
    assert f"--memory {found['memory']}" in panproof(*words, "--relative-error", 0.08).out
    assert "no memory gives" in panproof(*words, "--relative-error", 0.001).one_sentence()
    assert "give --relative-error" in panproof(*words).one_sentence()
    assert "for distinct" in panproof("plan", "dwork", "--promise-epsilon", 1, "--relative-error", 0.1).one_sentence()
    assert "--alpha" in panproof("plan", "dwork", "--promise-epsilon", 1, "--beta", 0.1).one_sentence()
    assert "--alpha" in panproof(*words, "--relative-error", 0.1, "--alpha", 0.1).one_sentence()


def test_plan_refuses_what_makes_no_sense(panproof):
    for words in (
        ("--alpha", 0.1),
        ("--alpha", 0.1, "--beta", 0.1, "-m", 3),
        ("--alpha", 0, "--beta", 0.1),
        ("--alpha", 0.1, "--beta", 2),
        ("--alpha", "nan", "--beta", 0.1),
    ):
        panproof("plan", "dwork", "--promise-epsilon", 1, *words).one_sentence()
    assert panproof("plan", "nobody", "--promise-epsilon", 1, "--alpha", 0.1).code == 2


def test_list_shows_every_estimator(panproof):
    rows = json.loads(panproof("list", "--json").out)["estimators"]
    assert {row["name"] for row in rows} >= set(ESTIMATORS)
    assert "optimal-bernoulli" in panproof("list").out


def test_streams_are_printed_an_id_to_a_line(panproof):
    lines = panproof("stream", "zipf", "-u", 50, "--length", 300, "--seed", 1).out.split()
    assert len(lines) == 300
    assert set(map(int, lines)) <= set(range(50))
    assert len(panproof("stream", "online-retail").out.split()) > 10_000
    assert (
        "licence" in panproof("stream", "online-retail", "--attribution").out.lower()
        or "CC" in panproof("stream", "online-retail", "--attribution").out
    )
    panproof("stream", "nowhere").one_sentence()
    panproof("stream", "zipf", "--attribution").one_sentence()
    panproof("stream", "uniform", "-u", 0).one_sentence()


@pytest.mark.more
def test_streams_of_insertions_and_deletions_are_printed_as_csv(panproof):
    header, first, *rest = panproof("stream", "nycflights13-airborne").out.splitlines()
    assert header == "time,element,action"
    assert first == "2013-01-01T05:17,179,insert"
    assert len(rest) == 656_125
    assert sum(row.endswith(",delete") for row in rest) == 328_063
    assert "CC0" in panproof("stream", "nycflights13-airborne", "--attribution").out
    panproof("stream", "online-retail-pairs", "--seed", 1).one_sentence()
