"""A stream of insertions and deletions in a file or a pipe: its element, action and time columns, entry by entry."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.reading.byte_streams import arrow_library, standard_input
from pan_estimators.reading.elements import ElementNumbers
from pan_estimators.reading.ids import missing_ids
from pan_estimators.reading.live import Wait, pipe_columns
from pan_estimators.reading.options import EntryFormat, MissingPolicy, Tally
from pan_estimators.reading.source import open_columns
from pan_estimators.reading.text import chosen
from pan_estimators.reading.times import Fault, TimeColumn, Times, first_of, where
from pan_estimators.universes.columns import is_text
from pan_promises.errors import InputError, on_one_line, shown


@dataclass(frozen=True)
class EntryColumns:
    """The columns of a stream of insertions and deletions.

    Attributes
    ----------
    elements
        The columns that name the element together. By default the column ``element``.
    action
        The column of the action: words such as insert and delete, or numbers by their sign. By default the column
        ``action`` if there is one; without one every entry is an insertion.
    time
        The column of the time. By default the column ``time`` if there is one.
    """

    elements: tuple[str, ...] = ()
    action: str | None = None
    time: str | None = None

    def places(self, names: list[str], name: str) -> dict[str, tuple[int, ...]]:
        """The places of the columns by their role, among the names of all columns."""
        elements = self.elements or (("element",) if "element" in names or len(names) > 1 else (names[0],))
        found = {"element": tuple(chosen(names, column, name) for column in elements)}
        for role, column in (("action", self.action), ("time", self.time)):
            if column is not None or role in names:
                found[role] = (chosen(names, column or role, name),)
        every = [place for places in found.values() for place in places]
        if twice := [names[place] for place in every if every.count(place) > 1]:
            raise InputError(f"the column {shown(twice[0])} of {name} is given twice: as element, action or time")
        return found


@dataclass(frozen=True)
class Source:
    """A stream of insertions and deletions in a file or a pipe.

    Attributes
    ----------
    path
        The file, or ``-`` for standard input.
    columns
        The columns of the elements, the actions and the times.
    form
        The format. By default it follows from the suffix of the file; standard input is CSV.
    """

    path: str
    columns: EntryColumns
    form: EntryFormat = EntryFormat.AUTO

    @property
    def is_pipe(self) -> bool:
        """Whether the stream is at standard input."""
        return self.path == "-"

    @property
    def name(self) -> str:
        """The file, for messages."""
        return "standard input" if self.is_pipe else on_one_line(self.path)

    def version(self) -> tuple[int, ...]:
        """Numbers that change when the file is written to or replaced."""
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            raise InputError(f"there is no file {self.name}") from None
        except (OSError, ValueError) as problem:
            raise InputError(f"cannot read {self.name}: {getattr(problem, 'strerror', None) or problem}") from None
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def batches(self, *, wait: Wait | None = None, counting: bool = False) -> Iterator[dict[str, list[Any]]]:
        """The columns of each batch by their role."""
        found: dict[str, tuple[int, ...]] = {}

        def choose(names: list[str]) -> list[int]:
            places = self.columns.places(names, self.name)
            if counting:
                kept = "time" if "time" in places else "element"
                places = {kept: places[kept][:1]}
            found.update(places)
            return [place for places in found.values() for place in places]

        for arrays in self._arrays(choose, wait):
            rest, batch = list(arrays), {}
            for role, places in found.items():
                batch[role], rest = rest[: len(places)], rest[len(places) :]
            yield batch

    def _arrays(self, choose: Callable[[list[str]], list[int]], wait: Wait | None) -> Iterator[list[Any]]:
        if not self.is_pipe:
            yield from open_columns(self.path, choose, kind=str(self.form))
            return
        yield from pipe_columns(standard_input(), self.name, choose, kind=str(self.form), wait=wait)


_ACTIONS = {
    1: ("insert", "insertion", "add", "in", "enter", "arrive", "+"),
    -1: ("delete", "deletion", "remove", "out", "leave", "depart", "-"),
}
_SIGNS = {word: sign for sign, words in _ACTIONS.items() for word in words}
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")

Signs = NDArray[np.int8]


def signs_of(column: Any, name: str) -> tuple[Signs, Fault | None]:
    """The signs of a column of actions, and its first bad row."""
    arrow = arrow_library()
    from pyarrow import compute, types

    if types.is_floating(column.type):
        missing = column.is_null(nan_is_null=True)
        signs = compute.fill_null(compute.sign(column), 0).to_numpy(zero_copy_only=False)
        return np.nan_to_num(signs).astype(np.int8), where(missing, lambda row: f"row {row} of {name} has no action")
    encoded = column.cast(arrow.large_string()).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    known = [_sign(text) for text in texts]
    places = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    blank = np.array([*(not text.strip() for text in texts), True])[places]
    unknown = np.array([*(sign is None for sign in known), True])[places]
    fault = first_of(
        where(blank, lambda row: f"row {row} of {name} has no action"),
        where(unknown, lambda row: f"row {row} of {name} has the action {shown(first)}; {_KNOWN}"),
    )
    first = "" if fault is None or blank[fault.row] else texts[places[fault.row]]
    return np.array([*(sign or 0 for sign in known), 0], dtype=np.int8)[places], fault


_KNOWN = "known are insert, delete, +, -, in, out, or a number by its sign"


def _sign(text: str) -> int | None:
    word = text.strip().lower()
    if word in _SIGNS:
        return _SIGNS[word]
    if _NUMBER.fullmatch(word):
        return 0 if not word.strip("+-0.") else -1 if word.startswith("-") else 1
    return None


class TimeReader:
    """Reads the times of a stream batch by batch, and refuses times that are out of order."""

    def __init__(self, name: str, last: int | None = None) -> None:
        self.last = last
        self._name = name
        self._column = TimeColumn(name)

    def read(self, column: Any) -> tuple[Times, Fault | None]:
        """The times of a batch in microseconds since 1970, and its first bad row.

        From there on they have no meaning.
        """
        times, fault = self._column.read(column)
        good = times.size if fault is None else fault.row
        known = times[:good]
        steps = np.diff(known, prepend=known[:1] if self.last is None else self.last)
        disorder = where(
            steps < 0,
            lambda row: (
                f"the time in row {row} of {self._name} lies before that of the row before; sort the rows by time"
            ),
        )
        fault = first_of(disorder, fault)
        if good := times.size if fault is None else fault.row:
            self.last = int(times[good - 1])
        return times, fault


_BETWEEN = "\x1f"
"""The mark between two parts of an element that has several columns."""
_ESCAPE = "\x1b"
"""The letter before a mark, or before itself, that is a part of an element."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Consecutive entries of a stream.

    Attributes
    ----------
    elements
        The number of the element of each entry, in the order in which elements first appear, shape ``(n,)``.
    signs
        1 for an insertion, -1 for a deletion, 0 for a no-op, shape ``(n,)``.
    times
        Microseconds since 1970, shape ``(n,)``, in order; or ``None`` without a column of times.
    """

    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    times: NDArray[np.int64] | None


@dataclass(frozen=True)
class Blank:
    """The treatment of entries without an element.

    Attributes
    ----------
    policy
        ``FAIL``: the first one is an error. ``SKIP``: each is a no-op, so that time goes on. ``COUNT``: all of them
        have one element.
    texts
        Other texts that stand for a missing element.
    """

    policy: MissingPolicy = MissingPolicy.FAIL
    texts: tuple[str, ...] = ()


class EntryReader:
    """Reads entries batch by batch, and numbers the elements."""

    def __init__(
        self,
        name: str,
        numbers: ElementNumbers | None = None,
        *,
        blank: Blank | None = None,
        last: int | None = None,
    ) -> None:
        self.numbers = ElementNumbers() if numbers is None else numbers
        self.rows = 0
        self.tally = Tally()
        self._name = name
        self._blank = Blank() if blank is None else blank
        self._times = TimeReader(name, last)

    def read(self, batches: Iterable[dict[str, list[Any]]]) -> Iterator[Entries]:
        """The entries of each batch."""
        for batch in batches:
            columns = batch["element"]
            size = len(columns[0])
            if not size:
                continue
            missing, no_element = self._missing(columns)
            signs, no_action = np.ones(size, dtype=np.int8), None
            if "action" in batch:
                signs, no_action = signs_of(batch["action"][0], self._name)
            times, no_time = None, None
            if "time" in batch:
                times, no_time = self._times.read(batch["time"][0])
            fault = first_of(no_element, no_action, no_time)
            good = size if fault is None else fault.row
            if self._blank.policy is MissingPolicy.SKIP:
                signs = np.where(missing, 0, signs).astype(np.int8)
                self.tally.skipped += int(np.count_nonzero(missing[:good]))
            numbers = self._numbered([column[:good] for column in columns], missing[:good])
            if good:
                yield Entries(numbers, signs[:good], None if times is None else times[:good])
            if fault is not None:
                raise InputError(fault.sentence(self.rows + fault.row + 1))
            self.rows += size

    def _missing(self, columns: list[Any]) -> tuple[NDArray[np.bool_], Fault | None]:
        """Whether the element of each entry is missing, in any of its columns; the first one if it is an error."""
        from pyarrow import types

        for column in columns:
            if types.is_floating(column.type):
                raise InputError(f"{self._name} has floating-point numbers as element; give texts or whole numbers")
            if not (is_text(column.type) or types.is_integer(column.type) or types.is_null(column.type)):
                raise InputError(
                    f"{self._name} has elements of the type {str(column.type)[:80]}; give texts or whole numbers"
                )
        marks = np.logical_or.reduce([missing_ids(column, self._blank.texts) for column in columns])
        if self._blank.policy is not MissingPolicy.FAIL:
            return marks, None
        return marks, where(
            marks,
            lambda row: (
                f"row {row} of {self._name} has no element: choose with --missing skip to take such entries as no-ops, "
                "or --missing count to take all of them as one element"
            ),
        )

    def _numbered(self, columns: list[Any], missing: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The number of the element of each entry. All missing elements are one, the empty text."""
        arrow = arrow_library()
        from pyarrow import compute

        text = arrow.large_string()
        whole = columns[0]
        if len(columns) > 1:
            parts = [_escaped(column.cast(text)) for column in columns]
            whole = compute.binary_join_element_wise(*parts, arrow.scalar(_BETWEEN, text))
        if missing.any():
            whole = compute.if_else(arrow.array(missing), arrow.scalar("", text), whole.cast(text))
        encoded = whole.dictionary_encode()
        known = self.numbers.of(encoded.dictionary.cast(text))
        return np.asarray(known[encoded.indices.to_numpy(zero_copy_only=False)])


def _escaped(column: Any) -> Any:
    """A column of texts, so that different parts never make the same whole."""
    from pyarrow import compute

    if not compute.any(compute.match_substring_regex(column, f"[{_ESCAPE}{_BETWEEN}]")).as_py():
        return column
    column = compute.replace_substring(column, _ESCAPE, _ESCAPE + _ESCAPE)
    return compute.replace_substring(column, _BETWEEN, _ESCAPE + "|")
