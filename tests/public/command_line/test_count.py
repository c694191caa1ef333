"""``panproof count``: formats, states, outputs, and files on a cluster."""

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
from tests.public.command_line.counting import COUNT, found, text_of


@pytest.fixture(scope="session")
def more_files(files):
    """The ids of the other tests as Arrow in its two formats, and as lines of JSON."""
    ids = [int(line) for line in (files / "ids.txt").read_text().split()]
    table = arrow.table({"customer_id": ids, "name": [str(one) for one in ids]})
    for name, new in (("ids.arrow", ipc.new_file), ("ids.arrows", ipc.new_stream)):
        with new(files / name, table.schema) as file:
            file.write_table(table, 1000)
    (files / "ids.arrows.gz").write_bytes(gzip.compress((files / "ids.arrows").read_bytes()))
    objects = "".join(json.dumps({"name": str(one), "customer_id": one}) + "\n" for one in ids)
    (files / "ids.jsonl").write_text(objects)
    (files / "ids.jsonl.gz").write_bytes(gzip.compress(objects.encode()))
    return files


@pytest.mark.parametrize(
    "words",
    [
        "ids.txt.zst --ids integer",
        "ids.csv.zst -c customer_id --ids integer",
        "ids.parquet -c name",
        "ids.arrow -c customer_id",
        "ids.arrows.gz -c name",
        "ids.jsonl -c customer_id",
        "ids.jsonl.gz -c name",
    ],
)
def test_every_format_is_counted(panproof, more_files, words):
    document = found(panproof, f"{COUNT} {more_files}/{words}")
    (output,) = document["outputs"]
    assert abs(output["distinct_count"] / 500 - 1) < 0.6
    assert document["releases"] == document["releases_covered"] == 1
    assert "void" not in document["promise"]


def test_standard_input_and_a_named_pipe_are_counted(panproof, more_files, tmp_path):
    text, pipe = (more_files / "ids.txt").read_bytes(), tmp_path / "pipe"
    piped = found(panproof, f"{COUNT} --seed 3 -", stdin=text)
    assert "void" in piped["promise"]
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(text)))
    writer.start()
    named = found(panproof, f"{COUNT} {pipe}")
    writer.join()
    for one in (piped, named):
        assert abs(one["outputs"][0]["distinct_count"] / 500 - 1) < 0.6
    assert "from a pipe" in panproof(f"{COUNT} --format parquet {pipe}").one_sentence()


def test_a_stream_in_parts_is_released_once_and_the_output_is_kept(panproof, files, tmp_path):
    state, key = tmp_path / "state", tmp_path / "key"
    kept = f"--state {state} --key-file {key}"
    first = panproof(f"{COUNT} {files}/ids.txt {kept} --update-only")
    assert "no release yet, 1 left" in first.out
    assert state.stat().st_mode & 0o777 == key.stat().st_mode & 0o777 == 0o600
    assert panproof(f"count {files}/ids.csv -c name {kept} --update-only").code == 0
    (output,) = found(panproof, f"count --release-only {kept}")["outputs"]
    assert abs(output["distinct_count"] / 1000 - 1) < 0.6
    assert not key.exists()
    assert found(panproof, f"count --show {kept}")["outputs"] == [output]
    for again in (f"count --release-only {kept}", f"{COUNT} {files}/ids.txt {kept}"):
        assert "promise covers no more" in panproof(again).one_sentence()


def test_without_the_library_for_noise_nothing_is_read(panproof, files, tmp_path, monkeypatch):
    def missing(self, up, down, size):
        raise MissingExtraError("secure noise", "secure")

    monkeypatch.setattr(SecureRandomness, "two_sided_geometric", missing)
    words = f"{COUNT} {files}/ids.txt --state {tmp_path}/state"
    assert "[secure]" in panproof(words).one_sentence()
    assert not (tmp_path / "state").exists()
    assert panproof(f"{words} --update-only").code == 0


def test_what_contradicts_a_state_and_damaged_states_are_refused(panproof, files, tmp_path):
    state, go_on = tmp_path / "state", f"count {files}/ids.txt --state {tmp_path}/state"
    with locked(state, "the state file"):
        assert "in use" in panproof(f"{COUNT} {files}/ids.txt --state {state}").one_sentence()
    assert panproof(f"{COUNT} {files}/ids.txt --state {state} --update-only").code == 0
    for words, told in (
        ("--promise-epsilon 1", "begun with --promise-epsilon 2"),
        ("--to 1e6", "begun with --to"),
        ("--memory 128", "begun with 512 bytes"),
    ):
        assert told in panproof(f"{go_on} {words}").one_sentence()
    content = state.read_bytes()
    flipped = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
    for damaged in (content[:-1], content[:50], content + b"x", flipped, b"text"):
        state.write_bytes(damaged)
        panproof(go_on).one_sentence()
        assert state.read_bytes() == damaged


