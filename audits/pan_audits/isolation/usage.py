"""The resources of a process and all that it has started, read from ``/proc``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def family_of(process: int) -> list[int]:
    """The process and its descendants, as far as this system shows them."""
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting += _children(found[-1])
    return found


def _children(process: int) -> Iterator[int]:
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            yield from map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    except OSError:
        return


def use_more_than(most: int, processes: list[int]) -> bool:
    """Whether the processes together hold more bytes of memory. A page that several share counts once."""
    return sum(map(_resident, processes)) > most and sum(map(_proportional, processes)) > most


def _resident(process: int) -> int:
    """Quick to read. A page that several processes share counts in each."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _proportional(process: int) -> int:
    """Each page divided by the number of processes that share it, where the system tells it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _resident(process)
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), _resident(process))


def folder_bytes(folder: str) -> int:
    """The size of the files below a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total
