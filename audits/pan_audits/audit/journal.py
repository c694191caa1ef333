"""A journal of finished work. An interrupted run continues from it and gives the same result.

A journal is data: nothing in it is run. Each entry is sealed with a checksum of the run
that it belongs to, its key and its content. A damaged entry is computed again if that gives the same result.
Other damage is refused. The journal counts the entries that a run takes from it, and the report states the number.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pan_audits.events import Table
from pan_audits.judging.reading import Field, parse_document
from pan_audits.workers.plain import DataError, from_bytes, to_bytes
from pan_promises.errors import InputError

Result = TypeVar("Result")

_MOST_RUNS, _MOST_COLUMNS, _MOST_NUMBERS = 2**24, 100_000, 2**28
_MOST_PRINTED = 2**62
_NUMBER = np.dtype("<f8")


def table_to_bytes(table: Table, printed: int) -> bytes:
    """A table, and the number of bytes printed during its runs."""
    head = json.dumps({"names": list(table.names), "runs": table.runs, "printed": printed})
    values = np.ascontiguousarray(table.values, dtype=_NUMBER)
    return head.encode() + b"\n" + zlib.compress(values.tobytes(), 1)


def table_from_bytes(content: bytes) -> tuple[Table, int]:
    """Read what :func:`table_to_bytes` wrote; :class:`InputError` if it is anything else."""
    head, _, packed = content.partition(b"\n")
    try:
        document = parse_document(head.decode(), "a block")
    except UnicodeDecodeError:
        raise InputError("a block must begin with a line of JSON") from None
    names = tuple(name.text(10_000) for name in document["names"].items(most=_MOST_COLUMNS))
    runs, printed = document["runs"].whole(most=_MOST_RUNS), document["printed"].whole(most=_MOST_PRINTED)
    if len(set(names)) < len(names) or runs * len(names) > _MOST_NUMBERS:
        Field(head.decode()[:60], "a block").refuse("columns with distinct names, and not too many numbers")
    values = np.frombuffer(_unpacked(packed, runs * len(names) * _NUMBER.itemsize), dtype=_NUMBER)
    return Table(names, values.reshape(runs, len(names)).astype(np.float64)), printed


def _unpacked(packed: bytes, size: int) -> bytes:
    """Exactly ``size`` bytes. No more are ever in memory."""
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(packed, size + 1)
    except zlib.error as problem:
        raise InputError(f"a block cannot be unpacked: {problem}") from None
    if len(found) != size or not unpacking.eof or unpacking.unused_data:
        raise InputError(f"a block must hold {size} bytes of numbers")
    return found


_VERSION = 5
_SEAL = 16
_MAGIC, _SMALLEST_PAGE = b"SQLite format 3\0", 512
_LARGEST_SEED = 2**128
_UNREADABLE = "it cannot be read"
_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""Even the message of an error of SQLite may hold bytes of a damaged file, which are no text."""


class UnavailableError(InputError):
    """Another process has the journal, or it cannot be opened. A run can be made without it."""


class BusyError(UnavailableError):
    """Another process has the journal."""


