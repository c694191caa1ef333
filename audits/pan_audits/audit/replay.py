"""Replaying a witness: the same runs again, or fresh ones."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.audit.measure import fresh_runs
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.witness import Counts, Witness
from pan_audits.judging.documents import document
from pan_audits.judging.reading import Field
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems.space import inputs_of
from pan_audits.subject.intake.documents import mechanism_of, reference_in
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.limits import Limits
from pan_promises.errors import InputError
from pan_promises.extras import require_extra

_SAME = 1e-9
"""Relative difference of bounds that can result from another release of numpy."""


@dataclass(frozen=True)
class Replay:
    """The result of a replay.

    Attributes
    ----------
    witness
        The replayed witness.
    counts
        The counts of the event in this replay.
    identical
        Whether the counts are those of the witness.
    loss
        Lower bound on the loss from these runs alone.
    verdict
        ``REFUTED`` if the bound is above the promise, else ``INCONCLUSIVE``.
    fresh
        Whether the runs were new ones.
    bound
        Lower bound on the promised number from these runs alone. The verdict depends on it.
    """

    witness: Witness
    counts: Counts
    identical: bool
    loss: float
    verdict: Verdict
    fresh: bool
    bound: float

    @property
    def promised(self) -> float:
        """The promised number."""
        return notion_of(self.witness.promise).promised

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "verdict fresh counts identical loss_at_least=loss promised")
        return described | {"error": self.witness.error} | notion_of(self.witness.promise).bound_to_dict(self.bound)


def replay_witness(
    witness: Witness,
    estimator: Any,
    *,
    fresh: bool,
    runs: int | None = None,
    workers: int = 2,
    limits: Limits | None = None,
) -> Replay:
    """Run both streams of a witness again and look for its event."""
    require_extra("a replay of runs", "suite")
    sampler = Sampler(EstimatorRunner(estimator, witness.promise), workers, limits or Limits())
    entropy = secrets.randbits(64) if fresh else witness.seed
    count, notion, evidence = runs or witness.counts.runs, notion_of(witness.promise), witness.evidence
    score = None if evidence is None else evidence.score
    share = 0.0 if evidence is None else evidence.share
    seen = fresh_runs(sampler, witness.pair, witness.event, score, share, entropy=entropy, runs=count)
    if not fresh and runs is None:
        _require_features(witness.event.features | (score.score.features if score else frozenset()), seen.names)
    counts = seen.counts
    found = notion.measured(counts.left, counts.right, count, witness.error, seen.score)
    same = evidence is None or abs(found.bound - evidence.bound) <= _SAME * evidence.bound
    return Replay(
        witness=witness,
        counts=counts,
        identical=counts == witness.counts and same,
        loss=found.loss,
        verdict=Verdict.REFUTED if found.bound > notion.promised else Verdict.INCONCLUSIVE,
        fresh=fresh,
        bound=found.bound,
    )


def _require_features(used: frozenset[str], seen: set[str]) -> None:
    """Check that the runs have all features of a witness."""
    if unknown := sorted(used - seen):
        raise InputError(f"the event of this witness uses {unknown[0]!r}, which no run of this estimator has")


def estimator_of(
    witness: Witness,
    third_party: str | None = None,
    place: str = "estimator",
    inputs: str = "",
    limits: Limits | None = None,
) -> Any:
    """The estimator of a witness, made as the witness configures it."""
    configuration = Field(dict(witness.estimator), place)
    name = configuration["estimator"]
    parameters = {key: field for key, field in configuration.entries() if key not in ("estimator", "inputs", "space")}
    if configuration.get("space") is not None:
        inputs = inputs_of([witness.pair.family.labels[place] for place in (witness.pair.left, witness.pair.right)])
    return mechanism_of(reference_in(name, parameters, witness.promise, third_party, inputs), limits).estimator


def witness_field(document: Field | Mapping[str, Any]) -> Field:
    """The witness of an audit in a gate's JSON report, or in a file that holds only the witness."""
    field = Field.of(document)
    if "privacy" not in field.value:
        return field
    privacy = field.get("privacy")
    found = None if privacy is None else privacy.get("witness")
    if found is None:
        raise InputError("this report has no witness: nothing was refuted in it")
    return found


def witness_in(document: Field | Mapping[str, Any]) -> Witness:
    """The witness in a gate's JSON report, or in a file that holds only the witness."""
    return Witness.from_dict(witness_field(document))
