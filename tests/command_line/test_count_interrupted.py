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
from pan_estimators.density.distinct_counter import DistinctCounter
from tests.command_line.counting import COUNT, found
from tests.command_line.killing import Killing, saved_again


def place_in(state):
    return (load_counter(state)[1] or {}).get("ids", 0) if state.exists() else 0


@pytest.mark.parametrize(
    "without_place", [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.more)]
)
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
            if not killing.killed(words, saved_again(state, 0.0002 * kill)):
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
