"""A reader that leaves early, as ``| head -1`` does, is not told a verdict."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

PANPROOF = (sys.executable, "-m", "pan_audits")
KEPT = ("list", "--json")
REFUTED = ("check", "dwork", "--promise-epsilon", "log(9/4)", "--users", "1", "-l", "1", "--appearances", "2")


def end_of(words, output):
    """The exit code of a command, and what it says on standard error."""
    end = subprocess.run(
        [*PANPROOF, *words], stdout=output, stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    return end.returncode, end.stderr


@pytest.mark.parametrize(("words", "verdict"), [(KEPT, 0), (REFUTED, 1)], ids=["kept", "refuted"])
def test_a_pipe_that_is_read_ends_with_the_verdict(words, verdict):
    shell = f"set -o pipefail; {shlex.join([*PANPROOF, *words])} | cat > /dev/null"
    assert subprocess.run(["bash", "-c", shell], check=False, timeout=120).returncode == verdict


# Rich, Typer, print and the end of Python each notice a closed pipe in their own way.
@pytest.mark.parametrize(
    "words",
    [KEPT, ("list",), ("--help",), ("gate", "--help"), ("stream", "zipf", "--seed", "1"), REFUTED],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_closed_pipe_is_neither_a_verdict_nor_a_crash(words):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as output:
        assert end_of(words, output) == (141, "")


def test_a_shell_with_pipefail_sees_what_it_sees_of_any_command():
    command = shlex.join([*PANPROOF, "stream", "zipf", "--seed", "1"])
    end = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"], check=False, timeout=120, capture_output=True
    )
    assert (end.returncode, end.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", [KEPT, ("list",)], ids=" ".join)
def test_a_full_disk_is_one_sentence(words):
    with open("/dev/full", "w") as full:
        code, said = end_of(words, full)
    assert code == 2
    assert said.startswith("panproof: cannot write")
    assert said.count("\n") == 1
