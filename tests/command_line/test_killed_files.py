"""Kills before every operation on a file of a state or a key, and the same command again."""

from __future__ import annotations

import json
import os
import tempfile

import pytest

from pan_estimators.states import key_file, private_files
from tests.command_line.counting import COUNT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")

OPERATIONS = ("open", "fsync", "replace", "unlink", "write", "fdopen")
KILLED = 77
ESTIMATE = ("estimate", "calibrated-bernoulli")
NEW = (*ESTIMATE, "--promise-epsilon", 1, "--universe", 1000, "--sample-size", 50, "--update-only")


class _Counted:
    """A module whose operations end the process, as a kill does, once they are used up."""

    def __init__(self, module, left):
        self._module, self._left = module, left

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if name not in (*OPERATIONS, "mkstemp"):
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
            code = panproof(*words).code
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED), code
    return code == KILLED


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ids.txt").write_text("".join(f"{one}\n" for one in range(800)))
    return tmp_path


def kills(panproof, folder, words, prepare, check):
    """Kill a command before each of its operations, and check what stands afterwards."""
    number = 0
    while True:
        for name in ("state", "key", ".state.lock"):
            (folder / name).unlink(missing_ok=True)
        prepare()
        ended = not killed_before(number, panproof, words)
        check()
        if ended:
            assert number > 5
            return
        number += 1


def test_a_new_count_goes_on_with_the_same_command(panproof, folder):
    files = ("--state", folder / "state", "--key-file", folder / "key")
    words = (*COUNT, *files, "--update-only", folder / "ids.txt")

    def check():
        outcome = panproof(*words)
        assert outcome.code == 0, outcome.err
        assert panproof("count", *files, "--release-only").code == 0

    kills(panproof, folder, words, lambda: None, check)


def test_a_release_is_made_once_and_its_key_goes(panproof, folder):
    files = ("--state", folder / "state", "--key-file", folder / "key")
    release = ("count", *files, "--release-only", "--json")

    def prepare():
        assert panproof(*COUNT, *files, "--update-only", folder / "ids.txt").code == 0

    def check():
        again = panproof(*release)
        shown = panproof("count", *files, "--show", "--json")
        assert shown.code == 0, shown.err
        outputs = json.loads(shown.out)["outputs"]
        assert len(outputs) == 1
        assert "last release" in again.err if again.code else json.loads(again.out)["outputs"] == outputs
        assert not (folder / "key").exists()

    kills(panproof, folder, release, prepare, check)


def test_a_new_state_of_an_estimator_goes_on_with_the_same_command(panproof, folder):
    files = ("--save", folder / "state", "--key-file", folder / "key")
    words = (*NEW, *files, folder / "ids.txt")

    def check():
        if not (folder / "state").exists():
            outcome = panproof(*words)
            assert outcome.code == 0, outcome.err
        outcome = panproof(*ESTIMATE, "--load", folder / "state", "--key-file", folder / "key", "--release-only")
        assert outcome.code == 0, outcome.err
        assert not (folder / "key").exists()

    kills(panproof, folder, words, lambda: None, check)


def test_a_release_of_an_estimator_leaves_no_key(panproof, folder):
    release = (*ESTIMATE, "--load", folder / "state", "--key-file", folder / "key", "--release-only")

    def prepare():
        words = (*NEW, "--save", folder / "state", "--key-file", folder / "key", folder / "ids.txt")
        assert panproof(*words).code == 0

    def check():
        again = panproof(*release)
        assert again.code == 0 or "its last release was made" in again.err
        assert not (folder / "key").exists()

    kills(panproof, folder, release, prepare, check)


def test_the_key_of_another_state_is_neither_used_nor_removed(panproof, folder):
    state, key, other = (folder / name for name in ("state", "key", "other"))
    assert panproof(*COUNT, "--state", other, "--key-file", key, "--update-only", folder / "ids.txt").code == 0
    words = (*COUNT, "--state", state, "--key-file", key, folder / "ids.txt")
    assert "may hold the key of another state" in panproof(*words).one_sentence()
    assert panproof(*COUNT, "--state", state, folder / "ids.txt").code == 0
    assert panproof("count", "--state", state, "--key-file", key, "--show").code == 0
    assert panproof("count", "--state", other, "--key-file", key, "--release-only").code == 0
    assert not key.exists()


def test_an_empty_state_file_is_no_new_count(panproof, folder):
    """A file system that lost its content, or a full one, leaves an empty file: its releases are forgotten."""
    state = folder / "state"
    state.write_bytes(b"")
    (folder / "entries.csv").write_text("element\n1\n")
    follow = ("follow", "turnstile-recompute", "--rho", 1, "--steps", 9, "--state", state)
    for words in (
        (*COUNT, "--state", state, folder / "ids.txt"),
        (*COUNT, "--every", 50, "--fresh-panes", "--state", state, folder / "ids.txt"),
        ("count", "--state", state, "--release-only"),
        ("count", "--state", state, "--show"),
        (*follow, folder / "entries.csv"),
    ):
        assert "is empty, so that what it counted is lost: remove it" in panproof(*words).one_sentence()
        assert state.read_bytes() == b""
    state.unlink()
    state.symlink_to(folder / "nowhere")
    assert "symbolic link" in panproof(*COUNT, "--state", state, folder / "ids.txt").one_sentence()


def test_an_output_is_shown_where_nothing_can_be_written(panproof, folder, monkeypatch):
    state = folder / "state"
    assert panproof(*COUNT, "--state", state, folder / "ids.txt").code == 0
    (folder / ".state.lock").unlink()
    listed = sorted(folder.iterdir())
    opened = os.open

    def read_only(path, flags, *more, **named):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(30, os.strerror(30))
        return opened(path, flags, *more, **named)

    monkeypatch.setattr(private_files.os, "open", read_only)
    outcome = panproof("count", "--state", state, "--show")
    monkeypatch.setattr(private_files.os, "open", opened)
    assert outcome.code == 0, outcome.err
    assert "distinct count" in outcome.out
    assert sorted(folder.iterdir()) == listed


@pytest.mark.parametrize(
    "words",
    [
        (*COUNT, "-"),
        (*COUNT, "--format", "csv", "-"),
        (*COUNT, "--every", 5, "--fresh-panes", "-"),
        (*COUNT, "--every", "1h", "--time-column", "t", "-c", "u", "--fresh-panes", "--format", "csv", "-"),
        (*COUNT, "--every", "1h", "--fresh-panes", "-"),
        (*NEW[:-1], "-"),
        ("follow", "turnstile-recompute", "--rho", 1, "--steps", 9, "-"),
    ],
    ids=str,
)
@pytest.mark.parametrize("state", [False, True])
def test_closed_standard_input_is_told(panproof, tmp_path, monkeypatch, words, state):
    monkeypatch.setattr("sys.stdin", None)
    kept = ("--state", tmp_path / "state") if state and words[0] != "estimate" else ()
    outcome = panproof(*words[:-1], *kept, "-")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == "panproof: standard input is closed: give a file, or a pipe"
