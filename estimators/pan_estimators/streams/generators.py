"""Synthetic streams, and the last update of each user of a stream."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.universe import Indices
from pan_promises.errors import InputError, require_count


def uniform_stream(*, universe: int = 10**5, length: int = 10**5, seed: int | None = None) -> NDArray[np.int64]:
    """A stream of independent uniform ids. With the defaults its expected density is ``1 - 1/e``, about 0.63.

    The defaults are those of the paper.

    Parameters
    ----------
    universe
        Number of users U, at least 1. The ids are ``0, ..., U - 1``.
    length
        Number of ids, at least 0.
    seed
        Seed of numpy's generator. By default every call gives another stream.

    Returns
    -------
    The ids, shape ``(length,)``.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    require_count("the universe size", universe)
    require_count("the stream length", length, least=0)
    return np.random.default_rng(seed).integers(0, universe, length)


def zipf_stream(
    *, universe: int = 10**5, length: int = 10**5, exponent: float = 1.0, seed: int | None = None
) -> NDArray[np.int64]:
    """A stream of independent ids, where the id ``k - 1`` has a probability proportional to ``k**-exponent``.

    With the defaults, those of the paper, its expected density is about 0.25.

    Parameters
    ----------
    universe
        Number of users U, at least 1. The ids are ``0, ..., U - 1``.
    length
        Number of ids, at least 0.
    exponent
        In [0, 100).
    seed
        Seed of numpy's generator. By default every call gives another stream.

    Returns
    -------
    The ids, shape ``(length,)``.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    require_count("the universe size", universe)
    require_count("the stream length", length, least=0)
    if not 0 <= exponent < 100:
        raise InputError(f"the exponent of a Zipf stream must lie in [0, 100), got {exponent!r}")
    cumulative = np.cumsum(np.arange(1, universe + 1, dtype=np.float64) ** -exponent)
    drawn = np.random.default_rng(seed).random(length) * cumulative[-1]
    return np.asarray(np.searchsorted(cumulative, drawn, side="right"), dtype=np.int64)


LastUpdates = NDArray[np.int8]


def last_update_of_each(users: Indices, deletions: NDArray[np.bool_] | None, universe_size: int) -> LastUpdates:
    """The last update of each user: 1 inserts, -1 deletes, and 0 is for a user without an update.

    Parameters
    ----------
    users
        Indices of the users of a stretch of a stream, in order.
    deletions
        For each update whether it deletes, shape of ``users``; ``None`` for insertions only.
    universe_size
        Number of users U.

    Returns
    -------
    Shape ``(U,)``.
    """
    result = np.zeros(universe_size, dtype=np.int8)
    if deletions is None:
        result[users] = 1
        return result
    touched, first = np.unique(users[::-1], return_index=True)
    result[touched] = np.where(deletions[::-1][first], -1, 1)
    return result
