"""The long stage of an audit: counts alone, in any order, from any interruption on, to the same result."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit import long_audit, privacy
from pan_audits.audit.journals.journal import Journal
from pan_audits.audit.long_audit import Candidate, CountBlock, LongAudit, LongResult
from pan_audits.audit.sampler import Sampler
from pan_audits.events import LIKELIHOOD_RATIO, Condition, Event, Table
from pan_audits.problems.inputs.streams import Family, Pair, SegmentEnd
from pan_audits.problems.inputs.streams.family import basic_patterns, empty_segments
from pan_audits.statistics import ErrorBudget, MixtureBet
from pan_audits.subject.running.runner import EstimatorRunner, happened, with_likelihood_ratio
from pan_audits.workers.engines import InProcess
from pan_audits.workers.limits import Outcome
from pan_estimators import Adjacency, Promise, calibrated_bernoulli, optimal_bernoulli

FAMILY = Family(
    "x", 3, (SegmentEnd.INTRUSION, SegmentEnd.RELEASE), empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL
)
ONE = Event((Condition("bit", ">", 0.5),))


@dataclass(frozen=True)
class Bits:
    """One bit, of a probability for each stream of a family."""

    probabilities: tuple[float, ...]

    def observe(self, family, place, runs, seed):
        generator = np.random.default_rng(list(seed))
        return Table(("bit",), (generator.random((runs, 1)) < self.probabilities[place]).astype(float))


@dataclass
class Shuffled:
    """An engine that finishes blocks in an order of its own, many at a time."""

    seed: int
    workers: int = 8

    def run(self, tasks):
        generator, waiting, room = np.random.default_rng(self.seed), [], enumerate(tasks)
        while True:
            while len(waiting) < 16 and (entry := next(room, None)) is not None:
                waiting.append(entry)
            if not waiting:
                return
            number, task = waiting.pop(int(generator.integers(len(waiting))))
            yield number, Outcome(task(), 1, 0.0)


def audit(mechanism, promised=0.2, runs=2**17, engine=None, journal=None, pairs=((1, 0), (2, 0), (3, 0)), **more):
    sampler = Sampler(mechanism, engine=engine or InProcess(), journal=journal, **more)
    promise = Promise(epsilon=promised, adjacency="user-level")
    candidates = [Candidate(Pair(FAMILY, *places), ONE, MixtureBet()) for places in pairs]
    return LongAudit(sampler, promise, candidates, ErrorBudget(1e-3), 7, runs, block_runs=512)


def test_the_wealth_is_the_product_of_the_factors_of_every_pair_of_runs():
    generator = np.random.default_rng(1)
    left, right = generator.random(300) < 0.5, generator.random(300) < 0.3
    counts = [int(x.sum()) for x in (left & ~right, left & right, ~left & right, ~left & ~right)]
    for delta in (0.0, 0.05):
        for epsilon in (0.0, 0.2, 1.0):
            bet = MixtureBet(0.3)
            fractions, weights = bet._prior()
            kept = fractions * (math.exp(epsilon) + delta) <= 1
            wealth = sum(
                weight * np.prod(1 + fraction * (left - math.exp(epsilon) * right - delta))
                for fraction, weight in zip(fractions[kept], weights[kept], strict=True)
            )
            assert bet.log_wealth(counts, epsilon=epsilon, delta=delta) == pytest.approx(math.log(wealth))
        # The expectation of one factor is at most 1 under the promise, on its boundary and inside of it.
        for q in (0.0, 0.3, 0.7):
            p = min(1.0, math.exp(0.2) * q + delta)
            outcomes = (p * (1 - q), p * q, (1 - p) * q, (1 - p) * (1 - q))
            one = [np.eye(4, dtype=int)[i].tolist() for i in range(4)]
            mean = sum(
                w * math.exp(bet.log_wealth(c, epsilon=0.2, delta=delta)) for w, c in zip(outcomes, one, strict=True)
            )
            assert mean <= 1 + 1e-12


def test_the_wealth_falls_with_epsilon_and_the_bound_is_where_it_crosses_the_level():
    counts, bet = [30_000, 20_000, 22_000, 28_000], MixtureBet(0.1)
    for delta in (0.0, 0.01):
        wealths = [bet.log_wealth(counts, epsilon=e, delta=delta) for e in np.linspace(0, 0.5, 200)]
        assert all(later <= earlier for earlier, later in pairwise(wealths))
        bound = bet.loss_bound(counts, error=1e-6, delta=delta)
        assert bet.log_wealth(counts, epsilon=bound, delta=delta) >= math.log(1e6)
        assert bet.log_wealth(counts, epsilon=bound + 1e-6, delta=delta) < math.log(1e6)
        assert 0 < bound < math.log((0.5 - delta) / 0.42)
    assert bet.loss_bound([5, 5, 5, 5], error=1e-6) == 0.0
    assert bet.loss_bound([5000, 0, 0, 5000], error=1e-6) > 3


def test_a_violation_is_refuted_and_the_best_pair_is_found():
    result = audit(Bits((0.3, 0.3, 0.5, 0.35)), runs=2**20).run()
    assert result.refuted
    assert result.pair.left == 2
    assert 0.2 <= result.loss <= math.log(0.5 / 0.3)
    assert result.runs < 2**16


def test_what_holds_is_not_refuted_and_the_runs_go_to_the_most_promising_pair():
    result = audit(Bits((0.3, 0.3, 0.3 * math.exp(0.15), 0.33)), runs=2**20).run()
    assert not result.refuted
    assert result.pair.left == 2
    assert result.runs == 2**20
    assert 2 * result.pairs_of_runs > 0.6 * result.runs
    assert 0.1 < result.loss <= 0.15
    assert 0.2 < result.detectable < 0.25
    assert "after 1.05e+06 runs: loss at least 0.1" in result.describe()


@pytest.mark.parametrize("probabilities", [(0.3, 0.31, 0.34, 0.33), (0.3, 0.3, 0.4, 0.3)])
def test_the_result_is_the_same_in_any_order_and_after_any_interruption(probabilities, tmp_path):
    """Also where the promise is refuted while blocks beyond are already finished."""
    mechanism = Bits(probabilities)
    whole = audit(mechanism).run()
    made = []

    @dataclass(frozen=True)
    class Watched:
        def observe(self, family, place, runs, seed):
            made.append((place, tuple(seed)))
            return mechanism.observe(family, place, runs, seed)

    class StopError(Exception):
        pass

    for seed in range(2):
        assert audit(mechanism, engine=Shuffled(seed)).run() == whole
        del made[:]
        path, steps, finished = tmp_path / f"{probabilities}{seed}", [5, 1, 30, 2, 40], None
        while finished is None:
            left = [steps.pop(0) if steps else 10**9]

            def stop(runs, note, left=left):
                left[0] -= 1
                if left[0] < 0:
                    raise StopError

            with Journal(path, {}) as journal:
                with contextlib.suppress(StopError):
                    finished = audit(Watched(), engine=Shuffled(seed), journal=journal, progress=stop).run()
                entries = journal._database.execute("SELECT count(*) FROM entries").fetchone()[0]
                assert entries < 200
        assert finished == whole
        # What was finished but not yet recorded when it was stopped may be made again: nothing here is.
        assert len(set(made)) == len(made)


def test_events_are_counted_as_the_tables_show_them():
    for make in (calibrated_bernoulli, optimal_bernoulli):
        estimator = make(universe=6, epsilon=0.5, sample_size=4)
        mechanism, pair = EstimatorRunner(estimator, estimator.promise), Pair(FAMILY, 2, 1)
        table = with_likelihood_ratio(mechanism.observe(FAMILY, 2, 200, (1, 2)), 2, 1)
        middle = float(np.median(table.column(LIKELIHOOD_RATIO)))
        for name, value in ((LIKELIHOOD_RATIO, middle), ("output", 0.5), ("cells.sum", 2.0)):
            for comparison in ("<=", ">", "=="):
                event = Event((Condition(name, comparison, value),))
                assert np.array_equal(happened(mechanism, pair, 2, event, 200, (1, 2)), event(table))


def test_a_block_counts_pairs_of_runs_from_seeds_of_its_own():
    candidate = Candidate(Pair(FAMILY, 1, 0), ONE, MixtureBet())
    blocks = [CountBlock(Bits((0.3, 0.6)), candidate, 600, 1, number)() for number in (0, 1, 0)]
    assert blocks[0] == blocks[2] != blocks[1]
    assert all(sum(block) == 600 for block in blocks)
    left, both, right, _ = np.sum(blocks[:2], axis=0)
    assert (left + both) / 1200 == pytest.approx(0.6, abs=0.08)
    assert (right + both) / 1200 == pytest.approx(0.3, abs=0.08)


@pytest.mark.more
def test_a_gate_with_more_runs_than_the_search_takes_goes_on_in_the_long_stage(monkeypatch, capsys):
    from pan_audits.reports.text import print_gate

    monkeypatch.setattr(privacy, "MOST_RUNS", 4000)
    monkeypatch.setattr(long_audit, "_SMALLEST_BLOCK", 512)
    quick = Settings(runs=60_000, seed=3, confirmation_runs=500, hygiene=False, exact=False, workers=0)
    kept = run_gate(find_mechanism("tests.mechanisms.counter:Counter", parameters={}), quick)
    assert kept.verdict is Verdict.NOT_REFUTED
    long = kept.privacy.long
    assert 50_000 < long.runs <= 56_000
    assert kept.privacy.runs <= 60_000
    assert 0.6 < long.loss <= 1.0
    print_gate(kept)
    out = capsys.readouterr().out
    assert "long audit" in out
    assert "--runs 60000" in out
    promise = replace(kept.promise, epsilon=0.7)
    broken = run_gate(find_mechanism("tests.mechanisms.counter:Counter", parameters={}, promise=promise), quick)
    assert broken.verdict is Verdict.REFUTED
    assert broken.privacy.long.refuted
    assert broken.privacy.loss >= 0.7
    assert broken.privacy.witness is not None


@pytest.mark.parametrize("more", [1, 3000])
def test_runs_that_are_too_few_for_a_long_audit_leave_the_search_as_it_is(more, monkeypatch):
    monkeypatch.setattr(privacy, "MOST_RUNS", 4000)
    quick = Settings(runs=4000 + more, seed=3, confirmation_runs=500, hygiene=False, exact=False, workers=0)
    report = run_gate(find_mechanism("tests.mechanisms.counter:Counter", parameters={}), quick)
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.privacy.long is None
    assert report.privacy.search_runs == 4000 + more


@pytest.mark.parametrize(("promised", "told"), [(0.2, True), (3.0, True), (10.0, True), (12.0, False)])
def test_what_is_said_to_be_caught_is_caught(promised, told):
    """With 95% power; nothing is said where every bet is too large."""
    audited = LongResult(
        promise=Promise(epsilon=promised, adjacency="user-level"),
        pair=Pair(FAMILY, 1, 0),
        event=ONE,
        counts=(3_000_000, 2_000_000, 3_000_000, 2_000_000),
        runs=20_000_000,
        loss=0.0,
        refuted=False,
        error=1e-7,
    )
    assert math.isfinite(audited.detectable) == told
    if not told:
        return
    p, q = 0.5, 0.5 * math.exp(-audited.detectable)
    distribution = [p * (1 - q), p * q, (1 - p) * q, (1 - p) * (1 - q)]
    drawn = np.random.default_rng(1).multinomial(10**7, distribution, size=400)
    needed = -math.log(audited.error)
    caught = [MixtureBet().log_wealth(counts.tolist(), epsilon=promised) >= needed for counts in drawn]
    assert np.mean(caught) >= 0.93


def test_the_page_shows_the_long_audit(monkeypatch):
    from pan_audits.reports.html import Evidence, html_report

    pytest.importorskip("matplotlib")
    monkeypatch.setattr(privacy, "MOST_RUNS", 4000)
    monkeypatch.setattr(long_audit, "_SMALLEST_BLOCK", 512)
    quick = Settings(runs=40_000, seed=3, confirmation_runs=500, hygiene=False, exact=False, workers=0)
    report = run_gate(find_mechanism("tests.mechanisms.counter:Counter", parameters={}), quick)
    page = html_report(report, Evidence(settings=quick))
    assert f"loss at least {report.privacy.long.loss:.4g}, promised 1" in page.partition('<p id="long">')[2]
    assert f"long audit: at least {report.privacy.long.loss:.4g}" in page
    without = html_report(replace(report, privacy=replace(report.privacy, long=None)), Evidence(settings=quick))
    assert "ong audit" not in without
