"""``panproof count``: formats, states, outputs and bad input."""

from __future__ import annotations

import gzip
import json
import os
import threading
import uuid

import pyarrow as arrow
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
import pytest

from pan_estimators import MissingExtraError, SecureRandomness, load_counter
from pan_estimators.density.distinct.counter import DistinctCounter
from pan_estimators.states.private_files import locked
from tests.command_line.counting import COUNT, found


@pytest.fixture(scope="session")
def more_files(files):
    """The ids of the other tests as Arrow, in its two formats."""
    ids = [int(line) for line in (files / "ids.txt").read_text().split()]
    table = arrow.table({"customer_id": ids, "name": [str(one) for one in ids]})
    with ipc.new_file(files / "ids.arrow", table.schema) as file:
        file.write_table(table, 1000)
    with ipc.new_stream(files / "ids.arrows", table.schema) as file:
        file.write_table(table, 1000)
    stream = (files / "ids.arrows").read_bytes()
    (files / "ids.arrows.gz").write_bytes(gzip.compress(stream))
    with arrow.CompressedOutputStream(str(files / "ids.arrows.zst"), "zstd") as file:
        file.write(stream)
    objects = "".join(json.dumps({"name": str(one), "customer_id": one}) + "\n" for one in ids)
    (files / "ids.jsonl").write_text(objects)
    (files / "ids.jsonl.gz").write_bytes(gzip.compress(objects.encode()))
    return files


@pytest.mark.parametrize(
    "words",
    [
        ("ids.txt",),
        ("ids.txt.gz",),
        ("ids.txt.zst", "--ids", "integer"),
        ("ids.csv", "-c", "customer_id"),
        ("ids.tsv", "-c", "customer_id"),
        ("ids.csv.gz", "-c", "name"),
        ("ids.csv.zst", "-c", "customer_id", "--ids", "integer"),
        ("ids.parquet", "-c", "customer_id"),
        ("ids.parquet", "-c", "name"),
        ("ids.arrow", "-c", "customer_id"),
        ("ids.arrows", "-c", "name"),
        ("ids.arrows.gz", "-c", "name"),
        ("ids.arrows.zst", "-c", "customer_id"),
        ("ids.jsonl", "-c", "customer_id"),
        ("ids.jsonl.gz", "-c", "name"),
    ],
)
def test_every_format_is_counted(panproof, more_files, words):
    document = found(panproof, *COUNT, more_files / words[0], *words[1:])
    (output,) = document["outputs"]
    assert abs(output["distinct_count"] / 500 - 1) < 0.6
    assert document["releases"] == document["releases_covered"] == 1
    assert "void" not in document["promise"]


def test_standard_input_and_a_named_pipe_are_counted_as_the_file_is(panproof, more_files, tmp_path):
    text = (more_files / "ids.txt").read_bytes()
    seeded = (*COUNT, "--seed", 3)
    of_file = touched(panproof, seeded, more_files / "ids.txt", tmp_path / "a")
    assert of_file == touched(panproof, seeded, "-", tmp_path / "b", stdin=text)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(text)))
    writer.start()
    assert of_file == touched(panproof, seeded, pipe, tmp_path / "c")
    writer.join()
    assert "from a pipe" in panproof(*COUNT, "--format", "parquet", pipe).one_sentence()


def touched(panproof, words, file, state, stdin=None):
    """The bits of the state; the seed makes the draws the same, and the key is made known."""
    outcome = panproof(*words, file, "--state", state, "--update-only", stdin=stdin)
    assert outcome.code == 0, outcome.err
    counter, place = load_counter(state)
    assert place is None
    return int(counter._state.cells.sum()) > 0


def test_a_stream_in_parts_is_released_once_and_the_output_is_kept(panproof, more_files, tmp_path):
    state, key = tmp_path / "state", tmp_path / "key"
    kept = ("--state", state, "--key-file", key)
    first = panproof(*COUNT, more_files / "ids.txt", *kept, "--update-only")
    assert "nothing released" in first.out
    assert "no release yet, 1 left" in first.out
    assert state.stat().st_mode & 0o777 == key.stat().st_mode & 0o777 == 0o600
    second = panproof("count", more_files / "ids.csv", "-c", "name", *kept, "--update-only")
    assert second.code == 0, second.err
    document = found(panproof, "count", "--release-only", *kept)
    (output,) = document["outputs"]
    assert abs(output["distinct_count"] / 1000 - 1) < 0.6
    assert not key.exists()
    again = found(panproof, "count", "--show", *kept)
    assert again["outputs"] == [output]
    assert "promise covers no more" in panproof("count", "--release-only", *kept).one_sentence()
    assert "promise covers no more" in panproof(*COUNT, more_files / "ids.txt", *kept).one_sentence()


