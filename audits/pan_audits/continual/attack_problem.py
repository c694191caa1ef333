"""The batch problems that an attack embeds in a stream."""

from __future__ import annotations

from enum import StrEnum


class Reduction(StrEnum):
    """The batch problem that is embedded in the stream."""

    INNER_PRODUCTS = "inner-products"
    MARGINALS = "marginals"