def test_several_files_are_one_stream(panproof, files, tmp_path):
    (tmp_path / "more.txt").write_text(text_of(range(10_000, 10_500)))
    (output,) = found(panproof, f"{COUNT} {files}/ids.txt {tmp_path}/more.txt")["outputs"]
    assert abs(output["distinct_count"] / 1_000 - 1) < 0.6
    mixed = f"{COUNT} -c customer_id {files}/ids.csv {files}/ids.parquet"
    assert "counted twice: give --ids text" in panproof(mixed).one_sentence()
    assert panproof(f"{mixed} --ids text").code == 0


def test_a_column_of_nulls_is_missing_ids(panproof, files, tmp_path):
    parquet.write_table(arrow.table({"id": arrow.nulls(3)}), tmp_path / "nulls.parquet")
    words = f"{COUNT} {tmp_path}/nulls.parquet {files}/ids.txt --missing"
    assert "the first in row 1" in panproof(f"{words} fail").one_sentence()
    assert found(panproof, f"{words} skip")["missing_skipped"] == 3


@pytest.mark.parametrize("kind", [arrow.binary(16), arrow.uuid()])
def test_uuids_are_their_texts(panproof, tmp_path, monkeypatch, kind):
    known = [uuid.UUID(int=(number * 2**101 + 7 * number) % 2**128) for number in range(50)]
    column = arrow.array([*(one.bytes for one in known), None], kind)
    parquet.write_table(arrow.table({"id": column}), tmp_path / "ids.parquet")
    seen = []
    monkeypatch.setattr(DistinctCounter, "update", lambda one, state, ids, source: seen.extend(ids.tolist()) or state)
    assert found(panproof, f"{COUNT} {tmp_path}/ids.parquet --missing skip")["missing_skipped"] == 1
    assert [str(one) for one in seen] == [str(one) for one in known]


@pytest.mark.parametrize("panes", ["", "--every 1000000 --releases 8"])
@pytest.mark.parametrize(("first", "later"), [("text", "integer"), ("integer", "text")])
def test_a_state_remembers_the_kind_of_its_ids(panproof, files, tmp_path, panes, first, later):
    """The number 7 and the text 7 are two users: in one state each user would be counted twice without a word."""
    state = tmp_path / "state"
    words = f"{panes} --state {state} --update-only {files}/ids.txt --ids"
    assert panproof(f"{COUNT} {words} {first}").code == 0
    before = state.read_bytes()
    refused = panproof(f"count {words} {later}")
    assert refused.code == 2
    told = refused.err.splitlines()[-1]
    assert "7 and the text 7" in told or "one user would be counted twice" in told
    assert panes or state.read_bytes() == before
    assert panproof(f"count {words} {first} --input rest").code == 0


def test_a_state_of_missing_ids_alone_goes_on_with_ids_of_either_kind(panproof, tmp_path):
    (tmp_path / "missing.csv").write_text("user\n\n\n")
    (tmp_path / "ids.csv").write_text("user\n7\n")
    for kind in ("text", "integer"):
        words = f"--state {tmp_path}/{kind} --update-only --ids {kind} --missing count {tmp_path}"
        assert panproof(f"{COUNT} {words}/missing.csv").code == 0
        assert panproof(f"count {words}/ids.csv").code == 0


@pytest.mark.more
def test_files_are_counted_on_a_cluster_as_by_one_counter(panproof, tmp_path):
    """6,000 users in two files of different formats; 2,000 of them are in both."""
    distributed = pytest.importorskip("distributed")
    one, two, state = (tmp_path / name for name in ("one.csv", "two.parquet", "state"))
    one.write_text("user,price\n" + "".join(f"{user},1\n" for user in range(4_000)) + ",1\n\n,2\n")
    parquet.write_table(arrow.table({"user": [str(user) for user in range(2_000, 6_000)]}), two)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with distributed.LocalCluster(**options, dashboard_address=None, silence_logs=50) as machines:
        words = (
            f"count --promise-epsilon 2 --from 1e3 --to 1e9 -c user {one} {two} "
            f"--engine dask --scheduler {machines.scheduler_address}"
        )
        document = found(panproof, f"{words} --missing skip")
        (output,) = document["outputs"]
        assert abs(output["distinct_count"] - 6_000) < 5 * output["standard_error"] < 1_500
        assert document["missing_skipped"] == 2
        assert panproof(f"{words} --missing skip --state {state} --update-only").code == 0
        assert "has missing ids, the first in row 4001" in panproof(words).err
    assert load_counter(state)[0].releases == 0
    released = found(panproof, f"count --release-only --state {state}")
    assert abs(released["outputs"][0]["distinct_count"] - 6_000) < 1_500
