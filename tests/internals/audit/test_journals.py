"""A journal gives back what was written; a damaged one is refused with a sentence, or changes no result."""

from __future__ import annotations

import contextlib
import json
import pickle
import sqlite3
from dataclasses import fields, replace

import msgpack
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pan_audits import find_mechanism, run_gate
from pan_audits.audit.journal import Journal, table_from_bytes, table_to_bytes
from pan_audits.audit.settings import Settings
from pan_audits.events import Table
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.exact.scope import Update
from pan_audits.gate.gate import _SMALL, _exact_check
from pan_audits.notions import Loss
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.workers.plain import from_bytes, to_bytes
from pan_estimators import HashedUniverse, InputError, Promise, parse_epsilon
from tests.internals.audit.witnesses import QUICK, TEN_LINES, exact_result
from tests.public.fuzzing.mutations import VALUES, mutated

MANY = pytest.param(2000, marks=pytest.mark.slow)
IDENTITY = {"name": "something", "seed": None}
TABLES = {
    "plain": Table(("a", "b"), np.arange(512.0).reshape(256, 2)),
    "missing": Table(("x",), np.array([[np.nan], [1.0], [-np.inf]])),
    "empty": Table((), np.empty((256, 0))),
}
FACTS = {"seed": 17, "seconds": 0.25, "long audit": {"counts": [[1, 2, 3, 4]]}, "block 0": [1, 2, 3, 4, 0]}
SMALL = CheckSettings(users=2, length=2, appearances=3)
JOINT = "epsilon=log(3/2),adjacency=user-level"
DELTA = "epsilon=0.9,delta=0.0487,adjacency=user-level,observed=output"


def back(value):
    return from_bytes(to_bytes(value))


def check_of(name, epsilon=None, promise=None):
    given = {} if epsilon is None else {"epsilon": parse_epsilon(epsilon)}
    return run_check(SmallInstances(name, given, Promise.parse(promise) if promise else None), SMALL)


@pytest.mark.parametrize(
    ("name", "epsilon", "promise"),
    [
        ("laplace", "0.1", None),
        ("exact-counter", None, JOINT),
        (f"{TEN_LINES}:NoisySet", None, DELTA),
        ("announced-intrusions", "1/3", None),
    ],
)
def test_an_exact_check_survives_the_journal_with_every_field(tmp_path, name, epsilon, promise):
    result = check_of(name, epsilon, promise)
    with Journal(tmp_path / "journal", {}) as journal:
        journal.keep("exact check", result)
        assert journal.taken_over == ""
    with Journal(tmp_path / "journal", {}) as journal:
        found = journal.result("exact check", CheckResult)
        assert journal.taken_over == "resumed from a journal: the exact check was not run here"
    assert found.to_dict() == result.to_dict()
    for field in fields(CheckResult):
        if field.name not in ("growth", "witness", "minimal", "loss", "coverage"):
            assert getattr(found, field.name) == getattr(result, field.name), field.name
    for ours, theirs in ((found.witness, result.witness), (found.minimal, result.minimal)):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert (ours.parameters, ours.promise, ours.left) == (theirs.parameters, theirs.promise, theirs.left)
            assert ours.describe() == theirs.describe()
    if result.growth is not None:
        assert found.growth.describe() == result.growth.describe()


def test_values_of_every_kind_come_back():
    for ratio in (fmpq(3**20_000, 2**31_000), fmpq(-1, 3), None):
        assert back(Loss(ratio)) == Loss(ratio)
    ball = arb("1.5 +/- 1e-30")
    assert back(Loss(ball)).ratio.contains(ball)
    assert back(float("inf")) == float("inf")
    assert np.isnan(back(float("nan")))
    assert str(back(parse_epsilon("2*log(3/2)"))) == "2*log(3/2)"
    for value in (HashedUniverse(10), 5, "5", (5, 6), Update(1, True), SegmentEnd.RELEASE):
        assert back(value) == value


@pytest.mark.parametrize("kept", [1, {}, Loss(None), pickle.dumps(1)])
def test_a_result_of_another_kind_is_missed(tmp_path, kept):
    with Journal(tmp_path / "journal", {}) as journal:
        journal.keep("exact check", kept)
        assert journal.result("exact check", type(kept)) == kept
        assert journal.result("exact check", CheckResult) is None


