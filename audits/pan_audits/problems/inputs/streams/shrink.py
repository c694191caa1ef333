"""Shrinking a violated pair: the fewest other users and the fewest appearances that still show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from pan_audits.problems.inputs.streams.family import Family, Pair, Piece, Segment, StreamSlice, Updates
from pan_audits.problems.inputs.streams.strategies import hypothesis_alone

_ATTEMPTS = 30


@st.composite
def reductions(draw: st.DrawFn, pair: Pair) -> Pair:
    """Pairs with the same user and schedule, but fewer updates. The pair without other updates comes first."""
    others = tuple(_reduced_segment(draw, segment) for segment in pair.family.others)
    patterns = tuple(
        tuple(draw(st.integers(0, times)) for times in pair.family.patterns[place]) for place in (pair.left, pair.right)
    )
    return Pair(replace(pair.family, others=others, patterns=patterns), 0, 1)


def shrink(pair: Pair, still_violated: Callable[[Pair], bool], *, seed: int, attempts: int = _ATTEMPTS) -> Pair:
    """A smallest reduction of ``pair`` that is adjacent and passes ``still_violated``."""
    alone = Pair(_narrowed(pair), 0, 1)
    known: dict[Pair, bool] = {}

    def passes(reduced: Pair) -> bool:
        if not reduced.family.pairs or (pair.nested and not reduced.nested):
            return False
        if reduced not in known:
            known[reduced] = still_violated(reduced)
        return known[reduced]

    try:
        with hypothesis_alone():
            return find(
                reductions(alone),
                passes,
                settings=settings(
                    max_examples=attempts,
                    database=None,
                    deadline=None,
                    phases=[Phase.generate, Phase.shrink],
                    suppress_health_check=list(HealthCheck),
                ),
                random=Random(seed),
            )
    except NoSuchExample:
        return alone


def _narrowed(pair: Pair) -> Family:
    family: Family = pair.family
    return replace(family, patterns=(pair.family.patterns[pair.left], pair.family.patterns[pair.right]))


def _reduced_segment(draw: st.DrawFn, segment: Segment) -> Segment:
    pieces: list[Piece] = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            stop = draw(st.integers(piece.start, piece.stop))
            if stop > piece.start:
                pieces.append(replace(piece, stop=stop))
            continue
        kept = draw(st.integers(0, len(piece.ids)))
        times = draw(st.integers(1, piece.times)) if piece.times > 1 else 1
        if kept:
            pieces.append(Updates(piece.ids[:kept], times, piece.deletes[:kept]))
    return tuple(pieces)
