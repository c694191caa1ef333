"""States of ``count`` and ``estimate`` after kills, signals and full disks: nothing is lost, nothing comes twice."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile

import numpy as np
import pytest

from pan_estimators import load_counter, save_counter
from pan_estimators.density.distinct.counter import DistinctCounter
from pan_estimators.states import key_file, private_files
from tests.public.command_line.counting import COUNT, found, text_of
from tests.public.command_line.killing import Killing, saved_again


def is_in_the_middle(state):
    return state.exists() and load_counter(state)[1] is not None


@pytest.mark.slow
def test_twenty_kills_lose_no_user_and_count_none_twice(panproof, tmp_path):
    """After each kill the input is read from the beginning: ids that are counted again change nothing."""
    users, kills, every = 500_000, 20, 12_500
    file, state = tmp_path / "ids.txt", tmp_path / "state"
    file.write_text(text_of(np.random.default_rng(1).permutation(users).tolist()))
    count = f"count --promise-epsilon 20 --from 1e5 --to 1e6 --memory 64KiB {file}"
    words = f"{count} --state {state} --update-only --checkpoint {every}".split()
    killed = 0
    with Killing(tmp_path / "told", count.split()) as killing:
        for kill in range(kills):
            if not killing.killed(words, saved_again(state, 0.0002 * kill)):
                break
            killed += 1
            assert is_in_the_middle(state)
        assert killed > 3
        assert killing.killed(words, lambda: False) is False
    assert not is_in_the_middle(state)
    (output,) = found(panproof, f"count --release-only --state {state}")["outputs"]
    # The ids of one interval, if they were lost, would show.
    assert 5 * output["standard_error"] < every
    assert abs(output["distinct_count"] - users) < 5 * output["standard_error"]


def stopped(run, monkeypatch, saves):
    """Run a command up to a save that fails on a full disk, as a kill does; the last checkpoint stays."""
    replace, made = os.replace, []

    def full(*arguments):
        made.append(arguments)
        if len(made) > saves:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        ended = run()
    assert ended.code == 2
    assert "No space left on device" in ended.err


@pytest.fixture
def updates(monkeypatch):
    """The sizes of all updates."""
    sizes, update = [], DistinctCounter.update

    def counting(counter, state, ids, randomness):
        sizes.append(len(ids))
        return update(counter, state, ids, randomness)

    monkeypatch.setattr(DistinctCounter, "update", counting)
    return sizes


def test_an_interrupted_run_goes_on_with_the_same_command(panproof, tmp_path, monkeypatch, updates):
    file, state, other = (tmp_path / name for name in ("ids.txt", "state", "others.txt"))
    file.write_text(text_of(range(5_000)))
    other.write_text("1\n2\n")
    stopped(lambda: panproof(f"{COUNT} {file} --state {state} --checkpoint 1000 --update-only"), monkeypatch, 3)
    assert not list(tmp_path.glob("*.part"))
    content = state.read_bytes()
    assert "in the middle of" in panproof(f"count {other} --state {state}").one_sentence()
    assert "other options" in panproof(f"count {file} --ids integer --state {state}").one_sentence()
    assert state.read_bytes() == content
    updates.clear()
    assert panproof(f"count {file} --state {state} --update-only").code == 0
    assert sum(updates) == 5_000
    (output,) = found(panproof, f"count --release-only --state {state}")["outputs"]
    assert abs(output["distinct_count"] / 5_000 - 1) < 0.6


def rotated(file, ids):
    file.rename(file.with_suffix(".1"))
    file.write_text(text_of(ids))


def rewritten(file, ids):
    with file.open("r+") as stream:
        stream.truncate()
        stream.write(text_of(ids))


def replaced_with_its_time(file, ids):
    kept = file.stat().st_mtime_ns
    rotated(file, ids)
    os.utime(file, ns=(kept, kept))


PANES = "--every 10000 --releases 2"


@pytest.mark.parametrize(
    ("panes", "change", "way", "counted"),
    [
        ("", rotated, "whole", 3_000),
        ("", rewritten, "rest", 3_000),
        ("", replaced_with_its_time, "whole", 3_000),
        # In panes, ids whose output may be out are passed over if the user says that they come again.
        (PANES, rotated, "whole", 1_000),
        (PANES, replaced_with_its_time, "rest", 3_000),
    ],
)
def test_another_input_of_the_same_name_is_no_part_that_is_counted_already(
    panproof, tmp_path, monkeypatch, updates, panes, change, way, counted
):
    """After a log rotation, as many ids of the new file were passed over as had been counted of the old one."""
    file, state = tmp_path / "log", tmp_path / "state"
    file.write_text(text_of(range(3_000)))
    told = f"{panes} --out {tmp_path}/rows" if panes else ""
    first = f"{COUNT} {told} {file} --state {state}"
    stopped(lambda: panproof(f"{first} --checkpoint 1000 --update-only"), monkeypatch, 3)
    content = state.read_bytes()
    change(file, range(10_000, 13_000))
    again = f"count {told} --state {state} --update-only {file}"
    refused = panproof(again)
    assert refused.code == 2
    for words in ("written to or replaced", "--input whole", "--input rest"):
        assert words in refused.err.splitlines()[-1]
    assert state.read_bytes() == content
    updates.clear()
    assert panproof(f"{again} --input {way}").code == 0
    assert sum(updates) == counted


@pytest.mark.parametrize("panes", ["", PANES])
def test_a_pipe_that_begins_again_is_not_passed_over(panproof, tmp_path, monkeypatch, updates, panes):
    told = f"{panes} --out {tmp_path}/rows" if panes else ""
    go_on = f"{told} --state {tmp_path}/state --update-only -"

    def piped(words, ids):
        reading, writing = os.pipe()
        os.write(writing, text_of(ids).encode())
        os.close(writing)
        with monkeypatch.context() as patched, os.fdopen(reading) as stream:
            patched.setattr(sys, "stdin", stream)
            return panproof(words)

    stopped(lambda: piped(f"{COUNT} {go_on} --checkpoint 1000", range(3_000)), monkeypatch, 3)
    refused = piped(f"count {go_on}", range(5_000, 8_000))
    assert refused.code == 2
    assert "a pipe may begin with other ids" in refused.err
    updates.clear()
    assert piped(f"count {go_on} --input rest", range(5_000, 8_000)).code == 0
    assert sum(updates) == 3_000


def test_a_state_tells_two_streams_apart_by_its_bits_alone(panproof, tmp_path, monkeypatch):
    """A digest or the number of the ids in a state would tell an adversary which stream was read."""
    file, state, seen = tmp_path / "ids.txt", tmp_path / "state", []
    for ids in (range(10), range(1_000)):
        file.write_text(text_of(ids))
        os.utime(file, ns=(1, 1))
        stopped(lambda: panproof(f"{COUNT} {file} --state {state} --update-only --checkpoint 5"), monkeypatch, 2)
        counter, place = load_counter(state)
        seen.append(({**counter.estimator.to_dict(), "universe": None}, place))
        state.unlink()
    assert seen[0] == seen[1]


def test_an_error_at_the_beginning_of_a_file_leaves_no_state_behind(panproof, tmp_path):
    (tmp_path / "ids.csv").write_text("user,other\n1,2\n")
    for words in ("ids.csv", "ids.csv --column nobody", "nothing.csv"):
        panproof(f"{COUNT} --state {tmp_path}/state --update-only {tmp_path}/{words}").one_sentence()
        assert not (tmp_path / "state").exists()


def test_ids_that_may_be_missing_after_a_kill_are_named_with_the_promise(panproof, tmp_path, monkeypatch):
    """distinct.joint_privacy: the loss can exceed the promise if updates after a checkpoint are lost."""
    state, file, lacking = tmp_path / "state", tmp_path / "ids.txt", "ids after its last checkpoint"
    file.write_text(text_of(range(3_000)))
    words = f"count {file} --state {state} --update-only --json"
    stopped(lambda: panproof(f"{COUNT} {file} --state {state} --checkpoint 1000 --update-only"), monkeypatch, 3)
    counter, place = load_counter(state)
    for stored, rest, missing in (
        (place, "", False),
        # A run that was interrupted by a signal had saved everything.
        (place | {"left": True}, "--input rest", False),
        (None, "--input rest", False),
        (place, "--input rest", True),
    ):
        save_counter(state, counter, place=stored)
        assert (lacking in json.loads(panproof(f"{words} {rest}").out)["promise"]) is missing
    # The state remembers it, until and after the release.
    assert lacking in panproof(f"count --release-only --state {state}").out
    assert lacking in panproof(f"count --show --state {state}").out


OPERATIONS = ("open", "fsync", "replace", "unlink", "write", "fdopen", "mkstemp")
KILLED = 77


class _Counted:
    """A module whose operations end the process, as a kill does, once they are used up."""

    def __init__(self, module, left):
        self._module, self._left = module, left

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if name not in OPERATIONS:
            return found

        def counted(*arguments, **more):
            if not self._left:
                os._exit(KILLED)
            self._left.pop()
            return found(*arguments, **more)

        return counted


def killed_before(operation, panproof, words):
    """Run a command in a fork that is killed before an operation. Return whether it was."""
    child = os.fork()
    if not child:
        code = 1
        try:
            left = [None] * operation
            private_files.os, private_files.tempfile = _Counted(os, left), _Counted(tempfile, left)
            key_file.os = _Counted(os, left)
            code = panproof(words).code
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED), code
    return code == KILLED


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize(
    ("new", "kept", "release"),
    [
        (COUNT, "--state {0}/state --key-file {0}/key", "count {0} --release-only"),
        (
            "estimate calibrated-bernoulli --promise-epsilon 1 --universe 1000 --sample-size 50",
            "--state {0}/state --key-file {0}/key",
            "estimate calibrated-bernoulli --state {1}/state --key-file {1}/key --release-only",
        ),
    ],
    ids=["count", "estimate"],
)
def test_a_command_that_is_killed_before_any_operation_goes_on(panproof, tmp_path, new, kept, release, released):
    """A new state, or its release: the same command ends it, one output is made, and the key goes."""
    state, key = tmp_path / "state", tmp_path / "key"
    (tmp_path / "ids.txt").write_text(text_of(range(800)))
    kept = kept.format(tmp_path)
    new, release = f"{new} {kept} --update-only {tmp_path}/ids.txt", release.format(kept, tmp_path)
    number, killed = 0, True
    while killed:
        for file in (state, key, tmp_path / ".state.lock"):
            file.unlink(missing_ok=True)
        if released:
            assert panproof(new).code == 0
        killed = killed_before(number, panproof, release if released else new)
        if not released and ("count" in new or not state.exists()):
            outcome = panproof(new)
            assert outcome.code == 0, outcome.err
        last = panproof(release)
        assert last.code == 0 or (released and "last release" in last.err), last.err
        if released and "count" in new:
            assert len(found(panproof, f"count {kept} --show")["outputs"]) == 1
        assert not key.exists()
        number += 1
    assert number > 6


def test_an_empty_state_file_is_no_new_count(panproof, tmp_path):
    """A file system that lost its content, or a full one, leaves an empty file: its releases are forgotten."""
    state = tmp_path / "state"
    state.write_bytes(b"")
    (tmp_path / "ids.txt").write_text("1\n")
    (tmp_path / "entries.csv").write_text("element\n1\n")
    for words in (
        f"{COUNT} {tmp_path}/ids.txt",
        f"{COUNT} --every 50 --fresh-panes {tmp_path}/ids.txt",
        "count --release-only",
        f"follow turnstile-recompute --rho 1 --steps 9 {tmp_path}/entries.csv",
    ):
        told = panproof(f"{words} --state {state}").one_sentence()
        assert "is empty, so that what it counted is lost: remove it" in told
        assert state.read_bytes() == b""


@pytest.mark.parametrize("words", [COUNT, f"{COUNT} --every 1h --fresh-panes", "follow presence --rho 1 --steps 9"])
def test_closed_standard_input_is_told(panproof, monkeypatch, words):
    monkeypatch.setattr("sys.stdin", None)
    outcome = panproof(f"{words} -")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == "panproof: standard input is closed: give a file, or a pipe"
