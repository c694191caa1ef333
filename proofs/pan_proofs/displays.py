"""Displays of steps, tidied: what a reader would see twice is shown once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pan_proofs.ledger.claim import Part, Step


def tidy(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts, without the lines of a chain that print the same expression as the line above."""
    return tuple(replace(part, steps=tuple(_without_repeats(step) for step in part.steps)) for part in parts)


def _without_repeats(step: Step) -> Step:
    kept: list[str] = []
    for line in step.lines:
        if kept and line.startswith("&=") and kept[-1].partition("&=")[2] == line.partition("&=")[2]:
            continue
        kept.append(line)
    return replace(step, lines=tuple(kept))
