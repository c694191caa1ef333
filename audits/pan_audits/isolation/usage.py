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


def resident_bytes(processes: list[int]) -> int:
    """Memory that the processes use. Shared memory counts once for each process."""
    total = 0
    for process in processes:
        try:
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            continue
    return total


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
