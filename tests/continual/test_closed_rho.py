"""The exact rho of a counter: the sensitivity of nodes for any number of steps, and certificates."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import ceil, log2

import numpy as np
import pytest

from pan_audits.continual import node_sensitivity as neighbour_machines
from pan_audits.continual.closed_rho import closed_rho, differences, noise_weights
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
from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.presence import Presence
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.turnstile import Model
from pan_proofs.continual.claims.node_sensitivity import SENSITIVITIES
from pan_proofs.continual.dyadic_tree import squared_distance
from pan_proofs.continual.flippancy import flips, truncated
from pan_proofs.continual.pair_machines import PAIRS
from pan_proofs.continual.streams import existence
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


def by_listing(steps, adjacency, model, rule):
    small = SmallStreams(1, steps, model, adjacency)
    vectors = [followed(existence(stream, 0), rule) for stream in small.streams]
    pairs = set()
    for block in small.blocks() if not small.in_groups else ():
        pairs |= {(vectors[one], vectors[other]) for one, other in block.tolist()}
    for group in small.groups() if small.in_groups else ():
        pairs |= set(combinations(sorted({vectors[place] for place in group.tolist()}), 2))
    return max((squared_distance(one, other) for one, other in pairs), default=0)


def agree(steps, rule, adjacency, model):
    return NodeSensitivity(rule, adjacency, model).squared(steps) == by_listing(steps, adjacency, model, rule)


@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
def test_it_is_the_largest_distance_over_all_streams(adjacency, model):
    assert all(agree(steps, rule, adjacency, model) for steps in (1, 2, 3, 4) for rule in RULES)


@pytest.mark.more
@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize("steps", [5, 6, 7])
def test_the_same_for_more_entries_and_incomplete_trees(steps, adjacency, model):
    assert all(agree(steps, rule, adjacency, model) for rule in RULES)


def item_level_existence(steps, model):
    """All pairs of existence vectors of item-neighbours. Counts that cannot come back to 0 in time are one count."""
    layer = {(0, 0, (), ())}
    for left in reversed(range(steps)):
        after = set()
        for one, other, bits, bits_of_other in layer:
            for sign, sign_of_other in PAIRS:
                a, b = (max(-left - 1, min(count, left + 1)) for count in (one + sign, other + sign_of_other))
                if model is Model.GENERAL or min(a, b) >= 0:
                    after.add((a, b, (*bits, int(a > 0)), (*bits_of_other, int(b > 0))))
        layer = after
    return {(bits, bits_of_other) for _, _, bits, bits_of_other in layer}


@pytest.mark.slow
@pytest.mark.parametrize("model", [Model.GENERAL, Model.STRICT])
def test_ten_entries_at_which_item_level_differs_between_the_models(model):
    known = item_level_existence(10, model)
    for bound, stated in ((1, 19), (2, 27), (3, 29)):
        pairs = {(truncated(one, bound), truncated(other, bound)) for one, other in known}
        assert max(squared_distance(one, other) for one, other in pairs) == stated
        assert NodeSensitivity(Truncation(bound), Adjacency.ITEM_LEVEL, model).squared(10) == stated
    assert NodeSensitivity(Truncation(2), Adjacency.ITEM_LEVEL, Model.TOGGLE).squared(10) == 23


def test_it_agrees_with_the_claim():
    for (kind, bound), stated in SENSITIVITIES.items():
        found = NodeSensitivity(Truncation(bound), Adjacency(f"{kind}-level"), Model.GENERAL)
        assert tuple(found.squared(2**height) for height in range(len(stated))) == stated


@pytest.mark.parametrize("flips_followed", [1, 2, 3, 4])
def test_a_million_entries_stay_below_the_printed_bound(flips_followed):
    found = NodeSensitivity(Truncation(flips_followed), Adjacency.ITEM_LEVEL, Model.GENERAL)
    large, smaller = found.squared(2**20), found.squared(2**19)
    assert smaller < large < 8 * flips_followed * 21
    assert large <= (8 * (flips_followed // 2) + 6) * 20 + 1


def test_counts_that_are_kept_too_narrowly_give_other_numbers(monkeypatch):
    kept = neighbour_machines._is_kept

    def narrow(counts, adjacency, model):
        return kept(counts, adjacency, Model.TOGGLE)

    monkeypatch.setattr(neighbour_machines, "_is_kept", narrow)
    assert not all(agree(3, rule, Adjacency.EVENT_LEVEL, Model.GENERAL) for rule in RULES)
    assert NodeSensitivity(Truncation(2), Adjacency.ITEM_LEVEL, Model.GENERAL).squared(10) != 27


@pytest.mark.parametrize("leaves", [0, -1, 2**41])
def test_the_number_of_leaves_has_a_range(leaves):
    with pytest.raises(InputError, match="number of leaves"):
        NodeSensitivity(Truncation(1), Adjacency.ITEM_LEVEL, Model.GENERAL).squared(leaves)


def test_adjacencies_of_tables_are_refused():
    with pytest.raises(InputError, match="turnstile streams have the adjacencies"):
        NodeSensitivity(Truncation(1), Adjacency.SITE, Model.GENERAL).squared(4)


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


@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
def test_the_nodes_that_outputs_reveal_have_the_largest_distance_over_all_streams(adjacency, model):
    for steps in (1, 2, 3, 4, 5):
        pairs = pairs_of(steps, adjacency, model)
        for rule in (Truncation(0), Truncation(1), Truncation(2), Truncation(1, Afterwards.LAST, first_entry=True)):
            listed = {(followed(one, rule), followed(other, rule)) for one, other in pairs}
            largest = max(
                sum((a - b) ** 2 for a, b in zip(shown_nodes(one), shown_nodes(other), strict=True))
                for one, other in listed
            )
            assert NodeSensitivity(rule, adjacency, model).squared_of_outputs(steps) == largest


@pytest.mark.parametrize("adjacency", OF_TURNSTILE_STREAMS)
@pytest.mark.parametrize("model", Model)
def test_the_differences_are_those_of_all_pairs(adjacency, model):
    rule = Truncation(2, Afterwards.LAST, first_entry=True)
    listed = set()
    for one, other in pairs_of(4, adjacency, model):
        gap = np.subtract(followed(one, rule), followed(other, rule))
        listed |= {tuple(np.diff(sign * gap, prepend=0).tolist()) for sign in (1, -1)}
    found = set(map(tuple, differences(rule, adjacency, model, 4).tolist()))
    # The machines read pairs in one order for item level, and equal streams too.
    assert {tuple(sign * np.array(one)) for one in found for sign in (1, -1)} - {(0, 0, 0, 0)} == listed - {
        (0, 0, 0, 0)
    }


def test_the_noise_of_the_code_is_that_of_the_tree():
    counter = TurnstileGivenFlippancy(steps=8, rho=0.5, flippancy=1)
    weights = noise_weights(counter, 8) / counter.node_noise
    assert weights.sum(axis=1).tolist() == [time.bit_count() for time in range(1, 9)]


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


@pytest.mark.parametrize("flippancy", [1, 2, 3])
def test_the_noise_of_decaying_sums_covers_all_differences_of_ten_entries(flippancy):
    formula = closed_rho(CalibratedTurnstile(steps=10, rho=0.5, flippancy=flippancy))
    assert 0.2 < float(formula.of_streams(10)) / 0.5 <= 1
    # Two changes more would be too many.
    looser = differences(
        Truncation(flippancy + 2, Afterwards.LAST, first_entry=True), Adjacency.ITEM_LEVEL, Model.GENERAL, 10
    )
    own = differences(Truncation(flippancy, Afterwards.LAST, first_entry=True), Adjacency.ITEM_LEVEL, Model.GENERAL, 10)
    assert len(looser) > len(own)


def test_presence_is_nearly_tight_for_many_entries():
    formula = closed_rho(Presence(steps=100, rho=0.5))
    assert 0.75 < float(formula.of_streams(100)) / 0.5 <= 1


def checked(parameters, length=3):
    mechanism = find_mechanism("turnstile-given-flippancy", parameters={"rho": 0.5, **parameters})
    return mechanism, run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=length))


@pytest.mark.more
def test_a_certificate_of_listed_differences_covers_few_entries():
    longer = find_mechanism("calibrated-turnstile", parameters={"steps": 64, "rho": 0.5, "flippancy": 1})
    certificate = certify(longer, run_check(SmallInstances.of(longer), CheckSettings(users=1, length=3)))
    assert not certificate.agrees
    assert "computed for 12 of 64 entries" in certificate.why_not


@pytest.mark.more
def test_a_million_entries_are_a_part_of_the_evidence():
    mechanism, check = checked({"steps": 2**20, "flippancy": 2})
    certificate = certify(mechanism, check)
    assert certificate.agrees
    assert (certificate.entries, certificate.configured) == (2**20, 2**20)
    assert check.loss.nats < certificate.loss <= 0.5
    assert "proved for every number of entries" in certificate.describe()
    assert json.loads(json.dumps(certificate.to_dict()))["entries"] == 2**20


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


@pytest.mark.more
def test_a_check_that_reaches_no_truncation_is_made_longer_or_certifies_nothing():
    mechanism, check = checked({"steps": 64, "flippancy": 1}, length=2)
    certificate = certify(mechanism, check)
    assert certificate.agrees
    assert certificate.checked_loss > check.loss.nats
    mechanism, check = checked({"steps": 64, "flippancy": 5}, length=3)
    certificate = certify(mechanism, check)
    assert certificate.confirmed
    assert not certificate.agrees
    assert "too short" in certificate.why_not


def test_a_check_without_any_noise_confirms_nothing():
    mechanism = find_mechanism("turnstile-recompute", parameters={"steps": 16, "rho": 0.5, "period": 8})
    check = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=3))
    assert check.loss.nats == 0
    assert not certify(mechanism, check).agrees
