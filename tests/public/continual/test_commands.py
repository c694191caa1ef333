"""The counters in commands: in listings, in the exact check, in the gate, and attacked by the reductions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.continual.attack import (
    ExactCounter,
    NoisyCounter,
    attack_inner_products,
    attack_marginals,
    inner_products,
    marginals,
    stream_of_queries,
    stream_of_rows,
)
from pan_audits.audit.settings import Settings
from pan_audits.continual.cases import AUDITED
from pan_audits.gate.case import all_cases
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.commands import again
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.continual.members import MEMBERS, counters_with, parameters_for, remark
from pan_proofs.continual.claims import reductions
from pan_proofs.continual.streams import distinct_counts
from tests.command import validate

entries = st.none() | st.tuples(st.integers(0, 3), st.sampled_from((1, -1)))


@st.composite
def asked(draw):
    size, number = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    bits = st.integers(0, 1)
    secret = draw(st.lists(bits, min_size=size, max_size=size))
    queries = draw(st.lists(st.lists(bits, min_size=size, max_size=size), min_size=number, max_size=number))
    return np.array(secret), np.array(queries)


@given(asked())
def test_the_streams_and_answers_are_those_of_the_claims(case):
    secret, queries = case
    rows = tuple(tuple(query) for query in queries.tolist())
    stream = stream_of_queries(secret, queries)
    assert stream == reductions.stream_of_queries(tuple(secret.tolist()), rows)
    outputs = ExactCounter().release(stream, None)
    assert inner_products(outputs, queries).tolist() == (queries @ secret).tolist()
    records = len(queries)
    table = stream_of_rows(secret, records)
    assert table == reductions.stream_of_records((tuple(secret.tolist()),) * records)
    found = marginals(ExactCounter().release(table, None), len(secret), records)
    assert found.tolist() == secret.tolist()


@given(st.lists(entries, min_size=1, max_size=30).map(tuple))
def test_the_exact_counter_is_the_definition(stream):
    assert ExactCounter().release(stream, None) == list(map(float, distinct_counts(stream)))


@pytest.mark.parametrize("seed", range(1))
def test_an_exact_counter_gives_every_bit_away(seed):
    for found in (attack_inner_products(ExactCounter(), 24, 96, seed), attack_marginals(ExactCounter(), 50, 1, seed)):
        assert found.recovered == found.bits
        assert found.answer_error == found.counter_error == 0


@pytest.mark.parametrize("seed", range(2))
def test_an_error_of_the_counter_is_at_most_doubled(seed):
    found = attack_inner_products(NoisyCounter(2.0), 16, 64, seed)
    assert 0 < found.answer_error <= 2 * found.counter_error
    averaged = attack_marginals(NoisyCounter(2.0), 32, 4, seed)
    assert averaged.answer_error == pytest.approx(averaged.counter_error / 4)


@pytest.mark.parametrize("by", ["inner-products", "marginals"])
def test_the_document_follows_its_schema_and_a_seed_repeats_it(experiments, by):
    words = ("attack", "noisy", "--by", by, "--bits", 16, "--seed", 3)
    found = json.loads(experiments(*words, "--json").out)
    validate("attack", found)
    assert found == json.loads(experiments(*words, "--json").out)
    assert found["share"] == found["recovered"] / found["bits"]
    rows = experiments(*words).out.splitlines()
    assert rows[3] == f"guessing  {'#' * 25}{'.' * 25} 50.0%"
    assert f"recovered {found['recovered']} of 16 bits" in "\n".join(rows)
    assert rows[5].count("#") == found["recovered"]


def test_a_shipped_counter_is_attacked(experiments):
    words = ("attack", "turnstile-recompute", "--set", "period=1", "--bits", 16, "--seed", 1, "--json", "--set")
    careless, private = (json.loads(experiments(*words, f"rho={rho}").out) for rho in ("1e6", "0.01"))
    assert careless["recovered"] == 16
    assert private["recovered"] < 16


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nosy",), "did you mean noisy?"),
        (("dwork",), "dwork takes no streams of insertions and deletions"),
        (("exact", "--set", "a=1"), "--set is for shipped estimators"),
        (("turnstile-recompute", "--set", "size=1"), "has no parameter 'size'"),
        (("exact", "--bits", 1000, "--queries", 10_000), "at most 4,000,000 entries, and would have 20,001,000"),
    ],
)
def test_a_bad_request_is_one_sentence(experiments, words, sentence):
    assert sentence in experiments("attack", *words).one_sentence()


QUICK = Settings(runs=12_000, seed=4, workers=0, accuracy_runs=0, hygiene=False, confirmation_runs=8000)
OF_OUTPUTS = [name for name, values in counters_with(AUDITED).items() if not MEMBERS[name](**values).promise.sees_state]


def test_every_listing_says_that_the_state_holds_the_counts_in_clear(panproof):
    rows = {row["name"]: row["summary"] for row in json.loads(panproof("list", "--json").out)["estimators"]}
    for name in OF_OUTPUTS:
        assert rows[name].endswith("the state holds the counts in clear"), name
        assert remark(name)
    assert "in clear" not in rows["dwork"]
    assert remark("dwork") is None
    assert "presence is none" in panproof("estimate", "presence", "-", "--epsilon", 1).one_sentence()
    assert "needs a value for steps" in panproof("check", "presence", "--set", "rho=0.5").one_sentence()
    assert {case.estimator for case in all_cases()} >= set(OF_OUTPUTS)


def test_the_command_check_finds_the_share_of_the_promise(panproof):
    words = ("--set", "steps=3", "--set", "rho=0.5", "--set", "period=1", "--users", 1, "--length", 3)
    found = panproof("check", "turnstile-recompute", *words)
    assert found.code == 0
    assert "rho 0.5 = 1/2, promised rho 0.5 (100% of it)" in found.out
    state = panproof("check", "turnstile-recompute", *words, "--promise", _ABOUT_THE_STATE)
    assert state.code == 1
    assert "infinite" in state.out


_ABOUT_THE_STATE = "rho=0.5,adjacency=item-level,observed=state+output,outputs=every"


@pytest.mark.more
def test_the_gate_certifies_a_counter_whose_claim_is_proved_and_its_command_makes_it_again():
    parameters = parameters_for("turnstile-recompute", AUDITED | {"steps": 2})
    report = run_gate(find_mechanism("turnstile-recompute", parameters=parameters), QUICK)
    assert report.verdict is Verdict.CERTIFIED, report.reason
    assert "100% of the promise" in report.reason
    assert again(report).startswith("panproof gate turnstile-recompute --set steps=2 --set rho=0.5 --set period=1")
