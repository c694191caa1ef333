"""The part that the mechanisms with a network share: rows of it."""

from __future__ import annotations

from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.network import Network
from pan_estimators.tables.on_tables import OnTables


class GivesRows(OnTables):
    """A mechanism whose model is a network."""

    def sample(self, model: Network, rows: int, randomness: Randomness) -> list[tuple[Any, ...]]:
        """Rows of a network."""
        return model.sample(rows, randomness).to_rows()

    def report(self, observation: Any, model: Network, rows: int) -> dict[str, Any]:
        """No report: a mechanism over sites has none."""
        return {}
