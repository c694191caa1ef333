"""Replaying a witness: the same runs again, or fresh ones."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.auditing.concentrated_evidence import ConcentratedEvidence, EventBounds, evidence_of
from pan_audits.auditing.concentrated_measure import observed_values
from pan_audits.auditing.measure import CONFIRMATION
from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.auditing.witness import SHARES, Counts, Witness
from pan_audits.intake.asked import asked_in, make_estimator
from pan_audits.judging.reading import Field
from pan_audits.judging.verdict import Verdict
from pan_audits.running.mechanism import EstimatorMechanism, with_likelihood_ratio
from pan_audits.statistics import loss_lower_bound
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
        ``REFUTED`` if that bound is above the promise, else ``INCONCLUSIVE``.
    fresh
        Whether the runs were new ones.
    rho
        For a promise of a rho: the lower bound on rho from these runs alone. The verdict depends on it.
    """

    witness: Witness
    counts: Counts
    identical: bool
    loss: float
    verdict: Verdict
    fresh: bool
    rho: float | None = None

    @property
    def promised(self) -> float:
        """The promised epsilon, or the promised rho."""
        promise = self.witness.promise
        return float(promise.epsilon if promise.rho is None else promise.rho)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "verdict": str(self.verdict),
            "fresh": self.fresh,
            "counts": {"left": self.counts.left, "right": self.counts.right, "runs": self.counts.runs},
            "identical": self.identical,
            "loss_at_least": self.loss,
            "promised": self.promised,
            "error": self.witness.error,
        } | ({} if self.rho is None else {"rho_at_least": self.rho})


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
    sampler = Sampler(EstimatorMechanism(estimator, witness.promise), workers, limits or Limits())
    entropy = secrets.randbits(64) if fresh else witness.seed
    pair, count = witness.pair, runs or witness.counts.runs
    if witness.concentrated is not None:
        return _replay_of_rho(sampler, witness, witness.concentrated, entropy, count, fresh=fresh, known=runs is None)
    groups = [
        requests_for(pair.family, place, count, entropy=entropy, purpose=CONFIRMATION, chunk=0)
        for place in (pair.left, pair.right)
    ]
    left, right = (with_likelihood_ratio(table, pair.left, pair.right) for table in sampler.draw_joined(groups))
    if not fresh and runs is None:
        _require_features(witness.event.features, {*left.names, *right.names})
    counts = Counts(int(witness.event(left).sum()), int(witness.event(right).sum()), count)
    error = witness.error * SHARES["loss"]
    loss = loss_lower_bound(counts.left, count, counts.right, count, error=error, delta=witness.promise.delta)
    return Replay(
        witness=witness,
        counts=counts,
        identical=counts == witness.counts,
        loss=loss,
        verdict=Verdict.REFUTED if loss > witness.promise.epsilon else Verdict.INCONCLUSIVE,
        fresh=fresh,
    )


def _replay_of_rho(
    sampler: Sampler,
    witness: Witness,
    evidence: ConcentratedEvidence,
    entropy: int,
    runs: int,
    *,
    fresh: bool,
    known: bool,
) -> Replay:
    """The bounds of the event and of the score, from new runs or from the same ones."""
    score = None if evidence.score is None else evidence.score.score
    seen = observed_values(sampler, witness.pair, witness.event, score, entropy=entropy, runs=runs)
    if not fresh and known:
        _require_features(witness.event.features | (score.features if score else frozenset()), seen.names)
    counts = seen.counts
    event = EventBounds.of(counts.left, counts.right, runs, (1 - evidence.share) * witness.error)
    found = evidence_of(event, evidence.score, seen.values, share=evidence.share, error=witness.error)
    assert witness.promise.rho is not None
    return Replay(
        witness=witness,
        counts=counts,
        identical=counts == witness.counts and abs(found.rho - evidence.rho) <= _SAME * evidence.rho,
        loss=event.loss,
        verdict=Verdict.REFUTED if found.rho > witness.promise.rho else Verdict.INCONCLUSIVE,
        fresh=fresh,
        rho=found.rho,
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
    parameters = {key: field for key, field in configuration.entries() if key not in ("estimator", "inputs")}
    return make_estimator(asked_in(name, parameters, witness.promise, third_party, inputs), limits).estimator


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
