"""Judge one row in the environment of its package: python -m packages.judged PACKAGE ROW FILE."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES, Package, Row
from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.replay import estimator_of, replay_witness, witness_in
from pan_audits.judging.randomness import RandomnessLevel
from pan_audits.workers.limits import Limits
from pan_promises.promise import Promise

SEEDS = (1, 2)
LIMITS = Limits(seconds=600.0, memory_bytes=2**35)
"""Slow synthesizers on a busy machine take minutes for a block of runs. Libraries such as torch take many addresses."""


def judge(package: Package, row: Row) -> dict[str, Any]:
    """The verdict on one row. A refutation is made again with another seed, and its witness is replayed."""
    conduct = package.conduct_of_all or row is package.rows[0]
    found = _gate(row, SEEDS[0], hygiene=conduct)
    told = {
        "verdict": str(found.verdict),
        "loss": _bound(found),
        "runs": found.privacy.runs if found.privacy else 0,
        "unseeded": row.of_the_system or package.of_the_system or found.randomness is RandomnessLevel.SYSTEM,
        "reason": found.reason,
    }
    if found.verdict is not Verdict.REFUTED:
        return told
    document = json.loads(json.dumps(found.to_dict()["privacy"]["witness"]))
    if document is None:
        raise SystemExit(f"the refutation has no witness: {found.reason}")
    again = _gate(row, SEEDS[1], hygiene=False)
    told |= {"again": str(again.verdict), "again_loss": _bound(again), "witness": document}
    return told | replay(document, row)


def replay(document: dict[str, Any], row: Row) -> dict[str, Any]:
    """A witness is run again: the verdict, and whether the counts are the same."""
    witness = witness_in(document)
    estimator = estimator_of(witness, row.estimator, inputs=row.inputs, limits=LIMITS)
    replayed = replay_witness(witness, estimator, fresh=False, workers=0, limits=LIMITS)
    event = witness.event.describe()
    return {"replayed": str(replayed.verdict), "identical": replayed.identical, "event": event}


def _bound(report: Any) -> float | None:
    """The lower bound on the loss, or on rho for a promise of a rho."""
    witness = report.privacy and report.privacy.witness
    if witness is None:
        return None
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
        exact=False,
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
