"""A run that is kept in a file goes on after any interruption: each output once, and never with other noise."""

import contextlib
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

from pan_estimators.continual.follow_state import load_run
from pan_promises.errors import StateFileError
from tests.turns import every

STRICT = ("turnstile-recompute", "--rho", 0.5, "--model", "strict")


class Killed(BaseException):
    """The end of a process, in place of a signal that no process survives."""


@pytest.fixture
def rows(tmp_path):
    """A stream of 240 entries in 4 days, in which the same elements come and go."""
    path = tmp_path / "rows.csv"
    lines = [
        f"2026-01-{1 + row // 60:02d}T{row % 60 // 3:02d}:00,{row // 2 % 17},{'+-'[row % 2]}" for row in range(240)
    ]
    path.write_text("time,element,action\n" + "\n".join(lines) + "\n")
    return path


def follow(panproof, rows, folder, *more, name="turnstile-given-flippancy"):
    given = ("--flippancy", 30) if name != "turnstile-recompute" else ()
    words = (name, "--rho", 0.5, "--every", "1h", *given, "--checkpoint", 20, *more, rows)
    return panproof("follow", *words, "--state", folder / "state", "--out", folder / "out.csv")


def killed_at(monkeypatch, number):
    """Kill the process at a call that writes, instead of the call."""
    calls = [0]

    def wrapped(real):
        def call(*words, **options):
            calls[0] += 1
            if calls[0] == number:
                raise Killed
            return real(*words, **options)

        return call

    for name in ("fsync", "replace", "write", "ftruncate"):
        monkeypatch.setattr(os, name, wrapped(getattr(os, name)))
    return calls


@pytest.mark.parametrize("seed", [("--seed", 5), ()], ids=["seeded", "secure"])
def test_a_run_killed_at_each_call_that_writes_puts_out_each_step_once(panproof, rows, tmp_path, monkeypatch, seed):
    """All moments between the draw, the record and the output. A row that was readable once never changes."""
    whole = tmp_path / "whole"
    whole.mkdir()
    assert follow(panproof, rows, whole, *seed).code == 0
    expected = (whole / "out.csv").read_text().splitlines()
    at = 1
    while True:
        folder = tmp_path / str(at)
        folder.mkdir()
        with monkeypatch.context() as patch:
            calls = killed_at(patch, at)
            with contextlib.suppress(Killed):
                assert follow(panproof, rows, folder, *seed).code == 0
        if calls[0] < at:
            break
        out = folder / "out.csv"
        seen = out.read_text().splitlines(keepends=True) if out.exists() else []
        seen = [line for line in seen if line.endswith("\n")]
        outcome = follow(panproof, rows, folder, *seed)
        assert outcome.code == 0, outcome.err
        found = out.read_text().splitlines()
        assert found[: len(seen)] == [line.rstrip("\n") for line in seen]
        assert [row.split(",")[0] for row in found] == [row.split(",")[0] for row in expected]
        if seed:
            assert found == expected
        at += 13
    assert at > 60


