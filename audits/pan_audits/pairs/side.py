"""Streams cut at the times when something is seen, small enough to print and to replay."""

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

from pan_estimators import InputError, as_id_array, load_stream

Id: TypeAlias = int | str | tuple[int, int]


class Step(StrEnum):
    """What happens after a segment of the stream."""

    INTRUSION = "intrusion"
    ANNOUNCED = "announced intrusion"
    RELEASE = "release"


Schedule: TypeAlias = tuple[Step, ...]
"""One step after each segment of a stream."""


@dataclass(frozen=True)
class Updates:
    """Ids in order, repeated as a whole ``times`` times.

    Attributes
    ----------
    ids
        The ids.
    times
        How often the sequence is repeated.
    deletes
        Which of the updates delete their user; empty for none.
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
    def from_dict(cls, values: Mapping[str, Any]) -> Side:
        """Read what :meth:`to_dict` wrote."""
        try:
            return cls(tuple(tuple(_piece_from_dict(p) for p in segment) for segment in values["segments"]))
        except (KeyError, TypeError, ValueError) as problem:
            raise InputError(f"not the description of a stream: {problem}") from None

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


@lru_cache(maxsize=64)
def _slice(piece: StreamSlice) -> NDArray[Any]:
    ids = load_stream(piece.stream, numbered=True).ids[piece.start : piece.stop]
    return np.asarray(ids[ids != piece.without])


@lru_cache(maxsize=64)
def _slice_deletes(piece: StreamSlice) -> NDArray[np.bool_]:
    if not piece.alternating:
        return np.zeros(len(piece), dtype=np.bool_)
    ids = load_stream(piece.stream, numbered=True).ids
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


def _piece_from_dict(values: Mapping[str, Any]) -> Piece:
    if "stream" in values:
        return StreamSlice(
            str(values["stream"]),
            int(values["start"]),
            int(values["stop"]),
            id_from_json(values["without"]),
            bool(values.get("alternating", False)),
        )
    return Updates(
        tuple(id_from_json(identifier) for identifier in values["ids"]),
        int(values.get("times", 1)),
        tuple(bool(flag) for flag in values.get("deletes", ())),
    )


def id_from_json(value: Any) -> Id:
    """An id as it was written to JSON; ``ValueError`` for anything else."""
    if isinstance(value, list):
        return (int(value[0]), int(value[1]))
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        return value
    raise ValueError(f"{value!r} is no id")
