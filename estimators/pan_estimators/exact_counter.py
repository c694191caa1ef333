"""The exact counter: no privacy, no error, the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pan_estimators.errors import InputError
from pan_estimators.ids import Ids
from pan_estimators.randomness import Randomness
from pan_estimators.universe import Indices, Universe, as_universe


@dataclass(eq=False)
class ExactCounterState:
    """Who has appeared: one true or false for each user, shape ``(U,)``."""

    seen: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class ExactCounter:
    """Counts distinct users exactly. It makes no promise: its state lists who appeared.

    Parameters
    ----------
    universe
        The users.
    """

    universe: Universe
    name: str = "exact-counter"
    promise: None = None
    why_no_promise: ClassVar[str] = "its state lists who appeared"

    def create(self, randomness: Randomness) -> ExactCounterState:
        """Nobody has appeared; no random choice is made."""
        return ExactCounterState(np.zeros(self.universe.size, dtype=np.bool_))

    def update(self, state: ExactCounterState, ids: Ids, randomness: Randomness) -> ExactCounterState:
        """Mark the users among ``ids``."""
        state.seen[self.universe.encode(ids)] = True
        return state

    def release(self, state: ExactCounterState, randomness: Randomness) -> float:
        """The exact density."""
        return float(state.seen.mean())

    def sampled_users(self, state: ExactCounterState) -> Indices:
        """Everyone."""
        return np.arange(self.universe.size)

    @property
    def state_bits(self) -> int:
        """One bit for each user of the universe."""
        return self.universe.size

    def to_dict(self) -> dict[str, Any]:
        """The configuration, JSON-ready."""
        return {"estimator": self.name, "universe": self.universe.to_dict()}

    def state_to_arrays(self, state: ExactCounterState) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {"seen": state.seen}

    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> ExactCounterState:
        """Read what :meth:`state_to_arrays` wrote."""
        if arrays["seen"].shape != (self.universe.size,):
            raise InputError(f"there must be one mark for each of {self.universe.size} users")
        return ExactCounterState(arrays["seen"].astype(np.bool_))


def exact_counter(*, universe: Universe | int) -> ExactCounter:
    """An :class:`ExactCounter` for ``universe``."""
    return ExactCounter(universe=as_universe(universe))
