"""The tables of an audit: those on which mechanisms fail, and mutated ones, which find leaks that no other shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.audit import privacy
from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.tables.mutation import mutated_tables
from pan_audits.problems.inputs.tables.tables import audited_tables, from_text
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.tables.mechanism import OnTables
from pan_estimators.tables.schema import binary
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem
from tests.public.tables.broken import a_member

ADJACENCIES = [Adjacency.REPLACE_ROW, Adjacency.ADD_ROW, Adjacency.REMOVE_ROW]


def texts_of(groups):
    return [tuple(group.labels[place] for place in pair) for group in groups for pair in group.adjacent]


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


@pytest.mark.parametrize("width", [1, 3, 15])
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_all_pairs_are_adjacent_and_the_first_ones_are_the_most_revealing(width, adjacency):
    groups = audited_tables(binary(width).problem(8), adjacency, 0, sizes=(20, 100_000))
    assert all(are_adjacent(one, other, adjacency) for _, one, other in pairs_of(groups))
    assert set(from_text(groups[0].labels[0])) == {(0,) * width}
    assert len(pairs_of(groups)) <= 100
    assert max(len(table) for _, *pair in pairs_of(groups) for table in pair) == (
        21 if adjacency is Adjacency.REPLACE_ROW else 22
    )
    if adjacency is Adjacency.REPLACE_ROW:
        # A row differs in one column, and in all of them.
        assert {1, width} <= {differ(one, other)[0] for _, one, other in pairs_of(groups)}
    else:
        # A number of rows from the code is tried with one row more and less.
        numbers = {tuple(sorted((len(one), len(other)))) for _, one, other in pairs_of(groups)}
        assert {(19, 20), (20, 21), (21, 22)} <= numbers


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


ROWS = 20
SETTINGS = Settings(runs=9_000, confirmation_runs=2_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)


@dataclass(frozen=True)
class MergesRareValues(OnTables):
    """Values of less than a fifth of the rows are left out before there is any noise; the others have noisy counts."""

    schema: Any = field(default_factory=lambda: binary(2))
    epsilon: float = 1.0
    rows: int = ROWS

    def release(self, table, randomness):
        counts = [sum(row[place] == value for row in table) for place in range(2) for value in (0, 1)]
        scale = 4 / self.epsilon
        return [randomness.laplace(one, scale) if 5 * one >= len(table) else None for one in counts]


@pytest.mark.more
def test_a_leak_at_a_share_of_the_rows_is_found_by_mutated_pairs_alone(monkeypatch):
    with a_member(MergesRareValues) as name:
        mechanism = find_mechanism(name, parameters={"epsilon": 1.0})
        report = run_gate(mechanism, SETTINGS)
        assert report.verdict is Verdict.REFUTED
        assert report.privacy.witness.pair.family.name == "mutated"
        monkeypatch.setattr(privacy, "GENERATIONS", 0)
        assert run_gate(mechanism, SETTINGS).verdict is Verdict.NOT_REFUTED
