"""Scores, beside independent computations and their largest change; and the tree of Chow and Liu, beside all trees."""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.judging.verdict import Verdict
from pan_audits.reports.text import check_lines
from pan_estimators.tables.chow_liu import ChowLiu
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Attribute, Schema, binary
from pan_estimators.tables.scores import SCORES, MutualInformation
from pan_estimators.tables.structure import GreedyStructure, counts_of
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import from_the_root
from pan_promises.promise import Promise
from tests.public.tables.broken import TWO, checked


def tables(shape, rows):
    cells = list(np.ndindex(*shape))
    for chosen in combinations_with_replacement(range(len(cells)), rows):
        yield np.bincount(chosen, minlength=len(cells)).reshape(shape)


def information(counts):
    joint = counts / counts.sum()
    both = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float((joint[joint > 0] * np.log(joint[joint > 0] / both[joint > 0])).sum())


def independence(counts):
    joint = counts / counts.sum()
    return float(np.abs(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum() / 2)


def dependence(counts):
    # Every way to give each column to one of the two values, whose places then share a half each as well as they can.
    joint = counts / counts.sum()
    least = min(
        sum(
            max(0.0, 0.5 - sum(joint[value, place] for place, owner in enumerate(way) if owner == value))
            for value in (0, 1)
        )
        for way in product((0, 1), repeat=joint.shape[1])
    )
    return -least


@pytest.mark.parametrize(
    ("name", "formula", "shape"),
    [
        ("mutual-information", information, (2, 3)),
        ("mutual-information", information, (3, 3)),
        ("R", independence, (3, 2)),
        ("F", dependence, (2, 4)),
    ],
)
def test_a_score_is_its_formula(name, formula, shape):
    for counts in tables(shape, 4):
        assert float(SCORES[name].value(counts)) == pytest.approx(formula(counts), abs=1e-12)


@pytest.mark.parametrize("rows", [2, 5])
@pytest.mark.parametrize(
    ("name", "shape", "attained"),
    [
        ("mutual-information", (2, 3), True),
        ("mutual-information", (3, 3), False),
        ("R", (2, 2), False),
        ("F", (2, 2), True),
        ("F", (2, 4), True),
    ],
)
def test_no_row_changes_a_score_by_more_than_its_sensitivity(name, shape, attained, rows):
    score = SCORES[name]
    known = {counts.tobytes(): float(score.value(counts)) for counts in tables(shape, rows)}
    largest = 0.0
    for counts in tables(shape, rows):
        for source, target in product(np.ndindex(*shape), repeat=2):
            if counts[source]:
                moved = counts.copy()
                moved[source] -= 1
                moved[target] += 1
                largest = max(largest, abs(known[moved.tobytes()] - known[counts.tobytes()]))
    bound = float(score.sensitivity(rows, *shape))
    assert largest <= bound + 1e-12
    if attained:
        assert largest == pytest.approx(bound, abs=1e-12)


def test_large_tables_have_the_same_values_as_doubles(monkeypatch):
    counts = np.array([[5, 1, 3], [2, 4, 1]])
    exact = [float(MutualInformation().value(counts))]
    exact += [float(MutualInformation().sensitivity(16, *shape)) for shape in ((2, 3), (3, 3))]
    monkeypatch.setattr("pan_estimators.tables.scores.EXACT_ROWS", 1)
    rounded = [MutualInformation().value(counts)]
    rounded += [MutualInformation().sensitivity(16, *shape) for shape in ((2, 3), (3, 3))]
    assert rounded == pytest.approx(exact, rel=1e-13)


FOUR = Schema((Attribute("a", (0, 1)), Attribute("b", (0, 1, 2)), Attribute("c", (0, 1)), Attribute("d", (0, 1))))
PAIRS = list(combinations(range(4), 2))
TREES = [tree for tree in combinations(PAIRS, 3) if len(from_the_root(tree)) == 3]


def informations(table, structure):
    return sum(float(MutualInformation().value(counts_of(table, one))) for one in structure)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.sampled_from(list(product((0, 1), (0, 1, 2), (0, 1), (0, 1)))), min_size=1, max_size=25))
def test_no_tree_has_a_larger_sum_of_informations_and_the_greedy_choice_of_degree_one_has_the_same(rows):
    table = Table.of(rows, FOUR)
    found = ChowLiu(FOUR).release(table)
    sums = [informations(table, [(child, (parent,)) for child, parent in from_the_root(tree)]) for tree in TREES]
    assert len(TREES) == 16
    assert informations(table, found) == pytest.approx(max(sums), abs=1e-9)
    greedy, chosen = GreedyStructure(FOUR), [(0, ())]
    for _ in range(3):
        chosen.append(greedy.best_choice(table, [place for place, _ in chosen]))
    assert informations(table, chosen) == pytest.approx(max(sums), abs=1e-9)
    # The likelihood of the network of the tree is the one of the columns alone, and that of the informations.
    counts = [counts_of(table, one).ravel().tolist() for one in found]
    likelihood = sum(math.log(one) for one in Network.from_counts(FOUR, found, counts).probability(table))
    columns = [count for place in range(4) for count in table.counts((place,)).tolist() if count]
    alone = sum(math.log(count / table.rows) * count for count in columns)
    assert likelihood == pytest.approx(alone + table.rows * informations(table, found), rel=1e-9)


def test_held_against_a_promise_the_tree_is_refuted():
    promise = Promise.parse("epsilon=5,adjacency=replace-row,public=n+schema,observed=transcript,intrusions=0")
    three = binary(3).to_dict()
    result = checked("chow-liu", 2, promise=promise, epsilon=None, schema=three)
    assert (result.verdict, result.loss.unbounded) == (Verdict.REFUTED, True)
    # With two attributes there is one tree, so that no pair of tables is worse than another.
    kept = checked("chow-liu", 2, promise=promise, epsilon=None, schema=TWO)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert "worst" not in dict(check_lines(kept))
