"""The format of state files: versioned, checked before use, and never a pickle.

Layout, little-endian, version 2::

    8 bytes   b"PANSTATE"
    4 bytes   version, unsigned
    4 bytes   length n of the header, unsigned
    n bytes   header, UTF-8 JSON: {"configuration": {...}, "releases": 0, "spent": false, "key_digest": null,
              "arrays": [{"name", "dtype", "shape": [length]}, ...]}
    ...       the arrays in that order; booleans packed to bits, each array padded to a byte
    32 bytes  SHA-256 of everything before it

The header is read first. It implies the length of the file. A file of another length is not read any further, and no
memory is allocated for an array that its estimator does not have. The checksum finds accidents, not forgeries.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, StateFileError

MAGIC = b"PANSTATE"
VERSION = 2
_FIXED = 16
_CHECKSUM = 32
_HEADER_LIMIT = 2**28
_ITEM_BITS = {"bool": 1, "int64": 64, "float64": 64}
_LONGEST = 2**62
_MODERATE = 2**26
_NAMES = {"configuration", "releases", "spent", "key_digest", "arrays"}

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class StoredArray:
    """The description of an array in the state of an estimator.

    Attributes
    ----------
    dtype
        ``bool``, ``int64`` or ``float64``.
    least, most
        The least and the greatest allowed length.
    """

    dtype: str
    least: int
    most: int

    @classmethod
    def of_length(cls, dtype: str, length: int) -> StoredArray:
        """An array of one fixed length.

        Parameters
        ----------
        dtype
            ``bool``, ``int64`` or ``float64``.
        length
            The length, at least 0.
        """
        return cls(dtype, length, length)


@dataclass(frozen=True)
class Header:
    """The header of a state file.

    Attributes
    ----------
    configuration
        The configuration of the estimator.
    releases
        The number of releases so far.
    spent
        Whether the file holds no state: its last release was made, or its state continues in another file.
    key_digest
        Digest of the key of the sample, if the key is in a separate file.
    arrays
        Name, dtype and length of each array.
    """

    configuration: dict[str, Any]
    releases: int = 0
    spent: bool = False
    key_digest: str | None = None
    arrays: tuple[tuple[str, str, int], ...] = ()

    def to_bytes(self) -> bytes:
        """The header in the form of the file."""
        document = {
            "configuration": self.configuration,
            "releases": self.releases,
            "spent": self.spent,
            "key_digest": self.key_digest,
            "arrays": [{"name": name, "dtype": dtype, "shape": [length]} for name, dtype, length in self.arrays],
        }
        return json.dumps(document, allow_nan=False).encode()

    @property
    def body_size(self) -> int:
        """The number of bytes of all arrays."""
        return sum(_bytes_of(dtype, length) for _, dtype, length in self.arrays)

    def require_fit(self, expected: Mapping[str, StoredArray], source: str) -> None:
        """Raise :class:`StateFileError` unless every array is one that the estimator has."""
        for name, dtype, length in self.arrays:
            if name not in expected:
                raise StateFileError(f"{source} is corrupted: the estimator has no array {name!r} of its state")
            wanted = expected[name]
            if dtype != wanted.dtype or not wanted.least <= length <= wanted.most:
                span = str(wanted.least) if wanted.least == wanted.most else f"{wanted.least} to {wanted.most}"
                raise StateFileError(
                    f"{source} is corrupted: array {name!r} has {length} values of type {dtype}, "
                    f"where there must be {span} of type {wanted.dtype}"
                )


def file_of(
    configuration: dict[str, Any], arrays: Arrays | None, *, releases: int = 0, key_digest: str | None = None
) -> bytes:
    """The bytes of a file. Without arrays it is spent."""
    listed = () if arrays is None else _described(arrays)
    return to_bytes(Header(configuration, releases, arrays is None, key_digest, listed), arrays or {})


def to_bytes(header: Header, arrays: Arrays) -> bytes:
    """The bytes of a header and its arrays."""
    text = header.to_bytes()
    content = b"".join(
        [MAGIC, struct.pack("<II", VERSION, len(text)), text, *(_pack(array) for array in arrays.values())]
    )
    return content + hashlib.sha256(content).digest()


def _described(arrays: Arrays) -> tuple[tuple[str, str, int], ...]:
    """Name, dtype and length of arrays. Raise :class:`InputError` for arrays that a state file does not hold."""
    for name, array in arrays.items():
        if array.dtype.name not in _ITEM_BITS or array.ndim != 1:
            raise InputError(
                "a state file holds bool, int64 and float64 arrays of one dimension, "
                f"not {name!r} of type {array.dtype.name} and shape {array.shape}"
            )
    return tuple((name, array.dtype.name, array.size) for name, array in arrays.items())


class StateReader:
    """A reader in two steps: the header, then the arrays that it announces."""

    def __init__(self, stream: BinaryIO, size: int, source: str) -> None:
        self._stream, self._source = stream, source
        self._digest = hashlib.sha256()
        self.header = self._header(size)

    def _read(self, size: int) -> bytes:
        content = self._stream.read(size)
        if len(content) < size:
            raise StateFileError(f"{self._source} is truncated: it ended while it was read")
        self._digest.update(content)
        return content

    def _header(self, size: int) -> Header:
        source = self._source
        begin = self._stream.read(min(size, _FIXED))
        self._digest.update(begin)
        if not begin.startswith(MAGIC):
            raise StateFileError(f"{source} is not a panproof state file (it does not begin with {MAGIC.decode()})")
        if size < _FIXED + _CHECKSUM or len(begin) < _FIXED:
            raise StateFileError(f"{source} is truncated: it has {size} bytes, the least is {_FIXED + _CHECKSUM}")
        version, length = struct.unpack_from("<II", begin, len(MAGIC))
        if version != VERSION:
            why = "; older ones do not count releases: begin a new state" if version < VERSION else ""
            raise StateFileError(f"{source} has version {version}; this panproof reads version {VERSION}{why}")
        if length > min(_HEADER_LIMIT, size - _FIXED - _CHECKSUM):
            raise StateFileError(f"{source} is truncated or corrupted: its header claims {length} bytes")
        header = _header_from(self._read(length), source)
        announced = _FIXED + length + header.body_size + _CHECKSUM
        if announced != size:
            raise StateFileError(
                f"{source} is truncated or corrupted: its header announces {announced} bytes, and it has {size}"
            )
        return header

    @contextmanager
    def fitting(self, what: str) -> Iterator[None]:
        """Tell a header that describes nothing: the file is damaged, or does not fit."""
        try:
            yield
        except (InputError, TypeError, KeyError, AttributeError, OverflowError, ValueError, MemoryError) as problem:
            if self._damaged():
                raise StateFileError(f"{self._source} is truncated or corrupted: its checksum does not match") from None
            if isinstance(problem, StateFileError):
                raise
            raise StateFileError(f"{self._source} does not fit {what} of this package: {problem}") from None

    def _damaged(self) -> bool:
        """Whether the checksum does not match. It is always false for a file with large arrays.

        The call reads the rest of the file, so that the arrays cannot be read afterwards.
        """
        if self.header.body_size > _MODERATE:
            return False
        self._read(self.header.body_size)
        return self._stream.read(_CHECKSUM) != self._digest.digest()

    def arrays(self) -> Arrays:
        """All arrays, after the checksum was found to match."""
        try:
            packed = [self._read(_bytes_of(dtype, length)) for _, dtype, length in self.header.arrays]
            found = self._digest.digest()
            if self._stream.read(_CHECKSUM) != found:
                raise StateFileError(f"{self._source} is truncated or corrupted: its checksum does not match")
            described = zip(self.header.arrays, packed, strict=True)
            return {name: _unpack(content, dtype, length) for (name, dtype, length), content in described}
        except MemoryError:
            raise StateFileError(
                f"{self._source} needs {self.header.body_size} bytes of memory, more than there is"
            ) from None


def _header_from(text: bytes, source: str) -> Header:
    try:
        document = json.loads(text.decode("utf-8"), object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        raise StateFileError(f"{source} is truncated or corrupted: its header is not a valid description") from None
    if not isinstance(document, dict) or document.keys() != _NAMES or not isinstance(document["arrays"], list):
        raise StateFileError(f"{source} is corrupted: its header is not a valid description")
    if not isinstance(document["configuration"], dict):
        raise StateFileError(f"{source} is corrupted: its configuration is not a dictionary")
    releases, spent, digest = document["releases"], document["spent"], document["key_digest"]
    if not _is_count(releases) or not isinstance(spent, bool) or not (digest is None or isinstance(digest, str)):
        raise StateFileError(f"{source} is corrupted: its header has no number of releases")
    arrays = tuple(_array_from(entry, source) for entry in document["arrays"])
    if len({name for name, _, _ in arrays}) < len(arrays) or (spent and arrays):
        raise StateFileError(f"{source} is corrupted: it describes impossible arrays")
    return Header(document["configuration"], releases, spent, digest, arrays)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name occurs twice")
    return values


def _array_from(entry: Any, source: str) -> tuple[str, str, int]:
    if not isinstance(entry, dict) or entry.keys() != {"name", "dtype", "shape"}:
        raise StateFileError(f"{source} is corrupted: its header is not a valid description")
    name, dtype, shape = entry["name"], entry["dtype"], entry["shape"]
    # In Python a boolean is an integer, and a shape with a zero has no entries.
    one = isinstance(shape, list) and len(shape) == 1 and _is_count(shape[0])
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in _ITEM_BITS or not one:
        wrong = f"array {str(name)[:80]!r} has type {str(dtype)[:80]} and shape {str(shape)[:80]}"
        raise StateFileError(f"{source} is corrupted: {wrong}")
    return name, dtype, shape[0]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LONGEST


def _bytes_of(dtype: str, length: int) -> int:
    return (length * _ITEM_BITS[dtype] + 7) // 8


def _pack(array: NDArray[Any]) -> bytes:
    if array.dtype == np.bool_:
        return np.packbits(array).tobytes()
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()


def _unpack(content: bytes, dtype: str, length: int) -> NDArray[Any]:
    if dtype == "bool":
        return np.unpackbits(np.frombuffer(content, dtype=np.uint8), count=length).astype(np.bool_)
    return np.frombuffer(content, dtype=np.dtype(dtype).newbyteorder("<")).astype(dtype)
