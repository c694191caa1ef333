"""Notions of privacy as objects: one file each."""

from __future__ import annotations

from pan_audits.notions.approximate import Approximate
from pan_audits.notions.loss import Loss
from pan_audits.notions.notion import Evidence, Exactly, Measured, Notion
from pan_audits.notions.pure import Pure
from pan_audits.notions.zcdp import ZeroConcentrated
from pan_promises import notion as promised
from pan_promises.promise import Promise

__all__ = ["Evidence", "Exactly", "Loss", "Measured", "Notion", "notion_of"]

_NOTIONS: dict[promised.Notion, type[Notion]] = {
    promised.Notion.PURE: Pure,
    promised.Notion.APPROXIMATE: Approximate,
    promised.Notion.ZERO_CONCENTRATED: ZeroConcentrated,
}


def notion_of(promise: Promise) -> Notion:
    """A promise, under the notion by which it bounds the loss."""
    return _NOTIONS[promise.notion](promise)
