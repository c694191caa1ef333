"""The third kind of evidence: the loss of an estimator by a proof that holds for every size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pan_audits.choices.numbers import rational
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.judging.capabilities import closed_loss, closed_rho
from pan_audits.judging.documents import document
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Loss, notion_of
from pan_audits.subject.intake.discovery import Mechanism

PROVED = "PROVED"

_SAME = 1e-12
"""Relative difference that can result from the rounding of logarithms."""

_LONGEST_CHECK = 6
"""The most entries of a check that is made for a certificate alone."""


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
    theorems
        The theorems of Coq that carry the claim, from the mechanism.
    compared
        Whether the code has the distribution of the Coq semantics on all small streams.
    expected
        Of a counter, whose loss grows with the number of entries: what the formula gives for the scope of the check.
    entries, configured
        Of a counter: the number of entries for which ``loss`` is computed, and that for which it is configured.
    reached
        Whether the streams of the check are long enough to reach every part of the code.
    rounding
        Of a counter: the relative difference between formula and check that rounding explains.
    """

    claim: str
    loss: float
    promised: float
    checked_loss: float
    kept: bool
    ledger: str = ""
    theorems: tuple[str, ...] = ()
    compared: bool = False
    expected: float | None = None
    entries: int | None = None
    configured: int | None = None
    reached: bool = True
    rounding: float = _SAME

    @property
    def agrees(self) -> bool:
        """Whether the promise is kept by the formula, the exact check confirms it, and the claim is proved."""
        return self.confirmed and self.reached and self.entries == self.configured and self.ledger == PROVED

    @property
    def confirmed(self) -> bool:
        """Whether the promise is kept by the formula, and the exact check confirms the formula."""
        return self.kept and self._describes_the_code

    @property
    def exceeded(self) -> bool:
        """Whether the promise fails for more entries than a check covers, by a formula that the check confirms."""
        return self.expected is not None and not self.kept and self._describes_the_code

    @property
    def _describes_the_code(self) -> bool:
        if self.expected is None:
            return abs(self.loss - self.checked_loss) <= _SAME * self.loss
        # A loss of 0 confirms no formula: the streams of the check may be too short for any noise.
        return self.expected > 0 and abs(self.expected - self.checked_loss) <= self.rounding * self.expected

    @property
    def why_not(self) -> str:
        """The reason why a promise that the formula keeps is not certified, in a sentence; empty if it is certified."""
        if not self.confirmed or self.agrees:
            return ""
        if not self.claim:
            return f"not certified, since no claim proves the promise; {self._reach}"
        if not self.reached:
            return (
                f"not certified, since the checked streams are too short to reach every part of the code; {self._reach}"
            )
        if self.ledger == PROVED:
            return (
                f"not certified, since the exact sensitivity is computed for {self.entries:,} of {self.configured:,} "
                f"entries; {self._reach}, and the claim {self.claim} is proved"
            )
        return f"not certified, since the claim {self.claim} is not proved here: {self.ledger}"

    def describe(self) -> str:
        """The certificate in a sentence."""
        if self.expected is not None:
            return (
                f"{self._reach}; the promise is proved for every number of entries, and the formula gives the rho that "
                "was found exactly by running the code on every small stream"
            )
        return (
            f"loss {self.loss:.9g} of {self.promised:.9g} promised: proved for every size{self._by_coq}, found exactly "
            "by running the code on every small stream, and not refuted by the audit"
        )

    @property
    def _by_coq(self) -> str:
        same = "; on all small streams this code has the distribution of its semantics" if self.compared else ""
        return f" (by Coq, from the mechanism: {', '.join(self.theorems)}{same})" if self.theorems else ""

    @property
    def _reach(self) -> str:
        share = f"{100 * self.loss / self.promised:.4g}% of the promise"
        return f"by the exact sensitivity, rho {self.loss:.6g} ({share}) on all streams of {self.entries:,} entries"

    def describe_excess(self) -> str:
        """The excess in a sentence."""
        return f"{self._reach}, promised {self.promised:.6g}; the check of small streams confirms this formula"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        counted = "" if self.entries is None else " entries configured"
        return document(self, f"claim loss promised checked_loss ledger agrees{counted}")


def certify(mechanism: Mechanism, exact: CheckResult) -> Certificate | None:
    """The certificate of an estimator whose loss is proved."""
    if not notion_of(mechanism.promise).bets:
        return _certify_rho(mechanism, exact)
    estimator, promise = mechanism.estimator, mechanism.promise
    # The proof covers shipped code only.
    proved = closed_loss(estimator) if mechanism.shipped and exact.loss is not None else None
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
        compared=proved.compared,
    )
    return _with_ledger(certificate) if certificate.confirmed else certificate


def _certify_rho(mechanism: Mechanism, exact: CheckResult) -> Certificate | None:
    """The same for a rho, whose formula depends on the number of entries."""
    made = getattr(mechanism.estimator, "owner", None)
    proved = closed_rho(made) if mechanism.shipped and made is not None and exact.loss is not None else None
    if made is None or proved is None or replace(mechanism.promise, claim=None) != replace(made.promise, claim=None):
        return None
    notion = notion_of(mechanism.promise)
    if exact.verdict is Verdict.NOT_REFUTED and exact.settings.length < proved.least <= _LONGEST_CHECK:
        longer = CheckSettings(users=1, length=proved.least, runs=exact.settings.runs)
        exact = run_check(SmallInstances.of(mechanism), longer)
    last = max(exact.coverage, key=lambda row: (row.length, row.users), default=None)
    if last is None:
        return None
    rho = proved.of_streams(proved.longest)
    certificate = Certificate(
        claim=proved.claim,
        loss=float(rho),
        promised=notion.promised,
        checked_loss=last.loss.nats,
        kept=not notion.broken_by(Loss(rational(rho), unit=notion.unit), exact=False),
        expected=float(proved.of_streams(last.length)),
        entries=proved.longest,
        configured=mechanism.problem.steps,
        reached=last.length >= proved.least,
        rounding=proved.rounding,
    )
    if not (certificate.confirmed and certificate.claim):
        return certificate
    return _with_ledger(certificate)


def _with_ledger(certificate: Certificate) -> Certificate:
    verdict, theorems = in_ledger(certificate.claim)
    return replace(certificate, ledger=verdict, theorems=theorems)


def in_ledger(claim: str) -> tuple[str, tuple[str, ...]]:
    """The verdict of the ledger on a claim, with the reason if it is not ``PROVED``, and its theorems of Coq.

    The claim is derived now, unless the same code and the same engines have derived it before.
    """
    from pan_proofs.ledger import UnknownClaim, default_store, derive, resolve

    try:
        identifier = resolve(claim)
    except UnknownClaim as problem:
        return str(problem), ()
    entry = derive([identifier], store=default_store())[identifier]
    named = (name for part in entry.claim.parts if part.end_to_end for name in part.theorems)
    verdict = PROVED if entry.verdict == PROVED else f"{entry.verdict}, {entry.reason}"
    return verdict, tuple(dict.fromkeys(named))


def _log(ratio: Fraction) -> float:
    """The logarithm of a fraction of large numbers."""
    return math.log1p(float(ratio - 1)) if ratio < 2 else math.log(ratio.numerator) - math.log(ratio.denominator)


def _within(ratio: Fraction, epsilon: Any) -> bool:
    return not Loss(rational(ratio)).exceeds(epsilon, exact=True)
