"""``panproof estimate --load``: options that contradict the state are refused, and none needs to be repeated."""

from __future__ import annotations

import json

import pytest

from tests.command_line.conftest import IDS

ESTIMATE = ("estimate", "optimal-bernoulli", "--seed", 3)
INTEGERS = ("--promise-epsilon", 1, "--universe", 1000, "--first", 0, "-m", 300)


def saved(panproof, files, tmp_path, *words):
    state = tmp_path / "state"
    outcome = panproof("estimate", *words, "--seed", 3, "--update-only", "--save", state, files / "ids.txt")
    assert outcome.code == 0, outcome.err
    return state


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--universe", 999), "was written for --universe 1000 --first 0, not for --universe 999"),
        (("--universe", 1000, "--first", 5), "not for --first 5"),
        (("--first", 5), "not for --first 5"),
        (("--hash", 1000), "not for --hash 1000"),
        (("--memory", "100"), "for a sample of 300 users, and --memory, 800 bits would give"),
        (("--alpha", 0.4, "--beta", 0.5), "and --alpha 0.4 and --beta 0.5 would give"),
        (("--alpha", 0.4), "both alpha and beta"),
        (("--sample-size", 301), "sample_size = 300"),
        (("--promise-epsilon", 0.8), "epsilon = 0.5"),
        (("--universe", 1000, "--hash", 1000), "either --universe"),
    ],
)
def test_what_contradicts_a_state_is_refused(panproof, files, tmp_path, wrong, words):
    state = saved(panproof, files, tmp_path, "optimal-bernoulli", *INTEGERS)
    before = state.read_bytes()
    refused = panproof(*ESTIMATE, "--load", state, "--save", state, *wrong, files / "ids.txt").one_sentence()
    assert words in refused
    assert state.read_bytes() == before


def test_what_agrees_with_a_state_may_be_said_again_or_left_out(panproof, files, tmp_path):
    state = saved(panproof, files, tmp_path, "optimal-bernoulli", *INTEGERS)
    before, found = state.read_bytes(), []
    for words in ((), INTEGERS, ("--universe", 1000), ("--first", 0)):
        state.write_bytes(before)  # what is released from a state is counted in its file
        found.append(panproof(*ESTIMATE, "--load", state, *words, "--json", files / "ids.txt"))
    assert all(outcome.code == 0 for outcome in found), [outcome.err for outcome in found]
    assert len({outcome.out for outcome in found}) == 1
    by_memory = ("optimal-bernoulli", "--promise-epsilon", 1, "--universe", 1000, "--memory", "100")
    planned = ("optimal-bernoulli", "--promise-epsilon", 4, "--universe", 1000, "--alpha", 0.3, "--beta", 0.2)
    for words in (by_memory, planned):
        state = saved(panproof, files, tmp_path, *words)
        assert panproof("estimate", *words, "--load", state, files / "ids.txt").code == 0


def test_a_hashed_state_goes_on_without_its_options_and_not_with_others(panproof, files, tmp_path):
    state = saved(panproof, files, tmp_path, "exact-counter", "--hash", 10**5)
    outcome = panproof("estimate", "exact-counter", "--load", state, "--json", files / "ids.txt")
    assert abs(json.loads(outcome.out)["distinct_count"] - len(set(IDS.tolist()))) < 10
    for wrong, words in (
        (("--universe", 10**5), "was written for --hash 100000, not for --universe 100000"),
        (("--hash", 10**5 + 1), "not for --hash 100001"),
        (("--first", 0), "not for --first 0"),
        (("--hash", 10**5, "--first", 0), "--first is the smallest id of --universe"),
        (("--promise-epsilon", 1), "epsilon"),
    ):
        assert words in panproof("estimate", "exact-counter", "--load", state, *wrong, files / "ids.txt").one_sentence()


def test_edges_agree_with_a_number_of_them(panproof, files, tmp_path):
    words = ("graph-density", "--promise-epsilon", 1, "-m", 100)
    state = saved(panproof, files, tmp_path, *words, "--universe", 990)
    refused = panproof("estimate", *words, "--load", state, "--universe", 9900, files / "ids.txt").one_sentence()
    assert "a universe of 990 edges, not for --universe 9900" in refused
    assert panproof("estimate", *words, "--load", state, "--universe", 990, files / "ids.txt").code == 0


def test_an_exact_counter_takes_no_budget(panproof, files):
    for words in (("--promise-epsilon", 1), ("-m", 5), ("--memory", "1KiB"), ("--alpha", 0.1, "--beta", 0.1)):
        assert "exact-counter" in panproof("estimate", "exact-counter", "-u", 1000, *words, files / "ids.txt").err
