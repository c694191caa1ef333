"""audits/PACKAGES.md agrees with the definitions of its rows, and its witnesses are there and can be read."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from packages import page
from packages.definitions import PACKAGES
from packages.page import promised
from packages.records import WITNESSES, results_of
from pan_audits.audit.replay import witness_in
from pan_promises.promise import Promise

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "audits" / "PACKAGES.md"
VERDICTS = {"REFUTED", "NOT_REFUTED", "NOT_REFUTED (system)", "REFUTED (system)", "INCONCLUSIVE", "FAILED"}
ROWS = [(package, row) for package in PACKAGES for row in package.rows]


def test_the_page_is_that_of_the_results():
    assert PAGE.read_text() == page.page({package.name: results_of(package) for package in PACKAGES})


@cache
def sections() -> dict[str, str]:
    parts = PAGE.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0].split()[0]: part for part in parts}


def line_of(package, row) -> list[str]:
    """The cells of a row on the page."""
    start = f"| {row.name} | {row.adjacency} | {promised(row)} |"
    found = [line for line in sections()[package.name].splitlines() if line.startswith(start)]
    assert len(found) == 1, start
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", found[0])[1:-1]]


@pytest.mark.parametrize(("package", "row"), ROWS, ids=[f"{package.name}: {row.slug}" for package, row in ROWS])
def test_a_row_agrees_with_its_definition_and_its_witness(package, row):
    *_, verdict, loss, witness, day = line_of(package, row)
    assert verdict in VERDICTS
    assert date.fromisoformat(day)
    file = WITNESSES / package.name / f"{row.slug}.json"
    if not verdict.startswith("REFUTED"):
        assert (loss, file.exists()) == ("", False)
        assert bool(witness) == (verdict in {"INCONCLUSIVE", "FAILED"})
        return
    assert witness.endswith(f"({file.relative_to(PAGE.parent).as_posix()})")
    kept = witness_in(json.loads(file.read_text()))
    assert kept.estimator["estimator"] == row.estimator
    assert kept.estimator.get("inputs", "") == row.inputs
    assert kept.promise == Promise.parse(row.promise)
    bound = kept.loss if kept.evidence is None else kept.evidence.bound
    assert bound > float(kept.promise.epsilon if kept.promise.rho is None else kept.promise.rho)
    assert float(loss) == pytest.approx(bound, rel=0.01)
    assert row.cause
    causes = sections()[package.name].partition("Causes:")[2]
    assert row.cause in causes
    assert f"{row.name} ({row.adjacency})" in causes


def test_there_is_no_witness_without_a_refutation():
    kept = {(file.parent.name, file.stem) for file in WITNESSES.glob("*/*.json")}
    refuted = {(package.name, row.slug) for package, row in ROWS if line_of(package, row)[3].startswith("REFUTED")}
    assert kept == refuted