def test_a_block_is_read_at_its_size_and_never_more():
    table = Table(("a", "b"), np.array([[1.0, np.nan], [np.inf, -0.0]]))
    content = table_to_bytes(table, 7)
    found, printed = table_from_bytes(content)
    assert (found.names, printed) == (table.names, 7)
    assert found.values.tobytes() == table.values.tobytes()
    bomb = table_to_bytes(Table(("a",), np.zeros((2**20, 1))), 0)
    head, _, packed = bomb.partition(b"\n")
    small, large = (head.replace(b"1048576", size) + b"\n" + packed for size in (b"2", b"1000000000000"))
    for wrong in (content[:-1], content + b"x", small, large, pickle.dumps(table.names), b""):
        with pytest.raises(InputError):
            table_from_bytes(wrong)


def test_a_block_that_was_damaged_or_is_of_another_size_is_run_again(tmp_path):
    table = Table(("a",), np.ones((256, 1)))
    with Journal(tmp_path / "journal", {}) as journal:
        for key in ("sound", "damaged", "number"):
            journal.record(key, table)
        damage = "UPDATE entries SET content = substr(content, 1, 20) || x'00' || substr(content, 22) WHERE key = ?"
        journal._database.execute(damage, ("table:damaged",))
        # Python would make so many bytes of a number.
        journal._database.execute("UPDATE entries SET content = 10000000000 WHERE key = 'table:number'")
    with Journal(tmp_path / "journal", {}) as journal:
        assert journal.block("sound", 255) == (None, 0)
        assert journal.taken_over == ""
        assert journal.block("sound", 256)[0] is not None
        assert journal.block("damaged", 256) == journal.block("number", 256) == (None, 0)
        # What this run has recorded itself is nothing that it took over.
        journal.record("new", table)
        journal.block("new")
        assert journal.taken_over == "resumed from a journal: 1 block of runs was not run here"


def test_an_entry_of_another_journal_does_not_fit(tmp_path):
    with Journal(tmp_path / "one", {"a": 1}) as one, Journal(tmp_path / "two", {"a": 2}) as two:
        one.put("seed", 5)
        (content,) = one._database.execute("SELECT content FROM entries WHERE key = 'fact:seed'").fetchone()
        two._database.execute("INSERT INTO entries VALUES ('fact:seed', ?)", (content,))
        with pytest.raises(InputError, match=r"two is damaged, delete it .*'seed' does not fit its checksum"):
            two.recorded("seed")


def test_a_journal_remembers_the_first_value_of_a_fact_and_refuses_another_run(tmp_path):
    path = tmp_path / "folder" / "journal"
    with Journal(path, {"a": 1}) as journal:
        assert not journal.resumed
        assert journal.fact("seed", 5) == 5
        with pytest.raises(InputError, match="another process uses the journal"):
            Journal(path, {"a": 1})
    with pytest.raises(InputError, match="belongs to another run"):
        Journal(path, {"a": 2})
    journal = Journal(path, {"a": 1})
    assert journal.fact("seed", 6) == 5
    journal.finish()
    assert not path.exists()


def test_what_is_no_journal_is_left_as_it_is(tmp_path):
    path = tmp_path / "notes"
    with contextlib.closing(sqlite3.connect(tmp_path / "database")) as database, database:
        database.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, content BLOB)")
    other = (tmp_path / "database").read_bytes()
    for content in (b"x", b"notes", b"SQLite format 3\0", b"\0" * 5000, b"no database " * 1000, other):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is not a journal of panproof|another kind of database"):
            Journal(path, {})
        assert path.read_bytes() == content
    with pytest.raises(InputError, match="it is not a regular file"):
        Journal(tmp_path, {})


def test_a_full_disk_is_a_sentence_and_what_was_written_stays(tmp_path):
    with Journal(tmp_path / "journal", {}) as journal:
        journal.put("first", 1)
        journal._database.execute("PRAGMA max_page_count = 4")
        for write in (journal.put, journal.keep):
            with pytest.raises(InputError, match=r"journal cannot be written: .*full; .* the same command continues"):
                write("second", "x" * 100_000)
    with Journal(tmp_path / "journal", {}) as journal:
        assert journal.resumed
        assert journal.recorded("first") == 1
        assert journal.recorded("second") is None
        journal.put("second", 2)


