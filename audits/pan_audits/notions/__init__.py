"""Notions of privacy as objects: one file each, with the name of the notion in lower case."""

from __future__ import annotations

from importlib import import_module

from pan_audits.notions.loss import Loss
from pan_audits.notions.notion import Evidence, Exactly, LowerBounds, Notion, ScoreRuns
from pan_promises.promise import Promise

__all__ = ["Evidence", "Exactly", "Loss", "LowerBounds", "Notion", "ScoreRuns", "notion_of"]


def notion_of(promise: Promise) -> Notion:
    """A promise, under the notion by which it bounds the loss."""
    # The name comes from the fields of a promise, and never from a document.
    found: Notion = import_module(f"{__name__}.{promise.notion.lower()}").NOTION(promise)
    return found
