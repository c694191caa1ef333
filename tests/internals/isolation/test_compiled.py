"""Objects of compiled code: without a signature, without attributes, without a pickle."""

from __future__ import annotations

import json

import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.replay import estimator_of, replay_witness, witness_in
from pan_audits.events.observing.features import Subject, observation_features
from pan_audits.subject.isolation.data import Rebuilt, from_data, to_data
from pan_promises.errors import InputError
from pan_promises.promise import Promise

STATE = Promise.parse("epsilon=1,adjacency=user-level,observed=state")
OUTPUT = Promise.parse("epsilon=1,adjacency=user-level,observed=output")
QUICK = Settings(runs=3_000, confirmation_runs=3_000, seed=1, workers=0, accuracy_runs=0, exact=False, hygiene=False)
more = pytest.mark.more


def gate(name, promise=STATE, **parameters):
    place = name if ":" in name else f"tests.mechanisms.compiled:{name}"
    return run_gate(find_mechanism(place, parameters=parameters, promise=promise), QUICK)


@pytest.mark.parametrize(
    ("name", "parameters", "promise", "verdict"),
    [
        pytest.param("datasketches:hll_sketch", {"lg_k": 7}, STATE, Verdict.REFUTED, marks=more),
        pytest.param("Wrapped", {}, STATE, Verdict.REFUTED, marks=more),
        pytest.param("Marks", {}, STATE, Verdict.REFUTED, marks=more),
        pytest.param("MarksOfCoins", {}, STATE, Verdict.NOT_REFUTED, marks=more),
        pytest.param("Digest", {}, OUTPUT, Verdict.NOT_REFUTED, marks=more),
        pytest.param("DigestThatTells", {}, OUTPUT, Verdict.REFUTED, marks=more),
    ],
)
def test_the_bytes_that_an_object_writes_of_itself_are_its_state(name, parameters, promise, verdict):
    report = gate(name, promise, **parameters)
    assert report.verdict is verdict, report.reason
    if verdict is Verdict.REFUTED and promise is STATE:
        assert report.privacy.witness.loss > 4


def test_a_state_that_nobody_can_read_is_not_judged():
    with pytest.raises(InputError, match=r"cannot be read: give its class a method 'serialize'.*observed=output"):
        gate("Digest", STATE)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("datasketches:hll_sketch", {}, "give its parameters with --set NAME=VALUE, or name a function that makes it"),
        ("datasketches:hll_sketch", {"lg_k": 2}, "Invalid value of k: 2"),
        ("returns_nothing", {}, "must return the object to be judged"),
        ("sketch", {"wrong": 2}, "wrong"),
    ],
)
def test_what_cannot_be_made_gives_a_sentence_that_names_the_remedy(name, parameters, words):
    with pytest.raises(InputError, match=words) as refused:
        gate(name, **parameters)
    assert "\n" not in str(refused.value)


@pytest.mark.more
def test_a_witness_replays():
    report = gate("Wrapped")
    witness = witness_in(json.loads(json.dumps(report.to_dict())))
    again = replay_witness(witness, estimator_of(witness, "tests.mechanisms.compiled:Wrapped"), fresh=False, workers=0)
    assert again.identical
    assert again.verdict is Verdict.REFUTED


def test_the_ids_from_which_an_object_is_made_again_are_not_part_of_its_state():
    first, second = (Rebuilt(b"state", ids) for ids in ((1, 2), (3, "four", (5, 6))))
    read = from_data(to_data(second))
    assert (read.contents, read.__ids__) == (b"state", (3, "four", (5, 6)))
    rows = [observation_features([state], [], Subject(3)) for state in (first, second)]
    assert rows[0] == rows[1]
    assert rows[0]["contents.length"] == 5
