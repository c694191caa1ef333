"""A journal of finished work, so that an interrupted run goes on to the same answer."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.events import Table
from pan_estimators import InputError

_VERSION = 3
_TRUSTED = ("pan_audits.", "pan_estimators.", "flint.", "fractions")


class Journal:
    """Blocks and facts by key, written at once, in one file that survives a kill.

    Every entry is a transaction of its own: after a kill it is there as a whole or not at all. One
    process at a time has the journal; the lock goes with the process, however that ends.

    Parameters
    ----------
    path
        The file; it is created if it does not exist.
    identity
        What the run is about: estimator, promise, settings. A journal of something else is refused.

    Raises
    ------
    InputError
        If the file is no journal, belongs to another run, or another process is at work on it.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        text = json.dumps({"version": _VERSION, **identity}, sort_keys=True, default=str)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
        except (sqlite3.DatabaseError, OSError) as problem:
            raise InputError(f"the journal {path} cannot be opened, give another file: {problem}") from None
        try:
            self.resumed = self._open(text.encode())
            if self._read("identity") != text.encode():
                raise InputError(f"the journal {path} belongs to another run; give another file or delete it")
        except sqlite3.DatabaseError as problem:
            self.close()
            if "locked" in str(problem):
                raise InputError(f"another process is at work on the journal {path}; wait for it or end it") from None
            if isinstance(problem, sqlite3.OperationalError):
                raise InputError(f"the journal {path} cannot be opened, give another file: {problem}") from None
            raise InputError(f"{path} is not a journal of panproof: {problem}") from None
        except InputError:
            self.close()
            raise

    def _open(self, identity: bytes) -> bool:
        """Take the file for this process alone, and tell whether it is a journal already."""
        execute = self._database.execute
        execute("PRAGMA locking_mode=EXCLUSIVE")
        execute("BEGIN EXCLUSIVE")
        tables = execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        resumed = bool(tables)
        # In the end the journal is deleted: somebody's own database must not become one.
        if resumed and (tables != [("entries",)] or self._read("identity") is None):
            raise sqlite3.DatabaseError("it is a database of something else")
        if not resumed:
            execute("CREATE TABLE entries (key TEXT PRIMARY KEY, content BLOB)")
            self._insert("identity", identity)
        execute("COMMIT")
        execute("PRAGMA journal_mode=WAL")
        # A kill loses nothing; only when the machine itself fails may the last entries be missing.
        execute("PRAGMA synchronous=NORMAL")
        return resumed

    def fact(self, key: str, value: Any) -> Any:
        """The JSON value that was recorded under ``key`` first, which is ``value`` if none was."""
        found = self.recorded(key)
        if found is not None:
            return found
        self.put(key, value)
        return value

    def recorded(self, key: str) -> Any:
        """The JSON value under ``key``, or ``None``."""
        found = self._read(f"fact:{key}")
        return None if found is None else json.loads(found)

    def matching(self, prefix: str) -> dict[str, Any]:
        """All JSON values whose keys begin with ``prefix``, by the rest of the key."""
        start = len(f"fact:{prefix}")
        query = "SELECT key, content FROM entries WHERE substr(key, 1, ?) = ?"
        rows = self._database.execute(query, (start, f"fact:{prefix}"))
        return {key[start:]: json.loads(content) for key, content in rows}

    def put(self, key: str, value: Any, *, instead_of: Iterable[str] = ()) -> None:
        """Record a JSON value, in place of the one there was and of others, all in one transaction."""
        execute = self._database.execute
        with self._writing():
            execute("BEGIN")
            self._insert(f"fact:{key}", json.dumps(value).encode())
            for other in instead_of:
                execute("DELETE FROM entries WHERE key = ?", (f"fact:{other}",))
            execute("COMMIT")

    def result(self, key: str) -> Any:
        """What was kept under ``key``, or ``None``; made of the classes of this package only."""
        found = self._read(f"result:{key}")
        return None if found is None else _Trusting(io.BytesIO(found)).load()

    def keep(self, key: str, value: Any) -> None:
        """Keep a result that cannot be computed again to the same value, as it depends on the time it took."""
        self._write(f"result:{key}", pickle.dumps(value))

    def block(self, key: str) -> tuple[Table | None, int]:
        """The table recorded under ``key``, and how many bytes were printed meanwhile."""
        found = self._read(f"table:{key}")
        if found is None:
            return None, 0
        with np.load(io.BytesIO(zlib.decompress(found)), allow_pickle=False) as stored:
            return Table(tuple(stored["names"].tolist()), stored["values"]), int(stored["printed"])

    def record(self, key: str, table: Table, *, printed: int = 0) -> None:
        """Record a table."""
        buffer = io.BytesIO()
        np.savez(buffer, names=np.array(table.names, dtype=np.str_), values=table.values, printed=np.array(printed))
        self._write(f"table:{key}", zlib.compress(buffer.getvalue(), 1))

    def close(self) -> None:
        """Leave the journal to others, as it is."""
        self._database.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def finish(self) -> None:
        """The run is complete: the journal is no longer needed."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _read(self, key: str) -> bytes | None:
        row = self._database.execute("SELECT content FROM entries WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def _write(self, key: str, content: bytes) -> None:
        with self._writing():
            self._insert(key, content)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """What cannot be written is not there; what was written before is."""
        try:
            yield
        except sqlite3.Error as problem:
            with contextlib.suppress(sqlite3.Error):
                self._database.rollback()
            raise InputError(
                f"the journal {self.path} cannot be written: {problem}; with that mended, the same command goes on"
            ) from None

    def _insert(self, key: str, content: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, content))


class _Trusting(pickle.Unpickler):
    """Makes objects of known classes alone: a journal from elsewhere must not run anything."""

    def find_class(self, module: str, name: str) -> Any:
        if not f"{module}.".startswith(_TRUSTED) and not module.startswith(_TRUSTED):
            raise InputError(f"the journal holds a {module}.{name}, which no run of panproof writes into it")
        found = super().find_class(module, name)
        # A dotted name, or one that a module merely imported, could lead anywhere.
        if not isinstance(found, type) or found.__module__ != module:
            raise InputError(f"the journal holds {module}.{name}, which no run of panproof writes into it")
        return found
