"""How a step is printed, where the printer's own lines would be hard to read."""

from __future__ import annotations

from dataclasses import replace

from pan_proofs.ledger.claim import Step


def displayed(step: Step, *lines: str) -> Step:
    """The same step with other rows of its display."""
    return replace(step, lines=lines)
