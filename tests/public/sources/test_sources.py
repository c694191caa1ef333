"""Ids from files: every format, at every boundary of blocks, and damaged ones."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
import re
import tempfile
import threading
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as arrow
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pan_estimators import InputError
from pan_estimators.reading import live, source, text
from pan_estimators.reading import text as csv_text
from pan_estimators.reading.byte_streams import Utf8Stream
from pan_estimators.reading.ids import as_integers, without_missing
from pan_estimators.reading.live import live_rows, pipe_columns
from pan_estimators.reading.options import MissingPolicy, Reading
from pan_estimators.reading.source import open_columns, open_source
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.universes.ids import text_array
from tests.public.fuzzing.command import ends_as_it_should

PIECES = st.sampled_from(
    [b"7", b"+7", b" 12", b"\t-3", b"ann", "é".encode(), b"", b"\n", b"\n\n", b"\r\n", b"\r", b"\x0b", b'"', b","]
)


def lines_of(content, *, short, block=2**22):
    with mock.patch.object(text, "SHORT", short), mock.patch.object(text, "BLOCK", block):
        stream = Utf8Stream(io.BytesIO(content), "the file")
        return [value for batch in text.lines(stream, "the file") for value in batch.tolist()]


@given(st.lists(PIECES).map(b"".join), st.integers(1, 9))
def test_text_is_split_at_every_kind_of_line_break_and_nothing_else_is_taken_off(content, block):
    expected = re.split("\r\n|\r|\n", content.decode())
    # After the last line break no line begins.
    expected = expected if expected[-1] else expected[:-1]
    assert lines_of(content, short=-1, block=block) == expected
    assert lines_of(content, short=2**30, block=block) == expected


@pytest.mark.parametrize("short", [-1, 2**30])
def test_what_is_no_text_is_refused(short):
    with pytest.raises(InputError, match="the file is not UTF-8 text"):
        lines_of(b"1\n\xff\n", short=short)
    with pytest.raises(InputError, match="line of more than"):
        lines_of(b"1" * (2**20 + 1), short=short)


def test_a_few_long_lines_do_not_widen_all_others():
    content = b"x\n" * 15_000 + b"y" * 30_000 + b"\n"
    with mock.patch.object(np, "array", wraps=np.array) as made:
        assert len(lines_of(content, short=2**30)) == 15_001
    assert all(call.kwargs.get("dtype") is not np.str_ for call in made.call_args_list)
    assert text_array(["y" * 30_000] + ["x"] * 15_000).nbytes < 10**6


@pytest.mark.parametrize("block", [1, 3, 4096])
def test_a_byte_order_mark_is_taken_off_at_the_start_and_refused_elsewhere(block):
    mark = b"\xef\xbb\xbf"
    assert lines_of(mark + b"a\nb\n", short=2**30, block=block) == ["a", "b"]
    assert lines_of(mark, short=2**30, block=block) == []
    for content in (b"a\n" + mark + b"b\n", mark + mark + b"a\n", b"abc" + mark):
        with pytest.raises(InputError, match="byte order mark after its beginning"):
            lines_of(content, short=2**30, block=block)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-16", "is UTF-16 text"),
        ("utf-16-le", "zero byte, as UTF-16"),
        ("utf-32", "is UTF-32 text"),
    ],
)
@pytest.mark.parametrize("block", [1, 4096])
def test_unicode_of_other_kinds_is_refused_with_its_name(encoding, words, block):
    with pytest.raises(InputError, match=words):
        lines_of("anna\nbob\n".encode(encoding), short=2**30, block=block)
    with pytest.raises(InputError, match=words):
        rows_of("id\nbob\n".encode(encoding))


def rows_of(content, *, block=2**22, **how):
    with mock.patch.object(text, "BLOCK", block):
        found = source._column(io.BytesIO(content), "csv", "the file", Reading(**how), None)
        return [value for batch in found for value in batch.to_pylist()]


FIELDS = st.text("ab7 0é,\"'\n\r;", max_size=5)


@given(st.lists(st.tuples(FIELDS, FIELDS), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_csv_is_read_as_it_was_written(rows, ending, quoted):
    if not quoted:
        # Python's writer leaves line breaks that are not its own without quotation marks.
        rows = [tuple(field.replace("\r", "").replace("\n", "") for field in row) for row in rows]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator=ending, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    writer.writerow(["id", "x"])
    writer.writerows(rows)
    content = written.getvalue().encode()
    assert rows_of(content, column="id") == [row[0] for row in rows]
    assert rows_of(content, column="x") == [row[1] for row in rows]
    assert rows_of(b"\xef\xbb\xbf" + content, column="id") == [row[0] for row in rows]
    assert rows_of(content, header=False, column="2") == ["x", *(row[1] for row in rows)]


@given(st.lists(FIELDS, max_size=8), st.booleans())
def test_csv_of_one_column_has_a_row_for_every_line(ids, quoted):
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([[value] for value in ["id", *ids]])
    content = written.getvalue() if quoted else "id\n" + "".join(f"{re.sub(r'[^ab7]', '', value)}\n" for value in ids)
    expected = ids if quoted else [re.sub(r"[^ab7]", "", value) for value in ids]
    assert rows_of(content.encode()) == expected


@pytest.mark.parametrize(
    ("content", "how", "words"),
    [
        (b'id\n"a\nb\nc\n', {}, "quotation mark"),
        (b'id,x\na,"b\nc,d\n', {"column": "id"}, "quotation mark"),
        (b'id\na\n"', {}, "quotation mark"),
        (b"id,id\n1,2\n", {"column": "id"}, "2 columns of the name 'id'"),
        (b"\nid\n1\n", {}, "its first line is empty"),
        (b"", {}, "is empty"),
        (b"\xef\xbb\xbf", {}, "is empty"),
        (b"7\n8\n", {}, "--no-header"),
        (b"id;x\n1;2\n", {}, "so the separator of the fields may not be"),
        (b"1,2\n3,4\n", {"header": False}, "from 1 to 2"),
        (b"1,2\n3,4\n", {"header": False, "column": "x"}, "from 1 to 2, got 'x'"),
        (b"id,x\n1,2\n3\n", {"column": "id"}, "Expected 2 columns, got 1"),
        (b"id,\xe9\n1,2\n", {"column": "id"}, "is not UTF-8 text"),
        (b"id,x\n\xe9,2\n", {"column": "id"}, "invalid UTF8"),
    ],
)
def test_csv_that_says_several_things_is_refused(content, how, words):
    with pytest.raises(InputError, match=words):
        rows_of(content, **how)


def test_other_columns_may_have_equal_names_and_no_utf8():
    assert rows_of(b"id,x,x\n1,2,\xe9\n", column="id") == ["1"]
    assert rows_of(b"7\n8\n", header=True) == ["8"]
    assert rows_of(b"7\n8\n", header=False) == ["7", "8"]
    assert rows_of(b"id") == rows_of(b"id\n") == rows_of(b"id\r\n") == []


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_strings_of_arrow_are_read_as_integers_like_those_of_numpy(numbers):
    texts = list(map(str, numbers))
    for column in (pa.array(texts), pa.array(["x", *texts])[1:], pa.array(texts).dictionary_encode(), np.array(texts)):
        assert as_integers(column).tolist() == numbers
    assert as_integers(pa.array(numbers)).tolist() == numbers


def test_integers_above_63_bits_are_read_where_none_is_negative():
    for texts in (["1", str(2**64 - 1)], [str(2**63)]):
        for column in (pa.array(texts), np.array(texts)):
            assert as_integers(column).tolist() == [int(text) for text in texts]
    with pytest.raises(InputError, match="is not an integer of 64 bits"):
        as_integers(pa.array(["-1", str(2**63)]))


NO_INTEGERS = ["x", "0x1F", "0XA", "1.5", "", "18446744073709551616", "1e3", "007", "-0", "-", "--1", "-01"]
NO_INTEGERS += ["+7", " 8", "8 ", "1_0", "٣", "７", "-9223372036854775809", "1\n", "NaN"]


@pytest.mark.parametrize("bad", NO_INTEGERS)
def test_what_is_no_plain_decimal_integer_is_none(bad):
    for column in (pa.array(["1", bad]), pa.array(["1", bad]).dictionary_encode(), np.array(["1", bad])):
        with pytest.raises(InputError, match=f"id {re.escape(repr(bad))} is not an integer"):
            as_integers(column)


@given(st.lists(st.text("-0129/:", max_size=3), max_size=5))
def test_the_check_of_whole_columns_is_that_of_single_ids(texts):
    wrong = [one for one in texts if not re.fullmatch("0|-?[1-9][0-9]*", one)]
    if not wrong:
        assert as_integers(pa.array(texts, pa.string())).tolist() == list(map(int, texts))
    else:
        with pytest.raises(InputError, match=f"id {re.escape(repr(wrong[0]))} is no"):
            as_integers(pa.array(texts, pa.string()))


MAYBE = st.none() | st.sampled_from(["", " ", "\t \r", "NA", "na", "7", " 7", "x "])


@given(st.lists(MAYBE, max_size=8), st.sampled_from(list(MissingPolicy)), st.sampled_from([(), ("NA", "x ")]))
def test_missing_ids_are_the_same_ones_in_every_array(values, policy, texts):
    missing = [value is None or not value.strip() or value in texts for value in values]
    reading = Reading(missing=policy, missing_texts=texts)
    forms = [pa.array(values, pa.string()), pa.array(["q", *values], pa.large_string())[1:]]
    forms += [] if None in values else [np.array(values, dtype=np.str_), np.array(values, dtype=object)]
    for number, form in enumerate(forms, 1):
        batches = without_missing([form], reading, "the file", "row")
        if policy is MissingPolicy.FAIL and any(missing):
            with pytest.raises(InputError, match=f"missing ids, the first in row {missing.index(True) + 1}:"):
                list(batches)
            continue
        found = [value for batch in batches for value in batch.tolist()]
        if policy is MissingPolicy.COUNT:
            assert found == ["" if gone else value for value, gone in zip(values, missing, strict=True)]
        else:
            assert found == [value for value, gone in zip(values, missing, strict=True) if not gone]
            assert reading.tally.skipped == (number * sum(missing) if policy is MissingPolicy.SKIP else 0)


def test_missing_numbers_are_null_or_nan():
    for column in (pa.array([1, None, 2, None]), pa.array([1.0, float("nan"), 2.0, None])):
        reading = Reading(missing=MissingPolicy.SKIP)
        (found,) = without_missing([column], reading, "the file", "row")
        assert found.to_pylist() == [1, 2]
        assert reading.tally.skipped == 2
        numbers, lone = without_missing([column], Reading(missing=MissingPolicy.COUNT), "the file", "row")
        assert numbers.to_pylist() == [1, 2]
        assert lone.tolist() == [""]


LINE_PIECES = ["a", "\r\n", "\r\n", "\n", "\r", '""', ",", "ä", " "]
QUOTED = st.lists(st.sampled_from(LINE_PIECES), max_size=6).map(lambda parts: f'"{"".join(parts)}"')
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
    wanted, kept = expected(text), csv_text.BLOCK
    try:
        for size in range(LEAST, len(text.encode()) + 8, 3):
            csv_text.BLOCK = size
            found = [row for batch in open_columns(str(file), lambda names: [0, 1]) for row in listed(batch)]
            assert found == wanted, size
            ids = [str(one) for batch in open_source(str(file), KEPT) for one in as_list(batch)]
            assert [one for one in ids if one.strip()] == [one for _, one in wanted if one.strip()], size
    finally:
        csv_text.BLOCK = kept


KEPT = Reading(column="y", missing="skip")


def listed(batch):
    return zip(*(column.to_pylist() for column in batch), strict=True)


def as_list(batch):
    return batch.to_pylist() if hasattr(batch, "to_pylist") else batch.tolist()


@given(ROWS.filter(lambda rows: not any("\r" in "".join(row).replace("\r\n", "") for row in rows)), st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_a_pipe_is_read_alike_for_every_size_of_a_block(rows, size):
    text, kept = written(rows, "\r\n", True), live._BYTES
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    live._BYTES = size
    try:
        with os.fdopen(reading, "rb") as stream:
            found = [
                row for batch in pipe_columns(stream, "f", lambda names: [0, 1], kind="csv") for row in listed(batch)
            ]
    finally:
        live._BYTES = kept
    assert found == expected(text)


def test_a_table_is_read_with_its_line_breaks(tmp_path):
    schema = Schema((Attribute("x", ("a\r\nb", "a\nb", "a\rb", "")), Attribute("y", (0, 1))))
    (tmp_path / "d.csv").write_bytes(b'x,y\r\n"a\r\nb",1\r\n"a\nb",0\r\n"a\rb",1\r\n')
    assert read_csv(tmp_path / "d.csv", schema) == {"x": ["a\r\nb", "a\nb", "a\rb"], "y": [1, 0, 1]}


def piped(parts, choose=lambda names: list(range(len(names)))):
    """The batches of rows that are read from a pipe into which the parts are written."""
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for part in parts:
                pipe.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return list(live_rows(reading, "the pipe", choose))
    finally:
        writer.join()
        os.close(reading)


def live_rows_of(batches):
    return [row for batch in batches for row in zip(*batch, strict=True)]


def test_a_row_is_handed_on_before_the_next_one_is_written():
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as pipe:
        batches = live_rows(reading, "the pipe", lambda names: [1])
        pipe.write(b"a,b\n1,2\n")
        assert next(batches) == [["2"]]
        pipe.write(b"3,4\n5,6\n")
        assert next(batches) == [["4", "6"]]
    assert list(batches) == []
    os.close(reading)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "is empty"),
        (b"a,b\n1\n", "line 2 of the pipe has 1 fields, and 2 have names"),
        (b"a\n\xff\n", "is not UTF-8"),
        (b'a\n"open\n', "cannot be read as CSV"),
        (b"a\n" + b"x" * (2**20 + 2), "more than 1048576 bytes"),
    ],
)
def test_a_bad_row_is_named(text, sentence):
    with pytest.raises(InputError, match=sentence):
        piped([text[: 2**15]] if len(text) < 2**15 else [text])


LETTERS = [b"7", b"007", b"-1", b"1e3", b"9" * 30, b"ann", "é".encode(), b"x" * 200, b"NA", b"\xff", b"\0"]
SIGNS = [b" ", b"\t", b",", b";", b'"', b'""', b"\n", b"\n\n", b"\r", b"\r\n", "\u2028\u0663".encode()]
HEADS = [b"id", b"id,x\n", b"id\tx\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"]
DAMAGED_PIECES = st.sampled_from([*LETTERS, *SIGNS, *HEADS])
TEXTS = st.lists(DAMAGED_PIECES, max_size=14).map(b"".join) | st.binary(max_size=60)
WORDS = st.text(max_size=4) | st.sampled_from(["", " ", "7", "007", "a\0", "NA"])
VALUES = st.one_of(
    st.lists(WORDS | st.none(), min_size=1, max_size=6),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=1, max_size=6),
    st.lists(st.integers(0, 9) | st.none(), min_size=1, max_size=6),
    st.lists(st.floats() | st.none(), min_size=1, max_size=6),
    st.lists(st.booleans(), min_size=1, max_size=3),
    st.lists(st.binary(max_size=4), min_size=1, max_size=3),
    st.lists(st.lists(st.integers(0, 3), max_size=2), min_size=1, max_size=3),
    st.lists(st.dates(), min_size=1, max_size=3),
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=0, max_value=99), min_size=1, max_size=3
    ),
    st.lists(st.fixed_dictionaries({"id": st.integers(0, 3)}), min_size=1, max_size=2),
)


@st.composite
def tables(draw):
    """The bytes of a Parquet file, now and then damaged."""
    names = draw(st.lists(st.sampled_from(["id", "x", "id.x", "", "é", "a\nb"]), min_size=1, max_size=3, unique=True))
    length = draw(st.integers(0, 5))
    columns = [(draw(VALUES) * 6)[:length] for _ in names]
    kept = io.BytesIO()
    with contextlib.suppress(arrow.ArrowException):
        made = arrow.table(dict(zip(names, columns, strict=True)))
        if draw(st.booleans()):
            made = made.set_column(0, names[0], made.column(0).dictionary_encode())
        parquet.write_table(made, kept)
    content = bytearray(kept.getvalue())
    for _ in range(draw(st.integers(0, 3)) if content else 0):
        content[draw(st.integers(0, len(content) - 1))] ^= draw(st.integers(1, 255))
    return bytes(content[: draw(st.just(len(content)) | st.integers(0, len(content)))])


def encoded(content, draw):
    """Text in another encoding, compressed, or cut."""
    how = draw(st.sampled_from(["", "", "", "gzip", "zstd", "utf-16", "utf-16-le", "utf-32", "cut", "twice"]))
    if how in ("gzip", "twice"):
        packed = gzip.compress(content, mtime=0)
        return packed + packed if how == "twice" else packed
    if how == "zstd":
        return arrow.compress(content, "zstd", asbytes=True) if content else b""
    if how == "cut":
        packed = gzip.compress(content, mtime=0)
        return packed[: draw(st.integers(0, len(packed)))]
    return content.decode("latin-1").encode(how) if how else content


@st.composite
def streams(draw):
    """The name of a file, empty for a pipe, its content, and options for it."""
    if draw(st.integers(0, 3)) == 0:
        suffix, content = draw(st.sampled_from([".parquet", ".pq", ".txt", ".csv"])), draw(tables())
    else:
        suffix = draw(st.sampled_from([".txt", ".csv", ".tsv", ".csv.gz", ".tsv.zst", "", ".tsv.txt", ".parquet"]))
        content = encoded(draw(TEXTS), draw)
    options = []
    for words in (
        ("--column", draw(st.sampled_from(["id", "x", "1", "2", "", "é", "id.x", "a\nb"]))),
        ("--format", draw(st.sampled_from(["auto", "csv", "tsv", "parquet", "text"]))),
        ("--ids", draw(st.sampled_from(["text", "integer"]))),
        ("--missing", draw(st.sampled_from(["fail", "skip", "count"]))),
        ("--missing-text", draw(st.sampled_from(["NA", "7", "", "é"]))),
        (draw(st.sampled_from(["--header", "--no-header"])),),
        ("--json",),
    ):
        options += words if draw(st.booleans()) else ()
    universe = draw(st.sampled_from([("-u", "9"), ("-u", "9", "--first", "-3"), ("--hash", "50"), ("--hash", "50")]))
    name = draw(st.sampled_from(["", "in", "in", "a\nb", "é", "x" * 300]))
    return name and name + suffix, content, (*universe, *options)


def is_read_or_refused(stream):
    name, content, options = stream
    words = ("estimate", "exact-counter", *options)
    if not name:
        ends_as_it_should((*words, "-"), content)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        with contextlib.suppress(OSError):
            file.write_bytes(content)
        ends_as_it_should((*words, str(file)))


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(streams())
def test_any_stream_is_read_or_refused_with_one_sentence(stream):
    is_read_or_refused(stream)