@pytest.mark.parametrize(("policy", "code"), [("skip", 0), ("count", 0), ("fail", 2)])
def test_missing_ids(panproof, tmp_path, policy, code):
    file = tmp_path / "ids.txt"
    file.write_text("".join(f"user {one}\n" for one in range(300)) + "\n \nNA\n")
    words = (*COUNT, file, "--missing", policy, "--missing-text", "NA")
    outcome = panproof(*words)
    assert outcome.code == code
    if policy == "skip":
        assert "3 missing ids were left out" in outcome.err
        assert found(panproof, *words)["missing_skipped"] == 3
    if policy == "fail":
        assert "missing ids" in outcome.one_sentence()


def test_without_the_library_for_noise_nothing_is_read(panproof, tmp_path, monkeypatch):
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    file.write_text("1\n2\n")

    def missing(self, up, down, size):
        raise MissingExtraError("secure noise", "secure")

    monkeypatch.setattr(SecureRandomness, "two_sided_geometric", missing)
    assert "[secure]" in panproof(*COUNT, file, "--state", state).one_sentence()
    assert not state.exists()
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--promise-epsilon", "0.0002", "ids.txt"), "0.001"),
        (("--promise-epsilon", "42", "ids.txt"), "20"),
        (("--promise-epsilon", "2", "--memory", "100", "ids.txt"), "memory"),
        (("--promise-epsilon", "2", "--memory", "many", "ids.txt"), "memory size"),
        (("--promise-epsilon", "2", "--from", "1e5", "--to", "1e3", "ids.txt"), "smaller to a larger"),
        (("--promise-epsilon", "2", "--from", "0", "ids.txt"), "--from"),
        (("ids.txt",), "--promise-epsilon"),
        (("--promise-epsilon", "2"), "give a file"),
        (("--promise-epsilon", "2", "nothing.txt"), "no file"),
        (("--promise-epsilon", "2", "."), "not a file"),
        (("--promise-epsilon", "2", "ids.txt", "--update-only"), "--state"),
        (("--promise-epsilon", "2", "ids.txt", "--checkpoint", "5"), "--state"),
        (("--promise-epsilon", "2", "ids.txt", "--checkpoint", "x", "--state", "s"), "--checkpoint takes"),
        (("--release-only",), "--state"),
        (("--release-only", "--state", "nothing"), "no state file"),
        (("--release-only", "--show", "--state", "s"), "give one of"),
        (("--show", "ids.txt", "--state", "s"), "leave out the file"),
        (("--promise-epsilon", "2", "ids.txt", "--state", "ids.txt"), "not a panproof state file"),
        (("--promise-epsilon", "2", "ids.txt", "--state", "s", "--key-file", "s"), "two different files"),
        (("--promise-epsilon", "2", "negative.txt", "--ids", "integer"), "from 0 to 2^64 - 1"),
        (("--promise-epsilon", "2", "floats.txt", "--ids", "integer"), "1.5"),
        (("--promise-epsilon", "2", "large.txt", "--ids", "integer"), "64 bits"),
        (("--promise-epsilon", "2", "empty.txt"), "no ids"),
        (("--promise-epsilon", "2", "floats.arrow"), "floating-point"),
        (("--promise-epsilon", "2", "truths.arrow"), "ids are strings or integers"),
    ],
)
def test_bad_input_ends_with_a_sentence(panproof, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    texts = {"ids": "1\n2\n", "negative": "1\n-2\n", "floats": "1\n1.5\n", "large": f"{2**64}\n", "empty": ""}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    for name, column in (("floats", [1.5, 2.0]), ("truths", [True, False])):
        table = arrow.table({"id": column})
        with ipc.new_file(tmp_path / f"{name}.arrow", table.schema) as file:
            file.write_table(table)
    assert told in panproof("count", *words).one_sentence()


def test_options_that_contradict_a_state_and_damaged_states_are_refused(panproof, more_files, tmp_path):
    state = tmp_path / "state"
    assert panproof(*COUNT, more_files / "ids.txt", "--state", state, "--update-only").code == 0
    go_on = ("count", more_files / "ids.txt", "--state", state)
    for words, told in (
        (("--promise-epsilon", 1), "begun with --promise-epsilon 2"),
        (("--to", 1e6), "begun with --to"),
        (("--memory", 128), "begun with 512 bytes"),
    ):
        assert told in panproof(*go_on, *words).one_sentence()
    content = state.read_bytes()
    flipped = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
    for damaged in (content[:-1], content[:50], content + b"x", flipped, b"text"):
        state.write_bytes(damaged)
        panproof(*go_on).one_sentence()
        assert state.read_bytes() == damaged


def test_a_state_that_another_process_uses_is_refused(panproof, more_files, tmp_path):
    state = tmp_path / "state"
    with locked(state, "the state file"):
        assert "in use" in panproof(*COUNT, more_files / "ids.txt", "--state", state).one_sentence()
    assert panproof(*COUNT, more_files / "ids.txt", "--state", state).code == 0


def test_a_large_error_is_told(panproof, more_files):
    outcome = panproof(
        "count", "--promise-epsilon", 0.2, "--memory", 1024, "--from", 1e2, "--to", 1e5, more_files / "ids.txt"
    )
    assert outcome.code == 0
    assert "the standard error reaches" in outcome.err
    assert "seeded" not in outcome.out
    assert "void" in panproof(*COUNT, more_files / "ids.txt", "--seed", 1).out


def test_the_help_names_intrusions(panproof):
    text = " ".join(panproof("count", "--help").out.split())
    assert "is an intrusion, and one is covered" in text


def test_several_files_are_one_stream(panproof, more_files, tmp_path):
    (tmp_path / "more.txt").write_text("".join(f"{one}\n" for one in range(10_000, 10_500)))
    (output,) = found(panproof, *COUNT, more_files / "ids.txt", tmp_path / "more.txt")["outputs"]
    assert abs(output["distinct_count"] / 1_000 - 1) < 0.6
    told = panproof(*COUNT, more_files / "ids.txt", tmp_path / "nothing.txt").one_sentence()
    assert "there is no file" in told
    mixed = (*COUNT, "-c", "customer_id", more_files / "ids.csv", more_files / "ids.parquet")
    assert "counted twice: give --ids text" in panproof(*mixed).one_sentence()
    assert panproof(*mixed, "--ids", "text").code == 0


def test_a_column_of_nulls_is_missing_ids(panproof, tmp_path):
    parquet.write_table(arrow.table({"id": arrow.nulls(3)}), tmp_path / "nulls.parquet")
    (tmp_path / "ids.txt").write_text("a\nb\n")
    words = (*COUNT, tmp_path / "nulls.parquet", tmp_path / "ids.txt", "--missing")
    assert "the first in row 1" in panproof(*words, "fail").one_sentence()
    assert found(panproof, *words, "skip")["missing_skipped"] == 3
    assert panproof(*words, "count").code == 0


@pytest.mark.parametrize("kind", [arrow.binary(16), arrow.uuid()])
def test_uuids_are_their_texts(panproof, tmp_path, monkeypatch, kind):
    known = [uuid.UUID(int=(number * 2**101 + 7 * number) % 2**128) for number in range(50)]
    column = arrow.array([*(one.bytes for one in known), None], kind)
    parquet.write_table(arrow.table({"id": column}), tmp_path / "ids.parquet")
    with ipc.new_file(tmp_path / "ids.arrow", arrow.schema([("id", kind)])) as file:
        file.write_batch(arrow.record_batch({"id": column.slice(1)}))
    seen = []
    monkeypatch.setattr(DistinctCounter, "update", lambda one, state, ids, source: seen.extend(ids.tolist()) or state)
    for name, first in (("ids.parquet", 0), ("ids.arrow", 1)):
        seen.clear()
        assert found(panproof, *COUNT, tmp_path / name, "--missing", "skip")["missing_skipped"] == 1
        assert [str(one) for one in seen] == [str(one) for one in known[first:]]


@pytest.mark.parametrize("panes", [(), ("--every", 10**6, "--releases", 8)])
@pytest.mark.parametrize(("first", "later"), [("text", "integer"), ("integer", "text")])
def test_a_state_remembers_the_kind_of_its_ids(panproof, files, tmp_path, panes, first, later):
    """The number 7 and the text 7 are two users: in one state each user would be counted twice without a word."""
    state = ("--state", tmp_path / "state")
    kept = (*COUNT, *panes, *state, "--update-only", files / "ids.txt")
    assert panproof(*kept, "--ids", first).code == 0
    before = (tmp_path / "state").read_bytes()
    refused = panproof("count", *panes, *state, "--update-only", files / "ids.txt", "--ids", later)
    assert refused.code == 2
    told = refused.err.splitlines()[-1]
    assert "7 and the text 7" in told or "one user would be counted twice" in told
    if not panes:
        assert (tmp_path / "state").read_bytes() == before
    assert (
        panproof("count", *panes, *state, "--update-only", files / "ids.txt", "--ids", first, "--input", "rest").code
        == 0
    )


def test_a_state_of_missing_ids_alone_goes_on_with_ids_of_either_kind(panproof, tmp_path):
    (tmp_path / "missing.csv").write_text("user\n\n\n")
    (tmp_path / "ids.csv").write_text("user\n7\n")
    for kind in ("text", "integer"):
        words = ("--state", tmp_path / kind, "--update-only", "--ids", kind, "--missing", "count")
        assert panproof(*COUNT, *words, tmp_path / "missing.csv").code == 0
        assert panproof("count", *words, tmp_path / "ids.csv").code == 0
