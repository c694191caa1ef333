"""A model that was fitted to a table with privacy: rows of it, its report, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.tables.frames import columns_of, framed
from pan_estimators.tables.mechanism import Synthesizer
from pan_estimators.tables.network import Network
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown
from pan_promises.promise import Promise

_FORMAT = "panproof model of a table"
_MOST_BYTES = 2**28


@dataclass(frozen=True, eq=False)
class Fitted:
    """A private model of a table. It holds nothing of the table but what the promise covers.

    Attributes
    ----------
    network
        The model.
    promise
        The promise that covers the model, all rows of it, and the report.
    rows
        The number of rows of the table, which is public.
    report
        Marginals with intervals, the structure and the budget of each step.
    """

    network: Network
    promise: Promise
    rows: int
    report: Mapping[str, Any] = field(default_factory=dict)

    def sample(
        self, rows: int | None = None, seed: int | None = None, form: str = "columns", bins: str = "numbers"
    ) -> Any:
        """Rows of the model."""
        if bins not in ("numbers", "labels"):
            raise InputError(f"bins are numbers or labels, got {shown(bins)}")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise InputError(f"a seed is a whole number of at least 0, got {shown(seed)}")
        randomness: Randomness = SecureRandomness() if seed is None else NumpyRandomness(seed)
        table = self.network.sample(self.rows if rows is None else rows, randomness)
        return framed(columns_of(table, randomness if bins == "numbers" else None), form)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return {
            "format": _FORMAT,
            "promise": self.promise.to_dict(),
            "rows": self.rows,
            "network": self.network.to_dict(),
            "report": dict(self.report),
        }

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file."""
        try:
            Path(path).write_text(json.dumps(self.to_dict(), allow_nan=False), encoding="utf-8")
        except OSError as problem:
            raise InputError(f"cannot write {shown(str(path))}: {problem.strerror}") from None
        except ValueError:
            raise InputError("a number of the model or of its report is not finite") from None

    @classmethod
    def load(cls, path: str | Path) -> Fitted:
        """The model of a JSON file that :meth:`save` wrote. The file is data and chooses no code."""
        try:
            with Path(path).open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError as problem:
            raise InputError(f"cannot read {shown(str(path))}: {problem.strerror}") from None
        wrong = InputError(f"{shown(str(path))} holds no model of a table")
        try:
            document = json.loads(content[:_MOST_BYTES].decode("utf-8"))
        except (ValueError, RecursionError):
            raise wrong from None
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise wrong
        parts = [document.get(name) for name in ("network", "promise", "rows", "report")]
        network, promise, rows, report = parts
        if not all(isinstance(one, dict) for one in (network, promise, report)):
            raise wrong
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
            raise wrong
        try:
            return cls(Network.from_dict(network or {}), Promise.from_dict(promise or {}), rows, report or {})
        except TypeError:
            raise wrong from None


def fit(mechanism: Synthesizer, data: Any, randomness: Randomness | None = None) -> Fitted:
    """The private model of a table."""
    if not hasattr(mechanism, "post_process") or not hasattr(mechanism, "schema"):
        raise InputError(f"fit takes a mechanism such as CalibratedTree(schema, epsilon=1.0), got {shown(mechanism)}")
    table = Table.of(data, mechanism.schema)
    released = mechanism.release(table, SecureRandomness() if randomness is None else randomness)
    model = mechanism.post_process(released)
    return Fitted(model, mechanism.promise, table.rows, mechanism.report(released, model, table.rows))
