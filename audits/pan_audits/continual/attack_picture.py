"""The outcome of an attack as a picture in text: the recovered share beside that of guesses, a mark for each bit."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH = 50
_ROW = 64
_FULL, _EMPTY = "#", "."


def picture(right: Sequence[bool]) -> str:
    """Two bars, and rows of marks: one for each secret bit, in order.

    Parameters
    ----------
    right
        For each bit whether it was recovered; at least one.
    """
    share = sum(right) / len(right)
    marks = "".join(_FULL if each else _EMPTY for each in right)
    rows = [marks[start : start + _ROW] for start in range(0, len(marks), _ROW)]
    bars = [f"{name} {_bar(part)} {part:.1%}" for name, part in (("recovered", share), ("guessing ", 0.5))]
    return "\n".join([*bars, f"the bits in order, {_FULL} recovered, {_EMPTY} not:", *rows])


def _bar(share: float) -> str:
    full = round(_WIDTH * share)
    return _FULL * full + _EMPTY * (_WIDTH - full)
