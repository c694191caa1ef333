"""Bad input of mechanisms on tables: one sentence and exit code 2; and small tables that are no bad input."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import Attribute, Schema, binary
from pan_promises.errors import InputError
from tests.tables.synthesizers import DOMAINS

OVER_SITES = [
    "distributed-parameters",
    "noisy-sufficient-statistics",
    "noisy-majority-vote",
    "printed-majority-vote",
    "noisy-shared-model",
    "printed-shared-model",
]
LEARNERS = ["privbayes", "printed-privbayes", *OVER_SITES]
WIDE = Schema(tuple(Attribute(f"c{place}", tuple(range(100))) for place in range(4)))


def attributes(*given):
    return {"attributes": list(given)}


BIT = {"name": "a", "values": [0, 1]}


@pytest.mark.parametrize(
    ("schema", "words", "sentence"),
    [
        (attributes(BIT), (), "a network needs at least two attributes, and the schema has one"),
        (attributes(BIT, {"name": "b", "values": [0]}), (), "the attribute 'b' must have 2 to 256 categories, got 1"),
        (attributes(BIT, BIT), (), "a schema names each attribute once, got 'a' twice"),
        (attributes(BIT, {"name": "b"}), (), "the attribute 'b' has either values or edges of bins"),
        (binary(2).to_dict(), ("--set", "degree=2"), "the degree must be between 1 and 1, got 2"),
        (binary(2).to_dict(), ("--set", "degree=0"), "the degree must be between 1 and 1, got 0"),
        (binary(2).to_dict(), ("--rows", 0), "--users: the value should be greater than or equal to 1, got '0'"),
        (binary(2).to_dict(), ("--epsilon", 0), "--epsilon must be positive and finite, got 0.0"),
        (binary(2).to_dict(), ("--epsilon", -1), "--epsilon must be positive and finite, got -1.0"),
        (
            WIDE.to_dict(),
            ("--set", "degree=3"),
            "joint distributions of 4 attributes have up to 100,000,000 cells, more than 1,000,000",
        ),
    ],
)
@pytest.mark.parametrize("name", ["privbayes", "noisy-majority-vote"])
def test_a_bad_schema_or_setting_gives_one_sentence_and_exit_code_2(panproof, tmp_path, name, schema, words, sentence):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(schema))
    budget = () if "--epsilon" in words else ("--epsilon", 1)
    assert panproof("check", name, "--schema", file, *budget, *words).one_sentence() == f"panproof: {sentence}\n"


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        (
            "noisy-joints",
            (),
            "--sampled is for a synthesizer of your own; noisy-joints promises what leaves the holder of a table",
        ),
        (
            "tests.tables.synthesizers:Margins",
            ("--promise", "epsilon=1,adjacency=replace-row,observed=transcript"),
            "--sampled needs a promise with observed=sample, got observed=transcript",
        ),
    ],
)
def test_a_number_of_sampled_rows_is_for_a_sample(panproof, tmp_path, name, words, sentence):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(Schema(tuple(Attribute(*one) for one in DOMAINS.items())).to_dict()))
    given = ("--schema", file, "--epsilon", 1, "--sampled", 50, *words)
    assert panproof("gate", name, *given).one_sentence() == f"panproof: {sentence}\n"


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "the table has no rows"),
        ([(0, 0, 2)], "the value 2 of 'c' is not in its domain"),
        ([(0, 0, 0.5)], "an attribute of numbers needs edges"),
        ([(0, 0)], "a row has 3 values"),
        ({"a": [0], "b": [0]}, "the data has no column 'c'"),
        ([(0, None, 0)], "a value of 'b' is missing"),
    ],
)
def test_bad_rows_give_one_sentence_and_no_noise_is_drawn(name, rows, sentence):
    mechanism = create_estimator(name, epsilon=1.0, schema=binary(3))
    source = NumpyRandomness(1)
    with pytest.raises(InputError, match=sentence):
        mechanism.release(rows, source)
    assert source.random() == NumpyRandomness(1).random()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("rows", [[(0, 1, 1)], [(0, 1, 1)] * 5, [(0, 0, 0), (0, 1, 1)]])
def test_one_row_and_constant_columns_are_no_bad_input(name, rows):
    mechanism = create_estimator(name, epsilon=1.0, schema=binary(3))
    model = mechanism.post_process(mechanism.release(rows, NumpyRandomness(1)))
    assert len(mechanism.sample(model, 4, NumpyRandomness(2))) == 4


def test_too_many_marginals_are_refused_with_their_number():
    with pytest.raises(InputError, match=r"each site would share [\d,]+ (marginals|counts), more than 1,000,000"):
        create_estimator("noisy-sufficient-statistics", epsilon=1.0, schema=binary(26), degree=8)
    structure = ((0, ()), (1, (0,)), (2, (0, 1)), (3, (0, 1, 2)))
    with pytest.raises(InputError, match=r"has 100,000,000 cells, more than 1,000,000"):
        create_estimator("distributed-parameters", epsilon=1.0, schema=WIDE, structure=structure)


@pytest.mark.parametrize("name", ["privbayes", "calibrated-tree", "adaptive-marginals", "noisy-majority-vote"])
@pytest.mark.parametrize("budget", [1e101, 1e300, 10**400])
def test_a_budget_of_nearly_no_noise_is_refused(name, budget):
    with pytest.raises(InputError, match=r"epsilon must be at most 1e\+100, got 1"):
        create_estimator(name, epsilon=budget, schema=binary(3))


def test_a_sample_without_end_is_refused():
    model = create_estimator("privbayes", epsilon=1.0, schema=binary(2))
    network = model.post_process(model.release([(0, 1)], NumpyRandomness(1)))
    with pytest.raises(InputError, match="the number of rows must be between 1 and 100000000, got 1000000000000"):
        model.sample(network, 10**12, NumpyRandomness(1))


WRONG = """
import inspect
from pan_estimators.tables.members import MEMBERS
wrong = {"epsilon": -1.0, "degree": 99, "selection": 2.0, "singles": 2.0, "beta": 7.0, "score": "none", "rows": 0,
         "cells": 0, "rho": -1.0, "sites": 0, "partition": "none", "clip": "none", "known": 5, "schema": 5}
for name, made in MEMBERS.items():
    for parameter in inspect.signature(made).parameters.keys() & wrong.keys():
        try:
            made(**{parameter: wrong[parameter]})
        except Exception as problem:
            if type(problem).__name__ == "InputError":
                continue
        print(name, parameter)
print("tried with assertions" if __debug__ else "tried without assertions")
"""


def test_an_optimized_interpreter_refuses_the_same_parameters():
    run = subprocess.run([sys.executable, "-O", "-c", WRONG], capture_output=True, text=True, check=True, timeout=300)
    assert run.stdout.splitlines() == ["tried without assertions"]


def test_no_assertion_of_the_packages_computes_what_it_asserts():
    """An attribute that checks its parameters when it is computed is not computed where assertions are left out."""
    root = Path(__file__).parents[2]
    packages = [path for place in ("estimators", "audits", "proofs") for path in (root / place).glob("pan*")]
    for file in (file for package in packages for file in package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Assert):
                assert not isinstance(node.test, (ast.Attribute, ast.Call, ast.Name)) or (
                    isinstance(node.test, ast.Call) and ast.unparse(node.test.func) in ("isinstance", "all", "is_legal")
                ), f"{file}:{node.lineno}"
