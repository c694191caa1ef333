"""The broken mechanisms, with what is broken, how badly, and what it took to find out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pan_estimators import Observed, optimal_bernoulli
from tests.auditing.mutants import mechanisms as m

_JOINT, _STATE, _OUTPUT = Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT


@dataclass(frozen=True)
class Mutant:
    """A mechanism that breaks its promise.

    Attributes
    ----------
    name
        What is wrong.
    estimator
        The mechanism, with its promise.
    loss
        Its true loss for the worst event, in nats; the promise stands in the mechanism.
    streaming
        Whether what is wrong has to do with the order or number of updates, or with an intrusion.
    runs
        Runs, on all streams, after which it was refuted at the default budget with seed 1.
    """

    name: str
    estimator: Any
    loss: float
    streaming: bool
    runs: int


MUTANTS = (
    Mutant("half of the noise", m.DistinctCount(scale=0.5), 2.0, False, 9_984),
    Mutant("four fifths of the noise", m.DistinctCount(scale=0.8), 1.25, False, 44_672),
    Mutant("noise on one side only", m.OneSidedNoise(), math.inf, False, 3_840),
    Mutant("noise cut off at three", m.TruncatedNoise(), math.inf, False, 15_104),
    Mutant("Gaussian noise for a pure promise", m.GaussianNoise(), 10.0, False, 15_360),
    Mutant("noise whose scale depends on the count", m.NoiseThatDependsOnTheCount(), math.inf, False, 9_600),
    Mutant("an event of probability 1e-3 that is disjoint", m.RareDisjointEvent(), math.inf, False, 489_472),
    Mutant("an exact release in 2% of the runs", m.RareLeak(m.promised(1.0, delta=0.005)), math.inf, False, 75_136),
    Mutant("one noise for two numbers", m.CorrelatedOutputs(m.promised(3.0), 1.0), math.inf, False, 9_088),
    Mutant("doubled bias of the bit", m.DoubledBias(0.9), math.log(10), False, 6_656),
    Mutant("the same noise at two times", m.TheSameNoiseTwice(m.promised(1.0, outputs=2), 2.0), math.inf, True, 5_376),
    Mutant("a leak after the hundredth appearance", m.LeakAfterTheHundredthAppearance(), 11.0, True, 3_840),
    Mutant("a bit that is only ever set", m.BitThatIsOnlySet(), math.inf, True, 3_840),
    Mutant("a leak in the first update", m.LeakInTheFirstUpdate(), math.inf, True, 1_920),
    Mutant("an element that the output ignores", m.ElementThatTheOutputIgnores(), math.inf, True, 1_920),
    Mutant("the parity of the updates", m.ParityOfTheUpdates(), math.inf, True, 1_920),
    Mutant("a flag that is slowly raised", m.SlowLeak(), math.inf, True, 3_840),
    Mutant("re-used randomness", m.ReusedRandomness(), math.inf, True, 9_344),
    Mutant("a sample of those who came first", m.SampleOfThoseWhoCameFirst(), math.inf, True, 1_920),
    Mutant("state and output separately harmless", m.SeparatelyHarmless(0.5, _JOINT), math.inf, True, 5_376),
    Mutant("split intrusion", m.SplitIntrusion(0.2, _JOINT), math.log(0.5 + 1.5 * math.e), True, 15_232),
    Mutant("a quarter of the noise", m.QuarterOfTheNoise(0.5, _JOINT), 2.1, True, 45_440),
    Mutant(
        "not re-randomised after an announcement",
        m.NotRandomisedAfterAnAnnouncement(0.5, _STATE, (("announced", 1),)),
        math.inf,
        True,
        10_368,
    ),
    Mutant("a counter without fresh noise", m.NoisyCounter(fresh_noise=False), math.inf, True, 2_560),
    Mutant("a deletion that restores", m.DeletionThatRestores(), math.inf, True, 3_712),
    Mutant(
        "the published optimal Bernoulli estimator",
        optimal_bernoulli(universe=8, epsilon=0.1, sample_size=8),
        1.57,
        True,
        5_376,
    ),
)
"""Each is refuted at the default budget; half of them and more are streaming."""

CONTROLS = (
    ("Laplace noise on a count", m.DistinctCount()),
    ("bits drawn afresh, state alone", m.Cells(0.5, _STATE)),
    ("bits drawn afresh, output alone", m.Cells(0.5, _OUTPUT)),
    ("bits drawn afresh with noise to match, jointly", m.Cells(0.5, _JOINT)),
    ("a counter with fresh noise, jointly", m.NoisyCounter()),
    ("a coin that is turned over, state alone", m.SeparatelyHarmless(0.5, _STATE)),
    ("a coin that is turned over, output alone", m.SeparatelyHarmless(0.5, _OUTPUT)),
)
"""Correct mechanisms, some of them the mutants' own halves: none may be refuted."""
