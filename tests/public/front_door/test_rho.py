"""A promise of a rho, from Python: the audit judges it, the exact check says why it does not."""

from __future__ import annotations

import json

import jsonschema
import pytest

import panproof
from pan_audits.audit.replay import replay_witness
from pan_audits.audit.witness import Witness
from pan_audits.reports.text import gate_lines
from pan_audits.subject.intake.discovery import find_thing
from pan_promises.errors import InputError
from pan_promises.promise import Promise
from panproof import Verdict
from tests.command import schema_of


def halved(data, rng):
    """Half of the noise that rho 1/2 needs: its rho is 2."""
    return data + rng.normal(0, 0.5)


QUICK = {"runs": 4000, "confirmation_runs": 4000, "seed": 1, "jobs": 1}


@pytest.fixture(scope="module")
def refuted():
    return panproof.audit(halved, 0.0, 1.0, rho=0.5, **QUICK)


def test_half_of_the_noise_is_refuted_with_the_bound_and_the_conversion(refuted):
    assert refuted.verdict is Verdict.REFUTED
    assert 1.0 < refuted.rho < 2.0
    assert refuted.report.promise == Promise.parse("rho=0.5,adjacency=given,observed=output,intrusions=0")
    lines = dict(gate_lines(refuted.report))
    assert lines["rho"] == f"at least {refuted.rho:.3g}, promised 0.5"
    assert "rho 0.5 implies epsilon 5.75652 at delta 1e-06" in lines["conversion"]
    assert "promise inf" not in repr(refuted)


def test_its_document_follows_the_schema(refuted):
    document = json.loads(json.dumps(refuted.to_dict()))
    jsonschema.Draft202012Validator(schema_of("gate")).validate({"panproof": 1, **document})
    assert document["privacy"]["rho_at_least"] == refuted.rho


def test_its_witness_is_replayed_with_the_same_and_with_fresh_runs(refuted):
    witness = Witness.from_dict(json.loads(json.dumps(refuted.witness.to_dict())))
    made = find_thing(halved, (0.0, 1.0), rho=0.5, parameters={}).estimator
    same = replay_witness(witness, made, fresh=False, workers=1)
    assert same.identical
    assert same.bound == refuted.rho
    assert same.verdict is Verdict.REFUTED
    jsonschema.Draft202012Validator(schema_of("replay")).validate({"panproof": 1, **same.to_dict()})
    fresh = replay_witness(witness, made, fresh=True, workers=1)
    assert not fresh.identical
    assert 1.0 < fresh.bound < 2.0


@pytest.mark.more
def test_the_exact_noise_is_not_refuted_and_batches_refute_nothing():
    def normal(data, rng, size=None):
        return data + rng.normal(0, 1, size=size)

    result = panproof.audit(normal, 0.0, 1.0, rho=0.5, runs=20_000, seed=1, jobs=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert 0.3 < result.rho < 0.5
    assert 0.5 < result.report.privacy.singly < 1


def test_the_exact_check_follows_normal_noise():
    result = panproof.check(halved, 0.0, 1.0, rho=0.5)
    assert (result.verdict, result.loss) == (Verdict.REFUTED, 2.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rho": 0.5, "epsilon": 1.0}, "either a rho, or an epsilon"),
        ({"rho": -1.0}, "rho of a promise must be positive"),
        ({"adjacency": "given"}, "with an epsilon only, or with a rho"),
    ],
)
def test_contradictory_budgets_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        panproof.audit(halved, 0.0, 1.0, **options)
