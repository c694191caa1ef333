"""Judge one row in the environment of its package: python -m packages.judged PACKAGE ROW FILE."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES
from packages.rows import Package, Row
from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.replay import estimator_of, replay_witness, witness_in
from pan_audits.choices.numbers import as_float
from pan_audits.exact.witness import replay_exact
from pan_audits.notions import notion_of
from pan_audits.workers.limits import Limits
from pan_promises.promise import Promise

SEEDS = (1, 2)
LIMITS = Limits(seconds=600.0, memory_bytes=2**35)
"""Slow synthesizers on a busy machine take minutes for a block of runs. Libraries such as torch take many addresses."""


EXACT, RUNS, INFINITE = "exact", "runs", "infinite"
"""How a verdict was found, and a loss that is no number."""


def judge(package: Package, row: Row) -> dict[str, Any]:
    """The verdict on one row. A refutation by runs is made again with another seed; each witness is replayed."""
    conduct = package.conduct_of_all or row is package.rows[0]
    found = _gate(row, SEEDS[0], hygiene=conduct)
    told = {
        "verdict": str(found.verdict),
        "how": _how(found),
        "not_exact": _why_not_exact(found),
        "loss": _bound(found),
        "runs": found.privacy.runs if found.privacy else 0,
        "unseeded": row.of_the_system
        or package.of_the_system
        or any(finding.check == "randomness of the system" for finding in found.findings),
        "reason": found.reason,
    }
    if found.verdict is not Verdict.REFUTED:
        return told
    if found.violation is None:
        raise SystemExit(f"the refutation has no witness: {found.reason}")
    document = json.loads(json.dumps(found.violation.to_dict()))
    if found.refuted_exactly:
        told |= {"again": told["verdict"], "again_loss": told["loss"]}
    else:
        again = _gate(row, SEEDS[1], hygiene=False)
        told |= {"again": str(again.verdict), "again_loss": _bound(again)}
    return told | {"witness": document} | replay(document, row)


def replay(document: dict[str, Any], row: Row) -> dict[str, Any]:
    """A witness is made again: the verdict, and whether the counts or the exact loss are the same."""
    if document.get("exact") is True:
        stored, fresh = replay_exact(document, third_party=row.estimator, inputs=row.inputs, limits=LIMITS)
        broken = notion_of(fresh.promise).broken_by(fresh.loss, fresh.delta, exact=False)
        return {
            "replayed": str(Verdict.REFUTED if broken else Verdict.INCONCLUSIVE),
            "identical": stored.loss.describe() == fresh.loss.describe(),
            "event": document["observation"],
        }
    witness = witness_in(document)
    estimator = estimator_of(witness, row.estimator, inputs=row.inputs, limits=LIMITS)
    replayed = replay_witness(witness, estimator, fresh=False, workers=0, limits=LIMITS)
    event = witness.event.describe()
    return {"replayed": str(replayed.verdict), "identical": replayed.identical, "event": event}


def _how(report: Any) -> str:
    """Whether the exact check decides, or the runs; empty if neither does."""
    exact = report.exact
    if exact is not None and exact.verdict is not Verdict.INCONCLUSIVE:
        return EXACT
    return RUNS if report.privacy is not None and report.verdict is not Verdict.INCONCLUSIVE else ""


def _why_not_exact(report: Any) -> str:
    """What the exact check says if it decides nothing."""
    exact = report.exact
    return exact.reason if exact is not None and exact.verdict is Verdict.INCONCLUSIVE else ""


def _bound(report: Any) -> float | str | None:
    """The loss or a lower bound on it, or on rho for a promise of a rho, or the delta for a promise of a delta."""
    witness = report.violation
    if witness is None:
        return None
    if report.refuted_exactly:
        if witness.delta is not None:
            return as_float(witness.delta)
        return INFINITE if witness.loss.unbounded else float(witness.loss.nats)
    return float(witness.loss if witness.evidence is None else witness.evidence.bound)


def _gate(row: Row, seed: int, *, hygiene: bool = True) -> Any:
    mechanism = find_mechanism(
        row.estimator, parameters=row.parameters, promise=Promise.parse(row.promise), limits=LIMITS, inputs=row.inputs
    )
    settings = Settings(
        runs=row.runs,
        confirmation_runs=row.confirmation or 2 * row.runs,
        seed=seed,
        workers=0,
        limits=LIMITS,
        accuracy_runs=0,
        exact=row.exact,
        hygiene=hygiene,
    )
    return run_gate(mechanism, settings)


def main(name: str, slug: str, file: str) -> None:
    """Judge a row and write its result."""
    package = next(each for each in PACKAGES if each.name == name)
    installed = package.version if package.source else version(name)
    if installed != package.version:
        raise SystemExit(f"{name} is {installed} here, and the table is about {package.version}")
    row = next(each for each in package.rows if each.slug == slug)
    Path(file).write_text(json.dumps(judge(package, row)))


if __name__ == "__main__":
    main(*sys.argv[1:])