def test_a_stream_in_two_files_is_one_stream_and_a_finished_run_draws_nothing(panproof, rows, tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    days = ("--every", "1d", "--seed", 1, "--steps", 4)
    follow(panproof, rows, whole, *days)
    head, *lines = rows.read_text().replace(",3,", ",Josephine,").splitlines(keepends=True)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text(head + "".join(lines[:100]))
    second.write_text(head + "".join(lines[100:]))
    assert follow(panproof, first, tmp_path, *days, "--open-end").code == 0
    for more in (("--input", "rest"), ()):
        outcome = follow(panproof, second, tmp_path, *days, *more)
        assert outcome.code == 0, outcome.err
        assert (tmp_path / "out.csv").read_text() == (whole / "out.csv").read_text()
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o600
    content = (tmp_path / "state").read_bytes()
    assert b"Josephine" not in content
    assert json.loads(content[16 : 16 + int.from_bytes(content[12:16], "little")])["releases"] == 4
    assert (
        "the stream of the state has ended"
        in follow(panproof, first, tmp_path, *days, "--input", "rest").one_sentence()
    )


def test_another_input_is_refused_and_nothing_is_lost(panproof, rows, tmp_path):
    assert follow(panproof, rows, tmp_path, "--open-end").code == 0
    before = (tmp_path / "out.csv").read_bytes(), (tmp_path / "state").read_bytes()
    text = rows.read_text()
    rows.write_text(text.replace(",3,", ",4,", 1))
    assert "does not begin with the steps" in follow(panproof, rows, tmp_path, "--open-end").one_sentence()
    rows.write_text("".join(text.splitlines(keepends=True)[:50]))
    assert "steps before those that the state has put out" in follow(panproof, rows, tmp_path).one_sentence()
    assert before == ((tmp_path / "out.csv").read_bytes(), (tmp_path / "state").read_bytes())


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--rho", 0.25), "is of a run with rho 0.5, and this one has 0.25"),
        (("--flippancy", 3), "with flippancy 30, and this one has 3"),
        (("--seed", 1), "with seed none, and this one has 1"),
        (("--element", "action"), "with element none, and this one has action"),
    ],
)
def test_a_state_of_other_parameters_is_refused(panproof, rows, tmp_path, more, words):
    assert follow(panproof, rows, tmp_path, "--every", "1d").code == 0
    assert words in follow(panproof, rows, tmp_path, "--every", "1d", *more).one_sentence()


def test_a_state_of_another_counter_or_of_estimate_or_a_damaged_one_is_refused(panproof, rows, tmp_path):
    assert follow(panproof, rows, tmp_path).code == 0
    told = follow(panproof, rows, tmp_path, name="turnstile-recompute").one_sentence()
    assert "with counter turnstile-given-flippancy" in told
    content = (tmp_path / "state").read_bytes()
    for place in (3, 400, len(content) - 1):
        damaged = bytearray(content)
        damaged[place] ^= 1
        (tmp_path / "state").write_bytes(damaged)
        assert "state" in follow(panproof, rows, tmp_path).one_sentence()
    (tmp_path / "state").write_bytes(content[:-5])
    assert "truncated" in follow(panproof, rows, tmp_path).one_sentence()
    (tmp_path / "ids").write_text("1\n2\n")
    estimate = ("estimate", "calibrated-bernoulli", "--promise-epsilon", 1, "-u", 10, "--update-only", "--state")
    assert panproof(*estimate, tmp_path / "other", tmp_path / "ids").code == 0
    with pytest.raises(StateFileError, match="is not of panproof follow"):
        load_run(tmp_path / "other")


def test_links_other_files_and_lost_outputs_are_refused(panproof, rows, tmp_path):
    (tmp_path / "precious").write_text("a poem")
    for name in ("state", "out.csv"):
        os.symlink("precious", tmp_path / name)
        assert "symbolic link" in follow(panproof, rows, tmp_path).one_sentence()
        (tmp_path / name).unlink()
        (tmp_path / name).write_text("a poem")
        assert "poem" not in follow(panproof, rows, tmp_path).one_sentence()
        assert (tmp_path / name).read_text() == "a poem"
        (tmp_path / name).unlink()
    assert (tmp_path / "precious").read_text() == "a poem"
    assert follow(panproof, rows, tmp_path).code == 0
    (tmp_path / "out.csv").write_text("end,estimate,low,high\n")
    assert "does not hold the outputs that the state knows" in follow(panproof, rows, tmp_path).one_sentence()


def test_a_full_disk_is_one_sentence_and_the_next_run_puts_out_the_same(panproof, rows, tmp_path, monkeypatch):
    whole = tmp_path / "whole"
    whole.mkdir()
    follow(panproof, rows, whole, "--seed", 2)
    real, calls = os.write, [0]

    def full(descriptor, content):
        calls[0] += 1
        if calls[0] == 3:
            return real(descriptor, bytes(content)[:10])
        if calls[0] == 4:
            raise OSError(28, "No space left on device")
        return real(descriptor, content)

    monkeypatch.setattr(os, "write", full)
    assert "No space left on device" in follow(panproof, rows, tmp_path, "--seed", 2).one_sentence()
    monkeypatch.undo()
    assert follow(panproof, rows, tmp_path, "--seed", 2).code == 0
    assert (tmp_path / "out.csv").read_text() == (whole / "out.csv").read_text()


