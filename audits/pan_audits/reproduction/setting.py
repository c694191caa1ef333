"""The sizes of experiments that the toolkit needs. A family adds its own."""

from __future__ import annotations

from typing import Protocol

DEFAULT_SEED = 2022
"""Entropy of the streams and of all runs, unless another is asked for."""

GROUP = 8
"""Number of squared errors that are averaged before they are kept."""


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
        """The number of fresh runs of a point after a number of rounds, at least one."""
        ...
