"""Streams, cut at the times of observations, small enough to print and to replay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_audits.judging.reading import Field
from pan_estimators.universes.ids import as_id_array
from pan_promises.errors import InputError, shown, suggestion

MOST_UPDATES = 10**6
"""Greatest number of updates of a stream from a document. A stream of an audit has at most half a million."""

_MOST_SEGMENTS = 64
_LARGEST_ID = 2**63 - 1

Id: TypeAlias = int | str | tuple[int, int]


class SegmentEnd(StrEnum):
    """The step after a segment of the stream."""

    INTRUSION = "intrusion"
    ANNOUNCED = "announced intrusion"
    RELEASE = "release"


Schedule: TypeAlias = tuple[SegmentEnd, ...]
"""One step after each segment of a stream."""


@dataclass(frozen=True)
class Updates:
    """A sequence of ids, repeated ``times`` times.

    Attributes
    ----------
    ids
        The ids.
    times
        Number of repetitions of the sequence.
    deletes
        Whether each update deletes its user; empty if none does.
    """

    ids: tuple[Id, ...]
    times: int = 1
    deletes: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.ids) * self.times


@dataclass(frozen=True)
class StreamSlice:
    """A stretch of a shipped real stream with all occurrences of one user left out.

    Attributes
    ----------
    stream
        Name for :func:`pan_estimators.load_stream`.
    start, stop
        Positions in the original stream.
    without
        The user that is left out.
    alternating
        Whether the appearances of each user insert and delete it in turn.
    """

    stream: str
    start: int
    stop: int
    without: Id
    alternating: bool = False

    def __len__(self) -> int:
        return int(_slice(self).size)


Piece: TypeAlias = Updates | StreamSlice
Segment: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True)
class Side:
    """One of two adjacent streams: a segment before each step of the schedule."""

    segments: tuple[Segment, ...]

    def __len__(self) -> int:
        return sum(len(piece) for segment in self.segments for piece in segment)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"segments": [[_piece_to_dict(piece) for piece in segment] for segment in self.segments]}

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Side:
        """Read the result of :meth:`to_dict`; :class:`InputError` names the place of a part that is wrong."""
        return cls(segments_in(Field.of(values)["segments"]))

    def fingerprint(self, schedule: Schedule) -> int:
        """A number that depends on the stream and the schedule alone, for seeding."""
        text = json.dumps([self.to_dict(), list(map(str, schedule))], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:12], "little")


@lru_cache(maxsize=256)
def materialise(segment: Segment) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The ids of a segment as an array, and its deletions if it has any."""
    arrays: list[NDArray[Any]] = []
    deletes: list[NDArray[np.bool_]] = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            arrays.append(_slice(piece))
            deletes.append(_slice_deletes(piece))
        elif piece.ids:
            ids = np.array(piece.ids) if isinstance(piece.ids[0], tuple) else as_id_array(list(piece.ids))
            arrays.append(np.concatenate([ids] * piece.times))
            flags = np.array(piece.deletes or (False,) * len(piece.ids), dtype=np.bool_)
            deletes.append(np.tile(flags, piece.times))
    if not arrays:
        return np.empty(0, dtype=np.int64), None
    flags = np.concatenate(deletes)
    ids = np.concatenate(arrays)
    ids.setflags(write=False)
    return ids, flags if flags.any() else None


def _ids_of(stream: str) -> NDArray[Any]:
    # Most processes read no shipped stream.
    from pan_estimators.streams.real import load_stream

    return np.asarray(load_stream(stream, numbered=True).ids)


@lru_cache(maxsize=64)
def _slice(piece: StreamSlice) -> NDArray[Any]:
    ids = _ids_of(piece.stream)[piece.start : piece.stop]
    return np.asarray(ids[ids != piece.without])


@lru_cache(maxsize=64)
def _slice_deletes(piece: StreamSlice) -> NDArray[np.bool_]:
    if not piece.alternating:
        return np.zeros(len(piece), dtype=np.bool_)
    ids = _ids_of(piece.stream)
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], ids[order][1:] != ids[order][:-1]]))
    counts = np.diff(np.append(starts, ids.size))
    occurrence = np.empty(ids.size, dtype=np.int64)
    occurrence[order] = np.arange(ids.size) - np.repeat(starts, counts)
    kept = ids[piece.start : piece.stop] != piece.without
    return np.asarray(occurrence[piece.start : piece.stop][kept] % 2 == 1)


def _piece_to_dict(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, StreamSlice):
        return {
            "stream": piece.stream,
            "start": piece.start,
            "stop": piece.stop,
            "without": list(piece.without) if isinstance(piece.without, tuple) else piece.without,
            "alternating": piece.alternating,
        }
    ids = [list(identifier) if isinstance(identifier, tuple) else identifier for identifier in piece.ids]
    described: dict[str, Any] = {"ids": ids}
    if piece.times != 1:
        described["times"] = piece.times
    if piece.deletes:
        described["deletes"] = list(piece.deletes)
    return described


def segments_in(field: Field) -> tuple[Segment, ...]:
    """The segments of a stream, as :meth:`Side.to_dict` wrote them."""
    found = tuple(tuple(_piece(piece) for piece in segment.items()) for segment in field.items(most=_MOST_SEGMENTS))
    updates = sum(len(piece.ids) * piece.times for segment in found for piece in segment if isinstance(piece, Updates))
    if updates > MOST_UPDATES:
        raise InputError(f"{field.place}: a stream may have at most {MOST_UPDATES} updates here, got {updates}")
    return found


def _piece(field: Field) -> Piece:
    if field.get("stream") is not None:
        from pan_estimators.streams.real import STREAMS

        name = field["stream"].text()
        with field["stream"].placed():
            if name not in STREAMS:
                raise InputError(f"unknown stream {shown(name)}; {suggestion(name, STREAMS)}")
        alternating = field.get("alternating")
        start = field["start"].whole(most=MOST_UPDATES)
        stop = field["stop"].whole(least=start, most=MOST_UPDATES)
        return StreamSlice(name, start, stop, id_in(field["without"]), alternating is not None and alternating.truth())
    ids = tuple(id_in(identifier) for identifier in field["ids"].items(most=MOST_UPDATES))
    times, flags = field.get("times"), field.get("deletes")
    deletes = () if flags is None else tuple(flag.truth() for flag in flags.items(most=len(ids)))
    if deletes and len(deletes) != len(ids):
        raise InputError(f"{field.place}.deletes: there must be one for each of {len(ids)} ids, got {len(deletes)}")
    return Updates(ids, 1 if times is None else times.whole(most=MOST_UPDATES), deletes)


def id_in(field: Field) -> Id:
    """The id of a user as it was written to JSON: a number, a text, or a pair of numbers."""
    if isinstance(field.value, list):
        low, high = (end.whole(most=_LARGEST_ID) for end in field.items(least=2, most=2, what="an id: a list"))
        return (low, high)
    if isinstance(field.value, str):
        return field.text()
    return field.whole(least=-_LARGEST_ID, most=_LARGEST_ID)
