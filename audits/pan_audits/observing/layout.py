"""The layout of arrays: all that a dump of the memory shows of an array beside its type, shape and entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Layout:
    """The layout of an array that is no ordinary one.

    Attributes
    ----------
    memory
        The bytes that the array is a part of.
    place
        The number of the byte at which its first entry begins.
    strides
        The distances of its entries, in bytes.
    writeable
        Whether its entries can be changed.
    metadata
        The metadata of its type.
    """

    memory: bytes
    place: int
    strides: tuple[int, ...]
    writeable: bool
    metadata: dict[Any, Any]


def layout_of(value: NDArray[Any]) -> Layout | None:
    """The layout of an array; ``None`` for an ordinary one, and for one that holds objects.

    An ordinary array is writeable, has its entries in the order of C, has no metadata, and is no part of a larger one.
    """
    if value.dtype.hasobject:
        return None
    memory = _memory(value)
    larger = memory is not None and memory.nbytes != value.nbytes
    if value.flags.c_contiguous and value.flags.writeable and not value.dtype.metadata and not larger:
        return None
    if memory is None:
        value = np.array(value, order="C")
        memory = value.reshape(-1).view(np.uint8)
    place = _address(value) - _address(memory)
    metadata = dict(value.dtype.metadata or {})
    return Layout(memory.tobytes(), place, value.strides, bool(value.flags.writeable), metadata)


def _memory(value: NDArray[Any]) -> NDArray[np.uint8] | None:
    """All bytes that an array is a part of, or ``None`` if they cannot be read."""
    owner: Any = value
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    try:
        if not isinstance(owner, np.ndarray):
            return np.frombuffer(owner, dtype=np.uint8)
        ordered = owner if owner.flags.c_contiguous else owner.T
        return np.asarray(ordered).reshape(-1).view(np.uint8) if ordered.flags.c_contiguous else None
    except (TypeError, ValueError, BufferError):
        return None


def settings_of(value: np.ma.MaskedArray[Any, Any]) -> tuple[Any, ...]:
    """The settings of a masked array beside its entries and its mask: whether it has one, the fill value, hardness."""
    return value.mask is np.ma.nomask, value._fill_value, bool(value.hardmask)  # type: ignore[attr-defined]


def _address(value: NDArray[Any]) -> int:
    return int(value.__array_interface__["data"][0])
