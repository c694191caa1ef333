"""Power: every broken mechanism is refuted at the default budget, and no correct one is."""

from __future__ import annotations

import pytest

from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import search
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_estimators import Observed, optimal_bernoulli
from tests.mutants import mechanisms as m

_JOINT, _STATE, _OUTPUT = Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT
_ANNOUNCED = (("announced", 1),)

MUTANTS = (
    ("half of the noise", m.DistinctCount(scale=0.5), 9_984),
    ("four fifths of the noise", m.DistinctCount(scale=0.8), 44_672),
    ("noise on one side only", m.OneSidedNoise(), 3_840),
    ("noise cut off at three", m.TruncatedNoise(), 15_104),
    ("Gaussian noise for a pure promise", m.GaussianNoise(), 15_360),
    ("noise whose scale depends on the count", m.NoiseThatDependsOnTheCount(), 9_600),
    ("one noise for two numbers", m.CorrelatedOutputs(m.promised(3.0), 1.0), 9_088),
    ("doubled bias of the bit", m.DoubledBias(0.9), 6_656),
    ("the same noise at two times", m.TheSameNoiseTwice(m.promised(1.0, outputs=2), 2.0), 5_376),
    ("a leak after the hundredth appearance", m.LeakAfterTheHundredthAppearance(), 3_840),
    ("a bit that is only ever set", m.BitThatIsOnlySet(), 3_840),
    ("a leak in the first update", m.LeakInTheFirstUpdate(), 1_920),
    ("an element that the output ignores", m.ElementThatTheOutputIgnores(), 1_920),
    ("the parity of the updates", m.ParityOfTheUpdates(), 1_920),
    ("a flag that is slowly raised", m.SlowLeak(), 3_840),
    ("a sample of those who came first", m.SampleOfThoseWhoCameFirst(), 1_920),
    ("state and output separately harmless", m.SeparatelyHarmless(0.5, _JOINT), 5_376),
    ("a counter without fresh noise", m.NoisyCounter(fresh_noise=False), 2_560),
    ("a deletion that restores", m.DeletionThatRestores(), 3_712),
    ("the published estimator", optimal_bernoulli(universe=8, epsilon=0.1, sample_size=8), 5_376),
)
"""What is wrong, the mechanism, and the runs on all streams after which seed 1 refuted it at the default budget."""

LONG = (
    ("split intrusion", m.SplitIntrusion(0.2, _JOINT), 15_232),
    ("not redrawn when announced", m.NotRandomisedAfterAnAnnouncement(0.5, _STATE, _ANNOUNCED), 10_368),
    ("an exact release in 2% of the runs", m.RareLeak(m.promised(1.0, delta=0.005)), 75_136),
    ("re-used randomness", m.ReusedRandomness(), 9_344),
)
"""Each takes more than five seconds."""

RARE = ("an event of probability 1e-3 that is disjoint", m.RareDisjointEvent(), 489_472)

CONTROLS = (
    ("bits drawn afresh with noise to match, jointly", m.Cells(0.5, _JOINT)),
    ("a counter with fresh noise, jointly", m.NoisyCounter()),
    ("a coin that is turned over, state alone", m.SeparatelyHarmless(0.5, _STATE)),
    ("a coin that is turned over, output alone", m.SeparatelyHarmless(0.5, _OUTPUT)),
)
"""Correct mechanisms, some of them the mutants' own halves: none may be refuted."""


def searched(estimator, most_runs=1_000_000):
    pairs = catalogue(estimator.promise, range(8), deletions=getattr(estimator, "deletions", False), seed=1)
    # Single runs, whose seeds the recorded numbers belong to.
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise, singly=1.0))
    return search(sampler, estimator.promise, pairs, ErrorBudget(), entropy=1, most_runs=most_runs)


def rows():
    for marks, table in (((), MUTANTS), (pytest.mark.more, LONG), (pytest.mark.slow, [RARE])):
        yield from (pytest.param(*row, id=row[0], marks=marks) for row in table)


@pytest.mark.parametrize(("name", "estimator", "runs"), list(rows()))
def test_mutant_is_refuted_within_the_recorded_runs(name, estimator, runs):
    found = searched(estimator)
    assert found.refutations, f"not refuted in {found.runs} runs"
    assert found.runs <= 1.5 * runs


@pytest.mark.more
@pytest.mark.parametrize(("name", "estimator"), CONTROLS, ids=[name for name, _ in CONTROLS])
def test_correct_mechanism_is_not_refuted(name, estimator):
    assert not searched(estimator, most_runs=10_000).refutations
