"""Files of the judged folder run in the judged process only, and what comes back from a process is plain data."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import panproof
from pan_audits.exact.result import CheckResult
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.intake.discovery import find_thing
from pan_audits.subject.isolation.process import SubjectProcess
from pan_audits.workers.engines import Processes, open_engine
from pan_audits.workers.engines.child import outcome_of
from pan_audits.workers.limits import Failure, Limits, Outcome
from pan_audits.workers.plain import DataError, from_bytes, to_bytes
from pan_promises.errors import InputError
from pan_promises.workers import Worker, Workers, each_done, installed_places, python
from tests.turns import every

ESTIMATOR = """
    import random
    import helper_of_mine

    class Mine:
        promise = "epsilon=1,adjacency=user-level,observed=state+output"
        def create(self, randomness): return helper_of_mine.START
        def update(self, state, ids, randomness): return state
        def release(self, state, randomness): return random.SystemRandom is None
"""
SHADOWS = (
    *("random", "queue", "numpy", "typer", "pickle", "socket", "selectors", "multiprocessing", "joblib", "msgpack"),
    *("cloudpickle", "panproof", "pan_audits", "pan_promises", "sitecustomize", "usercustomize", "conftest"),
)


@pytest.fixture
def hostile(tmp_path):
    """A folder with an estimator, its helper, and files with names of other modules, which leave a mark."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "est.py").write_text(textwrap.dedent(ESTIMATOR))
    (folder / "helper_of_mine.py").write_text("START = 0\n")
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'marks')!r}, 'a').write({name!r} + ' ')\n")
    return folder


def ran(folder, program, **variables):
    """What a program prints whose working folder this is; nothing but the estimator may have run there."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(program)],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    marks = folder.parent / "marks"
    assert not marks.exists(), marks.read_text() + done.stderr
    return done.stdout + done.stderr


JUDGE = "import panproof; print(panproof.{call}).verdict.value)"


@pytest.mark.parametrize(
    "call",
    [
        "check('est.py:Mine', users=2, length=2",
        pytest.param("gate('est.py:Mine', runs=20_000, seed=1, jobs=2", marks=pytest.mark.more),
    ],
)
def test_a_file_with_the_name_of_a_module_neither_runs_in_the_judge_nor_breaks_it(hostile, call):
    assert "NOT_REFUTED" in ran(hostile, JUDGE.format(call=call))


def test_a_caller_who_looks_for_modules_in_the_working_folder_keeps_this_to_itself(hostile):
    # What the caller itself imports from there is its own choice: it has imported the rest before.
    program = "import panproof, pan_audits, sys; from pan_audits.gate.gate import run_gate\n"
    program += "from pan_audits.subject.intake.discovery import find_thing\nsys.path.insert(0, '')\n"
    assert "NOT_REFUTED" in ran(hostile, program + JUDGE.format(call="check('est:Mine', users=2, length=2"))


@pytest.mark.more
def test_the_claims_are_derived_by_workers_that_run_no_file_of_the_working_folder(hostile):
    program = """
        from pan_proofs.ledger.derive import _workers
        if __name__ == "__main__":
            print(*sorted(claim.id for claim, _ in _workers(["cauchy-schwarz", "chernoff"], 2)))
    """
    assert "Traceback" not in ran(hostile, program)


def test_a_worker_has_no_place_of_its_caller(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), str(tmp_path / "site-packages"), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ((_, outcome),) = Processes(1, Limits()).run([lambda: (list(sys.path), sys.flags.safe_path)])
    path, safe = outcome.result
    assert safe
    assert not {"", str(tmp_path)} & set(path)
    assert str(tmp_path) not in installed_places()


@pytest.mark.more
def test_a_new_dask_cluster_has_no_place_of_its_caller(hostile):
    pytest.importorskip("distributed")
    program = """
        import sys, distributed
        from pan_audits.workers.engines import open_engine
        from pan_audits.workers.limits import Limits
        sys.path.insert(0, "")
        with open_engine("dask", workers=1, limits=Limits()) as engine:
            print(dict(engine.run([lambda: 7]))[0].result)
    """
    assert ran(hostile, program, PYTHONPATH="").split() == ["7"]


def test_ray_starts_where_its_workers_find_no_module(tmp_path, monkeypatch):
    from pan_audits.workers.engines.ray import ray_engine

    seen = []
    ray = SimpleNamespace(
        init=lambda **options: seen.append((os.getcwd(), sys.argv[0], os.environ.get("PYTHONPATH"))),
        remote=lambda **options: lambda function: function,
        shutdown=lambda: None,
    )
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script = sys.argv[0]
    with ray_engine(None, 1, Limits()):
        assert (os.getcwd(), sys.argv[0], os.environ["PYTHONPATH"]) == (str(tmp_path), script, str(tmp_path))
    assert seen == [(os.sep, "", None)]


def test_a_worker_that_dies_at_its_start_is_started_a_few_times_only(monkeypatch):
    started = []

    class Dying(Worker):
        def __init__(self):
            started.append(self)
            monkeypatch.setattr("pan_promises.workers.python", lambda program: python("raise SystemExit(5)"))
            super().__init__()

    monkeypatch.setattr("pan_promises.workers.Worker", Dying)
    monkeypatch.setattr("pan_promises.workers._idle", [])
    ((_, outcome),) = Processes(2, Limits()).run([int])
    assert isinstance(outcome.result, Failure)
    assert "was killed" in outcome.result.sentence
    with pytest.raises(RuntimeError, match="a worker process died"):
        list(each_done([int], 2))
    assert len(started) == 6


ACT = "import sys; 'pan_audits.subject.isolation.child' in sys.modules or open({!r}, 'a')"
"""It leaves a mark in every process except a judged one, which may do what it wants."""


class Acts:
    """Its pickle acts in the process that reads it."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return exec, (ACT.format(self.mark),)


