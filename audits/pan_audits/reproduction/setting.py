"""The information that the toolkit needs about the sizes at which experiments are made; a family adds its own."""

from __future__ import annotations

from typing import Protocol

DEFAULT_SEED = 2022
"""Entropy of the streams and of all runs, unless another is asked for."""

GROUP = 8
"""So many squared errors are averaged before they are kept."""


class Setting(Protocol):
    """The sizes of a family's experiments."""

    @property
    def first_runs(self) -> int:
        """Runs of the first round, a multiple of :data:`GROUP`."""
        ...

    @property
    def rounds(self) -> int:
        """The most rounds."""
        ...

    def runs_after(self, rounds: int) -> int:
        """How many fresh runs there are of a point after so many rounds, one at least."""
        ...
