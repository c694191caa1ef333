"""Columns of repeated ids: their distinct ids, found without a Python object for each row.

Arrow does it for strings and integers, in columns of Arrow, polars, pandas and numpy, if pyarrow is installed
(extra ``files``). Otherwise, and for short columns, each id is read by itself, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.ids import IdArray, Ids, number_of, text_array
from pan_promises.errors import InputError


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is a type of strings."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def bytes_of(column: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All bytes of a column of large strings, and their ends: string number i ends at ``ends[i + 1]``."""
    _, ends, text = column.buffers()
    if ends is None or not len(column):
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    every = np.frombuffer(ends, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(text or b"", dtype=np.uint8), every


def of_arrow(ids: Ids) -> Any:
    """The column of Arrow; ``None`` if this is no column that Arrow can read, or pyarrow is missing."""
    if not (hasattr(ids, "__arrow_c_stream__") or type(ids).__module__.partition(".")[0] == "pyarrow"):
        return None
    try:
        import pyarrow
    except ImportError:
        return None
    try:
        return ids if isinstance(ids, (pyarrow.Array, pyarrow.ChunkedArray)) else pyarrow.chunked_array(ids)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return None  # Ids of several kinds, or text that is no Unicode: the check of single ids reports them.


LONG = 2**14
"""Columns from this length on are encoded by Arrow."""


@dataclass(frozen=True, eq=False)
class Strings:
    """Strings, one after the other as UTF-8.

    Attributes
    ----------
    text
        All their bytes, shape ``(n,)``.
    ends
        The ends of the strings: string number i ends at ``ends[i + 1]``, where the next one begins.
    """

    text: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return self.ends.size - 1

    @classmethod
    def of(cls, texts: Sequence[str]) -> Strings:
        """These strings. Raise :class:`InputError` for a string that has no UTF-8."""
        try:
            parts = [text.encode() for text in texts]
        except UnicodeEncodeError as problem:
            raise InputError(f"ids must be Unicode text, got {problem.object!r}") from None
        ends = np.cumsum([0, *map(len, parts)])
        return cls(np.frombuffer(b"".join(parts), dtype=np.uint8), ends.astype(np.int64))

    def to_list(self) -> list[str]:
        """The strings, one after the other."""
        return [self.text[a:b].tobytes().decode() for a, b in zip(self.ends, self.ends[1:], strict=False)]

    def to_numpy(self) -> NDArray[Any]:
        """The strings as an array."""
        pairs = zip(self.ends, self.ends[1:], strict=False)
        return text_array([self.text[a:b].tobytes().decode() for a, b in pairs])


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column as its distinct ids, and the number of one of them for each row.

    Attributes
    ----------
    distinct
        Integers or strings. A column with a dictionary may have some that appear in no row.
    rows
        The number of the distinct id of each row.
    """

    distinct: IdArray | Strings
    rows: NDArray[Any]

    def names(self) -> IdArray:
        """The distinct ids as an array."""
        return self.distinct.to_numpy() if isinstance(self.distinct, Strings) else self.distinct


def encoded_column(ids: Ids) -> Encoded | None:
    """A long column of ids, encoded; ``None`` if it is short, of other types, or pyarrow is missing."""
    column = _complete_column(ids)
    return None if column is None else _encoded(column)


def plain_column(ids: Ids) -> Encoded | Strings | None:
    """A long column as :func:`encoded_column` gives it, but unencoded strings if the column has no dictionary."""
    column = _complete_column(ids)
    if column is None:
        return None
    from pyarrow import types

    if is_text(column.type):
        return _strings(column)
    return _encoded(column) if types.is_dictionary(column.type) else None


def _complete_column(ids: Ids) -> Any:
    """The Arrow column, if it is long enough. Raise :class:`InputError` if ids are missing."""
    column = _arrow_column(ids) if number_of(ids) >= LONG else None
    if column is not None and column.null_count:
        position = column.is_null().index(True).as_py()
        raise InputError(f"ids must not be missing, got null at position {position}")
    return column


def _arrow_column(ids: Ids) -> Any:
    """The Arrow column in one piece, or ``None``."""
    numpy = isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype.kind in "iuUST" and not _zeros_inside(ids)
    try:
        import pyarrow
    except ImportError:
        return None
    try:
        if numpy:
            column = pyarrow.array(ids if ids.dtype.isnative else ids.astype(ids.dtype.newbyteorder("=")))
            return column.cast(pyarrow.large_string()) if ids.dtype.kind == "S" else column
        column = pyarrow.array(ids) if _texts(ids) else of_arrow(ids)
        if isinstance(column, pyarrow.ChunkedArray):
            column = column.unify_dictionaries().combine_chunks()
        return column if isinstance(column, pyarrow.Array) else None
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _texts(ids: Ids) -> bool:
    """Whether these are Python objects, the first of them a string."""
    objects = isinstance(ids, (list, tuple)) or (isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype == object)
    return objects and isinstance(ids[0], str)


def _zeros_inside(array: NDArray[Any]) -> bool:
    """Whether a string of one width continues after a zero. Arrow would end it there."""
    if array.dtype.kind not in "US" or array.dtype.itemsize == 0:
        return False
    unit = np.uint32 if array.dtype.kind == "U" else np.uint8
    digits = np.ascontiguousarray(array).view(unit).reshape(array.size, -1)
    return bool(((digits[:, :-1] == 0) & (digits[:, 1:] != 0)).any())


def _encoded(column: Any) -> Encoded | None:
    import pyarrow
    from pyarrow import types

    of_column = column.type.value_type if types.is_dictionary(column.type) else column.type
    strings = is_text(of_column)
    if not strings and not types.is_integer(of_column):
        return None
    if types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.dictionary.null_count:
        raise InputError("ids must not be missing, got null in the dictionary of a column")
    rows = column.indices.to_numpy()
    if not strings:
        return Encoded(column.dictionary.to_numpy(), rows)
    return Encoded(_strings(column.dictionary), rows)


def _strings(column: Any) -> Strings:
    import pyarrow

    return Strings(*bytes_of(column.cast(pyarrow.large_string())))
