"""``panproof estimate`` counts ids as they are written, whatever the format, and missing ones as it is told."""

from __future__ import annotations

import gzip
import json

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

ALIKE = ["007", "7", "07", "1.0", "1", "true", "True", "2020-01-01", "2020-1-1", "1" * 23, "1e3", "1000"]
EXACT = ("estimate", "exact-counter", "--hash", 10**6, "--json")


@pytest.fixture(autouse=True)
def same_key(monkeypatch):
    """No two ids of these tests share a cell under this key."""
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"k" * size)


def distinct(panproof, *words, **how):
    outcome = panproof(*EXACT, *words, **how)
    assert outcome.code == 0, outcome.err
    return round(json.loads(outcome.out)["distinct_count"])


def write(folder, name, ids):
    """Some ids in the format of a name; a missing one is ``None``."""
    path = folder / name
    if name.endswith(".parquet"):
        parquet.write_table(arrow.table({"id": ids}), path)
        return path
    texts = ["" if one is None else one for one in ids]
    separator = "\t" if ".tsv" in name else ","
    lines = {
        "txt": texts,
        "one": ["id", *texts],
        "bare": texts,
        "two": [f"id{separator}x", *(f"{one}{separator}z" for one in texts)],
    }[name.partition(".")[0]]
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


FORMATS = {
    "txt.txt": (),
    "txt.txt.gz": (),
    "one.csv": (),
    "one.csv.gz": ("-c", "id"),
    "two.csv": ("-c", "id"),
    "two.tsv": ("-c", "id"),
    "two.tsv.gz": ("-c", "id"),
    "bare.csv": ("--no-header",),
    "ids.parquet": (),
}


@pytest.mark.parametrize("name", FORMATS)
def test_ids_are_counted_as_they_are_written(panproof, tmp_path, name):
    assert distinct(panproof, *FORMATS[name], write(tmp_path, name, ALIKE)) == len(ALIKE)


@pytest.mark.parametrize("name", FORMATS)
def test_missing_ids_are_treated_alike_in_every_format(panproof, tmp_path, name):
    file = write(tmp_path, name, ["a", None, "b", "", "a", None, "c"])
    words = (*FORMATS[name], file)
    refused = panproof(*EXACT, *words).one_sentence()
    assert "missing ids" in refused
    assert "--missing skip" in refused
    assert "--missing count" in refused
    assert distinct(panproof, "--missing", "skip", *words) == 3
    assert json.loads(panproof(*EXACT, "--missing", "skip", *words).out)["missing_skipped"] == 3
    assert distinct(panproof, "--missing", "count", *words) == 4
    told = panproof("estimate", "exact-counter", "--hash", 99, "--missing", "skip", *words)
    assert told.code == 0
    assert told.err == "panproof: 3 missing ids were left out (no promise covers this exact number)\n"


def test_quoted_empty_fields_and_blank_ones_are_missing_too(panproof, tmp_path):
    (tmp_path / "a.csv").write_text('id,x\n"",1\n"  ",2\n ,3\na,4\n')
    words = ("-c", "id", tmp_path / "a.csv")
    assert json.loads(panproof(*EXACT, "--missing", "skip", *words).out)["missing_skipped"] == 3
    assert distinct(panproof, "--missing", "count", *words) == 2


def test_a_text_that_stands_for_a_missing_id_is_named(panproof, tmp_path):
    file = write(tmp_path, "one.csv", ["NA", "NaN", "7", "null", "NA"])
    assert distinct(panproof, file) == 4
    words = ("--missing-text", "NA", "--missing-text", "null", file)
    assert "missing ids" in panproof(*EXACT, *words).one_sentence()
    assert distinct(panproof, "--missing", "skip", *words) == 2
    assert distinct(panproof, "--missing", "count", *words) == 3
    hint = panproof("estimate", "exact-counter", "--universe", 9, write(tmp_path, "txt.txt", ["1", "NA"]))
    assert "--missing-text names the text of a missing id" in hint.one_sentence()


def test_missing_numbers_of_parquet_are_one_id_when_they_are_counted(panproof, tmp_path):
    for ids in ([0, None, 5, None], [0.0, float("nan"), 5.0, None]):
        file = write(tmp_path, "ids.parquet", ids)
        assert "missing ids, the first in row 2" in panproof(*EXACT, file).one_sentence()
        assert distinct(panproof, "--missing", "skip", file) == 2
        assert distinct(panproof, "--missing", "count", file) == 3
    # Integers by their type, and the same ids as text when that is asked for.
    numbers, texts = write(tmp_path, "ids.parquet", [7, 8, None]), write(tmp_path, "txt.txt", ["7", "8", ""])
    state, going_on = tmp_path / "state", ("--missing", "count")
    assert distinct(panproof, *going_on, "--ids", "text", "--save", state, numbers) == 3
    assert distinct(panproof, *going_on, "--load", state, texts) == 3
    assert distinct(panproof, *going_on, "--save", state, numbers) == 3
    refused = panproof(*EXACT, *going_on, "--load", state, texts).one_sentence()
    assert "would be counted as two users" in refused


