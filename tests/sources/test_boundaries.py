"""CSV is read as Python's own reader reads it, wherever its bytes are cut into blocks."""

from __future__ import annotations

import csv
import io
import os

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pan_audits.sources import Reading, delimited, live_lines, open_source
from pan_audits.sources.pipe_columns import pipe_columns
from pan_audits.sources.reader import open_columns
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.schema import Attribute, Schema

PIECES = ["a", "\r\n", "\r\n", "\n", "\r", '""', ",", "ä", " "]
QUOTED = st.lists(st.sampled_from(PIECES), max_size=6).map(lambda parts: f'"{"".join(parts)}"')
PLAIN = st.text("abcä", min_size=1, max_size=5)
ROWS = st.lists(st.tuples(QUOTED | PLAIN, QUOTED | PLAIN), min_size=1, max_size=8)
LEAST = 2 * 6 * 2 + 16
"""No row is longer than a block."""


def written(rows, ending, last):
    return "x,y" + ending + ending.join(",".join(row) for row in rows) + (ending if last else "")


def expected(text):
    return [tuple(row) for row in csv.reader(io.StringIO(text, newline="")) if row][1:]


@given(ROWS, st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([("a", '"\r\n\r\n"'), ('"b\r\n"', '"\r\n"')], "\r\n", True)
@settings(max_examples=25, deadline=None)
def test_a_file_is_read_alike_for_every_size_of_a_block(tmp_path_factory, rows, ending, last):
    """These are the readers of count and estimate, and of follow and panes at times."""
    text = written(rows, ending, last)
    file = tmp_path_factory.mktemp("csv") / "d.csv"
    file.write_bytes(text.encode())
    wanted, kept = expected(text), delimited.BLOCK
    try:
        for size in range(LEAST, len(text.encode()) + 8):
            delimited.BLOCK = size
            found = [row for batch in open_columns(str(file), lambda names: [0, 1]) for row in listed(batch)]
            assert found == wanted, size
            ids = [str(one) for batch in open_source(str(file), KEPT).batches for one in as_list(batch)]
            assert [one for one in ids if one.strip()] == [one for _, one in wanted if one.strip()], size
    finally:
        delimited.BLOCK = kept


KEPT = Reading(column="y", missing="skip")


def listed(batch):
    return zip(*(column.to_pylist() for column in batch), strict=True)


def as_list(batch):
    return batch.to_pylist() if hasattr(batch, "to_pylist") else batch.tolist()


@given(ROWS.filter(lambda rows: not any("\r" in "".join(row).replace("\r\n", "") for row in rows)), st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_a_pipe_is_read_alike_for_every_size_of_a_block(rows, size):
    text, kept = written(rows, "\r\n", True), live_lines._BYTES
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    live_lines._BYTES = size
    try:
        with os.fdopen(reading, "rb") as stream:
            found = [
                row for batch in pipe_columns(stream, "f", lambda names: [0, 1], kind="csv") for row in listed(batch)
            ]
    finally:
        live_lines._BYTES = kept
    assert found == expected(text)


def test_a_table_is_read_with_its_line_breaks(tmp_path):
    schema = Schema((Attribute("x", ("a\r\nb", "a\nb", "a\rb", "")), Attribute("y", (0, 1))))
    (tmp_path / "d.csv").write_bytes(b'x,y\r\n"a\r\nb",1\r\n"a\nb",0\r\n"a\rb",1\r\n')
    assert read_csv(tmp_path / "d.csv", schema) == {"x": ["a\r\nb", "a\nb", "a\rb"], "y": [1, 0, 1]}
