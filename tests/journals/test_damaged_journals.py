"""A damaged journal is refused with one sentence, or the run continues and gives the same result."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_audits import find_mechanism, run_gate
from pan_audits.audit.journals.journal import Journal
from pan_audits.events import Table
from pan_audits.exact.result import CheckResult
from pan_estimators import InputError
from tests.auditing.witnesses import QUICK, exact_result
from tests.fuzzing.mutations import VALUES, mutated

MANY = pytest.param(2000, marks=pytest.mark.slow)
IDENTITY = {"name": "something", "seed": None}
TABLES = {
    "plain": Table(("a", "b"), np.arange(512.0).reshape(256, 2)),
    "missing": Table(("x",), np.array([[np.nan], [1.0], [-np.inf]])),
    "empty": Table((), np.empty((256, 0))),
}
FACTS = {"seed": 17, "seconds": 0.25, "long audit": {"counts": [[1, 2, 3, 4]]}, "block 0": [1, 2, 3, 4, 0]}


def write(path):
    with Journal(path, IDENTITY) as journal:
        for key, value in FACTS.items():
            journal.put(key, value)
        for key, table in TABLES.items():
            journal.record(key, table, printed=3)
        journal.keep("exact check", exact_result())
    return path.read_bytes()


def same(left, right):
    return left.names == right.names and np.array_equal(left.values, right.values, equal_nan=True)


def see_that_it_is_refused_or_sound(path):
    """Every entry is what was written, or is missed; what cannot be done again is never missed in silence."""
    try:
        with Journal(path, IDENTITY) as journal:
            for key, value in FACTS.items():
                assert journal.recorded(key) == value
            assert set(journal.matching("block ")) <= {"0"}
            for key, table in TABLES.items():
                found, printed = journal.block(key, table.runs)
                assert found is None or (same(found, table) and printed == 3)
            kept = journal.result("exact check", CheckResult)
            assert kept is None or kept.to_dict() == exact_result().to_dict()
            journal.record("new", TABLES["plain"])
    except InputError as problem:
        sentence = str(problem)
    else:
        return True
    assert "\n" not in sentence
    assert str(path) in sentence
    return False


@pytest.mark.parametrize("examples", [100, MANY])
def test_any_damage_to_a_journal_is_noticed_or_harmless(tmp_path, examples):
    content = write(tmp_path / "journal")
    path = tmp_path / "damaged"
    sound = 0

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def test(data):
        nonlocal sound
        damaged = bytearray(content)
        for _ in range(data.draw(st.integers(1, 3))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
        cut = data.draw(st.sampled_from([len(damaged), len(damaged), data.draw(st.integers(1, len(damaged)))]))
        for suffix in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.write_bytes(damaged[:cut])
        sound += see_that_it_is_refused_or_sound(path)

    test()
    assert sound > 0


def forged(path, key, content):
    """Write an entry with a checksum that fits, as anybody can who knows how it is computed."""
    with Journal(path, IDENTITY) as journal:
        journal._write(key, content)


@pytest.mark.parametrize("examples", [100, MANY])
def test_a_forged_journal_crashes_nothing(tmp_path, examples):
    path = tmp_path / "journal"
    write(path)
    with Journal(path, IDENTITY) as journal:
        plain = json.loads(journal._read("result:exact check"))
    head = {"names": ["a"], "runs": 256, "printed": 0}

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def test(data):
        kind = data.draw(st.sampled_from(["result", "table", "fact"]))
        if kind == "result":
            forged(path, "result:exact check", json.dumps(data.draw(mutated(plain))).encode())
        elif kind == "table":
            packed = data.draw(st.binary(max_size=40) | st.just(b"x\x9c\x03\x00\x00\x00\x00\x01"))
            forged(path, "table:x", json.dumps(data.draw(mutated(head))).encode() + b"\n" + packed)
        else:
            forged(
                path,
                "fact:seed",
                data.draw(st.binary(max_size=8) | VALUES.map(lambda value: json.dumps(value).encode())),
            )
        with Journal(path, IDENTITY) as journal:
            result = journal.result("exact check", CheckResult)
            assert result is None or type(result) is CheckResult
            table, printed = journal.block("x", 256)
            assert table is None or (table.runs == 256 and printed >= 0)
            with contextlib.suppress(InputError):
                assert type(journal.fact("seed", 5)) is int
            with contextlib.suppress(InputError):
                assert "seconds" in journal.matching("")

    test()


@pytest.mark.more
def test_a_gate_that_was_damaged_in_between_comes_to_the_same_report_or_is_refused(tmp_path):
    mechanism = find_mechanism("exact-counter", parameters={"universe": 4}, promise=exact_result().promise)
    effort = replace(QUICK, runs=3000)
    path = tmp_path / "journal"
    with Journal(path, IDENTITY) as journal:
        whole = run_gate(mechanism, effort, journal=journal).to_dict()
    assert whole.pop("resumed") == ""
    whole.pop("seconds")
    content = path.read_bytes()
    with sqlite3.connect(path) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM entries WHERE key LIKE 'table:%' ORDER BY key")]
    database.close()
    assert len(keys) > 3
    resumed = []
    for damage in (None, keys[0], "fact:seed"):
        path.write_bytes(content)
        if damage:
            with sqlite3.connect(path) as database:
                (blob,) = database.execute("SELECT content FROM entries WHERE key = ?", (damage,)).fetchone()
                blob = blob[:-2] + bytes([blob[-2] ^ 1]) + blob[-1:]
                database.execute("UPDATE entries SET content = ? WHERE key = ?", (blob, damage))
            database.close()
        with Journal(path, IDENTITY) as journal:
            if damage == "fact:seed":
                with pytest.raises(InputError, match="is damaged, delete it"):
                    run_gate(mechanism, effort, journal=journal)
                continue
            report = run_gate(mechanism, effort, journal=journal).to_dict()
        resumed.append(report.pop("resumed"))
        report.pop("seconds")
        assert report == whole
    assert resumed == [
        f"resumed from a journal: {len(keys) - missed} blocks of runs were not run here" for missed in (0, 1)
    ]