def running(tmp_path, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "pan_audits", "follow", *map(str, words), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )


@pytest.mark.parametrize(("number", "code"), every(2, [(signal.SIGINT, 130), (signal.SIGTERM, 143)]))
def test_an_interrupted_pipe_is_put_out_and_goes_on_with_the_rest(tmp_path, number, code):
    """The third entry waits for a checkpoint. The signal puts its output out, or comes before the entry is taken."""
    words = (*STRICT, "--period", 1, "--steps", 10, "--state", "s", "--checkpoint", 2)
    process = running(tmp_path, *words)
    process.stdin.write("element,action\na,+\nb,+\nb,-\n")
    process.stdin.flush()
    first = [process.stdout.readline() for _ in range(3)]
    process.send_signal(number)
    rest, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    known = int(err.split(" entries")[0].split()[-1])
    assert known in (2, 3)
    assert f"{known} outputs are out, and s holds the first {known} entries" in err
    left = "element,action\n" + "b,-\n" * (3 - known) + "a,-\n"
    second = running(tmp_path, *words, "--input", "rest")
    out, err = second.communicate(left, timeout=60)
    assert second.returncode == 0, err
    rows = [*first, *rest.splitlines(), *out.splitlines()]
    assert [row.split(",")[0] for row in rows] == ["end", "1", "2", "3", "4"]


def test_outputs_of_a_quiet_pipe_come_at_the_next_checkpoint(tmp_path):
    """The pipe stays open and sends nothing more."""
    words = (*STRICT, "--period", 1, "--steps", 10, "--state", "s", "--checkpoint", "0.2s")
    with running(tmp_path, *words) as process:
        process.stdin.write("element,action\na,+\n")
        process.stdin.flush()
        assert process.stdout.readline() == "end,estimate,low,high\n"
        assert process.stdout.readline().startswith("1,")
        second = running(tmp_path, *words)
        assert "is in use by another process" in second.communicate("", timeout=60)[1]
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [("--seed", "5"), ()], ids=["seeded", "secure"])
def test_a_process_killed_at_random_moments_puts_out_each_step_once(tmp_path, seed):
    lines = [f"{row // 7},{row * 7919 % 1000},{'+-'[row // 1000 % 2]}" for row in range(60_000)]
    (tmp_path / "rows.csv").write_text("time,element,action\n" + "\n".join(lines) + "\n")
    words = [
        sys.executable,
        "-m",
        "pan_audits",
        "follow",
        "turnstile-recompute",
        "--rho",
        "0.5",
        "--every",
        "10s",
        *seed,
    ]
    words += ["rows.csv", "--checkpoint", "500", "--steps", "900", "--period", "1"]

    def process(name):
        files = ("--state", f"{name}.state", "--out", f"{name}.csv")
        return subprocess.Popen([*words, *files], cwd=tmp_path, stderr=subprocess.PIPE, text=True)

    moments, state, out, seen, killed = random.Random(1), tmp_path / "run.state", tmp_path / "run.csv", "", 0
    while killed < 6:
        before = state.stat().st_mtime_ns if state.exists() else 0
        one = process("run")
        while one.poll() is None and not (state.exists() and state.stat().st_mtime_ns != before):
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.05))
        if one.poll() is not None:
            break
        one.kill()
        one.wait()
        killed += 1
        text = out.read_text() if out.exists() else ""
        assert text.startswith(seen)
        seen = text[: text.rfind("\n") + 1]
    assert killed >= 3
    for name in ("run", "whole"):
        last = process(name)
        assert last.wait(120) == 0, last.stderr.read()
    text = out.read_text()
    assert text.startswith(seen)
    assert [row.split(",")[0] for row in text.splitlines()][1:] == [
        str(end).replace(" ", "T") for end in np.arange(10, 8590, 10).astype("datetime64[s]")
    ]
    if seed:
        assert text == (tmp_path / "whole.csv").read_text()
