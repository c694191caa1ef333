"""Engines: the same report from all of them, whichever workers die, and sentences for what cannot be reached."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.sampler import Sampler, blocks_for, successes
from pan_audits.problems.inputs.streams.family import Family, SegmentEnd, basic_patterns, empty_segments
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.engines import InProcess, Processes, open_engine
from pan_audits.workers.engines.child import versions
from pan_audits.workers.limits import Failure, Limits, MechanismError, Outcome
from pan_estimators import Adjacency, InputError
from tests.internals.workers.killing import KINDS, Killer, started
from tests.mechanisms import counter, failing
from tests.turns import every

SHORT = Limits(seconds=2, memory_bytes=2**30)
"""For tests with a task that hangs."""
PATIENT = Limits(seconds=60, memory_bytes=2**30)
QUICK = Settings(
    runs=4000, seed=1, accuracy_runs=0, confirmation_runs=200, hygiene=False, exact=False, limits=Limits(seconds=20)
)


@pytest.fixture(scope="module")
def dask():
    """The address of a cluster of two worker processes on this machine."""
    library = pytest.importorskip("distributed")
    from dask import config

    from pan_audits.workers.engines.dask import KEEPS_WORKERS

    with (
        config.set(KEEPS_WORKERS),
        library.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        ) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def mechanism(tmp_path_factory):
    """A class in a file that no worker can import, with a helper of its own beside it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "helper_of_mine.py").write_text("def noisy(count, randomness): return randomness.laplace(count, 0.4)\n")
    (folder / "estimator_of_mine.py").write_text(
        textwrap.dedent(
            """
            from helper_of_mine import noisy

            class Mine:
                promise = "epsilon=1,adjacency=event-level,observed=output"
                def create(self, randomness):
                    return [0]
                def update(self, state, ids, randomness):
                    return [state[0] + len(ids)]
                def release(self, state, randomness):
                    return noisy(float(state[0]), randomness)
            """
        )
    )
    return find_mechanism(f"{folder}/estimator_of_mine.py:Mine", parameters={})


def timeless(report):
    document = report.to_dict()
    document.pop("seconds")
    return document


@pytest.fixture(scope="module")
def reference(mechanism):
    report = run_gate(mechanism, replace(QUICK, workers=0))
    assert report.verdict is Verdict.REFUTED
    return timeless(report)


def test_workers_find_modules_in_folders_that_were_added_after_their_start(tmp_path, monkeypatch):
    limited = Processes(2, PATIENT)
    assert [outcome.result for _, outcome in limited.run([int])] == [0]
    (tmp_path / "added_later.py").write_text("class Task:\n    def __call__(self): return 'found'\n")
    monkeypatch.syspath_prepend(tmp_path)
    task = importlib.import_module("added_later").Task()
    assert [outcome.result for _, outcome in limited.run([task])] == ["found"]


@pytest.mark.parametrize("name", every(3, ["ray", "dask", "processes"]))
def test_each_engine_gives_the_same_report(name, mechanism, reference, request):
    pytest.importorskip({"dask": "distributed"}.get(name, name if name == "ray" else "os"))
    scheduler = request.getfixturevalue("dask") if name == "dask" else None
    assert timeless(run_gate(mechanism, replace(QUICK, engine=name, scheduler=scheduler))) == reference


def opened(name, dask, limits=PATIENT):
    return open_engine(name, workers=2, limits=limits, scheduler=dask if name == "dask" else None)


# Worker processes take seconds to start anew; what happens to a task in them is tested with the limits, too.
ENGINES = pytest.mark.parametrize("name", [pytest.param("processes", marks=pytest.mark.slow), "dask"])


def fine():
    time.sleep(0.02)
    return 7


def raises():
    raise ZeroDivisionError


def hangs():
    while True:
        pass


def catches_everything():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(60)


def leaves():
    os._exit(3)


@pytest.mark.parametrize(
    "name", [pytest.param("processes", marks=pytest.mark.slow), pytest.param("dask", marks=pytest.mark.more)]
)
def test_a_task_that_fails_is_a_sentence_and_the_others_go_on(name, dask):
    with opened(name, dask, SHORT) as engine:
        outcomes = dict(
            engine.run([fine, raises, fine, hangs, leaves, fine, threading.Lock().acquire, catches_everything, fine])
        )
    results = [outcomes[number].result for number in range(9)]
    assert [results[i] for i in (0, 2, 5, 8)] == [7] * 4
    words = {1: "it raised ZeroDivisionError", 3: "did not finish within 2 s", 4: "its process was killed"}
    words |= {6: "cannot be sent to another process", 7: "did not stop"}
    for number, sentence in words.items():
        assert isinstance(results[number], Failure), number
        assert sentence in results[number].sentence


@ENGINES
def test_what_is_left_when_nobody_asks_any_more_is_given_up(name, dask):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield fine

    with opened(name, dask) as engine:
        outcomes = engine.run(tasks())
        next(outcomes)
        outcomes.close()
        assert len(taken) < 100
        assert dict(engine.run([fine]))[0].result == 7


