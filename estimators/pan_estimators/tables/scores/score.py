"""The protocol of a score."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Score(Protocol):
    """The strength of the dependence of an attribute on its parents, and by how much one row changes it.

    Attributes
    ----------
    unit
        The unit of its values.
    """

    unit: str

    def value(self, counts: NDArray[np.int64]) -> Any:
        """The score of a table of counts, as an exact number for small tables."""
        ...

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        """A bound on the change of the score by the replacement of one row."""
        ...

    def why_not(self, sizes: tuple[int, ...]) -> str:
        """The reason why the score is not defined for attributes of these sizes; empty if it is."""
        ...
