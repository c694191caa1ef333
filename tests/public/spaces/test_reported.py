"""The pairs of public reports are found from a space of data, without being given."""

from __future__ import annotations

import math
from typing import Any

import pytest

import panproof
from tests.public.spaces.reported import CONTROLS, KINDS, REPORTED
from tests.turns import every

EXACTLY = {
    "Casacuberta 2022, int8": 2.5,
    "opendp 2925, int32": 2e9,
    "Casacuberta 2022, rounding": 2.0,
    "diffprivlib 107": math.inf,
    "diffprivlib 105": math.inf,
    "DP-FTRL 2": math.inf,
    "google 84": 1.5,
    "jax 3646": 0.0,
    "mbi 65": 1.7,
    "google 405": math.inf,
    "smartnoise 622": 1000.0,
    "opendp 2950": 2.0,
    "pure-LDP 11": 1.3,
    "smartnoise 462": 0.0,
    "smartnoise 200": 2.0,
    "opendp 2922": 0.0,
}
"""Reports that the exact check decides, and the least loss; 0 for a promise with a delta, where that decides."""
BY_RUNS = ("opacus 571", "opendp 2911")
"""Reports that an audit decides."""
IN_DOUBLES = "Mironov 2012"
"""The report about doubles: in real numbers the promise is kept."""


def test_each_report_has_a_test() -> None:
    assert {*EXACTLY, *BY_RUNS, IN_DOUBLES} == set(REPORTED)
    assert len(REPORTED) == 19


@pytest.mark.parametrize("name", every(3, EXACTLY))
def test_the_exact_check_finds_the_pair_of_a_report(name: str) -> None:
    mechanism, space = REPORTED[name]
    found = panproof.check(mechanism, data=space.data, neighbours=space.neighbours, **space.promise)
    assert found.verdict == "REFUTED", found
    assert found.loss is None or found.loss >= EXACTLY[name]


@pytest.mark.parametrize("name", CONTROLS)
def test_the_exact_check_refutes_none_without_the_mistake(name: str) -> None:
    mechanism, space = CONTROLS[name]
    found = panproof.check(mechanism, data=space.data, neighbours=space.neighbours, **space.promise)
    assert found.verdict == "NOT_REFUTED", found


@pytest.mark.more
@pytest.mark.parametrize("name", BY_RUNS)
def test_an_audit_finds_the_pair_of_a_report(name: str) -> None:
    mechanism, space = REPORTED[name]
    found = panproof.audit(
        mechanism, data=space.data, neighbours=space.neighbours, seed=1, runs=20_000, error=1e-3, **space.promise
    )
    assert found.verdict == "REFUTED", found


@pytest.mark.more
def test_an_audit_finds_the_doubles_of_a_space() -> None:
    mechanism, space = REPORTED[IN_DOUBLES]
    found = panproof.audit(mechanism, data=space.data, neighbours=space.neighbours, seed=1, **space.promise).to_dict()
    assert found["verdict"] != "REFUTED"
    assert any("not floating-point-safe" in finding["sentence"] for finding in found["findings"]), found["findings"]


@pytest.mark.more
@pytest.mark.parametrize("name", KINDS)
def test_other_kinds_of_pairs_are_found(name: str) -> None:
    mechanism, space = KINDS[name]
    found: Any = panproof.gate(mechanism, data=space.data, neighbours=space.neighbours, seed=1, **space.promise)
    assert found.verdict == "REFUTED", found
