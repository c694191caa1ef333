"""The classes of a Markov chain: states that can be reached from one another."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def communicating_classes(steps: Iterable[tuple[int, int]], states: int) -> tuple[int, NDArray[np.int64]]:
    """The number of classes, and the class of every state, by number.

    A depth-first search visits all states. A second one goes backwards, in the order of their completion (Sharir 1981).
    """
    onwards: list[list[int]] = [[] for _ in range(states)]
    backwards: list[list[int]] = [[] for _ in range(states)]
    for before, after in steps:
        onwards[before].append(after)
        backwards[after].append(before)
    left: list[int] = []
    seen = [False] * states
    for start in range(states):
        if not seen[start]:
            left += _visited(start, onwards, seen)
    label = np.full(states, -1)
    found, seen = 0, [False] * states
    for start in reversed(left):
        if not seen[start]:
            label[_visited(start, backwards, seen)] = found
            found += 1
    return found, label


def _visited(start: int, steps: list[list[int]], seen: list[bool]) -> list[int]:
    """The new states that are reached from one state, in the order of completion; they are marked as seen."""
    left = []
    seen[start] = True
    path = [(start, iter(steps[start]))]
    while path:
        state, rest = path[-1]
        for after in rest:
            if not seen[after]:
                seen[after] = True
                path.append((after, iter(steps[after])))
                break
        else:
            left.append(state)
            path.pop()
    return left
