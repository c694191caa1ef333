"""``panproof count``: formats, states, checkpoints, interruptions and bad input."""

from __future__ import annotations

import errno
import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pyarrow as arrow
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet
import pytest

from pan_estimators import MissingExtraError, SecureRandomness, load_counter, save_counter
from pan_estimators.density.distinct_counter import DistinctCounter
from pan_estimators.states.private_files import locked
from tests.command_line.killing import Killing

COUNT = ("count", "-e", 1, "--from", 1e2, "--to", 1e5, "--memory", "1KiB")


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


def found(panproof, *words, stdin=None):
    outcome = panproof(*words, "--json", stdin=stdin)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


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
    document = found(panproof, "count", "--release", *kept)
    (output,) = document["outputs"]
    assert abs(output["distinct_count"] / 1000 - 1) < 0.6
    assert not key.exists()
    again = found(panproof, "count", "--show", *kept)
    assert again["outputs"] == [output]
    assert "promise covers no more" in panproof("count", "--release", *kept).one_sentence()
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


def place_in(state):
    return (load_counter(state)[1] or {}).get("ids", 0) if state.exists() else 0


@pytest.mark.more
@pytest.mark.parametrize("without_place", [False, True])
def test_twenty_kills_lose_no_user_and_count_none_twice(panproof, tmp_path, without_place):
    """After each kill the state has a place in the input, or is read from the beginning; the law is the same."""
    users, kills, every = 500_000, 20, 12_500
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    ids = np.random.default_rng(1).permutation(users)
    file.write_text("\n".join(map(str, ids.tolist())) + "\n")
    words = ["count", "-e", 10, "--from", 1e5, "--to", 1e6, "--memory", "64KiB", file, "--state", state]
    words += ["--update-only", "--checkpoint", every, *(["--without-place"] if without_place else [])]
    places = []
    with Killing(tmp_path / "told", ["count", *words[1:9], file]) as killing:
        for kill in range(kills):
            before = state.stat().st_mtime_ns if state.exists() else 0
            moment = time.monotonic()

            def saved_again(before=before, moment=moment, wait=0.0002 * kill):
                return state.exists() and state.stat().st_mtime_ns > before and time.monotonic() - moment > wait

            if not killing.killed(words, saved_again):
                break
            places.append(place_in(state))
        assert len(places) == kills or without_place
        assert without_place or places == sorted(places)
        assert killing.killed(words, lambda: False) is False
    assert place_in(state) == 0
    document = found(panproof, "count", "--release", "--state", state)
    (output,) = document["outputs"]
    # The ids of one interval, if they were lost, would show.
    assert 5 * output["standard_error"] < every
    assert abs(output["distinct_count"] - users) < 5 * output["standard_error"]
    assert output["reliable"]


def test_an_interrupted_run_goes_on_at_its_place(panproof, tmp_path, monkeypatch):
    """A checkpoint that fails on a full disk ends the run; the last one stays, and the same command goes on."""
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    file.write_text("".join(f"{one}\n" for one in range(5_000)))
    words = (*COUNT, file, "--state", state, "--checkpoint", 1_000, "--update-only")
    replace, saves = os.replace, []

    def full_from_the_fourth_on(*arguments):
        saves.append(arguments)
        if len(saves) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*arguments)

    monkeypatch.setattr(os, "replace", full_from_the_fourth_on)
    assert "No space left on device" in panproof(*words).one_sentence()
    monkeypatch.setattr(os, "replace", replace)
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []
    assert load_counter(state)[1]["ids"] == 2_000
    content = state.read_bytes()
    other = tmp_path / "others.txt"
    other.write_text("1\n2\n")
    assert "in the middle of" in panproof("count", other, "--state", state).one_sentence()
    assert "other options" in panproof("count", file, "--ids", "integer", "--state", state).one_sentence()
    file.write_text("1\n2\n")
    assert "--input rest" in panproof("count", file, "--state", state, "--update-only").one_sentence()
    assert state.read_bytes() == content
    file.write_text("".join(f"{one}\n" for one in range(5_000)))
    updates = counted_updates(monkeypatch)
    assert panproof("count", file, "--state", state, "--update-only").code == 0
    assert sum(updates) == 3_000
    (output,) = found(panproof, "count", "--release", "--state", state)["outputs"]
    assert abs(output["distinct_count"] / 5_000 - 1) < 0.6


