"""Insertions and deletions from the columns of a file: element, action and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.element_numbers import ElementNumbers
from pan_audits.continual.entry_actions import signs_of
from pan_audits.continual.entry_times import TimeReader
from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.faults import Fault, first_of, where
from pan_audits.sources.missing import missing_ids
from pan_audits.sources.reading import MissingPolicy, Tally
from pan_audits.sources.strings import is_text
from pan_promises.errors import InputError

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