def test_a_universe_of_integers_has_no_place_for_missing_ids(panproof, tmp_path):
    words = ("estimate", "exact-counter", "--universe", 9, "--json")
    for name in ("txt.txt", "one.csv", "ids.parquet"):
        file = write(tmp_path, name, ["1", None, "3"])
        assert "no place for missing ids" in panproof(*words, "--missing", "count", file).one_sentence()
        found = json.loads(panproof(*words, "--missing", "skip", file).out)
        assert (found["distinct_count"], found["missing_skipped"]) == (2, 1)


@pytest.mark.parametrize("bad", ["007", "+7", " 7", "7 ", "1_0", "٣", "7.0", "-0", "0x7", "7e0"])
@pytest.mark.parametrize("name", ["txt.txt", "two.csv", "ids.parquet"])
def test_integers_are_plain_decimal_ones(panproof, tmp_path, name, bad):
    file = write(tmp_path, name, ["7", bad])
    integers = ("estimate", "exact-counter", "--universe", 99)
    for words in (integers, (*EXACT, "--ids", "integer")):
        assert f"id {bad!r} is not an integer" in panproof(*words, *FORMATS[name], file).one_sentence()
    assert distinct(panproof, *FORMATS[name], file) == 2


def test_integers_that_are_asked_for_are_those_of_a_column_of_integers(panproof, tmp_path):
    texts, numbers = write(tmp_path, "txt.txt", ["7", "-8"]), write(tmp_path, "ids.parquet", [7, -8])
    state = tmp_path / "state"
    assert distinct(panproof, "--ids", "integer", "--save", state, texts) == 2
    assert distinct(panproof, "--load", state, numbers) == 2
    refused = panproof(*EXACT, "--load", state, "--ids", "text", numbers).one_sentence()
    assert "would be counted as two users" in refused
    refused = panproof("estimate", "exact-counter", "--universe", 9, "--ids", "text", texts).one_sentence()
    assert "no text ids" in refused


def test_what_would_be_passed_over_is_refused(panproof, tmp_path):
    text, columns = write(tmp_path, "txt.txt", ["a"]), write(tmp_path, "two.csv", ["a"])
    assert "text, which has no columns" in panproof(*EXACT, "-c", "id", text).one_sentence()
    assert "text, which has no columns" in panproof(*EXACT, "-c", "id", "-", stdin=b"id,x\na,1\n").one_sentence()
    assert "are for CSV" in panproof(*EXACT, "--no-header", text).one_sentence()
    assert "choose one with --column" in panproof(*EXACT, columns).one_sentence()
    assert "--no-header" in panproof(*EXACT, write(tmp_path, "bare.csv", ["7", "8"])).one_sentence()
    assert distinct(panproof, "--no-header", "-c", 2, columns) == 2


def test_the_separator_follows_the_suffix_of_the_file_itself(panproof, tmp_path):
    folder = tmp_path / "data.tsv.d"
    folder.mkdir()
    assert distinct(panproof, "-c", "id", write(folder, "two.csv", ["a", "b"])) == 2
    for name in ("two.tsv", "two.tsv.gz"):
        file = write(folder, name, ["a", "b"])
        for kind in ("auto", "csv", "tsv"):
            assert distinct(panproof, "-c", "id", "--format", kind, file) == 2
    piped = (tmp_path / "data.tsv.d" / "two.tsv").read_bytes()
    assert distinct(panproof, "-c", "id", "--format", "tsv", "-", stdin=piped) == 2


@pytest.mark.parametrize("name", ["txt.txt", "one.csv", "txt.txt.gz"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_other_encodings_is_one_sentence(panproof, tmp_path, name, encoding):
    file = write(tmp_path, name, ["anna", "bob"])
    packed = name.endswith(".gz")
    content = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    other = content.decode().encode(encoding)
    file.write_bytes(gzip.compress(other) if packed else other)
    assert "UTF-" in panproof(*EXACT, file).one_sentence()


def test_a_byte_order_mark_makes_no_other_id(panproof, tmp_path):
    mark = b"\xef\xbb\xbf"
    (tmp_path / "a.txt").write_bytes(mark + b"a\nb\na\n")
    assert distinct(panproof, tmp_path / "a.txt") == 2
    (tmp_path / "a.csv").write_bytes(mark + b"id,x\na,1\n")
    assert distinct(panproof, "-c", "id", tmp_path / "a.csv") == 1
    (tmp_path / "a.txt").write_bytes(b"a\n" + mark + b"a\n")
    assert "byte order mark" in panproof(*EXACT, tmp_path / "a.txt").one_sentence()


def test_zeros_in_ids_are_refused_in_text_and_kept_in_parquet(panproof, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\0\na\n")
    assert "zero byte" in panproof(*EXACT, tmp_path / "a.txt").one_sentence()
    assert distinct(panproof, write(tmp_path, "ids.parquet", ["a\0", "a", "a\0b"])) == 3


def test_line_breaks_of_every_kind_end_a_line(panproof, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\rc\na\r\n")
    assert distinct(panproof, tmp_path / "a.txt") == 3


@pytest.mark.parametrize("ids", [[[1], [2]], [True, False], [b"a", b"b"], [{"a": 1}]])
def test_a_column_of_another_type_is_one_sentence(panproof, tmp_path, ids):
    for universe in (("--hash", 99), ("--universe", 99)):
        file = write(tmp_path, "ids.parquet", ids)
        told = panproof("estimate", "exact-counter", *universe, file).one_sentence()
        assert "column 'id'" in told
        assert "ids are strings or integers" in told
