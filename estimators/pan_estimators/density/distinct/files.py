"""The bytes of a distinct user counter, and its files.

The bytes hold its state, its outputs, and the place in an input, in one checked whole. The format is that of
:mod:`pan_estimators.states.state_format`. The key can be kept apart. The bytes of an erased counter hold its outputs,
and neither bits nor a key.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_estimators.common.registry import estimator_from_dict
from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState
from pan_estimators.states.key_file import KeyWords, key_digest, require_key
from pan_estimators.states.releasing import is_erased, releases_covered
from pan_estimators.states.state_format import Header, StateReader, file_of
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, StateFileError

_MOST = 2**62
_MOST_USERS = 2.0**61
_NAMES = {"distinct_users", "least", "most", "seeded", "outputs", "place"}


@dataclass(frozen=True)
class Output:
    """A release: the noisy number of ones of each level, and the confidence of the interval that was asked for."""

    counts: tuple[int, ...]
    level: float


@dataclass(frozen=True)
class StoredCounter:
    """Everything that the bytes of a counter hold.

    Attributes
    ----------
    estimator
        The counter with its universe.
    state
        Its state.
    least, most
        The range of the number of users.
    seeded
        Whether any random choice came from a seed.
    outputs
        The releases so far.
    place
        The place in an input from which the reading continues, JSON-ready; ``None`` without an unfinished input.
    """

    estimator: DistinctCounter
    state: DistinctCounterState
    least: float
    most: float
    seeded: bool = False
    outputs: tuple[Output, ...] = ()
    place: Mapping[str, Any] | None = None

    @property
    def erased(self) -> bool:
        """Whether the last release was made."""
        return is_erased(self.estimator, self.state)

    @property
    def key_words(self) -> KeyWords:
        """The key of the hash in the form of a key file."""
        return key_words_of(self.estimator)

    def to_bytes(self, *, apart: bool = False) -> bytes:
        """The bytes."""
        about = self.estimator.to_dict()
        if apart or self.erased:
            del about["universe"]["key"]
        configuration = {
            "distinct_users": about,
            "least": self.least,
            "most": self.most,
            "seeded": self.seeded,
            "outputs": [{"counts": list(one.counts), "level": one.level} for one in self.outputs],
            "place": None if self.place is None else dict(self.place),
        }
        arrays = None if self.erased else self.estimator.state_to_arrays(self.state)
        digest = key_digest(self.key_words) if apart and not self.erased else None
        return file_of(configuration, arrays, releases=self.state.releases, key_digest=digest)


def stored_from_bytes(content: bytes, *, source: str, key: KeyWords | None = None) -> StoredCounter:
    """The counter in some bytes. The promise of its parameters is checked in fractions."""
    reader = StateReader(io.BytesIO(content), len(content), source)
    header = reader.header
    about = header.configuration
    if about.keys() != _NAMES or not isinstance(about["distinct_users"], dict):
        raise StateFileError(f"{source} holds no distinct user counter")
    if not header.spent:
        require_key(header.key_digest, key, source)
    with reader.fitting("a distinct counter"):
        estimator = counter_described(about["distinct_users"], header, key)
        if not isinstance(estimator.universe, HashedUniverse):
            raise InputError("it is another estimator")
        if not header.spent:
            header.require_fit(estimator.stored_arrays(), source)
        outputs = tuple(_output(one, estimator) for one in about["outputs"])
        least, most = float(about["least"]), float(about["most"])
        if not 1 <= least < most <= _MOST_USERS:
            raise InputError("its range of users is empty")
    arrays = reader.arrays()
    covered = releases_covered(estimator) or 0
    if header.releases != len(outputs) or header.spent != (header.releases >= covered):
        raise StateFileError(f"{source} is corrupted: {header.releases} releases, and {len(outputs)} outputs")
    if header.spent:
        state = DistinctCounterState(np.zeros(estimator.geometry.cells, dtype=np.bool_))
    elif "cells" in arrays:
        state = estimator.state_from_arrays(arrays)
    else:
        raise StateFileError(f"{source} lacks its cells")
    state.releases = header.releases
    place = about["place"] if isinstance(about["place"], dict) else None
    return StoredCounter(estimator, state, least, most, bool(about["seeded"]), outputs, place)


def counter_described(about: Mapping[str, Any], header: Header, key: KeyWords | None) -> DistinctCounter:
    """The counter of a description, with the key that was kept apart. Its promise is checked in fractions."""
    described_universe = about.get("universe")
    universe = dict(described_universe) if isinstance(described_universe, dict) else {}
    if key is not None:
        universe["key"] = np.ascontiguousarray(key, dtype="<i8").tobytes().hex()
    elif header.spent and universe.get("kind") == "hashed":
        universe["key"] = bytes(16).hex()
    estimator = estimator_from_dict({**about, "universe": universe})
    if not isinstance(estimator, DistinctCounter):
        raise InputError("it is another estimator")
    return estimator


def key_words_of(estimator: DistinctCounter) -> KeyWords:
    """The key of the hash in the form of a key file."""
    return np.frombuffer(hashed(estimator).key, dtype="<i8").astype(np.int64)


def hashed(estimator: DistinctCounter) -> HashedUniverse:
    """The universe of a counter of users."""
    assert isinstance(estimator.universe, HashedUniverse)
    return estimator.universe


def _output(one: Any, estimator: DistinctCounter) -> Output:
    counts, level = one["counts"], one["level"]
    if not isinstance(counts, list) or any(type(count) is not int or abs(count) > _MOST for count in counts):
        raise InputError("an output holds a value that is no whole number up to 2^62")
    if len(counts) != len(estimator.geometry.levels) or not 0 < float(level) < 1:
        raise InputError("an output does not fit the levels")
    return Output(tuple(counts), float(level))
