"""Text with one id to a line, and columns of CSV."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pan_estimators.reading.byte_streams import Utf8Stream, arrow_library
from pan_estimators.reading.options import Reading
from pan_estimators.universes.ids import text_array
from pan_promises.errors import InputError, MissingExtraError, shown

Choose = Callable[[list[str]], list[int]]
"""The places of the columns that are read, from the names of all."""

BLOCK = 2**22
"""Number of bytes read at a time."""
LINE = 2**20
"""The longest line."""
SHORT = 2**16
"""Number of bytes up to which lines are split without Arrow, whose import takes time."""


def lines(stream: Utf8Stream, name: str) -> Iterator[Any]:
    """The lines, empty ones included, without the line breaks: LF, CR LF or CR."""
    rest = b""
    while block := stream.read(BLOCK):
        text = rest + block
        # A CR at the end may be one half of a line break.
        held = text.endswith(b"\r")
        text = _with_line_feeds(text[:-1] if held else text)
        whole, newline, rest = text.rpartition(b"\n")
        rest += b"\r" * held
        if len(rest) > LINE:
            raise InputError(f"{name} has a line of more than {LINE} bytes; is it a text file?")
        if newline:
            yield _split(whole + newline, name)
    if rest:
        yield _split(_with_line_feeds(rest).removesuffix(b"\n") + b"\n", name)


def _with_line_feeds(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _split(text: bytes, name: str) -> Any:
    """Lines that end with a line feed, as an array of numpy or Arrow."""
    try:
        return _split_by_arrow(text) if len(text) > SHORT else _split_one_by_one(text)
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None


def _split_one_by_one(text: bytes) -> Any:
    return text_array(text.decode().split("\n")[:-1])


def _split_by_arrow(text: bytes) -> Any:
    """Without a Python object for each line, if pyarrow is installed."""
    try:
        arrow = arrow_library()
    except MissingExtraError:
        return _split_one_by_one(text)
    text.decode()  # Arrow counts this character as Unicode white space.
    breaks = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    ends = np.zeros(breaks.size + 1, dtype=np.int64)
    ends[1:] = breaks - np.arange(breaks.size)
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(text.translate(None, b"\n"))]
    return arrow.Array.from_buffers(arrow.large_string(), breaks.size, buffers)


_END = "\0"
"""The last id of the text for Arrow. No file contains it. If it does not come back, a quoted field has no end."""
_SEPARATORS = ",;\t|"


def csv_columns(stream: Any, name: str, separator: str, header: bool, choose: Choose) -> Iterator[Any]:
    """Several columns, as lists of Arrow arrays of strings.

    An empty line is a row of a file with one column, and no row of a file with several.
    """
    arrow = arrow_library()
    import pyarrow.csv as arrow_csv

    text = Utf8Stream(stream, name)
    names = _first_row(text, name, separator)
    places = choose(names)
    ending = [""] * len(names)
    ending[places[0]] = _END
    text.end_with(separator.join(ending).encode() + b"\n")
    try:
        opened = arrow_csv.open_csv(
            arrow.PythonFile(text, mode="r"),
            read_options=arrow_csv.ReadOptions(
                block_size=BLOCK,
                column_names=[str(number) for number in range(len(names))],
                skip_rows_after_names=1 if header else 0,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator, newlines_in_values=True, ignore_empty_lines=len(names) > 1
            ),
            # Ids are read as they are written: 007 is not 7.
            convert_options=arrow_csv.ConvertOptions(
                include_columns=[str(place) for place in places],
                column_types={str(place): arrow.string() for place in places},
                strings_can_be_null=False,
            ),
        )
        yield from (batch.columns for batch in _up_to_the_end(opened, name))
    except arrow.ArrowException as problem:
        if text.problem:
            raise text.problem from None
        raise InputError(f"{name} cannot be read as CSV: {_of_arrow(problem)}") from None


def _first_row(text: Utf8Stream, name: str, separator: str) -> list[str]:
    """The fields of the first row, which stays unread."""
    head = text.peek(LINE)
    if not head:
        raise InputError(f"{name} is empty")
    # The decoder is incremental, since the end of the head may cut a letter in two.
    reader = csv.reader(io.StringIO(head.decode("latin-1"), newline=""), delimiter=separator)
    try:
        fields = next(reader)
        names = [codecs.decode(field.encode("latin-1"), "utf-8") for field in fields]
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None
    except csv.Error as problem:
        raise InputError(f"{name} cannot be read as CSV: its first row: {problem}") from None
    if not names:
        raise InputError(f"{name} cannot be read as CSV: its first line is empty")
    return names


def id_place(names: list[str], name: str, reading: Reading) -> int:
    """The place of the column with the ids."""
    if reading.header is False:
        return _numbered(len(names), name, reading.column)
    if reading.column is not None:
        return chosen(names, reading.column, name)
    if len(names) > 1:
        return chosen(names, None, name)
    (lone,) = names
    if reading.header is None and re.fullmatch(r"[+-]?[0-9][0-9.eE+-]*", lone.strip()):
        raise InputError(
            f"the first row of {name} is {shown(lone)}, which may be an id: give --no-header if it is one, or --header"
        )
    if any(mark in lone for mark in _SEPARATORS):
        raise InputError(
            f"{name} has one column, {shown(lone)}, so the separator of the fields may not be a comma (or a tab with "
            f"--format tsv); if the file has one column only, give --column with this name"
        )
    return 0


def _numbered(count: int, name: str, column: str | None) -> int:
    if column is None and count == 1:
        return 0
    if column is None or not re.fullmatch(r"[1-9][0-9]{0,8}", column) or int(column) > count:
        got = "" if column is None else f", got {shown(column)}"
        raise InputError(
            f"{name} has {count} columns and no header: choose one by its number with --column, from 1 to {count}{got}"
        )
    return int(column) - 1


def chosen(names: list[str], column: str | None, name: str) -> int:
    """The place of the column with a name, or of the only column."""
    listed = ", ".join(repr(one) if not one.isprintable() else one for one in names[:12])
    listed = listed if len(listed) <= 300 else f"{listed[:300]}..."
    if column is None:
        if len(names) == 1:
            return 0
        raise InputError(f"{name} has several columns ({listed}); choose one with --column")
    if column not in names:
        raise InputError(f"{name} has no column {shown(column)}; it has {listed}")
    if names.count(column) > 1:
        raise InputError(f"{name} has {names.count(column)} columns of the name {shown(column)}; rename one of them")
    return names.index(column)


def _up_to_the_end(batches: Iterator[Any], name: str) -> Iterator[Any]:
    """All rows except the last one, which must be the added end."""
    held = None
    for batch in batches:
        if not batch.num_rows:
            continue
        if held is not None:
            yield held
        held = batch
    if held is None or held.column(0)[-1].as_py() != _END:
        raise InputError(f"{name} cannot be read as CSV: a quotation mark that begins a field has no end")
    if held.num_rows > 1:
        yield held.slice(0, held.num_rows - 1)


def _of_arrow(problem: Exception) -> str:
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in str(problem)).split())
    if "straddling" in text:
        return f"a row has more than {BLOCK} bytes, or a quotation mark that begins a field has no end"
    return text if len(text) <= 200 else f"{text[:200]}..."
