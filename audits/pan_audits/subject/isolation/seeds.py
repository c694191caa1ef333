"""In the judged process: the seeds of the sources of a run, which are computed for many runs together.

They are those of numpy's ``SeedSequence``, whose algorithm numpy keeps for ever.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WORDS = 4
"""The words of a seed, and of the pool of a ``SeedSequence``."""
_TOGETHER, _SOURCES = 128, 16
"""Runs whose seeds are computed together, and sources of a run for which they are."""
_LEFT, _RIGHT, _HALF = np.uint32(0xCA01F9DD), np.uint32(0x4973F715), np.uint32(16)


def _constants(first: int, multiplier: int, number: int) -> NDArray[np.uint32]:
    return np.array([[first * pow(multiplier, power, 2**32) % 2**32] for power in range(number)], dtype=np.uint32)


_OF_POOL = _constants(0x43B0D7E5, 0x931E8875, WORDS**2 + 1)
_OF_SEEDS = _constants(0x8B51F9DD, 0x58F38DED, WORDS + 1)

_ahead: dict[int, tuple[int, int, list[list[int]]]] = {}
"""For each source of a run, by its number: the state, the first run, and the words of it and of those that follow."""


def words_of(state: int, run: int, source: int) -> list[int]:
    """The words of ``SeedSequence([state, run, source])``; if the run before had this state, later ones may have it."""
    of_state, first, rows = _ahead.get(source, (-1, 0, []))
    if of_state == state and first <= run < first + len(rows):
        return rows[run - first]
    if of_state == state:
        rows = words_of_runs(state, range(run, run + _TOGETHER), source)
    else:
        rows = [np.random.SeedSequence([state, run, source]).generate_state(WORDS).tolist()]
    if source <= _SOURCES:
        _ahead[source] = state, run, rows
    return rows[0]


def words_of_runs(state: int, runs: range, source: int) -> list[list[int]]:
    """The words of each run."""
    entropy = np.zeros((WORDS, len(runs)), dtype=np.uint32)
    entropy[0], entropy[1], entropy[2] = state, runs, source
    pool = _hashed(entropy, _OF_POOL[: WORDS + 1])
    for place in range(WORDS):
        others = [other for other in range(WORDS) if other != place]
        begin = WORDS + place * len(others)
        mixed = _LEFT * pool[others] - _RIGHT * _hashed(pool[place], _OF_POOL[begin : begin + WORDS])
        pool[others] = mixed ^ mixed >> _HALF
    words: list[list[int]] = _hashed(pool, _OF_SEEDS).T.tolist()
    return words


def _hashed(words: NDArray[np.uint32], constants: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The hashes of rows of words, each with a constant of its own."""
    mixed = (words ^ constants[:-1]) * constants[1:]
    return mixed ^ mixed >> _HALF
