"""A journal of finished work, so that an interrupted run goes on to the same answer."""

from __future__ import annotations

import io
import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.events import Table
from pan_estimators import InputError

_VERSION = 1


class Journal:
    """Tables and facts by key, written at once, in one file that survives a kill.

    Parameters
    ----------
    path
        The file; it is created if it does not exist.
    identity
        What the run is about: estimator, promise, settings. A journal of something else is refused.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        text = json.dumps({"version": _VERSION, **identity}, sort_keys=True, default=str)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, content BLOB)")
            found = self._read("identity")
        except (sqlite3.DatabaseError, OSError) as problem:
            raise InputError(f"{path} is not a journal of panproof: {problem}") from None
        self.resumed = found is not None
        if found is None:
            self._write("identity", text.encode())
        elif found.decode() != text:
            raise InputError(f"the journal {path} belongs to another run; give another file or delete it")

    def fact(self, key: str, value: Any) -> Any:
        """The JSON value that was recorded under ``key`` first, which is ``value`` if none was."""
        found = self._read(f"fact:{key}")
        if found is not None:
            return json.loads(found)
        self._write(f"fact:{key}", json.dumps(value).encode())
        return value

    def table(self, key: str) -> Table | None:
        """The table recorded under ``key``."""
        found = self._read(f"table:{key}")
        if found is None:
            return None
        with np.load(io.BytesIO(zlib.decompress(found)), allow_pickle=False) as stored:
            return Table(tuple(stored["names"].tolist()), stored["values"])

    def record(self, key: str, table: Table) -> None:
        """Record a table."""
        buffer = io.BytesIO()
        np.savez(buffer, names=np.array(table.names, dtype=np.str_), values=table.values)
        self._write(f"table:{key}", zlib.compress(buffer.getvalue(), 1))

    def finish(self) -> None:
        """The run is complete: the journal is no longer needed."""
        self._database.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _read(self, key: str) -> bytes | None:
        row = self._database.execute("SELECT content FROM entries WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def _write(self, key: str, content: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, content))
