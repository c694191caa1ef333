"""Pairs of adjacent streams: their parts, the catalogue of an audit, and their reduction."""

from pan_audits.problems.inputs.streams.catalogue import Catalogue, catalogue, schedules
from pan_audits.problems.inputs.streams.family import Family, Pair, SegmentEnd, Side, StreamSlice, Updates

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