def drawn(estimator, engine, blocks, progress=None):
    """What so many blocks of runs show."""
    family = Family(
        "x", 3, (SegmentEnd.INTRUSION, SegmentEnd.RELEASE), empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL
    )
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise), engine=engine, progress=progress)
    tables = sampler.draw(blocks_for(family, 1, 64 * blocks, entropy=1, purpose=1, chunk=0, size=64))
    return [(table.names, table.values.tobytes()) for table in tables]


@ENGINES
def test_a_block_whose_process_is_killed_once_is_run_again(name, tmp_path, dask):
    """The marker is there in the undisturbed run: nothing dies in it."""
    marker = tmp_path / "marker"
    marker.touch()
    estimator = failing.DiesOnce(str(marker))
    undisturbed = drawn(estimator, InProcess(), 6)
    marker.unlink()
    with opened(name, dask) as engine:
        assert drawn(estimator, engine, 6) == undisturbed
    assert marker.exists()


def test_a_local_cluster_keeps_workers_that_are_lost_twice_while_it_is_open():
    pytest.importorskip("distributed")
    from dask import config
    from dask.utils import parse_timedelta

    name = "distributed.deploy.lost-worker-timeout"
    with open_engine("dask", workers=1, limits=PATIENT, scheduler=None) as engine:
        told = engine.client.run_on_scheduler(lambda: config.get(name))
        assert parse_timedelta(told) > 1e6
        assert drawn(counter.Counter(), engine, 2) == drawn(counter.Counter(), InProcess(), 2)


KILLS = 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["processes", "dask"])
def test_a_gate_whose_workers_are_killed_again_and_again_reports_the_same(name, dask):
    mechanism = find_mechanism("dwork", parameters={"epsilon": 0.5})
    settings = replace(QUICK, runs=60_000, accuracy_runs=0)
    undisturbed = timeless(run_gate(mechanism, replace(settings, workers=0)))
    killer = Killer(KINDS[name], KILLS, started(name, dask))
    settings = replace(settings, engine=name, scheduler=dask if name == "dask" else None)
    report = run_gate(mechanism, settings, progress=killer)
    assert timeless(report) == undisturbed
    # At a block at which no process is there, none can be killed: on a busy machine some kills come too late.
    assert killer.left <= KILLS // 2


def test_of_several_failures_the_first_block_decides_whichever_comes_first():
    class Backwards:
        workers = 2

        def run(self, tasks):
            for number in (5, 3, 0, 2, 1, 4):
                failed = Failure(f"block {number} failed") if number in (3, 5) else number
                yield number, Outcome(failed, 0, 0.0)

    with pytest.raises(MechanismError, match="block 3 failed"):
        list(successes(Backwards(), range(6)))


def test_a_worker_with_another_version_is_found_out(dask, monkeypatch):
    from pan_audits.workers.engines import processes as cluster

    monkeypatch.setattr(cluster, "versions", lambda: versions() | {"numpy": "0.1"})
    wrong = pytest.raises(InputError, match=r"a worker of the cluster has numpy .*, here it is 0\.1")
    with wrong, open_engine("dask", workers=2, limits=SHORT, scheduler=dask) as engine:
        list(engine.run([fine]))


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed")
    from pan_audits.workers.engines import dask as engine

    monkeypatch.setattr(engine, "_SECONDS_TO_CONNECT", 0.2)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "no address at all"):
        opened = open_engine("dask", workers=1, limits=SHORT, scheduler=address)
        with pytest.raises(InputError, match="no Dask scheduler answers at"), opened:
            pass


@pytest.mark.parametrize(("name", "library"), [("dask", "distributed"), ("ray", "ray")])
def test_an_engine_that_is_not_installed_names_its_extra(name, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    missing = pytest.raises(InputError, match=rf"--engine {name} needs .*: pip install 'panproof\[{name}\]'")
    with missing, open_engine(name, workers=1, limits=SHORT):
        pass


def test_without_workers_everything_runs_here():
    with open_engine("processes", workers=0, limits=SHORT) as engine:
        assert isinstance(engine, InProcess)
        assert [(number, outcome.result) for number, outcome in engine.run([os.getpid])] == [(0, os.getpid())]
    assert dict(Processes(1, SHORT).run([os.getpid]))[0].result != os.getpid()


def status(pid):
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "State:\tZ"


def test_workers_leave_when_the_process_that_started_them_is_killed():
    program = (
        "import os, time\nfrom pan_audits.workers.engines import run_in_workers\n"
        "from pan_audits.workers.limits import Limits\n"
        "def work(): time.sleep(0.3); return os.getpid()\n"
        "print(*{outcome.result for outcome in run_in_workers([work] * 4, 2, Limits())}, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    workers = [int(number) for number in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    # Nobody may be there to take note of their end.
    while any("State:\tZ" not in status(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert workers
