"""The cost of an engine for each block, and the gain from a second worker: timings of one machine, side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from pan_audits import find_mechanism
from pan_audits.audit.long_audit import LARGEST_BLOCK, CountBlock, PairBet
from pan_audits.events import LIKELIHOOD_RATIO, Condition, Event
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.statistics import MixtureBet
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.engines import InProcess, open_engine
from pan_audits.workers.limits import Limits

BLOCKS = 200


@dataclass(frozen=True)
class Nothing:
    """An empty block."""

    def __call__(self) -> list[int]:
        return [0, 0, 0, 0]


def block(runs, number=0):
    mechanism = find_mechanism("calibrated-bernoulli", parameters={"promise_epsilon": 0.2})
    runner = EstimatorRunner(mechanism.estimator, mechanism.promise)
    pair = catalogue(mechanism.promise, mechanism.population).pairs[0]
    event = Event((Condition(LIKELIHOOD_RATIO, ">", 0.1),))
    return CountBlock(runner, PairBet(pair, event, MixtureBet()), runs, 1, number)


def seconds(engine, tasks):
    """Wall-clock time, and processor time of this process, for each task."""
    wall, own = time.perf_counter(), time.process_time()
    assert len(list(engine.run(tasks))) == len(tasks)
    return (time.perf_counter() - wall) / len(tasks), (time.process_time() - own) / len(tasks)


@pytest.mark.parametrize("name", ["processes", "dask"])
def test_an_empty_block(benchmark, figure, name):
    """The process that hands out blocks and adds up counts works for each of them; so does the scheduler of Dask."""
    if name == "dask":
        pytest.importorskip("distributed")
    tasks = [Nothing()] * BLOCKS
    with open_engine(name, workers=2, limits=Limits()) as engine:
        seconds(engine, tasks[:20])
        wall, own = min(benchmark.pedantic(lambda: seconds(engine, tasks), rounds=1), seconds(engine, tasks))
        figure(f"{name}: ms from one empty block to the next, 2 workers", 1e3 * wall, "none")
        figure(f"{name}: of which ms of processor time in this process", 1e3 * own, "none")
    # In processor time of one worker, which other work on the machine does not stretch.
    run = seconds(InProcess(), [block(1024)])[1] * LARGEST_BLOCK / 1024
    figure(f"{name}: part of a block of {2 * LARGEST_BLOCK:,} runs that is overhead", wall / run, "< 0.02")
    # One process hands out all blocks: beyond so many workers they would wait for it.
    figure(f"{name}: workers that this process keeps busy with such blocks", run / own, "none")


@pytest.mark.parametrize("name", ["processes", "dask"])
def test_the_second_worker(benchmark, figure, name):
    """The same blocks with one worker and with two, in turn."""
    if name == "dask":
        pytest.importorskip("distributed")
    taken = {}
    for workers in (1, 2):
        with open_engine(name, workers=workers, limits=Limits()) as engine:
            seconds(engine, [block(64)] * 4)
            taken[workers] = min(seconds(engine, [block(1024, n) for n in range(12)])[0] for _ in range(3))
    benchmark.pedantic(lambda: None, rounds=1)
    figure(f"{name}: efficiency of two workers, 1 worker = 1", taken[1] / taken[2] / 2, "> 0.8")
