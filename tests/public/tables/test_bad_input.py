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
from tests.public.tables.test_sites import NAMES

LEARNERS = ["privbayes", "printed-privbayes", *NAMES]
WIDE = Schema(tuple(Attribute(f"c{place}", tuple(range(100))) for place in range(4)))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--set", "degree=2"), "the degree must be between 1 and 1, got 2"),
        (("--rows", 0), "--users: the value should be greater than or equal to 1, got '0'"),
        (("--epsilon", -1), "--epsilon must be positive and finite, got -1.0"),
    ],
)
@pytest.mark.parametrize("name", ["privbayes", "noisy-majority-vote"])
def test_a_bad_setting_gives_one_sentence_and_exit_code_2(panproof, tmp_path, name, words, sentence):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(binary(2).to_dict()))
    budget = () if "--epsilon" in words else ("--epsilon", 1)
    assert panproof("check", name, "--schema", file, *budget, *words).one_sentence() == f"panproof: {sentence}\n"


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("noisy-joints", (), "--sampled is for a synthesizer of your own; noisy-joints promises"),
        (
            "tests.public.tables.synthesizers:Margins",
            ("--promise", "epsilon=1,adjacency=replace-row,observed=transcript"),
            "--sampled needs a promise with observed=sample, got observed=transcript",
        ),
    ],
)
def test_a_number_of_sampled_rows_is_for_a_sample(panproof, tmp_path, name, words, sentence):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(binary(2).to_dict()))
    given = ("--schema", file, "--epsilon", 1, "--sampled", 50, *words)
    assert sentence in panproof("gate", name, *given).one_sentence()


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("calibrated-tree", {"delta": "x"}, "delta"),
        ("calibrated-tree", {"epsilon": None, "rho": 0.1, "delta": 0.1}, "a budget is either a rho"),
        ("calibrated-tree", {"selection": 0.5, "singles": 0.5}, "must leave something"),
        ("calibrated-tree", {"singles": True}, "singles"),
        ("calibrated-tree", {"degree": 4}, "degree"),
        ("adaptive-marginals", {"delta": 0.0}, "the noise is Gaussian"),
        ("adaptive-marginals", {"selection": 1.0}, "the share selection"),
        ("adaptive-marginals", {"singles": 0}, "the share singles"),
        *(
            (name, wrong, sentence)
            for name in ("calibrated-tree", "adaptive-marginals")
            for wrong, sentence in [
                ({"delta": 1.0}, "delta must lie"),
                ({"epsilon": None, "rho": -1.0}, "rho must be positive"),
                ({"epsilon": None, "rho": 1e-200}, "rho must be at least 1e-100"),
                ({"cells": 0}, "cells"),
            ]
        ),
        *(
            (name, wrong, sentence)
            for name in ("privbayes", "calibrated-tree", "adaptive-marginals", "noisy-majority-vote")
            for wrong, sentence in [
                ({"epsilon": 0}, "epsilon must be positive"),
                ({"epsilon": 10**400}, r"epsilon must be at most 1e\+100, got 1"),
                ({"epsilon": 1e-200}, "must be at least 1e-100"),
                ({"schema": binary(1)}, "at least two attributes"),
                ({"schema": 5}, "a schema is a dict"),
            ]
        ),
        ("noisy-majority-vote", {"partition": "hospital"}, "or the name of a column, got 'hospital'"),
        ("noisy-majority-vote", {"partition": [1, 0]}, "the shares of sites are positive numbers"),
        ("noisy-majority-vote", {"partition": "a"}, "is not public if a column determines the site"),
        ("noisy-majority-vote", {"sites": 0}, "the number of sites"),
        ("noisy-majority-vote", {"known": [(0, 0, 2)]}, "the value 2 of 'c' is not in its domain"),
        ("noisy-majority-vote", {"clip": "nowhere"}, "at the site or at the analyst, got 'nowhere'"),
        ("noisy-majority-vote", {"beta": 1}, "beta must lie between 0 and 1"),
        ("noisy-majority-vote", {"degree": 3}, "the degree"),
        ("privbayes", {"schema": WIDE, "degree": 3}, "up to 100,000,000 cells, more than 1,000,000"),
        ("noisy-sufficient-statistics", {"schema": binary(26), "degree": 8}, r"each site would share [\d,]+ "),
        (
            "distributed-parameters",
            {"schema": WIDE, "structure": ((0, ()), (1, (0,)), (2, (0, 1)), (3, (0, 1, 2)))},
            r"has 100,000,000 cells, more than 1,000,000",
        ),
    ],
)
def test_a_parameter_out_of_range_is_refused(name, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        create_estimator(name, **{"epsilon": 1.0, "schema": binary(3), **wrong})


@pytest.mark.parametrize("name", LEARNERS)
def test_bad_rows_are_refused_before_noise_is_drawn_and_constant_columns_are_no_bad_input(name):
    mechanism, source = create_estimator(name, epsilon=1.0, schema=binary(3)), NumpyRandomness(1)
    for rows, sentence in (([], "the table has no rows"), ([(0, 0, 2)], "the value 2 of 'c' is not in its domain")):
        with pytest.raises(InputError, match=sentence):
            mechanism.release(rows, source)
    assert source.random() == NumpyRandomness(1).random()
    for rows in ([(0, 1, 1)], [(0, 1, 1)] * 5, [(0, 0, 0), (0, 1, 1)]):
        model = mechanism.post_process(mechanism.release(rows, NumpyRandomness(1)))
        assert len(mechanism.sample(model, 4, NumpyRandomness(2))) == 4
    with pytest.raises(InputError, match="the number of rows must be between 1 and 100000000, got 1000000000000"):
        mechanism.sample(model, 10**12, NumpyRandomness(1))


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
    root = Path(__file__).parents[3]
    packages = [path for place in ("estimators", "audits", "proofs") for path in (root / place).glob("pan*")]
    for file in (file for package in packages for file in package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Assert):
                assert not isinstance(node.test, (ast.Attribute, ast.Call, ast.Name)) or (
                    isinstance(node.test, ast.Call) and ast.unparse(node.test.func) in ("isinstance", "all", "is_legal")
                ), f"{file}:{node.lineno}"