class Journal:
    """Blocks and facts by key, written at once, in one file that survives a kill.

    Every entry is one transaction: after a kill it is complete or absent. One
    process at a time has the journal. The lock ends with the process.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self._taken = 0
        self._results: list[str] = []
        self._own: set[str] = set()
        text = json.dumps({"version": _VERSION, **identity}, sort_keys=True, default=str).encode()
        self._identity = hashlib.blake2b(text, digest_size=32).digest()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise InputError(f"the journal {path} cannot be opened, give another file: it is not a regular file")
            if _is_something_else(path):
                raise InputError(f"{path} is not a journal of panproof: it is another kind of file, or it is truncated")
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
        except (sqlite3.DatabaseError, OSError) as problem:
            raise UnavailableError(f"the journal {path} cannot be opened, give another file: {problem}") from None
        try:
            self.resumed = self._open(text)
            if self._content("identity") != self._sealed("identity", text):
                raise InputError(f"the journal {path} belongs to another run; give another file or delete it")
        except UnicodeDecodeError:
            self.close()
            raise self._damage(_UNREADABLE) from None
        except sqlite3.DatabaseError as problem:
            self.close()
            if "locked" in str(problem):
                raise BusyError(f"another process uses the journal {path}") from None
            if isinstance(problem, sqlite3.OperationalError):
                raise UnavailableError(f"the journal {path} cannot be opened, give another file: {problem}") from None
            raise InputError(f"{path} is not a journal of panproof: {problem}") from None
        except InputError:
            self.close()
            raise

    def _open(self, identity: bytes) -> bool:
        """Lock the file for this process, and return whether it is a journal already."""
        execute = self._database.execute
        execute("PRAGMA locking_mode=EXCLUSIVE")
        execute("BEGIN EXCLUSIVE")
        if not self.path.exists():
            # The process that had it has just finished, and deleted it.
            raise BusyError(f"another process uses the journal {self.path}")
        tables = execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        resumed = bool(tables)
        # A finished run deletes its journal: the database of another program must not become one.
        if resumed and (tables != [("entries",)] or self._content("identity") is None):
            raise sqlite3.DatabaseError("it is another kind of database")
        if resumed and execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
            raise InputError(f"the journal {self.path} is damaged; delete it or give another file")
        if not resumed:
            execute("CREATE TABLE entries (key TEXT PRIMARY KEY, content BLOB)")
            self._insert("identity", identity)
        execute("COMMIT")
        execute("PRAGMA journal_mode=WAL")
        # A kill loses nothing. A failure of the machine may lose the last entries.
        execute("PRAGMA synchronous=NORMAL")
        return resumed

    @property
    def taken_over(self) -> str:
        """The work that was read from the journal of an earlier run, in words; empty if there was none."""
        parts = [f"{self._taken} block{'s' * (self._taken != 1)} of runs"] * (self._taken > 0) + self._results
        if not parts:
            return ""
        verb = "was" if len(parts) == 1 and self._taken <= 1 else "were"
        return f"resumed from a journal: {' and '.join(parts)} {verb} not run here"

    def take_over(self, blocks: int) -> None:
        """Count blocks of an earlier run whose sums alone were read."""
        self._taken += blocks

    def fact(self, key: str, value: Any) -> Any:
        """The first JSON value under ``key``; ``value`` is recorded if there is none."""
        found = self.recorded(key)
        if found is None:
            self.put(key, value)
            return value
        field = self.field(key, found)
        if isinstance(value, int):
            return field.whole(-_LARGEST_SEED, _LARGEST_SEED)
        if isinstance(value, float):
            return field.number()
        if type(found) is not type(value):
            field.refuse(f"a value like {value!r}")
        return found

    def field(self, key: str, value: Any) -> Field:
        """A value of the journal, to be read with checks that name its place."""
        return Field(value, f"the journal {self.path}, entry {key!r}")

    def recorded(self, key: str) -> Any:
        """The JSON value under ``key``, or ``None``."""
        found = self._read(f"fact:{key}")
        if found is None:
            if self._content(f"fact:{key}") is not None:
                raise self._damage(f"the entry {key!r} does not fit its checksum")
            return None
        return self._json(found)

    def matching(self, prefix: str) -> dict[str, Any]:
        """All JSON values whose keys begin with ``prefix``, by the rest of the key; damaged ones are left out."""
        start = len(f"fact:{prefix}")
        query = "SELECT key FROM entries WHERE substr(key, 1, ?) = ?"
        try:
            keys = [key for (key,) in self._database.execute(query, (start, f"fact:{prefix}")).fetchall()]
        except _ERRORS:
            raise self._damage(_UNREADABLE) from None
        found: dict[str, Any] = {}
        for key in keys:
            if (content := self._read(key)) is not None:
                found[key[start:]] = self._json(content)
                self._take(key)
        return found

    def put(self, key: str, value: Any, *, instead_of: Iterable[str] = ()) -> None:
        """Record a JSON value in place of an earlier one and of other entries, in one transaction."""
        execute = self._database.execute
        self._own.add(f"fact:{key}")
        with self._writing():
            execute("BEGIN")
            self._insert(f"fact:{key}", json.dumps(value).encode())
            for other in instead_of:
                execute("DELETE FROM entries WHERE key = ?", (f"fact:{other}",))
            execute("COMMIT")

    def result(self, key: str, kind: type[Result]) -> Result | None:
        """The result of this kind under ``key``; ``None`` if it is absent or damaged."""
        found = self._read(f"result:{key}")
        try:
            result = None if found is None else from_bytes(found)
        except DataError:
            return None
        if not isinstance(result, kind):
            return None
        if f"result:{key}" not in self._own:
            self._results.append(f"the {key}")
        return result

    def keep(self, key: str, value: Any) -> None:
        """Keep a result that took some time."""
        try:
            content = to_bytes(value)
        except DataError:
            return  # parameters from Python that do not fit into a file: the check is made again
        self._own.add(f"result:{key}")
        self._write(f"result:{key}", content)

    def block(self, key: str, runs: int | None = None) -> tuple[Table | None, int]:
        """The table under ``key``, and the number of bytes printed during its runs.

        A damaged table, or one with another number of runs, counts as absent.
        """
        found = self._read(f"table:{key}")
        if found is None:
            return None, 0
        try:
            table, printed = table_from_bytes(found)
        except InputError:
            return None, 0
        if runs is not None and table.runs != runs:
            return None, 0
        self._take(f"table:{key}")
        return table, printed

    def record(self, key: str, table: Table, *, printed: int = 0) -> None:
        """Record a table."""
        self._own.add(f"table:{key}")
        self._write(f"table:{key}", table_to_bytes(table, printed))

    def close(self) -> None:
        """Close the journal, and unlock it."""
        self._database.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def finish(self) -> None:
        """Delete the journal of a complete run."""
        # While it is locked: another process would take over the work of a complete run.
        self.path.unlink(missing_ok=True)
        self.close()
        for suffix in ("-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _take(self, key: str) -> None:
        """Count a block of an earlier run, once."""
        if key not in self._own:
            self._own.add(key)
            self._taken += 1

    def _json(self, content: bytes) -> Any:
        try:
            return parse_document(f'{{"value": {content.decode()}}}', f"the journal {self.path}")["value"].value
        except UnicodeDecodeError as problem:
            raise self._damage(problem) from None

    def _read(self, key: str) -> bytes | None:
        """The recorded content, if its checksum fits."""
        found = self._content(key)
        if found is None or len(found) < _SEAL:
            return None
        content = found[_SEAL:]
        return content if found == self._sealed(key, content) else None

    def _content(self, key: str) -> bytes | None:
        """The stored bytes, unchecked; ``None`` if the entry is not bytes."""
        try:
            query = "SELECT CASE typeof(content) WHEN 'blob' THEN content END FROM entries WHERE key = ?"
            row = self._database.execute(query, (key,)).fetchone()
        except sqlite3.OperationalError:
            if not hasattr(self, "resumed"):
                raise
            raise self._damage(_UNREADABLE) from None
        except _ERRORS:
            raise self._damage(_UNREADABLE) from None
        if row is None:
            return None
        return row[0] or b""

    def _damage(self, why: object) -> InputError:
        return InputError(f"the journal {self.path} is damaged, delete it or give another file: {why}")

    def _sealed(self, key: str, content: bytes) -> bytes:
        name = key.encode()
        seal = hashlib.blake2b(digest_size=_SEAL, key=self._identity)
        for part in (len(name).to_bytes(8, "little"), name, content):
            seal.update(part)
        return seal.digest() + content

    def _write(self, key: str, content: bytes) -> None:
        with self._writing():
            self._insert(key, content)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A failed entry is not in the file; earlier entries are."""
        try:
            yield
        except _ERRORS as problem:
            with contextlib.suppress(*_ERRORS):
                self._database.rollback()
            raise InputError(
                f"the journal {self.path} cannot be written: {problem}; correct this, and the same command continues"
            ) from None

    def _insert(self, key: str, content: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, self._sealed(key, content)))


def _is_something_else(path: Path) -> bool:
    """Whether the file has contents that SQLite would ignore and overwrite."""
    if not path.exists() or not path.stat().st_size or Path(f"{path}-journal").exists():
        return False
    with path.open("rb") as file:
        head = file.read(_SMALLEST_PAGE)
    return len(head) < _SMALLEST_PAGE or not head.startswith(_MAGIC)