def test_a_full_disk_at_the_beginning_leaves_no_key_behind(panproof, tmp_path, monkeypatch):
    file, state, key = (tmp_path / name for name in ("ids.txt", "state", "key"))
    file.write_text("1\n2\n")
    words = (*COUNT, file, "--state", state, "--key-file", key, "--update-only")
    replace = os.replace

    def full_for_the_state(source, target):
        if os.fspath(target).endswith("state"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full_for_the_state)
    assert "No space left on device" in panproof(*words).one_sentence()
    assert sorted(one.name for one in tmp_path.iterdir() if one.name in ("state", "key")) == []
    monkeypatch.setattr(os, "replace", replace)
    assert panproof(*words).code == 0
    assert load_counter(state, key_file=key)[0].key_words.tobytes().hex().encode() not in state.read_bytes()


def test_without_the_library_for_noise_nothing_is_read(panproof, tmp_path, monkeypatch):
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    file.write_text("1\n2\n")

    def missing(self, up, down, size):
        raise MissingExtraError("secure noise", "secure")

    monkeypatch.setattr(SecureRandomness, "two_sided_geometric", missing)
    assert "[secure]" in panproof(*COUNT, file, "--state", state).one_sentence()
    assert not state.exists()
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0


def counted_updates(monkeypatch):
    """The sizes of all updates from now on."""
    sizes, update = [], DistinctCounter.update

    def counting(counter, state, ids, randomness):
        sizes.append(len(ids))
        return update(counter, state, ids, randomness)

    monkeypatch.setattr(DistinctCounter, "update", counting)
    return sizes


def test_the_rest_of_an_input_is_counted_from_its_beginning(panproof, tmp_path, monkeypatch):
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    file.write_text("".join(f"{one}\n" for one in range(3_000)))
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    reading = {"column": None, "format": "auto", "header": None, "ids": None, "missing": "fail", "missing_text": []}
    place = {"file": str(file), "ids": 2_900, "reading": reading}
    updates = counted_updates(monkeypatch)
    for words, expected in (((), 100), (("--input", "rest"), 3_000)):
        save_counter(state, counter, place=place)
        updates.clear()
        assert panproof("count", file, "--state", state, "--update-only", *words).code == 0
        assert sum(updates) == expected
    # A pipe has all ids again, or the rest of them.
    save_counter(state, counter, place=place | {"file": "-"})
    updates.clear()
    assert panproof("count", "-", "--state", state, "--update-only", stdin=file.read_bytes()).code == 0
    assert sum(updates) == 100
    save_counter(state, counter, place=place)
    told = panproof("count", "--release", "--state", state)
    assert "holds the first 2900 ids" in told.err
    assert told.code == 0


def test_ids_that_may_be_missing_after_a_kill_are_named_with_the_promise(panproof, tmp_path):
    """distinct.joint_privacy: the loss can exceed the promise if updates after a checkpoint are lost."""
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    file.write_text("".join(f"{one}\n" for one in range(3_000)))
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    reading = {"column": None, "format": "auto", "header": None, "ids": None, "missing": "fail", "missing_text": []}
    place = {"file": str(file), "ids": 2_900, "reading": reading}
    words, lacking = ("count", file, "--state", state, "--update-only", "--json"), "ids after its last checkpoint"
    for stored, rest, missing in (
        (place, (), False),
        (place, ("--input", "rest"), True),
        # A run that was interrupted by a signal had saved everything.
        (place | {"left": True}, ("--input", "rest"), False),
        (None, ("--input", "rest"), False),
    ):
        save_counter(state, counter, place=stored)
        assert (lacking in json.loads(panproof(*words, *rest).out)["promise"]) is missing
    save_counter(state, counter, place=place)
    assert panproof(*words, "--input", "rest").code == 0
    # The state remembers it, until and after the release.
    assert lacking in panproof("count", "--release", "--state", state).out
    assert lacking in panproof("count", "--show", "--state", state).out


