"""Running somebody's estimator: features, seeds, workers, limits, and the journal."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from pan_audits.audit.journals.journal import Journal
from pan_audits.audit.sampler import Sampler, requests_for
from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import Subject
from pan_audits.problems.inputs.streams import Family, SegmentEnd, Updates
from pan_audits.problems.inputs.streams.family import basic_patterns, empty_segments
from pan_audits.subject.running.course import Observation, run_once
from pan_audits.subject.running.runner import (
    EstimatorRunner,
    features_of_runs,
    likelihood_column,
    with_likelihood_ratio,
)
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError, describe_failure
from pan_estimators import (
    Adjacency,
    IntegerUniverse,
    NumpyRandomness,
    Promise,
    SampledCells,
    dwork,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from tests.mechanisms import counter, failing
from tests.turns import every

FAMILY = Family(
    "x", 3, (SegmentEnd.INTRUSION, SegmentEnd.RELEASE), empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL
)
SHORT = Limits(seconds=2, memory_bytes=2**30)


def test_one_run_shows_the_states_and_outputs_of_the_schedule():
    # Beyond 1/2 the theorem promises nothing, so that there is no limit to the releases of a state.
    estimator = optimal_bernoulli(universe=6, epsilon=0.6, sample_size=6)
    steps = (SegmentEnd.ANNOUNCED, SegmentEnd.INTRUSION, SegmentEnd.RELEASE, SegmentEnd.RELEASE)
    family = Family("x", 3, steps, empty_segments(4), ((1, 1, 1, 1), (0, 0, 0, 0)), Adjacency.USER_LEVEL)
    seen = run_once(estimator, family, 0, NumpyRandomness(1))
    assert [state.announced for state in seen.states] == [0, 1]
    assert len(seen.outputs) == 2
    assert seen.states[0] is not seen.states[1]


@pytest.mark.parametrize("factory", [optimal_bernoulli, laplace])
def test_a_state_that_was_seen_is_not_erased_by_the_last_release(factory):
    estimator = factory(universe=60, epsilon=0.5, sample_size=40)
    family = Family(
        "x", 3, (SegmentEnd.INTRUSION, SegmentEnd.RELEASE), empty_segments(2), ((1, 1), (0, 0)), Adjacency.USER_LEVEL
    )
    (state,) = run_once(estimator, family, 0, NumpyRandomness(1)).states
    assert state.releases == 0
    assert (np.diff(state.sample) > 0).all()
    assert state.cells.any()


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    estimator = laplace(universe=6, epsilon=0.5, sample_size=4)
    mechanism = EstimatorRunner(estimator, estimator.promise)
    tables = [mechanism.observe(FAMILY, 1, 20, seed) for seed in ((1, 2), (1, 2), (1, 3))]
    assert np.array_equal(tables[0].values, tables[1].values, equal_nan=True)
    assert not np.array_equal(tables[0].values, tables[2].values, equal_nan=True)


def test_only_what_the_promise_lets_the_adversary_see_is_in_the_table():
    estimator = dwork(universe=6, epsilon=0.5, sample_size=4)
    state = EstimatorRunner(estimator, estimator.promise_of_state).observe(FAMILY, 0, 3, (1,))
    output = EstimatorRunner(estimator, estimator.promise_of_output).observe(FAMILY, 0, 3, (1,))
    assert "output" not in state.names
    assert "cells.sum" in state.names
    assert output.names == ("output",)


def test_likelihoods_are_there_where_they_are_known():
    known = optimal_bernoulli(universe=6, epsilon=0.5, sample_size=4)
    table = EstimatorRunner(known, known.promise).observe(FAMILY, 0, 5, (1,))
    assert likelihood_column(3) in table.names
    pair = with_likelihood_ratio(table, 0, 3)
    assert pair.names[-1] == "log-likelihood ratio"
    assert not any(name.startswith("log-likelihood under") for name in pair.names)
    unknown = pan_private_distinct_sampling(universe=6, epsilon=0.5, sample_size=4)
    table = EstimatorRunner(unknown, unknown.promise).observe(FAMILY, 0, 5, (1,))
    assert with_likelihood_ratio(table, 0, 3) is table


def test_seeds_belong_to_the_stream_and_the_place_in_the_sample_alone():
    def seeds(**change):
        arguments = {"entropy": 5, "purpose": 1, "chunk": 0, **change}
        return {request.seed for request in requests_for(FAMILY, 1, 600, **arguments)}

    assert len(seeds()) == 3
    assert seeds() == seeds()
    for change in ({"entropy": 6}, {"purpose": 2}, {"chunk": 1}):
        assert not seeds() & seeds(**change)
    others = {request.seed for request in requests_for(FAMILY, 2, 600, entropy=5, purpose=1, chunk=0)}
    assert not seeds() & others


@pytest.fixture(scope="module")
def requests():
    return [r for place in range(4) for r in requests_for(FAMILY, place, 300, entropy=1, purpose=1, chunk=0)]


@pytest.fixture
def mechanism():
    estimator = dwork(universe=IntegerUniverse(6), epsilon=0.5, sample_size=4)
    return EstimatorRunner(estimator, estimator.promise)


def equal(ours, theirs):
    return all(
        a.names == b.names and np.array_equal(a.values, b.values, equal_nan=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def test_workers_give_what_this_process_gives(requests, mechanism):
    assert equal(Sampler(mechanism, workers=2).draw(requests), Sampler(mechanism).draw(requests))


def test_a_request_that_is_there_twice_is_run_and_recorded_once(requests, mechanism, tmp_path):
    asked = [requests[0], requests[1], requests[0]]
    ran, recorded = [], []

    class Counted:
        def observe(self, *arguments):
            ran.append(arguments)
            return mechanism.observe(*arguments)

    with Journal(tmp_path / "journal", {}) as journal:
        record = journal.record
        journal.record = lambda key, *rest, **more: (recorded.append(key), record(key, *rest, **more))
        tables = Sampler(Counted(), journal=journal).draw(asked)
    assert len(ran) == len(recorded) == 2
    assert equal(tables, Sampler(mechanism).draw(requests[:2]) + tables[:1])
    assert equal(Sampler(mechanism).draw(asked), tables)


def test_an_interrupted_run_goes_on_from_its_journal_to_the_same_tables(requests, mechanism, tmp_path):
    whole = Sampler(mechanism).draw(requests)

    @dataclasses.dataclass
    class Interrupted:
        left: int

        def observe(self, *arguments):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            return mechanism.observe(*arguments)

    path = tmp_path / "journal"
    for request in requests[:5]:
        with Journal(path, {"a": 1}) as journal:
            Sampler(mechanism, journal=journal).draw([request])
    with Journal(path, {"a": 1}) as journal, pytest.raises(KeyboardInterrupt):
        Sampler(Interrupted(2), journal=journal).draw(requests)
    with Journal(path, {"a": 1}) as journal:
        assert journal.resumed
        # The two blocks that were finished before the interruption are there as well.
        again = Sampler(Interrupted(len(requests) - 7), journal=journal).draw(requests)
        assert equal(again, whole)
        assert equal(Sampler(Interrupted(0), journal=journal).draw(requests), whole)


def test_a_journal_remembers_the_first_value_of_a_fact_and_refuses_another_run(tmp_path):
    from pan_estimators import InputError

    path = tmp_path / "folder" / "journal"
    journal = Journal(path, {"a": 1})
    assert not journal.resumed
    assert journal.fact("seed", 5) == 5
    journal.close()
    with pytest.raises(InputError, match="belongs to another run"):
        Journal(path, {"a": 2})
    journal = Journal(path, {"a": 1})
    assert journal.fact("seed", 6) == 5
    journal.finish()
    assert not path.exists()
    (tmp_path / "noise").write_bytes(b"this is not a database, not at all" * 100)
    with pytest.raises(InputError, match="is not a journal"):
        Journal(tmp_path / "noise", {})


def test_a_database_of_something_else_is_neither_used_nor_deleted(tmp_path):
    import sqlite3

    from pan_estimators import InputError

    path = tmp_path / "precious"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, content BLOB)")
    for _ in range(2):
        before = path.read_bytes()
        with pytest.raises(InputError, match="another kind of database"):
            Journal(path, {})
        assert path.read_bytes() == before
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS mine (a)")


def test_a_full_disk_is_a_sentence_and_what_was_written_stays(tmp_path):
    from pan_estimators import InputError

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


def test_a_journal_of_another_process_is_left_alone(tmp_path):
    from pan_estimators import InputError

    with Journal(tmp_path / "journal", {}), pytest.raises(InputError, match="another process uses the journal"):
        Journal(tmp_path / "journal", {})


@pytest.mark.parametrize(
    ("mechanism", "words"),
    every(
        2,
        [
            (failing.Raises, "it raised KeyError in update .line .* of failing.py.: 'total'"),
            (failing.TakesOneId, "takes one id or an array of ids, and was given an array here; numpy.atleast_1d"),
            (failing.RaisesLate, "it raised RuntimeError in update .*: too many at once"),
            (failing.Hangs, "did not finish within 2 s"),
            (failing.SwallowsEverything, "did not finish within 2 s"),
            (failing.ExhaustsMemory, "more than 1 GiB of memory"),
            (failing.Exits, "tried to end the process"),
            (failing.Dies, "its process was killed"),
            (failing.Recurses, "recursed too deeply"),
        ],
    ),
)
def test_a_mechanism_that_misbehaves_in_a_worker_is_a_sentence(mechanism, words):
    family = dataclasses.replace(FAMILY, others=((Updates((1,), 150),), ()))
    estimator = mechanism()
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise), workers=2, limits=SHORT)
    with pytest.raises(MechanismError, match=words) as caught:
        sampler.draw(requests_for(family, 1, 2, entropy=1, purpose=1, chunk=0))
    assert "\n" not in str(caught.value)


def test_a_daemon_has_worker_processes_too():
    """A mechanism that ends its process ends neither the tests nor a gate, also where multiprocessing starts
    nothing.
    """
    program = """
        import multiprocessing
        from pan_audits.workers.engines import Processes
        from pan_audits.workers.limits import Limits
        from tests.mechanisms.failing import Dies

        def judge():
            ((_, outcome),) = Processes(2, Limits()).run([lambda: Dies().release(None, None)])
            print("its process was killed" in outcome.result.sentence, flush=True)

        process = multiprocessing.get_context("fork").Process(target=judge, daemon=True)
        process.start()
        process.join()
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "True\n", ran.stderr
    assert ran.returncode == 0


