"""Pairs of adjacent streams: their parts, the catalogue of an audit, and their reduction."""

from pan_audits.inputs.streams.catalogue import Catalogue, catalogue, schedules
from pan_audits.inputs.streams.family import Family, Pair
from pan_audits.inputs.streams.side import Side, Step, StreamSlice, Updates

__all__ = [
    "Catalogue",
    "Family",
    "Pair",
    "Side",
    "Step",
    "StreamSlice",
    "Updates",
    "catalogue",
    "schedules",
]
