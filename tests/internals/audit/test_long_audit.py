"""The long stage of an audit: counts alone, from any interruption on to the same result, and seldom wrong.

``make test-slow`` measures the rates and the numbers of runs at full size, and records them.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import binomtest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit import long_audit, privacy
from pan_audits.audit.journal import Journal
from pan_audits.audit.long_audit import MOST_CANDIDATES, LongAudit, LongResult, PairBet
from pan_audits.audit.sampler import Sampler
from pan_audits.events import LIKELIHOOD_RATIO, Condition, Event, Table
from pan_audits.problems.inputs.streams.family import Family, Pair, SegmentEnd, basic_patterns, empty_segments
from pan_audits.statistics import ErrorBudget, MixtureBet
from pan_audits.subject.running.runner import EstimatorRunner, happened, with_likelihood_ratio
from pan_audits.workers.engines import InProcess
from pan_audits.workers.limits import Outcome
from pan_estimators import Adjacency, Promise, calibrated_bernoulli

SCHEDULE = (SegmentEnd.INTRUSION, SegmentEnd.RELEASE)
FAMILY = Family("x", 3, SCHEDULE, empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL)
ONE = Event((Condition("bit", ">", 0.5),))
BUDGET = 0.05
FEW, MANY = 60, 2000


@dataclass(frozen=True)
class Bits:
    """One bit, of a probability for each stream of a family."""

    probabilities: tuple[float, ...]

    def observe(self, family, place, runs, seed):
        generator = np.random.default_rng(list(seed))
        return Table(("bit",), (generator.random((runs, 1)) < self.probabilities[place]).astype(float))


def lost(high, loss):
    """The first stream has the probability ``high``, and the others less by the loss."""
    return Bits((high, *[high * math.exp(-loss)] * 3))


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


def audit(mechanism, promised=0.2, *, runs=2**17, seed=7, pairs=3, left=None, error=1e-3, **more):
    """An audit of pairs with stream 0; it stands on the right, or on the left where ``left`` is 0."""
    given = {name: more.pop(name) for name in ("journal", "progress") if name in more}
    sampler = Sampler(mechanism, engine=more.pop("engine", InProcess()), **given)
    places = [(1 + place % 3, 0) for place in range(pairs)]
    bet = MixtureBet(more.pop("learned", 0.0))
    candidates = [PairBet(Pair(FAMILY, *(both[::-1] if left == 0 else both)), ONE, bet) for both in places]
    promise = Promise(epsilon=promised, adjacency="user-level")
    return LongAudit(sampler, promise, candidates, ErrorBudget(error), seed, runs, **({"block_runs": 512} | more)).run()


def test_a_violation_is_refuted_and_the_best_pair_is_found():
    result = audit(Bits((0.3, 0.3, 0.5, 0.35)), runs=2**20)
    assert result.refuted
    assert result.pair.left == 2
    assert 0.2 <= result.loss <= math.log(0.5 / 0.3)
    assert result.runs < 2**16


def test_what_holds_is_not_refuted_and_the_runs_go_to_the_most_promising_pair():
    result = audit(Bits((0.3, 0.3, 0.3 * math.exp(0.15), 0.33)), runs=2**19)
    assert not result.refuted
    assert result.pair.left == 2
    assert 2 * result.pairs_of_runs > 0.6 * result.runs == 0.6 * 2**19
    assert 0.08 < result.loss <= 0.15
    assert 0.2 < result.detectable < 0.25


@pytest.mark.parametrize("probabilities", [(0.3, 0.31, 0.34, 0.33), (0.3, 0.3, 0.4, 0.3)])
def test_the_result_is_the_same_in_any_order_and_after_any_interruption(probabilities, tmp_path):
    """Also where the promise is refuted while blocks beyond are already finished."""
    mechanism, made = Bits(probabilities), []
    whole = audit(mechanism)

    @dataclass(frozen=True)
    class Watched:
        def observe(self, family, place, runs, seed):
            made.append((place, tuple(seed)))
            return mechanism.observe(family, place, runs, seed)

    class StopError(Exception):
        pass

    assert audit(mechanism, engine=Shuffled(0)) == whole
    steps, finished = [5, 1, 30, 2, 40], None
    while finished is None:
        left = [steps.pop(0) if steps else 10**9]

        def stop(runs, note, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise StopError

        with Journal(tmp_path / "journal", {}) as journal:
            with contextlib.suppress(StopError):
                finished = audit(Watched(), engine=Shuffled(1), journal=journal, progress=stop)
            assert journal._database.execute("SELECT count(*) FROM entries").fetchone()[0] < 200
    assert finished == whole
    # What was finished but not yet recorded when it was stopped may be made again: nothing here is.
    assert len(set(made)) == len(made)


def test_events_are_counted_as_the_tables_show_them():
    estimator = calibrated_bernoulli(universe=6, promise_epsilon=1, sample_size=4)
    mechanism, pair = EstimatorRunner(estimator, estimator.promise), Pair(FAMILY, 2, 1)
    table = with_likelihood_ratio(mechanism.observe(FAMILY, 2, 200, (1, 2)), 2, 1)
    middle = float(np.median(table.column(LIKELIHOOD_RATIO)))
    for name, value in ((LIKELIHOOD_RATIO, middle), ("output", 0.5), ("cells.sum", 2.0)):
        event = Event((Condition(name, "<=", value),))
        assert np.array_equal(happened(mechanism, pair, 2, event, 200, (1, 2)), event(table))


@pytest.mark.more
def test_a_gate_with_more_runs_than_the_search_takes_goes_on_in_the_long_stage(monkeypatch):
    monkeypatch.setattr(privacy, "MOST_RUNS", 4000)
    monkeypatch.setattr(long_audit, "_SMALLEST_BLOCK", 512)
    quick = Settings(runs=60_000, seed=3, confirmation_runs=500, hygiene=False, exact=False, workers=0)
    mechanism = find_mechanism("tests.mechanisms.counter:Counter", parameters={})
    kept = run_gate(mechanism, quick)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert 50_000 < kept.privacy.long.runs <= 56_000
    assert kept.privacy.runs <= 60_000
    assert 0.6 < kept.privacy.long.loss <= 1.0
    promise = replace(kept.promise, epsilon=0.7)
    broken = run_gate(find_mechanism("tests.mechanisms.counter:Counter", parameters={}, promise=promise), quick)
    assert broken.verdict is Verdict.REFUTED
    assert broken.privacy.long.refuted
    assert broken.privacy.loss >= 0.7
    assert broken.privacy.witness is not None
    few = run_gate(mechanism, replace(quick, runs=4001))
    assert few.verdict is Verdict.NOT_REFUTED
    assert few.privacy.long is None
    assert few.privacy.search_runs == 4001


@pytest.mark.parametrize(("promised", "told"), [(0.2, True), (10.0, True), (12.0, False)])
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
    if told:
        p, q = 0.5, 0.5 * math.exp(-audited.detectable)
        distribution = [p * (1 - q), p * q, (1 - p) * q, (1 - p) * (1 - q)]
        drawn = np.random.default_rng(1).multinomial(10**7, distribution, size=400)
        wealths = [MixtureBet().log_wealth(counts.tolist(), epsilon=promised) for counts in drawn]
        assert np.mean(np.array(wealths) >= -math.log(audited.error)) >= 0.93


def outcomes(audits, mechanism, promised, **more):
    given = {"pairs": MOST_CANDIDATES, "left": 0, "error": BUDGET, "runs": 2**14, "block_runs": 256} | more
    jobs = 1 if audits == FEW else 2
    return Parallel(n_jobs=jobs)(delayed(audit)(mechanism, promised, seed=seed, **given) for seed in range(audits))


@pytest.mark.parametrize("audits", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("high", "loss"), [(0.5, 0.2), (0.02, 1.0), (0.9, 0.5)])
def test_what_is_lost_exactly_as_promised_is_refuted_no_more_often_than_the_budget(high, loss, audits, record_property):
    """And no more often does the bound ever exceed the loss."""
    results = outcomes(audits, lost(high, loss), loss)
    assert all(result.refuted == (result.loss >= loss) for result in results)
    refuted = sum(result.refuted for result in results)
    interval = binomtest(refuted, audits).proportion_ci(0.99)
    record_property(
        f"long audits of a bit of {high:g} with loss {loss:g}",
        f"{refuted} of {audits} refuted, 99% interval {interval.low:.4f} .. {interval.high:.4f}, budget {BUDGET}",
    )
    # A few audits can only show a gross excess; many must show that the rate is below the budget.
    assert interval.high <= BUDGET if audits == MANY else interval.low <= BUDGET


def test_a_bet_on_the_wrong_side_of_the_promise_is_seen_by_the_same_audits():
    """If the promise were a little less than the loss, they would refute it nearly always."""
    assert sum(result.refuted for result in outcomes(FEW, lost(0.5, 0.4), 0.2)) > 0.9 * FEW
