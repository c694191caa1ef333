"""Universes of users: the possible ids, and the index of each."""

from __future__ import annotations

import secrets
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.cmac_cells import cmac_cell, cmac_cells
from pan_estimators.universes.columns import Encoded, Strings, encoded_column, plain_column
from pan_estimators.universes.hashed_cells import hashed_cells
from pan_estimators.universes.ids import (
    TEXT,
    TEXTS,
    WHOLE,
    IdArray,
    Ids,
    as_id_array,
    kind_of,
    kind_of_one,
    require_one_kind,
    text_array,
)
from pan_promises.errors import InputError, require_count

Indices = NDArray[np.int64]

AES_CMAC, BLAKE2B = "aes-cmac", "blake2b"


@runtime_checkable
class Universe(Protocol):
    """A finite set of users, indexed from 0 to ``size - 1``."""

    @property
    def size(self) -> int:
        """Number of users U."""
        ...

    def encode(self, ids: Ids) -> Indices:
        """The index of every id, in order: shape ``(n,)``, from 0 to ``size - 1``.

        Parameters
        ----------
        ids
            One id, or an array-like of ids.

        Raises
        ------
        InputError
            For an id outside the universe.
        """
        ...

    def example_ids(self, most: int) -> list[Any]:
        """At most ``most`` distinct ids of the universe, the same at every call."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready description."""
        ...


@dataclass(frozen=True)
class IntegerUniverse:
    """The users ``first, first + 1, ..., first + size - 1``.

    Parameters
    ----------
    size
        Number of users U, from 1 to ``2**62``.
    first
        The smallest id.

    Raises
    ------
    InputError
        If the size is out of range.
    """

    size: int
    first: int = 0

    def __post_init__(self) -> None:
        require_count("the universe size", self.size, most=2**62)

    def encode(self, ids: Ids) -> Indices:
        array = as_id_array(ids)
        if array.dtype.kind in TEXT:
            raise InputError(f"this universe has integer ids {self._span()}, got the string {str(array.flat[0])!r}")
        numbers: NDArray[Any] = array
        if array.ndim != 1:
            raise InputError(f"ids must form a one-dimensional array, got shape {array.shape}")
        if array.size and (int(array.min()) < self.first or int(array.max()) >= self.first + self.size):
            outside = (numbers < self.first) | (numbers >= self.first + self.size)
            raise InputError(f"id {int(array[outside][0])} is outside the universe {self._span()}")
        return array.astype(np.int64, copy=False) - self.first if self.first else array.astype(np.int64, copy=False)

    def encode_one(self, one: int | str) -> int:
        """The index of the id ``one``; :class:`InputError` if it is outside the universe."""
        if type(one) is int and 0 <= one - self.first < self.size:
            return one - self.first
        return _only(self.encode([one]))

    def _span(self) -> str:
        return f"{self.first}..{self.first + self.size - 1}"

    def example_ids(self, most: int) -> list[int]:
        return list(range(self.first, self.first + min(self.size, most)))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "integers", "size": self.size, "first": self.first}


