"""The exact rho of a counter: the sensitivity of nodes for any number of steps, and certificates."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import ceil, log2

import numpy as np
import pytest

from pan_audits.continual import node_sensitivity as neighbour_machines
from pan_audits.continual.closed_rho import closed_rho, differences
from pan_audits.continual.node_sensitivity import Afterwards, NodeSensitivity, Truncation
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gate.certificate import certify
from pan_audits.gate.gate import _overall
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.turnstile.small import SmallStreams
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.continual import given_flippancy
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.turnstile import Model
from pan_proofs.continual.claims.tree import SENSITIVITIES
from pan_proofs.continual.dyadic_tree import squared_distance
from pan_proofs.continual.streams import existence, flips, truncated
from tests.turns import every

RULES = [
    Truncation(0),
    Truncation(1),
    Truncation(2),
    Truncation(3),
    Truncation(1, Afterwards.LAST),
    Truncation(2, Afterwards.LAST, first_entry=True),
    Truncation(1, first_entry=True),
]


def followed(bits, rule):
    """The counted values from the definition: by the flips up to each entry."""
    if rule == Truncation(rule.flips):
        return truncated(bits, rule.flips)
    seen = (0, *bits) if rule.first_entry else bits
    offset = len(seen) - len(bits)
    kept = [flips(seen[: place + 1 + offset]) <= rule.flips for place in range(len(bits))]
    last = bits[kept.count(True) - 1] if kept[0] else 0
    rest = last if rule.afterwards is Afterwards.LAST else 0
    return tuple(bit if one else rest for bit, one in zip(bits, kept, strict=True))


def pairs_of(steps, adjacency, model):
    """All pairs of existence vectors of adjacent streams of one element."""
    small = SmallStreams(1, steps, model, adjacency)
    vectors = [existence(stream, 0) for stream in small.streams]
    if small.in_groups:
        places = (pair for group in small.groups() for pair in combinations(group.tolist(), 2))
    else:
        places = (pair for block in small.blocks() for pair in block.tolist())
    return {(vectors[one], vectors[other]) for one, other in places}


def shown_nodes(vector):
    """The values of the nodes that outputs use: one ends at each time."""
    sums = (0, *vector)
    return [sums[time] - sums[time - (time & -time)] for time in range(1, len(sums))]


def agree(steps, adjacency, model):
    """Whether the distances of all nodes, and of those that outputs reveal, are the largest ones over all streams."""
    pairs, agreed = pairs_of(steps, adjacency, model), True
    for rule in RULES:
        listed = {(followed(one, rule), followed(other, rule)) for one, other in pairs}
        found = NodeSensitivity(rule, adjacency, model)
        shown = (
            sum((a - b) ** 2 for a, b in zip(shown_nodes(one), shown_nodes(other), strict=True))
            for one, other in listed
        )
        agreed &= found.squared_of_outputs(steps) == max(shown, default=0)
        agreed &= found.squared(steps) == max((squared_distance(one, other) for one, other in listed), default=0)
    return agreed


@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize("steps", [1, 2, 3, 4, pytest.param(6, marks=pytest.mark.more)])
def test_it_is_the_largest_distance_over_all_streams(steps, adjacency, model):
    assert agree(steps, adjacency, model)


def test_it_agrees_with_the_claim_and_with_ten_entries_at_which_the_models_differ():
    for (kind, bound), stated in SENSITIVITIES.items():
        found = NodeSensitivity(Truncation(bound), Adjacency(f"{kind}-level"), Model.GENERAL)
        assert tuple(found.squared(2**height) for height in range(len(stated))) == stated
    for model, stated in ((Model.GENERAL, 27), (Model.TOGGLE, 23)):
        assert NodeSensitivity(Truncation(2), Adjacency.ITEM_LEVEL, model).squared(10) == stated
    refused = ((Adjacency.ITEM_LEVEL, 0, "number of leaves"), (Adjacency.SITE, 4, "streams have"))
    for adjacency, leaves, sentence in refused:
        with pytest.raises(InputError, match=sentence):
            NodeSensitivity(Truncation(1), adjacency, Model.GENERAL).squared(leaves)


def test_counts_that_are_kept_too_narrowly_give_other_numbers(monkeypatch):
    kept = neighbour_machines._is_kept

    def narrow(counts, adjacency, model):
        return kept(counts, adjacency, Model.TOGGLE)

    monkeypatch.setattr(neighbour_machines, "_is_kept", narrow)
    assert not agree(3, Adjacency.EVENT_LEVEL, Model.GENERAL)
    assert NodeSensitivity(Truncation(2), Adjacency.ITEM_LEVEL, Model.GENERAL).squared(10) != 27


@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
def test_the_differences_are_those_of_all_pairs(adjacency, model):
    rule = Truncation(2, Afterwards.LAST, first_entry=True)
    listed = {(0, 0, 0, 0)}
    for one, other in pairs_of(4, adjacency, model):
        gap = np.subtract(followed(one, rule), followed(other, rule))
        listed |= {tuple(np.diff(sign * gap, prepend=0).tolist()) for sign in (1, -1)}
    # The machines read pairs in one order for item level, and equal streams too.
    found = differences(rule, adjacency, model, 4)
    assert {tuple(one) for one in [*found.tolist(), *(-found).tolist(), [0] * 4]} == listed


@pytest.mark.parametrize(
    ("name", "parameters"),
    every(
        2,
        [
            ("turnstile-given-flippancy", {"flippancy": 1}),
            ("turnstile-given-flippancy", {"flippancy": 2, "model": "toggle"}),
            ("turnstile-recompute", {"period": 2}),
            ("presence", {}),
            ("calibrated-turnstile", {"flippancy": 1}),
        ],
    ),
)
def test_the_formula_is_the_loss_of_the_code_on_every_small_stream(name, parameters):
    mechanism = find_mechanism(name, parameters={"steps": 16, "rho": 0.25, **parameters})
    found = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=4))
    formula = closed_rho(mechanism.estimator.owner)
    for row in found.coverage:
        assert float(formula.of_streams(row.length)) == pytest.approx(row.loss.nats, rel=formula.rounding)


@pytest.mark.parametrize("flippancy", [1, 3])
def test_the_noise_of_decaying_sums_covers_all_differences_of_ten_entries(flippancy):
    formula = closed_rho(CalibratedTurnstile(steps=10, rho=0.5, flippancy=flippancy))
    assert 0.2 < float(formula.of_streams(10)) / 0.5 <= 1
    assert 0.75 < float(closed_rho(Presence(steps=100, rho=0.5)).of_streams(100)) / 0.5 <= 1


def checked(parameters, length=3):
    mechanism = find_mechanism("turnstile-given-flippancy", parameters={"rho": 0.5, **parameters})
    return mechanism, run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=length))


def test_noise_for_half_of_the_levels_passes_small_streams_and_fails_by_its_sensitivity(monkeypatch):
    """On streams of 3 entries nothing shows. The gate refutes by the nodes of a million entries."""
    monkeypatch.setattr(given_flippancy, "levels", lambda steps: ceil(log2(steps)) // 2 + 1)
    mechanism, check = checked({"steps": 2**20, "flippancy": 1})
    assert check.verdict is Verdict.NOT_REFUTED
    certificate = certify(mechanism, check)
    assert certificate.exceeded
    assert not certificate.agrees
    verdict, reason = _overall("", [], [], None, check, certificate)
    assert verdict is Verdict.REFUTED
    assert "1,048,576 entries" in reason


def test_there_is_no_certificate_without_a_claim_or_for_another_promise(monkeypatch):
    mechanism = find_mechanism("turnstile-given-flippancy", parameters={"steps": 6, "rho": 0.5, "flippancy": 1})
    check = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=3))
    assert certify(mechanism, check).agrees
    monkeypatch.setattr(
        "pan_audits.gate.certificate.closed_rho", lambda counter: replace(closed_rho(counter), claim="")
    )
    certificate = certify(mechanism, check)
    assert certificate.confirmed
    assert not certificate.agrees
    assert "no claim proves" in certificate.why_not
    monkeypatch.undo()
    event = replace(mechanism, promise=replace(mechanism.promise, adjacency=Adjacency.EVENT_LEVEL))
    assert certify(event, check) is None


def test_a_check_that_reaches_no_truncation_is_made_longer_or_certifies_nothing():
    mechanism, check = checked({"steps": 64, "flippancy": 1}, length=2)
    certificate = certify(mechanism, check)
    assert certificate.agrees
    assert certificate.checked_loss > check.loss.nats
    assert (certificate.entries, certificate.configured) == (64, 64)
    assert json.loads(json.dumps(certificate.to_dict()))["entries"] == 64
    mechanism, check = checked({"steps": 64, "flippancy": 5}, length=3)
    certificate = certify(mechanism, check)
    assert certificate.confirmed
    assert not certificate.agrees
    assert "too short" in certificate.why_not
