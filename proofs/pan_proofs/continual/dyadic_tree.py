"""The dyadic decomposition of ``(0, t]`` and the binary tree (Definitions 3.3 and 3.4)."""

from __future__ import annotations

from pan_proofs.continual.streams import Bits

Interval = tuple[int, int]
"""The start and the end of ``(a, b]``."""


def decomposition(time: int) -> tuple[Interval, ...]:
    """The dyadic decomposition of ``(0, time]``: one interval for each power of 2 in its expansion, largest first."""
    found, start = [], 0
    for exponent in reversed(range(time.bit_length())):
        power = 2**exponent
        if time & power:
            found.append((start, start + power))
            start += power
    return tuple(found)


def levels(leaves: int) -> tuple[tuple[Interval, ...], ...]:
    """The intervals of a complete binary tree, level by level from the leaves.

    Raises
    ------
    ValueError
        If the number of leaves is no power of 2.
    """
    if leaves < 1 or leaves & (leaves - 1):
        raise ValueError(f"a complete binary tree has a power of 2 of leaves, got {leaves}")
    sizes = [2**exponent for exponent in range(leaves.bit_length())]
    return tuple(tuple((start, start + size) for start in range(0, leaves, size)) for size in sizes)


def padded_length(length: int) -> int:
    """The least power of 2 that is at least a length."""
    return 1 << (length - 1).bit_length()


def node_values(vector: Bits) -> tuple[tuple[int, ...], ...]:
    """The change of a vector over each node, level by level; it is 0 before its first entry and keeps its last value.

    Parameters
    ----------
    vector
        Its entries for the times from 1 on.
    """
    leaves = padded_length(len(vector))
    at = (0, *vector, *(vector[-1:] * (leaves - len(vector))))
    return tuple(tuple(at[end] - at[start] for start, end in level) for level in levels(leaves))


def squared_distance(one: Bits, other: Bits) -> int:
    """The squared Euclidean distance of the node values of two vectors of one length."""
    pairs = zip(node_values(one), node_values(other), strict=True)
    return sum((a - b) ** 2 for first, second in pairs for a, b in zip(first, second, strict=True))


def differing_nodes(one: Bits, other: Bits) -> tuple[int, ...]:
    """For each level the number of nodes at which two vectors differ."""
    pairs = zip(node_values(one), node_values(other), strict=True)
    return tuple(sum(a != b for a, b in zip(first, second, strict=True)) for first, second in pairs)