class ActingError(Exception):
    """The same of an error."""

    def __reduce__(self):
        return exec, (ACT.format(self.args[0]),)


def judged(kind, mark):
    """An estimator whose output, state or error acts when its pickle is read."""

    class Hostile:
        promise = "epsilon=1,adjacency=user-level,observed=state+output"

        def create(self, randomness):
            return Acts(mark) if kind == "state" else 0

        def update(self, state, ids, randomness):
            if kind == "error":
                raise ActingError(str(mark))
            return state

        def release(self, state, randomness):
            return Acts(mark) if kind == "output" else 0

    return Hostile


@pytest.mark.parametrize("kind", every(3, ["output", "error", "state"]))
def test_the_judge_reads_no_pickle_of_the_judged_process(kind, tmp_path):
    mark = tmp_path / "mark"
    panproof.check(judged(kind, mark), users=2, length=1)
    course = [(np.array([1]), None, SegmentEnd.INTRUSION), (np.array([2]), None, SegmentEnd.RELEASE)]
    estimator = find_thing(judged(kind, mark), parameters={}).estimator
    assert [len(stack) for stack in estimator.runs_apart(course, 3, [1], states_seen=True)] == [3]
    assert not mark.exists()


@pytest.mark.parametrize("engine", ["processes", pytest.param("dask", marks=pytest.mark.more)])
def test_the_judge_reads_no_pickle_of_a_worker(engine, tmp_path):
    """Code that a caller trusts to run in its workers does not act in the process that reads their answers."""
    if engine == "dask":
        pytest.importorskip("distributed")
    mark = tmp_path / "mark"

    def raises():
        raise ActingError(str(mark))

    with open_engine(engine, workers=1, limits=Limits()) as running:
        outcomes = dict(running.run([lambda: Acts(mark), raises, lambda: [np.arange(3)]]))
    assert "Acts is no plain data" in outcomes[0].result.sentence
    assert "it raised ActingError" in outcomes[1].result.sentence
    assert outcomes[2].result[0].tolist() == [0, 1, 2]
    assert not mark.exists()


def test_an_answer_that_is_a_pickle_is_refused(tmp_path):
    mark = tmp_path / "mark"
    for content in (pickle.dumps(Acts(mark)), b"", b"\xc1", to_bytes(7), to_bytes([1, 2])):
        assert outcome_of(content) == Outcome(Failure("its process sent an invalid answer"), 0, 0.0)
    assert not mark.exists()


@dataclass(frozen=True)
class NotOfThisProject:
    value: int = 1


def test_what_is_no_record_of_the_project_is_refused(tmp_path):
    import msgpack

    for value in (NotOfThisProject(), print, object(), Acts("x"), Limits, SubjectProcess):
        with pytest.raises(DataError):
            to_bytes(value)
    for node in (
        ["o", "tests.internals.workers.test_safe_workers", "NotOfThisProject"],
        ["o", "pan_audits.__main__", "main"],
        ["o", "pan_audits.subject.isolation.process", "SubjectProcess", "_folder", str(tmp_path)],
        ["o", "pan_audits.workers.limits", "guarded"],
        ["o", "pan_audits.workers.limits", "Limits", "__class__", 1],
        ["o", "pan_audits.workers.engines.child", "os"],
        ["E", "builtins", "SystemExit", ["t"], ["d"]],
        ["e", "pan_audits.judging.verdict", "Verdict", "mro"],
        ["a", "|O", [1], b"12345678"],
        ["?"],
        [],
    ):
        with pytest.raises(DataError):
            from_bytes(msgpack.packb(node))
    assert tmp_path.exists()


def test_results_come_back_as_they_were():
    import fractions

    from flint import fmpq

    from pan_promises.exact_epsilon import parse_epsilon

    values = [
        *(None, True, 7, 2**70, -(2**63), 0.1, float("inf"), "é\udc80", b"x", 1j, (1, (2,)), {"a": [1], 2: {3}}),
        *(frozenset({1}), fractions.Fraction(1, 3), fmpq(1, 3), parse_epsilon("log(3/2)"), Verdict.REFUTED, Limits()),
    ]
    for value in values:
        found = from_bytes(to_bytes(value))
        assert found == value
        assert type(found) is type(value)
    array = np.arange(6.0).reshape(2, 3)[:, ::2]
    assert from_bytes(to_bytes(array)).tolist() == array.tolist()
    assert from_bytes(to_bytes(np.float64(0.5))).dtype == np.float64
    problem = from_bytes(to_bytes(InputError("no such thing")))
    assert type(problem) is InputError
    assert str(problem) == "no such thing"


def test_calls_that_are_given_up_end_their_processes():
    group = Workers(1)
    ticket = group.submit(pickle.dumps(CheckResult))
    group.cancel([ticket])
    assert not group._busy
