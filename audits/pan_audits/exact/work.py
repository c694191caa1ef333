"""The work of an exact check, counted: it is the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

_CHEAPER = 128
"""The number of places of a distribution that take as long as one run of the code, about."""


@dataclass
class Work:
    """Work in runs of the code.

    Attributes
    ----------
    calls
        Runs of the code, one for each outcome of its random choices.
    places
        Places of distributions that were computed or compared.
    """

    calls: int = 0
    places: int = 0

    @property
    def done(self) -> float:
        """All of it, in runs of the code."""
        return self.calls + self.places / _CHEAPER
