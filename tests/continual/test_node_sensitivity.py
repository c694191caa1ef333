"""The sensitivity of tree nodes by dynamic programming, against all streams of a few entries."""

from __future__ import annotations

from itertools import combinations

import pytest

from pan_audits.continual import neighbour_machines
from pan_audits.continual.node_sensitivity import NodeSensitivity
from pan_audits.continual.truncation import Afterwards, Truncation
from pan_audits.inputs.turnstile.small import SmallStreams
from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.turnstile import Model
from pan_proofs.continual.claims.node_sensitivity import SENSITIVITIES
from pan_proofs.continual.dyadic_tree import squared_distance
from pan_proofs.continual.flippancy import flips, truncated
from pan_proofs.continual.pair_machines import PAIRS
from pan_proofs.continual.streams import existence

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
