"""Replaying a witness: the same runs again, or fresh ones."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.measure import BOUNDS, CONFIRMATION
from pan_audits.running.limits import Limits
from pan_audits.running.mechanism import EstimatorMechanism, with_likelihood_ratio
from pan_audits.running.sampler import Sampler, requests_for
from pan_audits.statistics import loss_lower_bound
from pan_audits.verdict import Verdict
from pan_audits.witness import Counts, Witness
from pan_estimators import InputError


@dataclass(frozen=True)
class Replay:
    """What came of a replay.

    Attributes
    ----------
    witness
        What was replayed.
    counts
        How often the event happened this time.
    identical
        Whether the counts are those of the witness.
    loss
        Lower bound on the loss from these runs alone.
    verdict
        ``REFUTED`` if that bound is above the promise, else ``INCONCLUSIVE``.
    fresh
        Whether the runs were new ones.
    """

    witness: Witness
    counts: Counts
    identical: bool
    loss: float
    verdict: Verdict
    fresh: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "verdict": str(self.verdict),
            "fresh": self.fresh,
            "counts": {"left": self.counts.left, "right": self.counts.right, "runs": self.counts.runs},
            "identical": self.identical,
            "loss_at_least": self.loss,
            "promised": self.witness.promise.epsilon,
        }


def replay_witness(
    witness: Witness, estimator: Any, *, fresh: bool, runs: int | None = None, workers: int = 2
) -> Replay:
    """Run both streams of a witness again and look for its event.

    Parameters
    ----------
    witness
        The witness.
    estimator
        The estimator, configured as the witness says.
    fresh
        Make new runs instead of those that the witness was confirmed with.
    runs
        Runs on each stream; by default as many as the witness had.
    workers
        Worker processes.
    """
    sampler = Sampler(EstimatorMechanism(estimator, witness.promise), workers, Limits())
    entropy = secrets.randbits(64) if fresh else witness.seed
    pair, count = witness.pair, runs or witness.counts.runs
    groups = [
        requests_for(pair.family, place, count, entropy=entropy, purpose=CONFIRMATION, chunk=0)
        for place in (pair.left, pair.right)
    ]
    left, right = (with_likelihood_ratio(table, pair.left, pair.right) for table in sampler.draw_joined(groups))
    counts = Counts(int(witness.event(left).sum()), int(witness.event(right).sum()), count)
    error = witness.error / BOUNDS
    loss = loss_lower_bound(counts.left, count, counts.right, count, error=error, delta=witness.promise.delta)
    return Replay(
        witness=witness,
        counts=counts,
        identical=counts == witness.counts,
        loss=loss,
        verdict=Verdict.REFUTED if loss > witness.promise.epsilon else Verdict.INCONCLUSIVE,
        fresh=fresh,
    )


def witness_in(document: Mapping[str, Any]) -> Witness:
    """The witness in a gate's JSON report, or in a file that holds nothing else."""
    if "privacy" in document:
        privacy = document["privacy"]
        if not privacy or not privacy.get("witness"):
            raise InputError("this report has no witness: nothing was refuted in it")
        document = privacy["witness"]
    return Witness.from_dict(document)
