"""Ids that were counted are looked for in the memory of the process that counted them."""

from __future__ import annotations

import gzip
import os
import re
import secrets
import subprocess
import sys
import time

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

BLOCK = 2**22
NAME = "3318530619"
BYTES = NAME.encode()
NARROW = re.compile(BYTES + rb"[0-9]{9}")
WIDE = re.compile(re.escape(NAME.encode("utf-32-le")) + rb"(?:[0-9]\0\0\0){9}")
FIRST, LEFT = 50, 8
"""Ids that are looked for, and how many of them may be left: statistics of Parquet, small pieces of libraries."""


def command(*words):
    words = [*words[:1], "calibrated-bernoulli", "--promise-epsilon", "1", "-m", "2000", *words[1:]]
    return [sys.executable, "-m", "pan_audits", *map(str, words)]


def found_in(process):
    """The ids that stand somewhere in the memory of a process, as bytes or as strings of numpy."""
    found = set()
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if "r" not in rights or line.split()[-1] in ("[vvar]", "[vsyscall]", "[vdso]"):
                continue
            begin, end = (int(place, 16) for place in span.split("-"))
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except (OSError, ValueError, OverflowError):
                continue
            found |= {hit.group()[len(BYTES) :] for hit in NARROW.finditer(content)}
            found |= {hit.group()[4 * len(BYTES) :: 4] for hit in WIDE.finditer(content)}
    return found


def ids_of(blocks):
    """Ids that stand out, then others that fill some blocks."""
    first = [f"{NAME}{secrets.randbelow(10**9):09d}" for _ in range(FIRST)]
    return first, np.random.default_rng(1).integers(10**18, 2 * 10**18, blocks * BLOCK // 20).tolist()


def remaining(process, first):
    """How many of the ids are left, when they do not become fewer any more."""
    endings = {identifier[len(NAME) :].encode() for identifier in first}
    for _ in range(8):
        time.sleep(0.5)
        assert process.poll() is None, process.communicate()
        left = len(found_in(process.pid) & endings)
        if left <= LEFT:
            break
    return left


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="memory is read through /proc")


@needs_proc
def test_the_first_ids_are_gone_while_the_command_waits_for_more():
    """The command itself, with a pipe that goes on."""
    first, others = ids_of(3)
    process = subprocess.Popen(
        command("estimate", "--hash", 10**9, "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        process.stdin.write("".join(f"{i}\n" for i in [*first, *others]).encode())
        process.stdin.flush()
        assert remaining(process, first) <= LEFT
    finally:
        process.kill()
        process.communicate()


WAITING = """
import sys
from pan_audits.cli import estimate as module
import pan_estimators.states.memory as memory
let_go = memory.return_unused_memory
def wait():
    let_go()
    print("read", flush=True)
    sys.stdin.readline()
memory.return_unused_memory = wait
from pan_audits.cli.main import main
sys.argv = ["panproof", *sys.argv[1:]]
main()
"""


@needs_proc
@pytest.mark.parametrize("name", ["parquet", pytest.param("csv.gz", marks=pytest.mark.more)])
def test_the_first_ids_of_a_file_are_gone_when_it_has_been_read(tmp_path, name):
    first, others = ids_of(2)
    file = tmp_path / f"ids.{name}"
    if name == "parquet":
        parquet.write_table(arrow.table({"id": [str(i) for i in [*first, *others]]}), file, row_group_size=2**16)
    else:
        text = "id,x\n" + "".join(f"{i},1\n" for i in [*first, *others])
        file.write_bytes(gzip.compress(text.encode(), 1))
    words = command("estimate", "--hash", 10**9, "-c", "id", file)[3:]
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert b"read" in process.stdout.readline()
        assert remaining(process, first) <= LEFT
    finally:
        process.kill()
        process.communicate()