@dataclass(frozen=True)
class LabelUniverse:
    """Users named by distinct strings, indexed in sorted order.

    Parameters
    ----------
    labels
        The strings, at least one, all different.

    Raises
    ------
    InputError
        If there is no label, or a label is repeated.
    """

    labels: tuple[str, ...]
    _sorted: NDArray[Any] = field(init=False, repr=False, compare=False)

    def __init__(self, labels: Iterable[str]) -> None:
        ordered = tuple(sorted(map(str, labels)))
        require_count("the universe size", len(ordered))
        if len(set(ordered)) != len(ordered):
            raise InputError("the labels of a universe must be distinct")
        object.__setattr__(self, "labels", ordered)
        object.__setattr__(self, "_sorted", text_array(ordered))

    @property
    def size(self) -> int:
        """Number of users U."""
        return len(self.labels)

    def encode(self, ids: Ids) -> Indices:
        column = encoded_column(ids)
        names = as_id_array(ids) if column is None else column.names()
        places = self._places(names)
        if column is not None:
            places = places[column.rows]
        if places.size and places.min() < 0:
            first = int(np.argmin(places))
            wrong = names[first if column is None else column.rows[first]]
            raise InputError(f"id {str(wrong)!r} is not among the {self.size} labels of the universe")
        return places

    def encode_one(self, one: int | str) -> int:
        """The index of the id ``one``; :class:`InputError` if it is no label."""
        place = bisect_left(self.labels, one) if isinstance(one, str) else self.size
        return place if place < self.size and self.labels[place] == one else _only(self.encode([one]))

    def _places(self, ids: IdArray) -> Indices:
        """The place of each id among the labels, or -1."""
        if ids.size == 0:
            return np.empty(0, dtype=np.int64)
        names = ids if ids.dtype.kind in TEXT else ids.astype(np.str_)
        places = np.searchsorted(self._sorted, names)
        found = self._sorted[np.minimum(places, self.size - 1)] == names
        return np.where(found, places, -1).astype(np.int64, copy=False)

    def example_ids(self, most: int) -> list[str]:
        return list(self.labels[:most])

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "labels", "labels": list(self.labels)}


@dataclass(frozen=True)
class HashedUniverse:
    """Users of unknown number with ids of any kind, mapped to ``size`` cells by a keyed hash.

    Two users may share a cell. One user touches one cell only, so that a promise about cells is a
    promise about users. The estimators count occupied cells. :func:`pan_estimators.confidence_interval`
    corrects the count for collisions. The key is kept with the state, and an adversary sees it.

    Two given users collide with probability ``1/size``. Some two of n users collide with a probability below
    ``n (n-1)/(2 size)``: for a million users and ``size = 2**62`` that is ``1.1e-7``.

    Parameters
    ----------
    size
        Number of cells, from 1 to ``2**62``. For a density choose several times the expected number of
        distinct users.
    key
        16 to 64 secret bytes, fresh by default, so that nobody can choose colliding ids.
    hash
        The keyed hash: ``aes-cmac``, or ``blake2b`` for states of earlier versions.
    ids
        The kind of all ids, which is public: ``whole numbers`` or ``texts``; ``None`` if it is not known yet. The
        number 7 and the text 7 are two users, so that ids of another kind are refused.

    Raises
    ------
    InputError
        If the size or the length of the key is out of range, or the hash or the kind is another one.
    """

    size: int
    key: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    hash: str = AES_CMAC
    ids: str | None = None

    def __post_init__(self) -> None:
        require_count("the universe size", self.size, most=2**62)
        if not 16 <= len(self.key) <= 64:
            raise InputError(f"the key of a hashed universe must have 16 to 64 bytes, got {len(self.key)}")
        if self.hash not in (AES_CMAC, BLAKE2B):
            raise InputError(f"the hash of a hashed universe must be {AES_CMAC} or {BLAKE2B}, got {self.hash!r}")
        if self.ids not in (None, WHOLE, TEXTS):
            raise InputError(f"the ids of a hashed universe are {WHOLE} or {TEXTS}, got {self.ids!r}")

    def encode(self, ids: Ids) -> Indices:
        hashed = hashed_cells if self.hash == BLAKE2B else cmac_cells
        integers = isinstance(ids, np.ndarray) and ids.dtype.kind in "iu"
        column = None if integers else plain_column(ids)
        if isinstance(column, Encoded):
            require_one_kind(self.ids, kind_of(column.distinct))
            return np.asarray(hashed(column.distinct, self.size, self.key)[column.rows], dtype=np.int64)
        given: NDArray[Any] | Strings = as_id_array(ids).ravel() if column is None else column
        require_one_kind(self.ids, kind_of(given))
        return hashed(given, self.size, self.key)

    def encode_one(self, one: int | str) -> int:
        """The index of the cell of the id ``one``."""
        if self.ids is not None:
            require_one_kind(self.ids, kind_of_one(one))
        if self.hash == AES_CMAC and (type(one) is str or (type(one) is int and -(2**63) <= one < 2**64)):
            return cmac_cell(one, self.size, self.key)
        return _only(self.encode([one]))

    def example_ids(self, most: int) -> list[int]:
        return list(range(min(self.size, most)))

    def to_dict(self) -> dict[str, Any]:
        # Earlier versions have one hash only, and neither write nor expect its name.
        named = {} if self.hash == BLAKE2B else {"hash": self.hash}
        named |= {} if self.ids is None else {"ids": self.ids}
        return {"kind": "hashed", "size": self.size, "key": self.key.hex(), **named}


