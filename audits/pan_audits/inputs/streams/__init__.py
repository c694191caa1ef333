"""Pairs of adjacent streams: what they are made of, which are looked at, how they are shrunk."""

from pan_audits.inputs.streams.catalogue import Catalogue, catalogue, schedules
from pan_audits.inputs.streams.family import Family, Pair
from pan_audits.inputs.streams.side import SegmentEnd, Side, StreamSlice, Updates

__all__ = [
    "Catalogue",
    "Family",
    "Pair",
    "SegmentEnd",
    "Side",
    "StreamSlice",
    "Updates",
    "catalogue",
    "schedules",
]
