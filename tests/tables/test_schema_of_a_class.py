"""A class that is judged on tables of a given schema: it is made for them, or told to be for other tables."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from pan_audits.judging.verdict import Verdict
from pan_audits.subject.isolation.importing import of_its_tables
from pan_estimators.tables.schema import Attribute, Schema
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from tests.families.noisy_tables import NoisyCount
from tests.tables.broken import HalfTheScale

OTHER = Schema((Attribute("a", (0, 1)), Attribute("c", ("x", "y", "z"))))


@dataclass(frozen=True)
class OfEveryTable:
    """It names no tables of its own."""

    epsilon: float = 1.0


def test_a_class_with_a_schema_is_made_for_the_stated_tables():
    made = HalfTheScale(**of_its_tables(HalfTheScale, "it", {"epsilon": 0.5}, OTHER.problem(3)))
    assert (made.epsilon, made.rows, made.schema.sizes) == (0.5, 3, (2, 3))
    assert made.problem.schema == OTHER.problem(3).schema
    own = of_its_tables(HalfTheScale, "it", {"schema": OTHER.to_dict(), "rows": 2}, OTHER.problem(3))
    assert own == {"schema": OTHER.to_dict(), "rows": 2}


def test_a_class_of_other_tables_is_bad_input():
    with pytest.raises(InputError, match=r"the columns 'smoker' \(2 values\), and the schema of --schema has"):
        of_its_tables(NoisyCount, "it", {}, OTHER.problem(3))
    with pytest.raises(InputError, match="let it take a parameter 'schema'"):
        of_its_tables(HalfTheScale, "it", {"schema": OTHER.to_dict()}, Problem.of_table({"a": [0, 1]}, 3))
    same = Problem.of_table({"smoker": [0, 1]}, rows=2)
    assert of_its_tables(NoisyCount, "it", {"epsilon": 2.0}, same) == {"epsilon": 2.0}
    assert of_its_tables(OfEveryTable, "it", {}, OTHER.problem(3)) == {}


@pytest.mark.parametrize("command", ["check", "gate"])
def test_a_command_tells_it_in_one_sentence(panproof, tmp_path, command):
    (tmp_path / "s.json").write_text(json.dumps(OTHER.to_dict()))
    words = (command, "tests.families.noisy_tables:NoisyCount", "--epsilon", 1, "--schema", tmp_path / "s.json")
    assert "reads tables with the columns 'smoker'" in panproof(*words).one_sentence()


@pytest.mark.more
def test_a_class_is_checked_on_tables_of_a_given_schema(panproof, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(OTHER.to_dict()))
    found = panproof(
        *("check", "tests.tables.broken:HalfTheScale", "--epsilon", 1, "--rows", 1, "--json"),
        *("--schema", tmp_path / "s.json"),
    )
    assert found.code == Verdict.REFUTED.exit_code
    assert json.loads(found.out)["loss"]["nats"] == pytest.approx(2, rel=1e-12)
