"""Optional capabilities of estimators, as protocols. The audits ask for a capability, never for a class."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class CopiesStates(Protocol):
    """An estimator that copies its states faster than a deep copy."""

    def copy_state(self, state: Any) -> Any:
        """A copy of the state that later updates and releases do not change.

        Parameters
        ----------
        state
            The state. It stays unchanged.
        """
        ...


@runtime_checkable
class KeepsParameters(Protocol):
    """An estimator with parameters that are calibrated to its size, and can be kept at another size."""

    def with_parameters_of(self, other: Any) -> Any:
        """The same estimator with the cells and the noise of another one.

        Parameters
        ----------
        other
            An estimator of the same class.
        """
        ...
