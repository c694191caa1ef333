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
        """The score of a table of counts, as an exact number for small tables.

        Parameters
        ----------
        counts
            The number of rows for each value of the attribute and each combination of its parents: shape
            ``(values, combinations)``. All parents together count as one attribute.
        """
        ...

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        """A bound on the change of the score by the replacement of one row.

        Parameters
        ----------
        rows
            The number of rows.
        values, combinations
            The shape of the counts.
        """
        ...

    def why_not(self, sizes: tuple[int, ...]) -> str:
        """The reason why the score is not defined for attributes of these sizes; empty if it is.

        Parameters
        ----------
        sizes
            The number of categories of each attribute.
        """
        ...