def _small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_file_system_without_room_keeps_the_last_checkpoint(panproof, tmp_path):
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    file.write_text("1\n2\n3\n")
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0
    before = state.read_bytes()
    words = [sys.executable, "-m", "pan_audits", "count", file, "--state", state, "--update-only"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "0"}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, preexec_fn=_small_files, check=False)
    assert ended.returncode == 2
    assert ended.err if hasattr(ended, "err") else ended.stderr.count("\n") == 1
    assert "cannot write the state file" in ended.stderr
    assert state.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir() if one.suffix == ".part") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-e", "0.0001", "ids.txt"), "0.001"),
        (("-e", "21", "ids.txt"), "20"),
        (("-e", "1", "--memory", "100", "ids.txt"), "memory"),
        (("-e", "1", "--memory", "many", "ids.txt"), "memory size"),
        (("-e", "1", "--from", "1e5", "--to", "1e3", "ids.txt"), "smaller to a larger"),
        (("-e", "1", "--from", "0", "ids.txt"), "--from"),
        (("ids.txt",), "--epsilon"),
        (("-e", "1"), "give a file"),
        (("-e", "1", "nothing.txt"), "no file"),
        (("-e", "1", "."), "not a file"),
        (("-e", "1", "ids.txt", "--update-only"), "--state"),
        (("-e", "1", "ids.txt", "--checkpoint", "5"), "--state"),
        (("-e", "1", "ids.txt", "--checkpoint", "x", "--state", "s"), "--checkpoint takes"),
        (("--release",), "--state"),
        (("--release", "--state", "nothing"), "no state file"),
        (("--release", "--show", "--state", "s"), "give one of"),
        (("--show", "ids.txt", "--state", "s"), "leave out the file"),
        (("-e", "1", "ids.txt", "--state", "ids.txt"), "not a panproof state file"),
        (("-e", "1", "ids.txt", "--state", "s", "--key-file", "s"), "two different files"),
        (("-e", "1", "negative.txt", "--ids", "integer"), "from 0 to 2^64 - 1"),
        (("-e", "1", "floats.txt", "--ids", "integer"), "1.5"),
        (("-e", "1", "large.txt", "--ids", "integer"), "64 bits"),
        (("-e", "1", "empty.txt"), "no ids"),
        (("-e", "1", "floats.arrow"), "floating-point"),
        (("-e", "1", "truths.arrow"), "ids are strings or integers"),
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
        (("-e", 0.5), "begun with --epsilon 1"),
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
    outcome = panproof("count", "-e", 0.1, "--memory", 1024, "--from", 1e2, "--to", 1e5, more_files / "ids.txt")
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


def test_an_interrupted_run_over_several_files_goes_on(panproof, tmp_path, monkeypatch):
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for number, file in enumerate(files):
        file.write_text("".join(f"{one}\n" for one in range(number * 3_000, number * 3_000 + 3_000)))
    state = tmp_path / "state"
    assert panproof(*COUNT, *files, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    reading = {"column": None, "format": "auto", "header": None, "ids": None, "missing": "fail", "missing_text": []}
    save_counter(state, counter, place={"file": [str(file) for file in files], "ids": 4_500, "reading": reading})
    updates = counted_updates(monkeypatch)
    assert "in the middle of" in panproof("count", files[0], "--state", state).one_sentence()
    assert panproof("count", *files, "--state", state, "--update-only").code == 0
    assert sum(updates) == 1_500


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
