"""Text and CSV are split as they are written, by Arrow as line by line, and integers are read strictly."""

from __future__ import annotations

import csv
import io
import re
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.sources import MissingPolicy, Reading, as_integers, delimited, text
from pan_audits.sources.missing import without_missing
from pan_audits.sources.utf8 import Utf8Stream
from pan_estimators import InputError
from pan_estimators.universes.ids import text_array

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


@pytest.mark.parametrize("block", [1, 2, 3, 5, 4096])
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
        ("utf-16-be", "zero byte, as UTF-16"),
        ("utf-32", "is UTF-32 text"),
        ("utf-32-be", "zero byte, as UTF-16"),
    ],
)
@pytest.mark.parametrize("block", [1, 4096])
def test_unicode_of_other_kinds_is_refused_with_its_name(encoding, words, block):
    with pytest.raises(InputError, match=words):
        lines_of("anna\nbob\n".encode(encoding), short=2**30, block=block)
    with pytest.raises(InputError, match=words):
        rows_of("id\nbob\n".encode(encoding))


def rows_of(content, *, block=2**22, **how):
    with mock.patch.object(delimited, "BLOCK", block):
        found = delimited.rows(io.BytesIO(content), "the file", Reading(**how), ",")
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
        (b"-1.5e3\n8\n", {}, "--no-header"),
        (b"id;x\n1;2\n", {}, "so the separator of the fields may not be"),
        (b"id\tx\n1\t2\n", {}, "so the separator of the fields may not be"),
        (b"1,2\n3,4\n", {"header": False}, "from 1 to 2"),
        (b"1,2\n3,4\n", {"header": False, "column": "0"}, "from 1 to 2, got '0'"),
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
