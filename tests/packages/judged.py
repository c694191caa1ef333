"""Judge the rows of one package, in the environment of the package: python -m tests.packages.judged PACKAGE FILE."""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pan_audits import Settings, Verdict, find_variant, run_gate
from pan_audits.auditing.replay import estimator_of, replay_witness, witness_in
from pan_promises.promise import Promise
from tests.packages.definitions import PACKAGES, Package, Row

WITNESSES = Path(__file__).with_name("witnesses")
SEEDS = (1, 2)


def judge(package: Package, row: Row) -> dict[str, Any]:
    """The verdict on one row. A refutation is made again with another seed, and its witness is replayed."""
    conduct = package.conduct_of_all or row is package.rows[0]
    found = _gate(row, SEEDS[0], hygiene=conduct)
    told = {
        "verdict": str(found.verdict),
        "loss": _bound(found),
        "runs": found.privacy.runs if found.privacy else 0,
        "unseeded": any(finding.check == "randomness of the system" for finding in found.findings),
        "reason": found.reason,
    }
    if found.verdict is not Verdict.REFUTED:
        return told
    again = _gate(row, SEEDS[1], hygiene=False)
    document = json.loads(json.dumps(found.to_dict()["privacy"]["witness"]))
    witness = witness_in(document)
    replayed = replay_witness(witness, estimator_of(witness, row.estimator, inputs=row.inputs), fresh=False, workers=0)
    (WITNESSES / package.name).mkdir(parents=True, exist_ok=True)
    (WITNESSES / package.name / f"{row.slug}.json").write_text(json.dumps(document, indent=1) + "\n")
    return told | {
        "again": str(again.verdict),
        "again_loss": _bound(again),
        "replayed": str(replayed.verdict),
        "identical": replayed.identical,
        "event": witness.event.describe(),
    }


def _bound(report: Any) -> float | None:
    """The lower bound on the loss, or on rho for a promise of a rho."""
    witness = report.privacy and report.privacy.witness
    if witness is None:
        return None
    return float(witness.loss if witness.concentrated is None else witness.concentrated.rho)


def _gate(row: Row, seed: int, *, hygiene: bool = True) -> Any:
    variant = find_variant(
        row.estimator, parameters=row.parameters, promise=Promise.parse(row.promise), inputs=row.inputs
    )
    settings = Settings(
        runs=row.runs,
        confirmation_runs=2 * row.runs,
        seed=seed,
        workers=0,
        accuracy_runs=0,
        exact=False,
        hygiene=hygiene,
    )
    return run_gate(variant, settings)


def main(name: str, file: str) -> None:
    """Judge all rows of a package and write the results."""
    package = next(each for each in PACKAGES if each.name == name)
    installed = package.version if package.repository else version(name)
    if installed != package.version:
        raise SystemExit(f"{name} is {installed} here, and the table is about {package.version}")
    results: dict[str, Any] = json.loads(Path(file).read_text()) if Path(file).exists() else {}
    for row in package.rows:
        if row.slug in results:
            continue
        began = time.perf_counter()
        results[row.slug] = judge(package, row)
        # A stopped run keeps the rows that are finished.
        Path(file).write_text(json.dumps(results, indent=1))
        print(f"{name} {row.slug}: {results[row.slug]['verdict']} ({time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