def test_an_estimator_that_cannot_travel_is_a_sentence():
    estimator = counter.Counter()
    estimator.lock = threading.Lock()
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise), workers=2)
    with pytest.raises(MechanismError, match="cannot be sent to another process"):
        sampler.draw(requests_for(FAMILY, 1, 2, entropy=1, purpose=1, chunk=0))


def test_what_a_mechanism_prints_is_counted_and_thrown_away(capfd):
    estimator = failing.Prints()
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise), workers=2)
    sampler.draw(requests_for(FAMILY, 1, 50, entropy=1, purpose=1, chunk=0))
    assert sampler.printed >= 50 * 40_000
    assert capfd.readouterr() == ("", "")


def test_other_tasks_survive_one_that_fails():
    def fine():
        return 7

    def broken():
        raise ZeroDivisionError

    outcomes = run_in_workers([fine, broken, fine], 2, SHORT)
    assert [outcome.result for outcome in outcomes][::2] == [7, 7]
    assert isinstance(outcomes[1].result, Failure)


def test_an_estimator_is_frozen():
    estimator = dwork(universe=6, epsilon=0.5, sample_size=4)
    assert isinstance(estimator, SampledCells)
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimator.epsilon = 1.0
    assert Promise(epsilon=1, adjacency="user-level").epsilon == 1


@pytest.mark.parametrize(
    "outputs",
    [
        [1.5, -0.0, float("inf"), float("nan"), 1e300],
        [1.5, 2, True],
        [1.5, [2.0, 3.0], None],
        [2**60, 1.5],
    ],
)
def test_runs_that_are_read_together_have_the_features_of_single_ones(outputs):
    seen = [Observation((), (output,)) for output in outputs]
    subject = Subject("x")
    together = features_of_runs(seen, subject)
    singly = Table.from_rows([observation_features((), (output,), subject) for output in outputs])
    assert together.names == singly.names
    assert together.values.tobytes() == singly.values.tobytes()


def test_a_failure_of_an_update_that_takes_lists_says_that_it_was_given_one_id():
    class TakesLists:
        def update(self, ids):
            return list(ids)

    with pytest.raises(TypeError) as raised:
        TakesLists().update(3)
    inside = raised.value.with_traceback(raised.value.__traceback__.tb_next)
    assert describe_failure(inside).endswith(
        "; update was given one id here, and not a list: numpy.atleast_1d(ids) reads both"
    )
