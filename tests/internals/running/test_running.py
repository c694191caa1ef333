"""Running somebody's estimator: what is seen, seeds, workers, interruptions, and misbehaviour."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from pan_audits.audit.journal import Journal
from pan_audits.audit.sampler import Sampler, blocks_for
from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import Subject
from pan_audits.problems.inputs.streams.family import Family, SegmentEnd, Updates, basic_patterns, empty_segments
from pan_audits.subject.running.course import Observation, run_once
from pan_audits.subject.running.runner import (
    EstimatorRunner,
    features_of_runs,
    likelihood_column,
    with_likelihood_ratio,
)
from pan_audits.workers.limits import Limits, MechanismError, describe_failure
from pan_estimators import (
    Adjacency,
    NumpyRandomness,
    dwork,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from tests.mechanisms import failing

SCHEDULE = (SegmentEnd.INTRUSION, SegmentEnd.RELEASE)
FAMILY = Family("x", 3, SCHEDULE, empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL)
SHORT = Limits(seconds=2, memory_bytes=2**30)


def runner(make=dwork, promise="promise"):
    estimator = make(universe=6, epsilon=0.5, sample_size=4)
    return EstimatorRunner(estimator, getattr(estimator, promise))


def one_request(mechanism, family=FAMILY, **more):
    sampler = Sampler(EstimatorRunner(mechanism, mechanism.promise), workers=2, **more)
    return sampler, sampler.draw(blocks_for(family, 1, 2, entropy=1, purpose=1, chunk=0))


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
    (state,) = run_once(estimator, FAMILY, 3, NumpyRandomness(1)).states
    assert state.releases == 0
    assert (np.diff(state.sample) > 0).all()
    assert state.cells.any()


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    tables = [runner(laplace).observe(FAMILY, 1, 20, seed) for seed in ((1, 2), (1, 2), (1, 3))]
    assert np.array_equal(tables[0].values, tables[1].values, equal_nan=True)
    assert not np.array_equal(tables[0].values, tables[2].values, equal_nan=True)


def test_only_what_the_promise_lets_the_adversary_see_is_in_the_table():
    state, output = (
        runner(promise=promise).observe(FAMILY, 0, 3, (1,)) for promise in ("promise_of_state", "promise_of_output")
    )
    assert "output" not in state.names
    assert "cells.sum" in state.names
    assert output.names == ("output",)


def test_likelihoods_are_there_where_they_are_known():
    table = runner(optimal_bernoulli).observe(FAMILY, 0, 5, (1,))
    assert likelihood_column(3) in table.names
    pair = with_likelihood_ratio(table, 0, 3)
    assert pair.names[-1] == "log-likelihood ratio"
    assert not any(name.startswith("log-likelihood under") for name in pair.names)
    table = runner(pan_private_distinct_sampling).observe(FAMILY, 0, 5, (1,))
    assert with_likelihood_ratio(table, 0, 3) is table


def test_seeds_belong_to_the_stream_and_the_place_in_the_sample_alone():
    def seeds(place=1, **change):
        asked = blocks_for(FAMILY, place, 600, **{"entropy": 5, "purpose": 1, "chunk": 0, **change})
        return {request.seed for request in asked}

    assert seeds() == seeds()
    assert len(seeds()) == 3
    for change in ({"entropy": 6}, {"purpose": 2}, {"chunk": 1}, {"place": 2}):
        assert not seeds() & seeds(**change)


@pytest.fixture(scope="module")
def requests():
    return [r for place in range(4) for r in blocks_for(FAMILY, place, 300, entropy=1, purpose=1, chunk=0)]


@pytest.fixture(scope="module")
def whole(requests):
    return Sampler(runner()).draw(requests)


def equal(ours, theirs):
    return all(
        a.names == b.names and np.array_equal(a.values, b.values, equal_nan=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def test_workers_give_what_this_process_gives(requests, whole):
    assert equal(Sampler(runner(), workers=2).draw(requests), whole)


@dataclasses.dataclass
class Interrupted:
    """Counts the runs, and is interrupted after some."""

    left: int
    mechanism: EstimatorRunner = dataclasses.field(default_factory=runner)

    def observe(self, *arguments):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return self.mechanism.observe(*arguments)


def test_a_request_that_is_there_twice_is_run_and_recorded_once(requests, whole, tmp_path):
    with Journal(tmp_path / "journal", {}) as journal:
        tables = Sampler(Interrupted(2), journal=journal).draw([requests[0], requests[1], requests[0]])
        assert journal._database.execute("SELECT count(*) FROM entries WHERE key LIKE 'table:%'").fetchone() == (2,)
    assert equal(tables, [whole[0], whole[1], whole[0]])


def test_an_interrupted_run_goes_on_from_its_journal_to_the_same_tables(requests, whole, tmp_path):
    path = tmp_path / "journal"
    for request in requests[:5]:
        with Journal(path, {"a": 1}) as journal:
            Sampler(runner(), journal=journal).draw([request])
    with Journal(path, {"a": 1}) as journal, pytest.raises(KeyboardInterrupt):
        Sampler(Interrupted(2), journal=journal).draw(requests)
    with Journal(path, {"a": 1}) as journal:
        assert journal.resumed
        # The two blocks that were finished before the interruption are there as well.
        assert equal(Sampler(Interrupted(len(requests) - 7), journal=journal).draw(requests), whole)
        assert equal(Sampler(Interrupted(0), journal=journal).draw(requests), whole)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (failing.Raises, "it raised KeyError in update .line .* of failing.py.: 'total'"),
        (failing.TakesOneId, "takes one id or an array of ids, and was given an array here; numpy.atleast_1d"),
        pytest.param(failing.RaisesLate, "it raised RuntimeError in update .*: too many", marks=pytest.mark.more),
        (failing.SwallowsEverything, "did not finish within 2 s"),
        pytest.param(failing.ExhaustsMemory, "more than 1 GiB of memory", marks=pytest.mark.more),
        (failing.Exits, "tried to end the process"),
        pytest.param(failing.Dies, "its process was killed", marks=pytest.mark.more),
        pytest.param(failing.Recurses, "recursed too deeply", marks=pytest.mark.more),
    ],
)
def test_a_mechanism_that_misbehaves_in_a_worker_is_a_sentence(mechanism, words):
    family = dataclasses.replace(FAMILY, others=((Updates((1,), 150),), ()))
    with pytest.raises(MechanismError, match=words) as caught:
        one_request(mechanism(), family, limits=SHORT)
    assert "\n" not in str(caught.value)


def test_what_a_mechanism_prints_is_counted_and_thrown_away(capfd):
    assert one_request(failing.Prints())[0].printed >= 2 * 40_000
    assert capfd.readouterr() == ("", "")


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
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n", ran.stderr


@pytest.mark.parametrize(
    "outputs",
    [[1.5, -0.0, float("inf"), float("nan"), 1e300], [1.5, 2, True], [1.5, [2.0, 3.0], None], [2**60, 1.5]],
)
def test_runs_that_are_read_together_have_the_features_of_single_ones(outputs):
    subject = Subject("x")
    together = features_of_runs([Observation((), (output,)) for output in outputs], subject)
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
