"""Results as plain data: what is read is what was written, and the data chooses nothing."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from flint import arb, fmpq

from pan_audits.audit.journals.journal import Journal, table_from_bytes, table_to_bytes
from pan_audits.audit.journals.stored import from_plain, to_plain
from pan_audits.events import Table
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.exact.scope import Item, Update
from pan_audits.judging.reading import Field
from pan_audits.notions import Loss
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_estimators import HashedUniverse, InputError, Promise, parse_epsilon
from tests.auditing.witnesses import TEN_LINES

SMALL = CheckSettings(users=2, length=2, appearances=3)
JOINT = "epsilon=log(3/2),adjacency=user-level"
DELTA = "epsilon=0.9,delta=0.0487,adjacency=user-level,observed=output"


def back(kind, value):
    return from_plain(kind, Field(json.loads(json.dumps(to_plain(value), allow_nan=False)), "x"))


@pytest.mark.parametrize(
    ("name", "epsilon", "promise"),
    [
        ("dwork", "log(3/2)", None),
        ("laplace", "0.1", None),
        ("calibrated-bernoulli", "1/5", None),
        ("exact-counter", None, JOINT),
        (f"{TEN_LINES}:NoisySet", None, DELTA),
        ("announced-intrusions", "1/3", None),
    ],
)
def test_an_exact_check_survives_the_journal_with_every_field(tmp_path, name, epsilon, promise):
    given = {} if epsilon is None else {"epsilon": parse_epsilon(epsilon)}
    result = run_check(SmallInstances(name, given, Promise.parse(promise) if promise else None), SMALL)
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
            assert str(ours.promise.epsilon) == str(theirs.promise.epsilon)
            assert ours.describe() == theirs.describe()
    if result.growth is not None:
        assert found.growth.ratio == result.growth.ratio
        assert found.growth.describe() == result.growth.describe()


def test_numbers_of_every_kind_come_back():
    long = fmpq(3**20_000, 2**31_000)
    for ratio in (long, fmpq(-1, 3), None):
        assert back(Loss, Loss(ratio)) == Loss(ratio)
    ball = arb("1.5 +/- 1e-30")
    assert back(Loss, Loss(ball)).ratio.contains(ball)
    assert back(float, float("inf")) == float("inf")
    assert np.isnan(back(float, float("nan")))
    assert str(back(float, parse_epsilon("2*log(3/2)"))) == "2*log(3/2)"
    universe = HashedUniverse(10)
    assert back(dict[str, object] | object, universe) == universe


def test_unions_are_read_by_what_fits():
    for value in (5, "5", (5, 6)):
        assert back(Id, value) == value
    for value in (Update(1, True), SegmentEnd.RELEASE):
        assert back(Item, value) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (int, True),
        (bool, 1),
        (float, "1"),
        (Loss, {"ratio": None, "attained": True}),
        (Loss, {"ratio": None, "attained": True, "upper": False, "more": 1}),
        (Loss, {"ratio": {"ball": "nan"}, "attained": True, "upper": False}),
        (Loss, {"ratio": {"os.system": "true"}, "attained": True, "upper": False}),
        (Promise, dict.fromkeys(Promise.__dataclass_fields__, 1)),
        (CheckResult, {}),
        (tuple[int, ...], [1]),
    ],
)
def test_anything_else_is_refused(kind, value):
    with pytest.raises(InputError, match=r"^x"):
        from_plain(kind, Field(value, "x"))


def test_what_has_no_plain_form_is_not_kept(tmp_path):
    with Journal(tmp_path / "journal", {}) as journal:
        journal.keep("exact check", {"a": object()})
        assert journal.result("exact check", CheckResult) is None


def test_a_block_is_read_at_its_size_and_never_more():
    table = Table(("a", "b"), np.array([[1.0, np.nan], [np.inf, -0.0]]))
    content = table_to_bytes(table, 7)
    found, printed = table_from_bytes(content)
    assert (found.names, printed) == (table.names, 7)
    assert found.values.tobytes() == table.values.tobytes()
    bomb = table_to_bytes(Table(("a",), np.zeros((2**20, 1))), 0)
    head, _, packed = bomb.partition(b"\n")
    for wrong in (
        content[:-1],
        content + b"x",
        head.replace(b"1048576", b"2") + b"\n" + packed,
        head.replace(b"1048576", b"1000000000000") + b"\n" + packed,
        pickle.dumps(table.names),
        b"",
    ):
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
        assert journal.block("damaged", 256) == (None, 0)
        assert journal.block("number", 256) == (None, 0)
        assert journal.taken_over == "resumed from a journal: 1 block of runs was not run here"
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


def test_what_is_no_journal_is_left_as_it_is(tmp_path):
    for content in (b"x", b"notes", b"SQLite format 3\0", b"\0" * 5000):
        (tmp_path / "notes").write_bytes(content)
        with pytest.raises(InputError, match="is not a journal of panproof"):
            Journal(tmp_path / "notes", {})
        assert (tmp_path / "notes").read_bytes() == content
    with pytest.raises(InputError, match="it is not a regular file"):
        Journal(tmp_path, {})


def test_a_result_about_another_promise_is_not_believed(tmp_path):
    from pan_audits import find_mechanism
    from pan_audits.audit.settings import Settings
    from pan_audits.gate.gate import _SMALL, _exact_check

    mechanism = find_mechanism("exact-counter", parameters={"universe": 2}, promise=Promise.parse(JOINT))
    kept = replace(run_check(SmallInstances.of(mechanism), _SMALL), reason="as kept")
    with Journal(tmp_path / "journal", {}) as journal:
        journal.keep("exact check", kept)
        assert _exact_check(mechanism, Settings(), journal).reason == "as kept"
        journal.keep("exact check", replace(kept, promise=Promise.parse(DELTA)))
        assert _exact_check(mechanism, Settings(), journal).reason != "as kept"
