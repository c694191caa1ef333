"""audits/PACKAGES.md agrees with the definitions of its rows, and its witnesses are there and can be read."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from packages import page, pairs
from packages.callables import OF_CALLABLES
from packages.definitions import PACKAGES
from packages.looked_at import LOOKED_AT
from packages.page import BY_RUNS, NOT_AT_ALL, REPORTS, SHORT_ADAPTER, judged_how, lines_of_adapter, needs, promised
from packages.records import WITNESSES, results_of
from pan_audits.audit.replay import witness_in
from pan_audits.judging.reading import Field
from pan_audits.subject.intake.documents import promise_in
from pan_promises.promise import Promise

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "audits" / "PACKAGES.md"
DECIDED = {f"{verdict}{how}" for verdict in ("REFUTED", "NOT_REFUTED") for how in ("", " (system)", " (exact)")}
VERDICTS = DECIDED | {"INCONCLUSIVE", "FAILED"}
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
    *_, needed, verdict, loss, witness, day = line_of(package, row)
    assert needed == needs(row)
    assert verdict in VERDICTS
    assert date.fromisoformat(day)
    file = WITNESSES / package.name / f"{row.slug}.json"
    if not verdict.startswith("REFUTED"):
        assert (loss, file.exists()) == ("", False)
        assert bool(witness) == (verdict in {"INCONCLUSIVE", "FAILED"})
        return
    assert witness.endswith(f"({file.relative_to(PAGE.parent).as_posix()})")
    document = json.loads(file.read_text())
    if verdict.endswith("(exact)"):
        agrees_exactly(document, row, loss)
    else:
        agrees_by_runs(document, row, loss)
    assert row.cause
    causes = sections()[package.name].partition("Causes:")[2]
    assert row.cause in causes
    assert f"{row.name} ({row.adjacency})" in causes


def agrees_by_runs(document, row, loss):
    kept = witness_in(document)
    assert kept.estimator["estimator"] == row.estimator
    assert kept.estimator.get("inputs", "") == row.inputs
    assert kept.promise == Promise.parse(row.promise)
    bound = kept.loss if kept.evidence is None else kept.evidence.bound
    assert bound > float(kept.promise.epsilon if kept.promise.rho is None else kept.promise.rho)
    assert float(loss.removeprefix("at least ")) == pytest.approx(bound, rel=0.01)


def agrees_exactly(document, row, loss):
    promise = Promise.parse(row.promise)
    assert document["exact"] is True
    assert document["estimator"] == row.estimator
    assert promise_in(Field(document["promise"])) == promise
    if document["delta"] is not None:
        assert document["delta"] > promise.delta
        assert float(loss.removeprefix("delta ")) == pytest.approx(document["delta"], rel=0.01)
    elif document["loss"]["unbounded"]:
        assert loss == "infinite"
    else:
        assert document["loss"]["nats"] > float(promise.epsilon)
        assert float(loss) == pytest.approx(document["loss"]["nats"], rel=0.01)


def test_there_is_no_witness_without_a_refutation():
    kept = {(file.parent.name, file.stem) for file in WITNESSES.glob("*/*.json")}
    refuted = {(package.name, row.slug) for package, row in ROWS if line_of(package, row)[4].startswith("REFUTED")}
    assert kept == refuted


def test_every_refuted_package_of_the_table_has_a_report_with_its_command():
    for package in OF_CALLABLES:
        refuted = [row for row in package.rows if line_of(package, row)[4].startswith("REFUTED")]
        file = REPORTS / f"{package.name}.md"
        assert file.is_file() == bool(refuted), package.name
        if refuted:
            text = file.read_text()
            assert any(row.estimator in text and row.inputs in text for row in refuted), package.name
            assert f"{package.name} {package.version}" in text
    assert {file.stem for file in REPORTS.glob("*.md")} <= {package.name for package in PACKAGES}


def test_rows_of_the_table_need_no_adapter_or_a_short_one():
    for package in OF_CALLABLES:
        for row in package.rows:
            assert lines_of_adapter(row) <= SHORT_ADAPTER, row.estimator


@pytest.mark.parametrize(
    ("callable_", "lines"),
    [
        ("diffpriv_pure:private_count", 0),
        ("packages.short:dwork_geometric", 3),
        ("packages.short:inf_tda_trips", 5),  # without its documentation
        ("packages.of_diffprivlib:count", 4),  # with `seed`, which it calls
    ],
)
def test_lines_of_an_adapter_are_counted_with_the_functions_that_it_calls(callable_, lines):
    assert lines_of_adapter(next(row for _, row in ROWS if row.estimator == callable_)) == lines


def test_pairs_are_those_of_rows():
    used = {row.inputs.partition(":")[2] for package in OF_CALLABLES for row in package.rows}
    known = {name for name, value in vars(pairs).items() if isinstance(value, list)}
    assert used == known


def test_how_a_package_is_judged():
    package = OF_CALLABLES[0]
    slugs = [row.slug for row in package.rows]
    by_runs = {slug: {"verdict": "NOT_REFUTED", "how": "runs"} for slug in slugs}
    assert judged_how(package, by_runs) == BY_RUNS
    assert judged_how(package, {}) == NOT_AT_ALL
    assert judged_how(package, by_runs | {slugs[0]: {"verdict": "REFUTED", "how": "exact"}}) == "some rows exactly"
    assert judged_how(package, {slug: {"verdict": "REFUTED", "how": "exact"} for slug in slugs}) == "every row exactly"
    missing = {slugs[0]: {"verdict": "REFUTED", "how": "exact"}}
    assert judged_how(package, missing) == "some rows exactly"


def test_a_package_that_was_only_looked_at_has_no_row():
    names = {package.name for package in PACKAGES if package.rows}
    looked_at = [each.split()[0] for each in sum(LOOKED_AT.values(), ())]
    assert not names & set(looked_at)
    assert len(looked_at) == len(set(looked_at))
