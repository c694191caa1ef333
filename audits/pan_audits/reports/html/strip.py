"""The two streams of a witness, side by side: aligned updates, and the parts that the drawing omits."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pan_audits.audit.witness import Witness
from pan_audits.exact.scope import Item, Stream, Update
from pan_audits.exact.witness import ExactWitness
from pan_audits.problems.inputs.streams.family import Family, Id, Segment, SegmentEnd, StreamSlice, Updates
from pan_audits.reports.html.drawing import plain

_MOST_BOXES = 4
"""Greatest number of equal updates, or updates of one piece, that are drawn separately."""

_MOST_LETTERS = 14


@dataclass(frozen=True)
class Box:
    """Updates in a stream.

    Attributes
    ----------
    label
        The user, or a text for many users.
    own
        Whether they are the updates of the user who differs.
    count
        Number of updates of the box.
    full
        The whole text, where the label is shortened.
    """

    label: str
    own: bool = False
    count: int = 1
    full: str = ""


@dataclass(frozen=True)
class Column:
    """Boxes in one column: at most one on each stream."""

    left: Box | None
    right: Box | None


@dataclass(frozen=True)
class Mark:
    """A moment at which something is seen, on both streams alike."""

    step: SegmentEnd
    number: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The label, line by line."""
        number = f" {self.number}" if self.number else ""
        if self.step is SegmentEnd.RELEASE:
            return ("output", f"read{number}")
        if self.step is SegmentEnd.ANNOUNCED:
            return ("announced:", "state", f"seen here{number}")
        return ("state", f"seen here{number}")


Strip = tuple[Column | Mark, ...]


def strip_of(witness: Witness | ExactWitness) -> Strip:
    """The picture of a witness from left to right."""
    if isinstance(witness, ExactWitness):
        return _numbered(_of_streams(witness.left, witness.right, witness.user, witness.ids))
    return _numbered(_of_family(witness.pair.family, witness.pair.left, witness.pair.right))


def _numbered(columns: Iterator[Column | Mark]) -> Strip:
    """Number the moments of a kind if there are several."""
    strip = tuple(columns)
    counts: dict[bool, int] = {}
    marks = [column.step is SegmentEnd.RELEASE for column in strip if isinstance(column, Mark)]
    numbered: list[Column | Mark] = []
    for column in strip:
        if isinstance(column, Mark):
            kind = column.step is SegmentEnd.RELEASE
            counts[kind] = counts.get(kind, 0) + 1
            column = Mark(column.step, counts[kind] if marks.count(kind) > 1 else 0)
        numbered.append(column)
    return tuple(numbered)


def _of_streams(left: Stream, right: Stream, user: int, ids: Sequence[Id]) -> Iterator[Column | Mark]:
    """Without the user the two streams are equal: all other updates are aligned."""
    (own_left, rest), (own_right, _) = _split(left, user), _split(right, user)
    for place, item in enumerate([*rest, None]):
        flags = [[item.deletes for item in own[place]] for own in (own_left, own_right)]
        yield from _own(ids[user], *flags)
        if isinstance(item, SegmentEnd):
            yield Mark(item)
        elif item is not None:
            box = _box(ids[item.user], deletes=item.deletes)
            yield Column(box, box)


def _split(stream: Stream, user: int) -> tuple[list[list[Update]], list[Item]]:
    """The user's updates before each of all other items and at the end, and those items."""
    own: list[list[Update]] = [[]]
    rest: list[Item] = []
    for item in stream:
        if isinstance(item, Update) and item.user == user:
            own[-1].append(item)
        else:
            rest.append(item)
            own.append([])
    return own, rest


def _of_family(family: Family, left: int, right: int) -> Iterator[Column | Mark]:
    for ours, theirs, others, step in zip(
        family.own_updates(left), family.own_updates(right), family.others, family.schedule, strict=True
    ):
        own = list(_own(family.user, ours, theirs))
        rest = list(_of_others(others))
        yield from (*own, *rest) if family.first else (*rest, *own)
        yield Mark(step)


def _own(user: Id, left: Sequence[bool], right: Sequence[bool]) -> Iterator[Column]:
    """The updates of the user who differs; each is given as whether it deletes."""
    if max(len(left), len(right)) <= _MOST_BOXES:
        for place in range(max(len(left), len(right))):
            boxes = [
                _box(user, deletes=flags[place], own=True) if place < len(flags) else None for flags in (left, right)
            ]
            yield Column(boxes[0], boxes[1])
        return
    boxes = [
        _box(user, own=True, count=len(flags), deletes=flags[0] if len(set(flags)) == 1 else None) if flags else None
        for flags in (left, right)
    ]
    yield Column(boxes[0], boxes[1])


def _of_others(segment: Segment) -> Iterator[Column]:
    for piece in segment:
        for box in _piece(piece):
            yield Column(box, box)


def _piece(piece: Updates | StreamSlice) -> Iterator[Box]:
    if isinstance(piece, StreamSlice):
        span = f"updates {piece.start:,} to {piece.stop:,} of {piece.stream}, without those of user {piece.without}"
        yield Box(f"{len(piece):,} of {plain(piece.stream)}", count=len(piece), full=plain(span))
        return
    flags = piece.deletes or (False,) * len(piece.ids)
    if len(piece) <= _MOST_BOXES:
        for user, deletes in list(zip(piece.ids, flags, strict=True)) * piece.times:
            yield _box(user, deletes=deletes)
    elif len(set(zip(piece.ids, flags, strict=True))) == 1:
        yield _box(piece.ids[0], deletes=flags[0], count=len(piece))
    else:
        distinct = len(set(piece.ids))
        full = f"{len(piece):,} updates by {distinct:,} other users"
        yield Box(f"{len(piece):,} by {distinct:,} others", count=len(piece), full=full)


def _box(user: Id, *, own: bool = False, count: int = 1, deletes: bool | None = False) -> Box:
    """One user's updates; ``deletes`` is ``None`` if insertions and deletions take turns."""
    sign = {True: "−", False: "", None: "±"}[deletes]
    label = sign + plain(str(user), _MOST_LETTERS)
    if count > 1:
        label += f" ×{count:,}"
    what = {True: "deletion", False: "update", None: "insertion and deletion in turn"}[deletes]
    return Box(label, own, count, f"{plain(str(user))}: {count:,} {what}{'s' * (count > 1 and deletes is not None)}")


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
