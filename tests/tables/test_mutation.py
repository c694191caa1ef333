"""Leaks that no pair of the catalogue shows: mutated pairs find them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

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
from pan_promises.families import Family, register, withdraw

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


MEMBERS = {"merges-rare-values": MergesRareValues}


@pytest.fixture
def mechanism():
    # As a member of a family it is judged in this process, which takes less time.
    register("pan_estimators", Family("merging", {"members": f"{__name__}:MEMBERS"}))
    yield find_mechanism("merges-rare-values", parameters={"epsilon": 1.0})
    withdraw("pan_estimators", "merging")


@pytest.mark.more
def test_a_leak_at_a_share_of_the_rows_is_found_by_mutated_pairs_alone(mechanism, monkeypatch):
    report = run_gate(mechanism, SETTINGS)
    assert report.verdict is Verdict.REFUTED
    assert report.privacy.witness.pair.family.name == "mutated"
    monkeypatch.setattr(privacy, "GENERATIONS", 0)
    assert run_gate(mechanism, SETTINGS).verdict is Verdict.NOT_REFUTED


def shown(text, least):
    """The values of each column that are in so many rows."""
    columns = list(zip(*from_text(text), strict=True))
    return [{value for value in column if column.count(value) >= least} for column in columns]


def pairs_of(groups):
    return [tuple(group.labels[place] for place in pair) for group in groups for pair in group.adjacent]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("adjacency", "left_out"), [(Adjacency.REPLACE_ROW, 0), (Adjacency.ADD_ROW, 2)])
def test_two_generations_try_the_numbers_of_rows_that_the_catalogue_leaves_out(seed, adjacency, left_out):
    problem = binary(3).problem(ROWS)
    found = pairs_of(audited_tables(problem, adjacency, seed))

    def reached():
        return {
            least for least in range(2, ROWS) if any(shown(one, least) != shown(other, least) for one, other in found)
        }

    before = len(reached())
    for generation in range(2):
        found += pairs_of(mutated_tables(problem, adjacency, found[:8], 16, seed + generation, tried=found))
    assert len(reached()) >= ROWS - 2 - left_out > before


def test_a_pair_that_was_tried_is_not_made_again():
    problem = binary(2).problem(6)
    found = pairs_of(audited_tables(problem, Adjacency.REPLACE_ROW, 0))
    for seed in range(4):
        made = pairs_of(mutated_tables(problem, Adjacency.REPLACE_ROW, found[:8], 10, seed, tried=found))
        assert made
        assert not {frozenset(pair) for pair in made} & {frozenset(pair) for pair in found}
        found += made
