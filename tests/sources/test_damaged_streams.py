"""Streams of ids in files and pipes: text, CSV and Parquet, compressed, damaged, or something else altogether."""

from __future__ import annotations

import contextlib
import gzip
import io
import tempfile
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing.command import ends_as_it_should

LETTERS = [b"7", b"007", b"-1", b"1e3", b"9" * 30, b"ann", "é".encode(), b"x" * 200, b"NA", b"\xff", b"\0"]
SIGNS = [b" ", b"\t", b",", b";", b'"', b'""', b"\n", b"\n\n", b"\r", b"\r\n", "\u2028\u0663".encode()]
HEADS = [b"id", b"id,x\n", b"id\tx\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"]
PIECES = st.sampled_from([*LETTERS, *SIGNS, *HEADS])
TEXTS = st.lists(PIECES, max_size=14).map(b"".join) | st.binary(max_size=60)
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


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(streams())
def test_any_stream_is_read_or_refused_with_one_sentence(stream):
    is_read_or_refused(stream)


@pytest.mark.slow
@settings(max_examples=700, suppress_health_check=list(HealthCheck))
@given(streams())
def test_many_streams_are_read_or_refused_with_one_sentence(stream):
    is_read_or_refused(stream)
