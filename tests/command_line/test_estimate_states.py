"""``panproof estimate`` with states: parts of a stream, releases that are counted, checkpoints and interruptions."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pan_estimators import (
    CalibratedCells,
    InputError,
    NumpyRandomness,
    StateFileError,
    calibrated_continual_output,
    load_state,
)
from pan_estimators.counting.run import Checkpoint, EstimatingRun, Interrupted, StateFiles
from tests.command_line.conftest import IDS

ONE = ("estimate", "calibrated-bernoulli", "--promise-epsilon", "1", "--universe", "1000", "--sample-size", "400")
SEVERAL = ("estimate", "calibrated-continual-output", "--promise-epsilon", "1", "--universe", "1000")
NONE = ("estimate", "optimal-bernoulli", "--promise-epsilon", "2", "--universe", "1000")


def saved(panproof, files, state, *more, base=ONE):
    outcome = panproof(*base, "--update-only", "--save", state, *more, files / "ids.txt")
    assert outcome.code == 0, outcome.err
    return outcome


def test_the_second_release_of_a_state_is_refused(panproof, files, tmp_path):
    """Three times --load s --save s, which once printed "proved" each time."""
    state = tmp_path / "s"
    saved(panproof, files, state)
    first = panproof(*ONE, "--load", state, "--save", state, files / "ids.txt")
    assert first.code == 0, first.err
    assert "release 1 of 1" in first.out
    for _ in range(2):
        refused = panproof(*ONE, "--load", state, "--save", state, files / "ids.txt").one_sentence()
        assert "release 1 of 1, and its promise covers no more" in refused
    assert "holds no state" in panproof(*ONE, "--load", state, "--release-only").one_sentence()


def test_a_release_from_a_loaded_file_is_counted_in_it_without_save_as_well(panproof, files, tmp_path):
    state = tmp_path / "s"
    saved(panproof, files, state)
    assert panproof(*ONE, "--load", state, files / "ids.txt").code == 0
    assert "holds no state" in panproof(*ONE, "--load", state, files / "ids.txt").one_sentence()
    assert state.stat().st_size < 500


def test_a_state_of_its_own_is_spent_where_it_is_saved(panproof, files, tmp_path):
    outcome = panproof(*ONE, "--save", tmp_path / "s", files / "ids.txt")
    assert "release 1 of 1" in outcome.out
    with pytest.raises(StateFileError, match="release 1 of 1"):
        load_state(tmp_path / "s")


def test_an_update_alone_releases_nothing_and_a_release_alone_reads_nothing(panproof, files, tmp_path):
    state = tmp_path / "s"
    outcome = saved(panproof, files, state)
    assert "no release yet, 1 left" in outcome.out
    assert "density" not in outcome.out
    document = json.loads(panproof(*ONE, "--update-only", "--save", tmp_path / "t", "--json", files / "ids.txt").out)
    assert (document["releases"], document["releases_covered"]) == (0, 1)
    assert not {"density", "distinct_count", "interval"} & document.keys()
    released = panproof("estimate", "calibrated-bernoulli", "--load", state, "--release-only", "--json")
    assert released.code == 0, released.err
    document = json.loads(released.out)
    assert (document["releases"], document["releases_covered"]) == (1, 1)
    low, high = document["interval"]["distinct_count"]
    assert low - 100 <= np.unique(IDS).size <= high + 100


def test_several_releases_are_counted_up_to_what_is_promised(panproof, files, tmp_path):
    state = tmp_path / "s"
    saved(panproof, files, state, base=SEVERAL)
    for number in (1, 2):
        outcome = panproof(*SEVERAL, "--load", state, "--release-only")
        assert f"release {number} of 2" in outcome.out, outcome.err
    assert "release 2 of 2" in panproof(*SEVERAL, "--load", state, "--release-only").one_sentence()


def test_a_state_that_goes_on_in_another_file_leaves_the_first_one_spent(panproof, files, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    saved(panproof, files, first, base=SEVERAL)
    assert panproof(*SEVERAL, "--load", first, "--save", second, files / "ids.txt").code == 0
    assert "continues in another file" in panproof(*SEVERAL, "--load", first, "--release-only").one_sentence()
    assert load_state(second)[1].releases == 1
    assert panproof(*SEVERAL, "--load", second, "--release-only").code == 0


def test_without_a_promise_nothing_is_counted_down(panproof, files, tmp_path):
    state = tmp_path / "s"
    saved(panproof, files, state, base=NONE)
    for _ in range(3):
        outcome = panproof(*NONE, "--load", state, "--release-only")
        assert outcome.code == 0, outcome.err
        assert "promise         none for these parameters\n" in outcome.out
        assert "release" not in outcome.out


def test_an_output_that_cannot_be_counted_is_not_shown(panproof, files, tmp_path, monkeypatch):
    state = tmp_path / "s"
    saved(panproof, files, state)
    before = state.read_bytes()
    fsync = os.fsync

    def full(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    told = panproof(*ONE, "--load", state, "--release-only").one_sentence()
    assert "No space left on device" in told
    monkeypatch.undo()
    assert state.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--update-only", "--release-only"), "give one of --update-only and --release"),
        (("--update-only",), "give --state"),
        (("--checkpoint", "5"), "give --state"),
        (("--key-file", "k"), "give --state"),
        (("--save", "s", "--key-file", "s"), "give two different files"),
        (("--save", "s", "--checkpoint", "0"), "got '0'"),
        (("--save", "s", "--checkpoint", "-1"), "got '-1'"),
        (("--save", "s", "--checkpoint", "nans"), "got 'nans'"),
        (("--save", "s", "--checkpoint", "1e5"), "got '1e5'"),
        (("--save", "s", "--checkpoint", "0s"), "got '0s'"),
        (("--save", "no/folder/s"), "No such file or directory"),
        (("--save", "."), "not a regular file"),
        (("--save", "/dev/null"), "not a regular file"),
        (("--save", "precious"), "it would overwrite a file of another kind"),
        (("--save", "s", "--level", "1.5"), "level"),
        (("--release-only",), "give --state"),
        (("--load", "/dev/zero"), "not a regular file"),
        (("--save", "link"), "is a symbolic link"),
    ],
)
def test_bad_options_are_told_before_a_single_id_is_read(panproof, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "precious").write_text("a poem")
    os.symlink("precious", "link")
    # A stream that is not there: its absence is told by those who come to read it.
    assert words in panproof(*ONE, *options, "nowhere.txt").one_sentence()
    assert (tmp_path / "precious").read_text() == "a poem"
    assert sorted(os.listdir()) == ["link", "precious"]


def test_options_about_a_stream_have_no_meaning_without_one(panproof, files, tmp_path):
    state = tmp_path / "s"
    saved(panproof, files, state)
    for options, words in (
        ((files / "ids.txt",), "reads no ids: leave out the file"),
        (("--checkpoint", "5"), "reads no ids"),
        (("--column", "id"), "reads no ids"),
    ):
        assert words in panproof(*ONE, "--load", state, "--release-only", *options).one_sentence()
    assert "give a file with ids" in panproof(*ONE).one_sentence()
    assert panproof(*ONE, "--load", state, "--release-only").code == 0


def test_a_key_file_is_asked_for_and_removed_with_the_last_release(panproof, files, tmp_path):
    state, key = tmp_path / "s", tmp_path / "k"
    saved(panproof, files, state, "--key-file", key)
    assert stat.S_IMODE(key.stat().st_mode) == stat.S_IMODE(state.stat().st_mode) == 0o600
    assert "needs the file with the key" in panproof(*ONE, "--load", state, "--release-only").one_sentence()
    told = panproof(*ONE, "--save", tmp_path / "t", "--key-file", key, tmp_path / "nowhere").one_sentence()
    assert "exists already" in told
    whole = ("estimate", "calibrated-bernoulli", "--promise-epsilon", "1", "-u", "1000", "--key-file", tmp_path / "w")
    assert "this state has none" in panproof(*whole, "--save", tmp_path / "t", tmp_path / "nowhere").one_sentence()
    assert panproof(*ONE, "--load", state, "--key-file", key, "--release-only").code == 0
    assert not key.exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [("1", Checkpoint(updates=1)), ("100000", Checkpoint(updates=10**5)), ("30s", Checkpoint(seconds=30.0)),
     ("0.5 s", Checkpoint(seconds=0.5))],
)  # fmt: skip
def test_a_checkpoint_is_a_number_of_ids_or_of_seconds(text, found):
    assert Checkpoint.parse(text) == found


@pytest.mark.parametrize("text", ["", "s", "0", "0.0s", "5 m", "1_0", "٣", "9" * 19, "99999999999s", "1e3", "inf s"])
def test_anything_else_is_no_checkpoint(text):
    with pytest.raises(InputError, match="--checkpoint takes"):
        Checkpoint.parse(text)


def test_checkpoints_come_when_they_are_due_and_hold_whole_batches(panproof, files, tmp_path, monkeypatch):
    sizes = []
    update = CalibratedCells.update
    events = []

    def counted(self, state, ids, randomness, deletions=None):
        events.append(len(ids))
        return update(self, state, ids, randomness, deletions)

    def noticed(*arguments, **options):
        sizes.append(sum(events))

    monkeypatch.setattr("pan_estimators.CalibratedCells.update", counted)
    monkeypatch.setattr("pan_estimators.counting.run.save_state", noticed)
    outcome = panproof(*ONE, "--update-only", "--save", tmp_path / "s", "--checkpoint", "700", files / "ids.txt")
    assert outcome.code == 0, outcome.err
    assert sizes == [700, 1400, 2100, 2800, 3500, 4000]
    assert sum(events) == IDS.size


def running(*options):
    command = [sys.executable, "-m", "pan_audits", *ONE, *options, "-"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def wait_for(path):
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


def wait_until_caught(process, number):
    """Wait until a process has a handler of its own for a signal."""
    for _ in range(600):
        status = Path(f"/proc/{process}/status").read_text()
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.05)
    raise AssertionError("the command never caught the signal")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_saves_what_it_has(tmp_path, number, code):
    # No multiple of a prime of four digits stands in the configuration by chance, as 1000 does in its universe.
    state = tmp_path / "s"
    process = running("--seed", "3", "--state", state, "--checkpoint", "7919")
    # A block of text that is read at once; then the command waits for the next one.
    process.stdin.write("7\n8\n" * 2**20)
    process.stdin.flush()
    wait_for(state)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, (out, err)
    assert out == ""
    assert err.count("\n") == 1
    assert "interrupted: " in err
    assert "nothing was released" in err
    told = int(err.split("first ")[1].split()[0])
    assert told % 7919 == 0 or told == 2**21
    estimator, loaded = load_state(state)
    assert loaded.releases == 0
    randomness = NumpyRandomness(3)
    expected = estimator.create(randomness)
    ids = np.tile([7, 8], 2**20)[:told]
    for start in range(0, told, 7919):
        expected = estimator.update(expected, ids[start : start + 7919], randomness)
    assert loaded.cells.tolist() == expected.cells.tolist()
    assert os.listdir(tmp_path) == ["s"]
    # The number of ids is told to the person, and is not in the file: no promise covers it.
    assert str(told).encode() not in state.read_bytes()


def test_an_interruption_without_a_file_says_that_nothing_is_saved(tmp_path):
    process = running()
    process.stdin.write("7\n" * 100)
    process.stdin.flush()
    wait_until_caught(process.pid, signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert "no state is saved" in err


def test_a_signal_within_an_update_waits_for_its_end(tmp_path, monkeypatch):
    estimator, randomness = calibrated_continual_output(universe=50, epsilon=0.5, sample_size=50), NumpyRandomness(1)
    run = EstimatingRun(estimator, estimator.create(randomness), randomness, StateFiles(save=tmp_path / "s"))
    draws, finished, before = CalibratedCells.update, [], signal.getsignal(signal.SIGINT)

    def interrupted(self, state, ids, randomness, deletions=None):
        os.kill(os.getpid(), signal.SIGINT)
        after = draws(self, state, ids, randomness, deletions)
        finished.append(len(ids))
        return after

    monkeypatch.setattr("pan_estimators.CalibratedCells.update", interrupted)
    with pytest.raises(SystemExit) as end, run.watching():
        run.take(np.arange(20))
    assert end.value.code == 130
    assert finished == [20]
    assert run.done == 20
    assert load_state(tmp_path / "s")[1].cells.tolist() == run.state.cells.tolist()
    assert signal.getsignal(signal.SIGINT) is before
    assert issubclass(Interrupted, BaseException)


@pytest.mark.parametrize(("first", "later"), [("text", "integer"), ("integer", "text")])
@pytest.mark.parametrize("name", ["calibrated-bernoulli", "pan-private-distinct-sampling"])
def test_a_state_of_hashed_ids_remembers_their_kind(panproof, tmp_path, name, first, later):
    (tmp_path / "ids.txt").write_text("7\n8\n")
    state, file = tmp_path / "state", tmp_path / "ids.txt"
    words = ("estimate", name, "--update-only", "--save", state)
    assert panproof(*words, "--promise-epsilon", 1, "--hash", 1000, "--ids", first, file).code == 0
    before = state.read_bytes()
    assert "7 and the text 7" in panproof(*words, "--load", state, "--ids", later, file).one_sentence()
    assert state.read_bytes() == before
    assert panproof(*words, "--load", state, "--hash", 1000, "--ids", first, file).code == 0
