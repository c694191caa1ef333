"""The third kind of evidence: the loss of an estimator by a proof that holds for every size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pan_audits.discovery import Variant
from pan_audits.exact.result import CheckResult
from pan_estimators import CalibratedCells

_SAME = 1e-12
"""Relative difference that the rounding of logarithms explains."""


@dataclass(frozen=True)
class Certificate:
    """The loss of an estimator as proved, compared with the exact check and with the promise.

    Attributes
    ----------
    claim
        Where the formula is proved.
    loss
        The loss of the estimator as configured, in nats.
    promised
        The promise, in nats.
    checked_loss
        The loss of small instances with the same cells and noise, by the exact check, in nats.
    kept
        Whether the loss as configured is within the promise, in exact arithmetic.
    """

    claim: str
    loss: float
    promised: float
    checked_loss: float
    kept: bool

    @property
    def agrees(self) -> bool:
        """Whether the promise is kept by the formula, and the exact check confirms the formula."""
        return self.kept and abs(self.loss - self.checked_loss) <= _SAME * self.loss

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
            "agrees": self.agrees,
        }


def certify(variant: Variant, exact: CheckResult) -> Certificate | None:
    """The certificate of an estimator whose loss is proved.

    Returns
    -------
    ``None`` for an estimator without a proof, and for a promise that is not the one that was proved:
    another adjacency, other intrusions or outputs.
    """
    estimator, promise = variant.estimator, variant.promise
    # The proof is of this class's own code: one derived from it may do anything.
    if type(estimator) is not CalibratedCells or not variant.shipped or exact.loss is None:
        return None
    own = estimator.promise
    if promise.about(promise.observed, epsilon=own.epsilon, claim=own.claim) != own:
        return None
    covered = [row for row in exact.coverage if row.length == exact.settings.length]
    if not covered:
        return None
    last = max(covered, key=lambda row: row.users)
    ratio = _ratio(estimator)
    return Certificate(
        claim=own.claim or "",
        loss=_log(ratio),
        promised=float(promise.epsilon),
        checked_loss=last.loss.nats,
        kept=_within(ratio, promise.epsilon),
    )


def _ratio(estimator: CalibratedCells) -> Fraction:
    """``exp`` of the loss by the proof, from the estimator's parameters as they are."""
    from pan_proofs import Cell, largest_joint_ratio

    calibration = estimator.calibration
    cell = Cell(
        pairs=tuple((Fraction(pair.p_init), Fraction(pair.p_upd)) for pair in calibration.pairs),
        flips=(Fraction(calibration.flip),) * estimator.announced,
        low=Fraction(calibration.down),
        high=1 / Fraction(calibration.up),
    )
    return largest_joint_ratio(
        cell, announced=estimator.announced, outputs=estimator.outputs, deletions=estimator.deletions
    )


def _log(ratio: Fraction) -> float:
    """The logarithm of a fraction of large numbers."""
    return math.log1p(float(ratio - 1)) if ratio < 2 else math.log(ratio.numerator) - math.log(ratio.denominator)


def _within(ratio: Fraction, epsilon: Any) -> bool:
    from pan_audits.exact.loss import Loss
    from pan_audits.exact.numbers import rational

    return not Loss(rational(ratio)).exceeds(epsilon, exact=True)
