"""State files: only their owner reads them, and they are there as a whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from pan_estimators import (
    HashedUniverse,
    InputError,
    NumpyRandomness,
    StateFileError,
    calibrated_bernoulli,
    calibrated_continual_output,
    dump_state,
    load_state,
    parse_state,
    save_spent,
    save_state,
)

ESTIMATOR = calibrated_bernoulli(universe=1000, promise_epsilon=1, sample_size=300)


def a_state(seed=1):
    return ESTIMATOR.create(NumpyRandomness(seed))


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_file_is_its_owners_from_its_creation_and_is_brought_to_the_disk_with_its_folder(tmp_path, monkeypatch):
    seen, synced = [], []
    replaced = os.replace

    def watched(source, target):
        seen.append(mode(source))
        replaced(source, target)

    monkeypatch.setattr(os, "replace", watched)
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(stat.S_IFMT(os.fstat(descriptor).st_mode)))
    before = os.umask(0)
    try:
        save_state(tmp_path / "state", ESTIMATOR, a_state(), key_file=tmp_path / "key")
    finally:
        os.umask(before)
    assert seen == [0o600, 0o600]
    assert synced == [stat.S_IFREG, stat.S_IFDIR] * 2
    assert (mode(tmp_path / "state"), mode(tmp_path / "key")) == (0o600, 0o600)


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    save_state(tmp_path / "state", ESTIMATOR, a_state())
    os.chmod(tmp_path / "state", 0o644)
    save_state(tmp_path / "state", ESTIMATOR, a_state())
    assert mode(tmp_path / "state") == 0o600


def test_two_savers_at_once_leave_a_whole_file(tmp_path):
    failures = []

    def save_often(seed):
        for _ in range(10):
            try:
                save_state(tmp_path / "state", ESTIMATOR, a_state(seed))
            except InputError as problem:
                failures.append(problem)

    threads = [threading.Thread(target=save_often, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if (tmp_path / "state").exists():
            load_state(tmp_path / "state", ESTIMATOR)
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.listdir(tmp_path) == ["state"]


def test_links_are_not_followed(tmp_path):
    (tmp_path / "other").write_bytes(b"precious")
    save_state(tmp_path / "real", ESTIMATOR, a_state())
    for name, target in (("to-other", "other"), ("to-nothing", "nothing"), ("to-real", "real")):
        os.symlink(tmp_path / target, tmp_path / name)
        with pytest.raises(InputError, match="is a symbolic link"):
            save_state(tmp_path / name, ESTIMATOR, a_state())
        with pytest.raises(StateFileError, match="is a symbolic link"):
            load_state(tmp_path / name)
    assert (tmp_path / "other").read_bytes() == b"precious"
    assert not (tmp_path / "nothing").exists()


def test_a_file_of_another_kind_is_not_lost(tmp_path):
    (tmp_path / "thesis.txt").write_bytes(b"years of work")
    with pytest.raises(InputError, match="it would overwrite a file of another kind"):
        save_state(tmp_path / "thesis.txt", ESTIMATOR, a_state())
    assert (tmp_path / "thesis.txt").read_bytes() == b"years of work"
    (tmp_path / "empty").touch()
    save_state(tmp_path / "empty", ESTIMATOR, a_state())
    load_state(tmp_path / "empty", ESTIMATOR)
    with pytest.raises(InputError, match="not a regular file"):
        save_state(tmp_path, ESTIMATOR, a_state())
    assert sorted(os.listdir(tmp_path)) == ["empty", "thesis.txt"]


def test_what_is_no_regular_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    started = time.monotonic()
    for path in ("/dev/zero", "/dev/null", tmp_path / "pipe", tmp_path):
        with pytest.raises(StateFileError, match="is not a regular file"):
            load_state(path)
        with pytest.raises(StateFileError, match="is not a regular file"):
            load_state(path, key_file=path)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing):
    save_state(tmp_path / "state", ESTIMATOR, a_state())
    before = (tmp_path / "state").read_bytes()

    def fails(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, failing, fails)
    with pytest.raises(InputError, match=r"cannot write the state file .*: No space left on device"):
        save_state(tmp_path / "state", ESTIMATOR, a_state(2))
    monkeypatch.undo()
    assert (tmp_path / "state").read_bytes() == before
    assert os.listdir(tmp_path) == ["state"]


def test_a_limit_of_the_system_leaves_nothing_behind(tmp_path):
    """A real failure of a write, in a process that may write 100 bytes to a file."""
    script = (
        "import resource, sys\n"
        "from pan_estimators import *\n"
        "estimator = calibrated_bernoulli(universe=100000, promise_epsilon=1, sample_size=90000)\n"
        "state = estimator.create(NumpyRandomness(1))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    save_state(sys.argv[1], estimator, state)\n"
        "except InputError as problem:\n"
        "    print(problem)\n"
    )
    assert resource.RLIM_INFINITY is not None
    outcome = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "state"], capture_output=True, text=True, check=True
    )
    assert "cannot write the state file" in outcome.stdout
    assert os.listdir(tmp_path) == []


def test_memory_is_not_taken_for_what_a_header_claims(tmp_path):
    """A file of a terabyte that takes no room on the disk: its header does not speak of it."""
    save_state(tmp_path / "state", ESTIMATOR, a_state())
    os.truncate(tmp_path / "state", 2**40)
    started = time.monotonic()
    with pytest.raises(StateFileError, match=r"its header announces .* bytes, and it has 1099511627776"):
        load_state(tmp_path / "state")
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("outputs", [2, 3])
def test_releases_are_counted_from_file_to_file(tmp_path, outputs):
    estimator = calibrated_continual_output(universe=100, promise_epsilon=1, sample_size=30, outputs=outputs)
    randomness = NumpyRandomness(1)
    save_state(tmp_path / "state", estimator, estimator.create(randomness))
    for number in range(outputs):
        _, state = load_state(tmp_path / "state", estimator)
        assert state.releases == number
        estimator.update(state, [1, 2], randomness)
        estimator.release(state, randomness)
        save_state(tmp_path / "state", estimator, state)
    with pytest.raises(StateFileError, match=f"release {outputs} of {outputs}, and its promise covers no more"):
        load_state(tmp_path / "state", estimator)


def test_a_spent_file_holds_the_configuration_and_nothing_of_the_state(tmp_path):
    key = b"0123456789abcdef"
    estimator = calibrated_bernoulli(universe=HashedUniverse(10**6, key), promise_epsilon=1, sample_size=4000)
    randomness = NumpyRandomness(1)
    state = estimator.update(estimator.create(randomness), np.arange(100), randomness)
    sample_key = state.sample.key
    assert sample_key in dump_state(estimator, state)
    estimator.release(state, randomness)
    content = dump_state(estimator, state)
    assert len(content) < 500
    assert sample_key not in content
    with pytest.raises(StateFileError, match="holds no state"):
        parse_state(content)
    # It depends on the number of releases and the configuration alone.
    other = estimator.create(NumpyRandomness(2))
    estimator.release(other, randomness)
    assert dump_state(estimator, other) == content
    save_state(tmp_path / "state", estimator, state)
    assert (tmp_path / "state").read_bytes() == content


def test_a_state_that_went_on_elsewhere_is_told_from_one_that_was_released(tmp_path):
    save_spent(tmp_path / "state", ESTIMATOR, 0)
    with pytest.raises(StateFileError, match="its state continues in another file"):
        load_state(tmp_path / "state")


def test_a_key_lives_in_a_file_of_its_own(tmp_path):
    state = a_state()
    state_file, key_file = tmp_path / "state", tmp_path / "key"
    save_state(state_file, ESTIMATOR, state, key_file=key_file)
    assert state.sample.key not in state_file.read_bytes()
    assert state.sample.key in key_file.read_bytes()
    _, loaded = load_state(state_file, ESTIMATOR, key_file=key_file)
    assert loaded.sample == state.sample
    assert loaded.cells.tolist() == state.cells.tolist()
    # The same key again is no news; that of another state is refused.
    save_state(state_file, ESTIMATOR, loaded, key_file=key_file)
    with pytest.raises(InputError, match="holds the key of another state"):
        save_state(tmp_path / "second", ESTIMATOR, a_state(2), key_file=key_file)
    with pytest.raises(StateFileError, match="needs the file with the key"):
        load_state(state_file)
    save_state(tmp_path / "second", ESTIMATOR, a_state(2), key_file=tmp_path / "second-key")
    with pytest.raises(StateFileError, match="saved with another key"):
        load_state(state_file, key_file=tmp_path / "second-key")
    save_state(tmp_path / "third", ESTIMATOR, a_state(2))
    with pytest.raises(StateFileError, match="holds its key itself, or has none"):
        load_state(tmp_path / "third", key_file=key_file)


def test_a_key_file_goes_with_the_last_release(tmp_path):
    randomness, state = NumpyRandomness(1), a_state()
    save_state(tmp_path / "state", ESTIMATOR, state, key_file=tmp_path / "key")
    ESTIMATOR.release(state, randomness)
    save_state(tmp_path / "state", ESTIMATOR, state, key_file=tmp_path / "key")
    assert os.listdir(tmp_path) == ["state"]


def test_what_is_no_key_file_is_refused_and_not_lost(tmp_path):
    save_state(tmp_path / "state", ESTIMATOR, a_state(), key_file=tmp_path / "key")
    whole = (tmp_path / "key").read_bytes()
    for content in (b"", b"poem", whole[:-1], whole + b"x", whole[:20] + bytes([whole[20] ^ 1]) + whole[21:]):
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(StateFileError, match="is not a key file of panproof, or is damaged"):
            load_state(tmp_path / "state", key_file=tmp_path / "key")
        with pytest.raises(InputError, match="is not a key file"):
            save_state(tmp_path / "state", ESTIMATOR, a_state(), key_file=tmp_path / "key")
        assert (tmp_path / "key").read_bytes() == content
    everyone = calibrated_bernoulli(universe=30, promise_epsilon=1, sample_size=30)
    with pytest.raises(InputError, match="this state has none"):
        save_state(tmp_path / "whole", everyone, everyone.create(NumpyRandomness(1)), key_file=tmp_path / "no-key")


def test_a_repeated_name_in_a_header_is_refused():
    content = dump_state(ESTIMATOR, a_state())[:-32]
    forged = content.replace(b'"spent": false', b'"spent": 1, "spent": false')
    forged = forged[:12] + (int.from_bytes(content[12:16], "little") + 12).to_bytes(4, "little") + forged[16:]
    with pytest.raises(StateFileError, match="not a valid description"):
        parse_state(forged + hashlib.sha256(forged).digest())
