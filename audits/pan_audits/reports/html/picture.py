"""The drawing of a witness: the position of every box, line and label."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from pan_audits.reports.html.strip import Box, Mark, Strip

_HEAD, _ROW, _BETWEEN, _FOOT, _NAME = 66.0, 34.0, 18.0, 12.0, 82.0
_GAP, _LETTER, _PADDING, _LEAST = 6.0, 7.4, 16.0, 36.0
_MARK = 66.0
_LEAST_WIDTH = 340.0


@dataclass(frozen=True)
class Rectangle:
    """A box of a stream, or the place of a missing box."""

    x: float
    y: float
    width: float
    height: float
    box: Box | None


@dataclass(frozen=True)
class Line:
    """A moment, as a vertical line with a label above it."""

    x: float
    words: tuple[str, ...]
    mark: Mark


@dataclass(frozen=True)
class Picture:
    """Both streams, in the units of the drawing.

    Attributes
    ----------
    width, height
        Of the whole.
    rectangles
        Boxes, and places where only the other stream has one.
    lines
        The moments of the observations.
    rows
        Vertical centres of the two streams.
    """

    width: float
    height: float
    rectangles: tuple[Rectangle, ...]
    lines: tuple[Line, ...]
    rows: tuple[float, float]


def picture_of(strip: Strip) -> Picture:
    """Lay out two streams from left to right."""
    tops = (_HEAD, _HEAD + _ROW + _BETWEEN)
    x = _NAME
    rectangles: list[Rectangle] = []
    lines: list[Line] = []
    for column in strip:
        if isinstance(column, Mark):
            width = max(_MARK, *(_LETTER * len(word) for word in column.words))
            lines.append(Line(x + width / 2, column.words, column))
            x += width + _GAP
            continue
        width = max(_width(box.label) for box in (column.left, column.right) if box is not None)
        rectangles += [
            Rectangle(x, top, width, _ROW, box) for top, box in zip(tops, (column.left, column.right), strict=True)
        ]
        x += width + _GAP
    width = max(x + 6, _LEAST_WIDTH)
    centres = (tops[0] + _ROW / 2, tops[1] + _ROW / 2)
    return Picture(width, tops[1] + _ROW + _FOOT, tuple(rectangles), tuple(lines), centres)


def _width(label: str) -> float:
    """An upper estimate of the width of a label."""
    letters = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in label)
    return max(_LEAST, _LETTER * letters + _PADDING)