@dataclass(frozen=True)
class EdgeUniverse:
    """The edges of a simple undirected graph on the vertices ``0, ..., vertices - 1``.

    An id is a pair of vertices, and an array of ids has shape ``(n, 2)``. A single integer array of
    shape ``(n,)`` is taken as edge indices.

    Parameters
    ----------
    vertices
        Number of vertices, from 2 to ``2**31``.

    Raises
    ------
    InputError
        If the number of vertices is out of range.
    """

    vertices: int

    def __post_init__(self) -> None:
        require_count("the number of vertices", self.vertices, least=2, most=2**31)

    @cached_property
    def size(self) -> int:
        """Number of possible edges, ``vertices * (vertices - 1) / 2``."""
        return self.vertices * (self.vertices - 1) // 2

    def encode(self, ids: Ids) -> Indices:
        array = as_id_array(ids)
        if array.size == 0:
            return np.empty(0, dtype=np.int64)
        if array.dtype.kind in TEXT:
            raise InputError(f"an edge is a pair of vertex numbers, got the string {str(array.flat[0])!r}")
        if array.ndim == 1:
            return IntegerUniverse(self.size).encode(array)
        if array.ndim != 2 or array.shape[1] != 2:
            raise InputError(f"edges must form an array of shape (n, 2), got {array.shape}")
        low, high = array.min(axis=1).astype(np.int64), array.max(axis=1).astype(np.int64)
        bad = (low < 0) | (high >= self.vertices) | (low == high)
        if bad.any():
            edge = tuple(int(end) for end in array[bad][0])
            raise InputError(f"{edge} is not an edge between two of the vertices 0..{self.vertices - 1}")
        return np.asarray(high * (high - 1) // 2 + low, dtype=np.int64)

    def example_ids(self, most: int) -> list[tuple[int, int]]:
        edges = ((low, high) for high in range(1, self.vertices) for low in range(high))
        return list(islice(edges, most))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "edges", "vertices": self.vertices}


def _only(indices: Indices) -> int:
    if indices.size != 1:
        raise InputError(f"one id was expected, got {indices.size}")
    return int(indices[0])


SHIPPED = (IntegerUniverse, LabelUniverse, HashedUniverse, EdgeUniverse)
"""Universes whose ``encode`` returns the given array itself, or a new array at each call."""


def as_universe(universe: Universe | int) -> Universe:
    """The universe itself, or that of the ids ``0, 1, ..., n - 1`` for a number n of users."""
    if isinstance(universe, Universe):
        return universe
    return IntegerUniverse(universe)


def universe_from_dict(values: Mapping[str, Any]) -> Universe:
    """The universe that ``to_dict`` wrote. Raise :class:`InputError` for any other dictionary."""
    try:
        match values:
            case {"kind": "integers", "size": int(size), "first": int(first)}:
                return IntegerUniverse(size, first)
            case {"kind": "labels", "labels": list(labels)}:
                return LabelUniverse(labels)
            case {"kind": "hashed", "size": int(size), "key": str(key)}:
                return HashedUniverse(size, bytes.fromhex(key), values.get("hash", BLAKE2B), values.get("ids"))
            case {"kind": "edges", "vertices": int(vertices)}:
                return EdgeUniverse(vertices)
    except ValueError as problem:
        raise InputError(f"not the description of a universe: {problem}") from None
    raise InputError("not the description of a universe: integers, labels, hashed or edges")
