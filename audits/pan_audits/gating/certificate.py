"""The third kind of evidence: the loss of an estimator by a proof that holds for every size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pan_audits.exact.result import CheckResult
from pan_audits.intake.discovery import Variant
from pan_audits.judging.capabilities import closed_loss

PROVED = "PROVED"

_SAME = 1e-12
"""Relative difference that can result from the rounding of logarithms."""


@dataclass(frozen=True)
class Certificate:
    """The loss of an estimator as proved, compared with the exact check and with the promise.

    Attributes
    ----------
    claim
        The claim that proves the formula.
    loss
        The loss of the estimator as configured, in nats.
    promised
        The promise, in nats.
    checked_loss
        The loss of small instances with the same cells and noise, by the exact check, in nats.
    kept
        Whether the loss as configured is within the promise, in exact arithmetic.
    ledger
        The verdict of the ledger on the claim, derived by this version of the code, with the reason if it is not
        PROVED; empty if it was not requested.
    """

    claim: str
    loss: float
    promised: float
    checked_loss: float
    kept: bool
    ledger: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the promise is kept by the formula, the exact check confirms it, and the claim is proved."""
        return self.confirmed and self.ledger == PROVED

    @property
    def confirmed(self) -> bool:
        """Whether the promise is kept by the formula, and the exact check confirms the formula."""
        return self.kept and abs(self.loss - self.checked_loss) <= _SAME * self.loss

    @property
    def why_not(self) -> str:
        """The reason why a promise that the formula keeps is not certified, in a sentence; empty if it is certified."""
        if not self.confirmed or self.ledger == PROVED:
            return ""
        return f"not certified, since the claim {self.claim} is not proved here: {self.ledger}"

    def describe(self) -> str:
        """The certificate in a sentence."""
        return (
            f"loss {self.loss:.9g} of {self.promised:.9g} promised: proved for every size, found exactly by running "
            "the code on every small stream, and not refuted by the audit"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "claim": self.claim,
            "loss": self.loss,
            "promised": self.promised,
            "checked_loss": self.checked_loss,
            "ledger": self.ledger,
            "agrees": self.agrees,
        }


def certify(variant: Variant, exact: CheckResult) -> Certificate | None:
    """The certificate of an estimator whose loss is proved.

    Returns
    -------
    ``None`` for an estimator without a proof, and for a promise that differs from the proved one:
    in its adjacency, its intrusions or its outputs.
    """
    estimator, promise = variant.estimator, variant.promise
    # The proof covers shipped code only.
    proved = closed_loss(estimator) if variant.shipped and exact.loss is not None else None
    if proved is None:
        return None
    own = estimator.promise
    if promise.about(promise.observed, epsilon=own.epsilon, claim=own.claim) != own:
        return None
    covered = [row for row in exact.coverage if row.length == exact.settings.length]
    if not covered:
        return None
    last = max(covered, key=lambda row: row.users)
    certificate = Certificate(
        claim=proved.claim,
        loss=_log(proved.ratio),
        promised=float(promise.epsilon),
        checked_loss=last.loss.nats,
        kept=_within(proved.ratio, promise.epsilon),
    )
    return replace(certificate, ledger=in_ledger(proved.claim)) if certificate.confirmed else certificate


def in_ledger(claim: str) -> str:
    """The verdict of the ledger on a claim, with the reason if it is not ``PROVED``.

    The claim is derived now, unless the same code and the same engines have derived it before.
    """
    from pan_proofs.ledger import UnknownClaim, default_store, derive, resolve

    try:
        identifier = resolve(claim)
    except UnknownClaim as problem:
        return str(problem)
    entry = derive([identifier], store=default_store())[identifier]
    return PROVED if entry.verdict == PROVED else f"{entry.verdict}, {entry.reason}"


def _log(ratio: Fraction) -> float:
    """The logarithm of a fraction of large numbers."""
    return math.log1p(float(ratio - 1)) if ratio < 2 else math.log(ratio.numerator) - math.log(ratio.denominator)


def _within(ratio: Fraction, epsilon: Any) -> bool:
    from pan_audits.choices.numbers import rational
    from pan_audits.exact.loss import Loss

    return not Loss(rational(ratio)).exceeds(epsilon, exact=True)
