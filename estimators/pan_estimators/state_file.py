"""The file of a state: versioned, checked, and never a pickle.

Layout, little-endian, version 1::

    8 bytes   b"PANSTATE"
    4 bytes   version, unsigned
    4 bytes   length n of the header, unsigned
    n bytes   header, UTF-8 JSON: {"configuration": {...}, "arrays": [{"name", "dtype", "shape"}, ...]}
    ...       the arrays in that order, C order; booleans packed to bits, each array padded to a byte
    32 bytes  SHA-256 of everything before it

The checksum finds accidents, not forgeries. The file holds what the state holds: whoever reads it
is an intruder.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.errors import InputError, StateFileError

MAGIC = b"PANSTATE"
VERSION = 1
_DTYPES = {"bool", "int64", "float64"}
_HEADER_LIMIT = 2**28


class Storable(Protocol):
    """An estimator whose configuration and state can be written to a file."""

    def to_dict(self) -> dict[str, Any]: ...
    def state_to_arrays(self, state: Any) -> dict[str, NDArray[Any]]: ...
    def state_from_arrays(self, arrays: dict[str, NDArray[Any]]) -> Any: ...


def dump_state(estimator: Storable, state: Any) -> bytes:
    """The bytes of a state file."""
    arrays = estimator.state_to_arrays(state)
    header = json.dumps(
        {
            "configuration": estimator.to_dict(),
            "arrays": [
                {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)} for name, array in arrays.items()
            ],
        },
        allow_nan=False,
    ).encode()
    body = b"".join(_pack(array) for array in arrays.values())
    content = MAGIC + struct.pack("<II", VERSION, len(header)) + header + body
    return content + hashlib.sha256(content).digest()


def save_state(path: str | os.PathLike[str], estimator: Storable, state: Any) -> None:
    """Write the state with its configuration; the file is replaced as a whole or not at all."""
    target = Path(path)
    temporary = target.with_name(target.name + ".part")
    try:
        temporary.write_bytes(dump_state(estimator, state))
        temporary.replace(target)
    except OSError as problem:
        raise InputError(f"cannot write the state to {target}: {problem.strerror}") from None


def parse_state(content: bytes, *, source: str = "the state file") -> tuple[Any, Any]:
    """The estimator and the state in ``content``; :class:`StateFileError` if it is not intact."""
    from pan_estimators.registry import estimator_from_dict

    configuration, arrays = _parse(content, source)
    try:
        estimator: Any = estimator_from_dict(configuration)
        return estimator, estimator.state_from_arrays(arrays)
    except KeyError as problem:
        raise StateFileError(f"{source} lacks the array {problem}") from None
    except (InputError, TypeError, AttributeError, OverflowError) as problem:
        raise StateFileError(f"{source} does not fit an estimator of this package: {problem}") from None


def load_state(path: str | os.PathLike[str], estimator: Storable | None = None) -> tuple[Any, Any]:
    """Read what :func:`save_state` wrote.

    Parameters
    ----------
    path
        The file.
    estimator
        If given, the file must have been written for the same configuration.

    Returns
    -------
    The estimator and the state.

    Raises
    ------
    StateFileError
        If the file is missing, truncated, corrupted, foreign, or of another configuration.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as problem:
        raise StateFileError(f"cannot read the state file {path}: {problem.strerror}") from None
    found, state = parse_state(content, source=f"the state file {path}")
    if estimator is not None and found.to_dict() != estimator.to_dict():
        ours, theirs = estimator.to_dict(), found.to_dict()
        name = next(key for key in {**theirs, **ours} if ours.get(key) != theirs.get(key))
        raise StateFileError(
            f"the state file {path} was written for {name} = {_short(theirs.get(name))}, "
            f"not for {name} = {_short(ours.get(name))}"
        )
    return found, state


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _parse(content: bytes, source: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if not content.startswith(MAGIC):
        raise StateFileError(f"{source} is not a panproof state file (it does not begin with {MAGIC.decode()})")
    if len(content) < 16 + 32:
        raise StateFileError(f"{source} is truncated: it has {len(content)} bytes, the least is 48")
    version, length = struct.unpack_from("<II", content, 8)
    if version != VERSION:
        raise StateFileError(f"{source} has version {version}; this panproof reads version {VERSION}")
    if hashlib.sha256(content[:-32]).digest() != content[-32:]:
        raise StateFileError(f"{source} is truncated or corrupted: its checksum does not match")
    if length > min(_HEADER_LIMIT, len(content) - 48):
        raise StateFileError(f"{source} is corrupted: its header claims {length} bytes")
    try:
        header = json.loads(content[16 : 16 + length].decode("utf-8"))
        configuration = header["configuration"]
        described = [(str(entry["name"]), str(entry["dtype"]), tuple(entry["shape"])) for entry in header["arrays"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StateFileError(f"{source} is corrupted: its header is no valid description") from None
    if not isinstance(configuration, dict):
        raise StateFileError(f"{source} is corrupted: its configuration is no dictionary")
    arrays: dict[str, NDArray[Any]] = {}
    start, end = 16 + length, len(content) - 32
    for name, dtype, shape in described:
        if dtype not in _DTYPES or not all(isinstance(extent, int) and extent >= 0 for extent in shape):
            raise StateFileError(f"{source} is corrupted: array {name!r} has type {dtype} and shape {shape}")
        count = math.prod(shape)
        size = (count + 7) // 8 if dtype == "bool" else 8 * count
        if start + size > end:
            raise StateFileError(f"{source} is corrupted: array {name!r} needs {size} bytes, {end - start} are left")
        arrays[name] = _unpack(content[start : start + size], dtype, count).reshape(shape)
        start += size
    if start != end:
        raise StateFileError(f"{source} is corrupted: {end - start} bytes are left over")
    return configuration, arrays


def _pack(array: NDArray[Any]) -> bytes:
    if array.dtype.name not in _DTYPES:
        raise InputError(f"a state file holds bool, int64 and float64 arrays, not {array.dtype.name}")
    if array.dtype == np.bool_:
        return np.packbits(array).tobytes()
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()


def _unpack(content: bytes, dtype: str, count: int) -> NDArray[Any]:
    if dtype == "bool":
        return np.unpackbits(np.frombuffer(content, dtype=np.uint8), count=count).astype(np.bool_)
    return np.frombuffer(content, dtype=np.dtype(dtype).newbyteorder("<")).astype(dtype)
