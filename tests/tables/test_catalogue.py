"""The tables of an audit: those on which mechanisms fail, and mutated ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.problems.inputs.tables.mutation import mutated_tables
from pan_audits.problems.inputs.tables.tables import audited_tables, from_text
from pan_estimators.tables.schema import binary
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem

ADJACENCIES = [Adjacency.REPLACE_ROW, Adjacency.ADD_ROW, Adjacency.REMOVE_ROW]


def pairs_of(groups):
    return [
        (group.name, *(from_text(group.labels[place]) for place in pair)) for group in groups for pair in group.adjacent
    ]


def differ(one, other):
    """The values that differ in each row that differs."""
    return [
        sum(a != b for a, b in zip(*rows, strict=True)) for rows in zip(one, other, strict=True) if rows[0] != rows[1]
    ]


def are_adjacent(one, other, adjacency):
    if adjacency is Adjacency.REPLACE_ROW:
        return len(one) == len(other) and len(differ(one, other)) == 1
    small, large = sorted((one, other), key=len)
    return any(large[:place] + large[place + 1 :] == small for place in range(len(large)))


@pytest.mark.parametrize("width", [1, 2, 3, 15])
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_all_pairs_are_adjacent_and_the_first_ones_are_the_most_revealing(width, adjacency):
    groups = audited_tables(binary(width).problem(8), adjacency, 0, sizes=(20, 100_000))
    assert all(are_adjacent(one, other, adjacency) for _, one, other in pairs_of(groups))
    assert set(from_text(groups[0].labels[0])) == {(0,) * width}
    assert len(pairs_of(groups)) <= 100
    assert max(len(table) for _, *pair in pairs_of(groups) for table in pair) == (
        21 if adjacency is Adjacency.REPLACE_ROW else 22
    )


def test_a_row_differs_in_one_column_and_in_all_of_them():
    found = pairs_of(audited_tables(binary(15).problem(8), Adjacency.REPLACE_ROW, 0))
    numbers = {differ(one, other)[0] for _, one, other in found}
    columns = {
        place
        for _, one, other in found
        for rows in zip(one, other, strict=True)
        if sum(a != b for a, b in zip(*rows, strict=True)) == 1
        for place, values in enumerate(zip(*rows, strict=True))
        if values[0] != values[1]
    }
    assert {1, 15} <= numbers
    assert {0, 1, 14} <= columns


def test_the_kinds_of_worst_tables_are_there():
    found = pairs_of(audited_tables(binary(3).problem(8), Adjacency.REPLACE_ROW, 0))
    once = [(one, other) for name, one, other in found if name == "a category that occurs once"]
    assert all(1 in Counter(row[0] for row in one).values() for one, _ in once)
    assert any(len({row[0] for row in other}) == 1 for _, other in once)
    emptied = [(one, other) for name, one, other in found if name == "a cell that one row fills"]
    assert all(Counter(row[:2] for row in one)[1, 1] == 1 for one, _ in emptied)
    assert any(Counter(row[:2] for row in other)[1, 1] == 0 for _, other in emptied)
    (dependent,) = {one for name, one, _ in found if name == "a dependent pair of columns"}
    assert all(row[0] == row[1] for row in dependent)
    (independent,) = {one for name, one, _ in found if name == "an independent pair of columns"}
    assert set(Counter(row[:2] for row in independent).values()) == {2}


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_a_pair_of_values_that_is_rare_among_many_rows(adjacency):
    found = pairs_of(audited_tables(binary(3).problem(64), adjacency, 0))
    rare = [(one, other) for name, one, other in found if name == "a rare pair of values"]
    assert {one for one, _ in rare} == {((0, 0, 0),) * 63 + ((1, 1, 0),)}
    assert [other[-1] for _, other in rare] == [(1, 0, 1), (0, 1, 1)]
    for few, width in ((63, 3), (64, 2)):
        assert "a rare pair of values" not in {
            group.name for group in audited_tables(binary(width).problem(few), adjacency, 0)
        }


def test_a_number_of_rows_from_the_code_is_tried_with_one_row_more_and_less():
    found = pairs_of(audited_tables(binary(2).problem(4), Adjacency.ADD_ROW, 0, sizes=(9,)))
    assert {(8, 9), (9, 10), (10, 11)} <= {(len(one), len(other)) for _, one, other in found}


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(1, 6),
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    adjacency=st.sampled_from(ADJACENCIES),
)
def test_mutated_pairs_are_new_and_adjacent(seed, rows, sizes, adjacency):
    problem = Problem.of_table({f"c{place}": list(range(size)) for place, size in enumerate([2, *sizes])}, rows=rows)
    groups = audited_tables(problem, adjacency, seed)
    parents = [tuple(group.labels[place] for place in group.adjacent[0]) for group in groups]
    mutated = mutated_tables(problem, adjacency, parents, 6, seed)
    assert all(are_adjacent(one, other, adjacency) for _, one, other in pairs_of(mutated))
    assert not {frozenset(group.labels) for group in mutated} & {frozenset(pair) for pair in parents}
    assert len({group.labels for group in mutated}) == len(mutated)
    assert mutated == mutated_tables(problem, adjacency, parents, 6, seed)


def test_mutation_repeats_the_row_in_which_a_pair_differs():
    problem = Problem.of_table({name: [0, 1] for name in "abcd"}, rows=8)
    rare = (1, 0, 1, 0)
    parent = ("[" + ",".join(["[0,0,0,0]"] * 8) + "]", "[[1,0,1,0]," + ",".join(["[0,0,0,0]"] * 7) + "]")
    children = pairs_of(mutated_tables(problem, Adjacency.REPLACE_ROW, [parent], 64, 0))
    numbers = {sum(row == rare for row in one) for _, *pair in children for one in pair}
    assert {0, 1, 2, 3} <= numbers
