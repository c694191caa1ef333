"""Judge one row in the environment of its package: python -m packages.judged PACKAGE ROW FILE."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from math import isclose
from pathlib import Path
from typing import Any

from packages.definitions import PACKAGES
from packages.rows import Package, Row
from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.replay import estimator_of, replay_witness, witness_in
from pan_audits.choices.numbers import as_float
from pan_audits.exact.check import not_judged
from pan_audits.exact.instances import SmallInstances, check_in_worker
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.exact.witness import replay_exact
from pan_audits.judging.randomness import RandomnessLevel
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.workers.limits import Limits
from pan_promises.promise import Promise

SEEDS = (1, 2)
SCOPE = CheckSettings(runs=4_000)
"""Of the exact check; with as many runs it ends in time also where a run of the package takes some milliseconds."""
LIMITS = Limits(seconds=600.0, memory_bytes=2**35)
"""Slow synthesizers on a busy machine take minutes for a block of runs. Libraries such as torch take many addresses."""


EXACT, RUNS, INFINITE = "exact", "runs", "infinite"
"""How a verdict was found, and a loss that is no number."""


def judge(package: Package, row: Row) -> dict[str, Any]:
    """The verdict on one row: that of the exact check if it decides, else that of the gate by runs.

    A refutation by runs is made again with another seed. Each witness is replayed.
    """
    exact = _check(row) if row.exact else None
    if exact is not None and exact.verdict is not Verdict.INCONCLUSIVE:
        return _told_exactly(package, row, exact)
    conduct = package.conduct_of_all or row is package.rows[0]
    found = _gate(row, SEEDS[0], hygiene=conduct)
    told = {
        "verdict": str(found.verdict),
        "how": "" if found.verdict is Verdict.INCONCLUSIVE else RUNS,
        "not_exact": exact.reason if exact is not None else "",
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


def _told_exactly(package: Package, row: Row, exact: CheckResult) -> dict[str, Any]:
    """The verdict of an exact check, whose refutation is computed again from its witness."""
    unseeded = row.of_the_system or package.of_the_system
    told = {"verdict": str(exact.verdict), "how": EXACT, "loss": None, "unseeded": unseeded, "reason": exact.reason}
    witness = exact.minimal
    if exact.verdict is not Verdict.REFUTED or witness is None:
        return told
    told["loss"] = INFINITE if witness.loss.unbounded else witness.loss.nats
    if witness.delta is not None:
        told["loss"] = as_float(witness.delta)
    document = json.loads(json.dumps(witness.to_dict()))
    return told | {"again": told["verdict"], "witness": document} | replay(document, row)


def replay(document: dict[str, Any], row: Row) -> dict[str, Any]:
    """A witness is made again: the verdict, and whether the counts or the exact loss are the same."""
    if document.get("exact") is True:
        stored, fresh = replay_exact(document, third_party=row.estimator, inputs=row.inputs, limits=LIMITS)
        broken = notion_of(fresh.promise).broken_by(fresh.loss, fresh.delta, exact=False)
        return {
            "replayed": str(Verdict.REFUTED if broken else Verdict.INCONCLUSIVE),
            "identical": isclose(stored.loss.nats, fresh.loss.nats),
            "event": document["observation"],
        }
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


def _mechanism(row: Row) -> Mechanism:
    return find_mechanism(
        row.estimator, parameters=row.parameters, promise=Promise.parse(row.promise), limits=LIMITS, inputs=row.inputs
    )


def _check(row: Row) -> CheckResult:
    mechanism = _mechanism(row)
    if why := notion_of(mechanism.promise).why_not_checked(judged(mechanism.problem)):
        return not_judged(mechanism, SCOPE, why)
    return check_in_worker(SmallInstances.of(mechanism, LIMITS), SCOPE, LIMITS)


def _gate(row: Row, seed: int, *, hygiene: bool = True) -> Any:
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
    return run_gate(_mechanism(row), settings)


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
