"""``panproof count``: checkpoints, kills, signals and full disks."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest

from pan_estimators import load_counter, save_counter
from pan_estimators.density.distinct.counter import DistinctCounter
from tests.command_line.counting import COUNT, found
from tests.command_line.killing import Killing, saved_again


def is_in_the_middle(state):
    return state.exists() and load_counter(state)[1] is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "without_place", [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.more)]
)
def test_twenty_kills_lose_no_user_and_count_none_twice(panproof, tmp_path, without_place):
    """After each kill the input is read from the beginning: ids that are counted again change nothing."""
    users, kills, every = 500_000, 20, 12_500
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    ids = np.random.default_rng(1).permutation(users)
    file.write_text("\n".join(map(str, ids.tolist())) + "\n")
    words = ["count", "--promise-epsilon", 20, "--from", 1e5, "--to", 1e6, "--memory", "64KiB", file, "--state", state]
    words += ["--update-only", "--checkpoint", every, *(["--without-place"] if without_place else [])]
    killed = 0
    with Killing(tmp_path / "told", ["count", *words[1:9], file]) as killing:
        for kill in range(kills):
            if not killing.killed(words, saved_again(state, 0.0002 * kill)):
                break
            killed += 1
            assert is_in_the_middle(state) is not without_place
        assert killed > 3
        assert killing.killed(words, lambda: False) is False
    assert not is_in_the_middle(state)
    document = found(panproof, "count", "--release-only", "--state", state)
    (output,) = document["outputs"]
    # The ids of one interval, if they were lost, would show.
    assert 5 * output["standard_error"] < every
    assert abs(output["distinct_count"] - users) < 5 * output["standard_error"]
    assert output["reliable"]


def stopped(panproof, words, monkeypatch, saves):
    """Run a command up to a save that fails on a full disk, as a kill does; the last checkpoint stays."""
    replace, made = os.replace, []

    def full(*arguments):
        made.append(arguments)
        if len(made) > saves:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        ended = panproof(*words)
    assert ended.code == 2
    assert "No space left on device" in ended.err


def text_of(ids):
    return "".join(f"{one}\n" for one in ids)


def test_an_interrupted_run_goes_on_with_the_same_command(panproof, tmp_path, monkeypatch):
    """A checkpoint that fails on a full disk ends the run; the last one stays, and the same command goes on."""
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    file.write_text(text_of(range(5_000)))
    words = (*COUNT, file, "--state", state, "--checkpoint", 1_000, "--update-only")
    stopped(panproof, words, monkeypatch, 3)
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []
    content = state.read_bytes()
    other = tmp_path / "others.txt"
    other.write_text("1\n2\n")
    assert "in the middle of" in panproof("count", other, "--state", state).one_sentence()
    assert "other options" in panproof("count", file, "--ids", "integer", "--state", state).one_sentence()
    assert state.read_bytes() == content
    updates = counted_updates(monkeypatch)
    assert panproof("count", file, "--state", state, "--update-only").code == 0
    assert sum(updates) == 5_000
    (output,) = found(panproof, "count", "--release-only", "--state", state)["outputs"]
    assert abs(output["distinct_count"] / 5_000 - 1) < 0.6


def rotated(file, ids):
    file.rename(file.with_suffix(".1"))
    file.write_text(text_of(ids))


def rewritten(file, ids):
    before = file.stat().st_mtime_ns
    with file.open("r+") as stream:
        stream.truncate()
        stream.write(text_of(ids))
    assert file.stat().st_mtime_ns != before


def replaced_with_its_time(file, ids):
    kept = file.stat().st_mtime_ns
    rotated(file, ids)
    os.utime(file, ns=(kept, kept))


@pytest.mark.parametrize("panes", [(), ("--every", 10_000, "--releases", 2)])
@pytest.mark.parametrize("change", [rotated, rewritten, replaced_with_its_time])
@pytest.mark.parametrize("way", ["whole", "rest"])
def test_another_input_of_the_same_name_is_no_part_that_is_counted_already(
    panproof, tmp_path, monkeypatch, panes, change, way
):
    """After a log rotation, as many ids of the new file were passed over as had been counted of the old one."""
    file, state, output = tmp_path / "log", tmp_path / "state", tmp_path / "rows"
    file.write_text(text_of(range(3_000)))
    told = (*panes, *(("--out", output) if panes else ()))
    words = (
        "count",
        "--promise-epsilon",
        40,
        *COUNT[3:],
        *told,
        file,
        "--state",
        state,
        "--checkpoint",
        1_000,
        "--update-only",
    )
    stopped(panproof, words, monkeypatch, 3)
    content = state.read_bytes()
    change(file, range(10_000, 13_000))
    again = ("count", *told, "--state", state, "--update-only", file)
    refused = panproof(*again)
    assert refused.code == 2
    sentence = refused.err.splitlines()[-1]
    assert "written to or replaced" in sentence
    assert "--input whole" in sentence
    assert "--input rest" in sentence
    assert state.read_bytes() == content
    updates = counted_updates(monkeypatch)
    assert panproof(*again, "--input", way).code == 0
    # In panes, ids whose output may be out are passed over if the user says that they come again.
    assert sum(updates) == (3_000 if way == "rest" or not panes else 1_000)


@pytest.mark.parametrize("panes", [(), ("--every", 10_000, "--releases", 2)])
def test_a_pipe_that_begins_again_is_not_passed_over(panproof, tmp_path, monkeypatch, panes):
    state, output = tmp_path / "state", tmp_path / "rows"
    told = (*panes, *(("--out", output) if panes else ()))
    words = (*COUNT, *told, "-", "--state", state, "--checkpoint", 1_000, "--update-only")

    def piped(*words, ids):
        reading, writing = os.pipe()
        os.write(writing, text_of(ids).encode())
        os.close(writing)
        with monkeypatch.context() as patched, os.fdopen(reading) as stream:
            patched.setattr(sys, "stdin", stream)
            return panproof(*words)

    stopped(lambda *words: piped(*words, ids=range(3_000)), words, monkeypatch, 3)
    refused = piped("count", *told, "--state", state, "--update-only", "-", ids=range(5_000, 8_000))
    assert refused.code == 2
    assert "a pipe may begin with other ids" in refused.err
    assert "--input rest" in refused.err
    updates = counted_updates(monkeypatch)
    ended = piped("count", *told, "--state", state, "--update-only", "-", "--input", "rest", ids=range(5_000, 8_000))
    assert ended.code == 0, ended.err
    assert sum(updates) == 3_000


def test_a_state_tells_two_streams_apart_by_its_bits_alone(panproof, tmp_path, monkeypatch):
    """A digest or the number of the ids in a state would tell an adversary which stream was read."""
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    words = (*COUNT, file, "--state", state, "--update-only")
    seen = []
    for ids in (range(10), range(1_000)):
        file.write_text(text_of(ids))
        os.utime(file, ns=(1, 1))
        stopped(panproof, (*words, "--checkpoint", 5), monkeypatch, 2)
        counter, place = load_counter(state)
        seen.append(({**counter.estimator.to_dict(), "universe": None}, place))
        state.unlink()
    assert seen[0] == seen[1]


def test_an_error_at_the_beginning_of_a_file_leaves_no_state_behind(panproof, tmp_path):
    state, file = tmp_path / "state", tmp_path / "ids.csv"
    file.write_text("user,other\n1,2\n")
    for words in ((file,), (file, "--column", "nobody"), (tmp_path / "nothing.csv",)):
        panproof(*COUNT, *words, "--state", state, "--update-only").one_sentence()
        assert not state.exists()
    assert panproof(*COUNT, file, "--column", "user", "--state", state, "--update-only").code == 0


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


def counted_updates(monkeypatch):
    """The sizes of all updates from now on."""
    sizes, update = [], DistinctCounter.update

    def counting(counter, state, ids, randomness):
        sizes.append(len(ids))
        return update(counter, state, ids, randomness)

    monkeypatch.setattr(DistinctCounter, "update", counting)
    return sizes


def version_of(file):
    return [file.stat().st_ino, file.stat().st_mtime_ns]


READING = {"column": None, "format": "auto", "header": None, "ids": None, "missing": "fail", "missing_text": []}


def test_a_state_of_an_earlier_version_does_not_pass_over_ids(panproof, tmp_path, monkeypatch):
    """Its place has a number of ids, and nothing that tells the input."""
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    file.write_text(text_of(range(3_000)))
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    place = {"file": str(file), "ids": 2_900, "reading": READING}
    updates = counted_updates(monkeypatch)
    for way in ("whole", "rest"):
        save_counter(state, counter, place=place)
        updates.clear()
        assert "--input whole" in panproof("count", file, "--state", state, "--update-only").one_sentence()
        assert panproof("count", file, "--state", state, "--update-only", "--input", way).code == 0
        assert sum(updates) == 3_000
    save_counter(state, counter, place=place)
    told = panproof("count", "--release-only", "--state", state)
    assert "holds a part of the ids of" in told.err
    assert told.code == 0


def test_ids_that_may_be_missing_after_a_kill_are_named_with_the_promise(panproof, tmp_path):
    """distinct.joint_privacy: the loss can exceed the promise if updates after a checkpoint are lost."""
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    file.write_text("".join(f"{one}\n" for one in range(3_000)))
    assert panproof(*COUNT, file, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    place = {"file": str(file), "versions": [version_of(file)], "reading": READING}
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
    assert lacking in panproof("count", "--release-only", "--state", state).out
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


def test_an_interrupted_run_over_several_files_goes_on(panproof, tmp_path, monkeypatch):
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for number, file in enumerate(files):
        file.write_text("".join(f"{one}\n" for one in range(number * 3_000, number * 3_000 + 3_000)))
    state = tmp_path / "state"
    assert panproof(*COUNT, *files, "--state", state, "--update-only").code == 0
    counter, _ = load_counter(state)
    names, versions = [str(file) for file in files], [version_of(file) for file in files]
    save_counter(state, counter, place={"file": names, "versions": versions, "reading": READING})
    updates = counted_updates(monkeypatch)
    assert "in the middle of" in panproof("count", files[0], "--state", state).one_sentence()
    assert panproof("count", *files, "--state", state, "--update-only").code == 0
    assert sum(updates) == 6_000
