"""Pairs of adjacent streams: what they are made of, which are looked at, how they are shrunk."""

from pan_audits.pairs.catalogue import Catalogue, catalogue, schedules
from pan_audits.pairs.family import Family, Pair
from pan_audits.pairs.shrink import shrink
from pan_audits.pairs.side import Side, Step, StreamSlice, Updates
from pan_audits.pairs.strategies import families, pairs

__all__ = [
    "Catalogue",
    "Family",
    "Pair",
    "Side",
    "Step",
    "StreamSlice",
    "Updates",
    "catalogue",
    "families",
    "pairs",
    "schedules",
    "shrink",
]
