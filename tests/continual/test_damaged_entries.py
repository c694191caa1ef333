"""Streams of insertions and deletions: right, nearly right, damaged, or something else, in each format."""

import contextlib
import io
import json
import tempfile
from pathlib import Path

import pandas  # noqa: F401 - pyarrow imports it, and it then looks at standard input, which a test replaces
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from tests.fuzzing.command import ending_of

ELEMENTS = st.sampled_from(["a", "b", "7", "007", "", " ", "NA", "é", "x" * 300, "a\x1fb", "\x1b", "a,b", 'a"', "a\nb"])
ACTIONS = st.sampled_from(
    ["insert", "delete", "+", "-", "IN", "out", "0", "-2.5", "3", "", "jump", "1e9", "9" * 40, "NA"]
)
TIMES = st.one_of(
    st.integers(0, 10**5).map(str),
    st.sampled_from(["2026-01-01", "2026-01-01T10:00Z", "2026-01-01T10:00", "noon", "", "-5", "9" * 12, "9" * 20]),
)
NAMES = st.sampled_from(["element", "action", "time", "more", "", "é", "a\nb"])
NUMBERS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=1, max_size=5),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5),
    st.lists(st.floats() | st.none(), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=3),
    st.lists(st.dates(), min_size=1, max_size=3),
    st.lists(st.datetimes(), min_size=1, max_size=3),
    st.lists(st.binary(max_size=3), min_size=1, max_size=3),
    st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=1, max_size=3),
    st.lists(ELEMENTS | st.none(), min_size=1, max_size=5),
    st.just([None, None]),
)


@st.composite
def rows(draw):
    """Rows that are mostly right."""
    names = draw(st.permutations(["element", "action", "time"]))[: draw(st.integers(1, 3))]
    kinds = {"element": ELEMENTS, "action": ACTIONS, "time": TIMES}
    ordered = draw(st.booleans())
    found = draw(st.lists(st.fixed_dictionaries({name: kinds[name] for name in names}), max_size=12))
    if ordered:
        for place, row in enumerate(found):
            row |= {name: value for name, value in (("time", str(place * 977)),) if name in row}
    return names, found


@st.composite
def tables(draw):
    """The bytes of a table of Arrow with columns of any type."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    length = draw(st.integers(0, 4))
    arrays = []
    for _ in names:
        try:
            arrays.append(pa.array((draw(NUMBERS) * 5)[:length]))
        except (pa.ArrowException, OverflowError):
            arrays.append(pa.nulls(length))
    table = pa.table(dict(zip(names, arrays, strict=True)))
    if draw(st.booleans()):
        with contextlib.suppress(pa.ArrowException):
            table = table.set_column(0, names[0], table.column(0).dictionary_encode())
    kept, kind = io.BytesIO(), draw(st.sampled_from(["parquet", "feather", "arrows"]))
    with contextlib.suppress(pa.ArrowException):
        if kind == "parquet":
            parquet.write_table(table, kept)
        else:
            with (ipc.new_file if kind == "feather" else ipc.new_stream)(kept, table.schema) as writer:
                writer.write_table(table)
    return kind, kept.getvalue()


@st.composite
def streams(draw):
    """The suffix of a file, its content, and options."""
    form = draw(st.sampled_from(["csv", "csv", "jsonl", "table"]))
    if form == "table":
        suffix, content = draw(tables())
    else:
        names, found = draw(rows())
        suffix = form
        if form == "csv":
            quoted = [",".join('"' + row[name].replace('"', '""') + '"' for name in names) for row in found]
            content = "\n".join([",".join(names), *quoted]).encode() + draw(st.sampled_from([b"", b"\n", b"\n\n"]))
        else:
            content = "\n".join(map(json.dumps, found)).encode()
    damaged = bytearray(content)
    for _ in range(draw(st.sampled_from([0, 0, 1, 3])) if content else 0):
        damaged[draw(st.integers(0, len(content) - 1))] ^= draw(st.integers(1, 255))
    content = bytes(damaged[: draw(st.just(len(damaged)) | st.integers(0, len(damaged)))])
    options = []
    for words in (
        ("--every", draw(st.sampled_from(["1", "3", "1h", "1w", "5s"]))),
        ("--missing", draw(st.sampled_from(["fail", "skip", "count"]))),
        ("--missing-text", "NA"),
        ("--element", draw(st.sampled_from(["element", "more", "element,more", "", ","]))),
        ("--model", draw(st.sampled_from(["general", "strict", "toggle"]))),
        ("--format", draw(st.sampled_from(["auto", "csv", "tsv", "jsonl", "parquet", "arrow"]))),
        ("--steps", draw(st.sampled_from(["1", "5", "100"]))),
        ("--json",),
    ):
        options += words if draw(st.booleans()) else ()
    return suffix, content, options


def is_followed_or_refused(stream, folder):
    suffix, content, options = stream
    file = Path(folder) / f"rows.{suffix}"
    file.write_bytes(content)
    words = ("follow", "turnstile-recompute", "--rho", "1000000", "--period", "1", "--seed", "1")
    ending = ending_of((*words, *options, str(file)))
    assert ending.code in (0, 2), (ending, options)
    assert "Traceback" not in ending.err
    assert "internal error" not in ending.err, ending.err
    if ending.code == 2:
        lines = ending.err.splitlines()
        assert lines
        assert all(line.startswith("panproof: ") and len(line) < 1000 for line in lines), lines
    return ending


@pytest.mark.more
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(streams())
def test_any_stream_is_followed_or_refused_with_one_sentence(stream):
    with tempfile.TemporaryDirectory() as folder:
        is_followed_or_refused(stream, folder)


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(streams())
def test_hundreds_of_streams_are_followed_or_refused_with_one_sentence(stream):
    with tempfile.TemporaryDirectory() as folder:
        is_followed_or_refused(stream, folder)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows(), st.integers(0, 12), st.sampled_from(["1", "2", "1h"]))
def test_a_run_that_a_bad_or_missing_row_ends_goes_on_as_if_it_had_not(found, cut, every):
    """The file is first cut or has a bad row, and is then whole."""
    names, kept = found
    head = ",".join(names) + "\n"
    lines = [",".join('"' + row[name].replace('"', '""') + '"' for name in names) + "\n" for row in kept]
    options = ("--seed", "3", "--rho", "1", "--every", every, "--steps", "5000", "--missing", "count", "--open-end")
    outputs = []
    for parts in ([lines], [lines[:cut], lines], [[*lines[:cut], "jump" * 20 + "," * len(names) + "\n"], lines]):
        with tempfile.TemporaryDirectory() as folder:
            file, state, out = (Path(folder) / name for name in ("rows.csv", "state", "out.csv"))
            for part in parts:
                file.write_text(head + "".join(part))
                words = ("follow", "turnstile-recompute", *options, "--period", "1", "--state", str(state))
                ending = ending_of((*words, "--out", str(out), str(file)))
                assert ending.code in (0, 2), ending
                assert "internal error" not in ending.err, ending.err
            outputs.append((ending.code, out.read_text() if out.exists() else ""))
    assert outputs[0] == outputs[1] == outputs[2]