def test_a_result_about_another_promise_is_not_believed_and_what_has_no_plain_form_is_not_kept(tmp_path):
    mechanism = find_mechanism("exact-counter", parameters={"universe": 2}, promise=Promise.parse(JOINT))
    kept = replace(run_check(SmallInstances.of(mechanism), _SMALL), reason="as kept")
    with Journal(tmp_path / "journal", {}) as journal:
        journal.keep("exact check", {"a": object()})
        assert journal.result("exact check", CheckResult) is None
        journal.keep("exact check", kept)
        assert _exact_check(mechanism, Settings(), journal).reason == "as kept"
        journal.keep("exact check", replace(kept, promise=Promise.parse(DELTA)))
        assert _exact_check(mechanism, Settings(), journal).reason != "as kept"


def write(path):
    with Journal(path, IDENTITY) as journal:
        for key, value in FACTS.items():
            journal.put(key, value)
        for key, table in TABLES.items():
            journal.record(key, table, printed=3)
        journal.keep("exact check", exact_result())
    return path.read_bytes()


def see_that_it_is_refused_or_sound(path):
    """Every entry is what was written, or is missed; what cannot be done again is never missed in silence."""
    try:
        with Journal(path, IDENTITY) as journal:
            for key, value in FACTS.items():
                assert journal.recorded(key) == value
            assert set(journal.matching("block ")) <= {"0"}
            for key, table in TABLES.items():
                found, printed = journal.block(key, table.runs)
                assert found is None or (found.names, printed) == (table.names, 3)
                assert found is None or np.array_equal(found.values, table.values, equal_nan=True)
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


@pytest.mark.parametrize("examples", [60, MANY])
def test_any_damage_to_a_journal_is_noticed_or_harmless(tmp_path, examples):
    content, path = write(tmp_path / "journal"), tmp_path / "damaged"
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


def as_message(value):
    try:
        return msgpack.packb(value)
    except (ValueError, OverflowError):  # a number or a text that no such message holds
        return b"\xc1"


@pytest.mark.parametrize("examples", [60, MANY])
def test_a_forged_journal_crashes_nothing(tmp_path, examples):
    """Its entries have checksums that fit, as anybody can make who knows how they are computed."""
    path = tmp_path / "journal"
    write(path)
    with Journal(path, IDENTITY) as journal:
        plain = msgpack.unpackb(journal._read("result:exact check"))
    texts = VALUES.map(lambda value: json.dumps(value).encode())
    heads = mutated({"names": ["a"], "runs": 256, "printed": 0}).map(lambda head: json.dumps(head).encode() + b"\n")
    packed = st.binary(max_size=40) | st.just(b"x\x9c\x03\x00\x00\x00\x00\x01")
    entries = (
        st.tuples(st.just("result:exact check"), mutated(plain).map(as_message))
        | st.tuples(st.just("table:x"), st.builds(bytes.__add__, heads, packed))
        | st.tuples(st.just("fact:seed"), st.binary(max_size=8) | texts)
    )

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(entries)
    def test(entry):
        with Journal(path, IDENTITY) as journal:
            journal._write(*entry)
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
    path = tmp_path / "journal"

    def report():
        with Journal(path, IDENTITY) as journal:
            found = run_gate(mechanism, QUICK, journal=journal).to_dict()
        del found["seconds"]
        return found.pop("resumed"), found

    _, whole = report()
    content, damage = path.read_bytes(), "UPDATE entries SET content = substr(content, 1, length(content) - 1) || x'07'"
    with contextlib.closing(sqlite3.connect(path)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM entries WHERE key LIKE 'table:%' ORDER BY key")]
    for damaged, missed in ((None, 0), (keys[0], 1), ("fact:seed", 0)):
        path.write_bytes(content)
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute(f"{damage} WHERE key = ?", (damaged,))
        if damaged == "fact:seed":
            with pytest.raises(InputError, match="is damaged, delete it"):
                report()
        else:
            told = f"resumed from a journal: {len(keys) - missed} blocks of runs were not run here"
            assert report() == (told, whole)
