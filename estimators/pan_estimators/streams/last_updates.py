"""The last update of each user in a stretch of a stream."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.universe import Indices

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
