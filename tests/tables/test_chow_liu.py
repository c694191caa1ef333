"""The tree of Chow and Liu: no tree has a larger likelihood, and the exact check shows that it is not private."""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.judging.verdict import Verdict
from pan_audits.reports.check import check_lines
from pan_estimators import create_estimator
from pan_estimators.tables.chow_liu import ChowLiu
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Attribute, Schema, binary
from pan_estimators.tables.scores import MutualInformation
from pan_estimators.tables.structure import GreedyStructure, counts_of
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import from_the_root
from pan_promises.errors import InputError
from pan_promises.promise import Promise
from tests.tables.checking import checked
from tests.tables.test_exact_check import TWO

FOUR = Schema((Attribute("a", (0, 1)), Attribute("b", (0, 1, 2)), Attribute("c", (0, 1)), Attribute("d", (0, 1))))
PAIRS = list(combinations(range(4), 2))
TREES = [tree for tree in combinations(PAIRS, 3) if len(from_the_root(tree)) == 3]


def information(table, structure):
    return sum(float(MutualInformation().value(counts_of(table, one))) for one in structure)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.sampled_from(list(product((0, 1), (0, 1, 2), (0, 1), (0, 1)))), min_size=1, max_size=25))
def test_no_tree_has_a_larger_sum_of_informations_and_the_greedy_choice_of_degree_one_has_the_same(rows):
    table = Table.of(rows, FOUR)
    found = ChowLiu(FOUR).release(table)
    sums = [information(table, [(child, (parent,)) for child, parent in from_the_root(tree)]) for tree in TREES]
    assert len(TREES) == 16
    assert information(table, found) == pytest.approx(max(sums), abs=1e-9)
    greedy, chosen = GreedyStructure(FOUR), [(0, ())]
    for _ in range(3):
        chosen.append(greedy.best_choice(table, [place for place, _ in chosen]))
    assert information(table, chosen) == pytest.approx(max(sums), abs=1e-9)


def test_a_chain_is_found_and_its_network_has_the_frequencies_of_the_rows():
    # b follows d, a follows b, and c follows a: each with one exception less.
    rows = [(0, 0, 0, 0)] * 30 + [(1, 1, 1, 1)] * 30 + [(0, 0, 1, 0)] * 9 + [(1, 1, 1, 0)] * 3 + [(0, 1, 0, 1)] * 5
    table = Table.of(rows, FOUR)
    structure = create_estimator("chow-liu", schema=FOUR).release(rows)
    assert {frozenset((child, *parents)) for child, parents in structure if parents} == {
        frozenset(pair) for pair in [(1, 3), (0, 1), (0, 2)]
    }
    counts = [counts_of(table, one).ravel().tolist() for one in structure]
    likelihood = sum(math.log(one) for one in Network.from_counts(FOUR, structure, counts).probability(table))
    alone = sum(
        math.log(count / table.rows) * count for place in range(4) for count in table.counts((place,)).tolist() if count
    )
    assert likelihood == pytest.approx(alone + table.rows * information(table, structure), rel=1e-9)


def test_held_against_a_promise_the_tree_is_refuted():
    promise = Promise.parse("epsilon=5,adjacency=replace-row,public=n+schema,observed=transcript,intrusions=0")
    three = binary(3).to_dict()
    result = checked("chow-liu", 2, promise=promise, epsilon=None, schema=three)
    assert (result.verdict, result.loss.unbounded) == (Verdict.REFUTED, True)
    # With two attributes there is one tree, so that no pair of tables is worse than another.
    kept = checked("chow-liu", 2, promise=promise, epsilon=None, schema=TWO)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert "worst" not in dict(check_lines(kept))


@pytest.mark.parametrize(("schema", "sentence"), [(binary(1), "at least two attributes"), (5, "a schema is a dict")])
def test_a_bad_schema_gives_one_sentence(schema, sentence):
    with pytest.raises(InputError, match=sentence):
        ChowLiu(schema)


def test_without_a_promise_the_message_names_one_for_tables():
    with pytest.raises(InputError, match="epsilon=1,adjacency=replace-row,observed=output"):
        checked("chow-liu", 2, epsilon=None, schema=TWO)
