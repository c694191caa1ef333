"""The judge is judged: on artificial runs whose truth is known, and on sentences that were made false."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from experiments.density.contenders import CONTENDERS, DWORK, GAUSS, LAPLACE, OPTBERN, PPDS, Configuration
from experiments.density.figures.comparisons import (
    bounds_not_tight,
    coincides,
    errors_compared,
    places,
    probabilities_compared,
    squared_error,
    tightest_bound,
)
from experiments.density.setting import STREAMS, UNIFORM, ZIPF, Setting, fixed_stream
from experiments.density.simulation import simulate
from experiments.toolkit.conditions import AnyOf, Within, everywhere
from experiments.toolkit.quantities import (
    DistanceOfDistributions,
    ProbabilityOfError,
    Ratio,
    RatioOfSums,
)
from experiments.toolkit.runs import GROUP, Bench, Runs, Task, joined, run
from experiments.toolkit.sentence import ReproductionVerdict, Sentence, judge
from pan_audits.statistics import ErrorBudget
from pan_estimators import IntegerUniverse, Target
from tests.density.experiments.small import SMALL

ONE, OTHER = Configuration("one", UNIFORM, 0.1, 100), Configuration("other", UNIFORM, 0.1, 100)


@dataclass
class Artificial:
    """Runs whose squared errors are exponential with known means, in place of an estimator's."""

    means: dict[Configuration, float]
    seed: int
    setting: Setting = SMALL
    flatness: float = 3.0
    prepared: list[Any] = field(default_factory=list)

    def prepare(self, configurations, rounds, what, outputs=()):
        self.prepared.append((rounds, set(configurations)))

    def runs(self, configuration, rounds):
        generator = np.random.default_rng([self.seed, sorted(self.means).index(configuration)])
        count = self.setting.runs_after(rounds)
        squares = generator.exponential(self.means[configuration], count)
        averages = squares.reshape(-1, GROUP).mean(axis=1)
        exceeding = int((squares >= 1).sum())
        fourth = float((squares**2).mean())
        about, flatness = {Target.DENSITY: averages}, {Target.DENSITY: self.flatness}
        return Runs(count, GROUP, about, fourth, exceeding, squares, flatness, True, None)


def _sentence(condition, name="artificial"):
    return Sentence(name, "nowhere", "something", "something", lambda setting, seed: condition)


def _verdict(condition, bench, error=1e-6):
    sentence = _sentence(condition)
    (found,) = judge([sentence], bench, ErrorBudget(error), [sentence.id])
    return found


def _ratio(high):
    return Within(
        "here",
        "ratio",
        Ratio((squared_error(ONE),), (squared_error(OTHER),)),
        high=high,
    )


@pytest.mark.parametrize(
    ("quantity", "truth"),
    [(squared_error(ONE), 2.0), (ProbabilityOfError(ONE), float(np.exp(-0.5)))],
    ids=["squared error", "probability"],
)
def test_on_the_limit_a_verdict_is_wrong_as_seldom_as_the_budget_says(quantity, truth):
    """Barely inside or outside: the interval of the other verdict is entered with probability error at most."""
    error, trials = 0.1, 80
    wrong = {"inside": 0, "outside": 0}
    for seed in range(trials):
        bench = Artificial({ONE: 2.0}, seed, setting=Setting(first_runs=64, rounds=2))
        inside = Within("here", "barely inside", Ratio((quantity,), (truth,)), high=1.0 + 1e-9)
        wrong["inside"] += _verdict(everywhere([inside]), bench, error).verdict is ReproductionVerdict.NOT_REPRODUCED
        outside = Within("here", "barely outside", Ratio((quantity,), (truth,)), high=1.0 - 1e-9)
        wrong["outside"] += _verdict(everywhere([outside]), bench, error).verdict is ReproductionVerdict.REPRODUCED
    assert max(wrong.values()) <= trials * error + 5 * np.sqrt(trials * error)


def test_on_the_limit_nothing_is_decided_with_the_usual_budget():
    for seed in range(4):
        found = _verdict(everywhere([_ratio(0.5)]), Artificial({ONE: 1.0, OTHER: 2.0}, seed))
        assert found.verdict is ReproductionVerdict.UNDECIDED
        assert found.runs == 2 * SMALL.runs_after(SMALL.rounds)


@pytest.mark.parametrize(
    ("high", "verdict"), [(0.8, ReproductionVerdict.REPRODUCED), (0.3, ReproductionVerdict.NOT_REPRODUCED)]
)
def test_off_the_limit_it_is_decided_and_then_no_more_is_run(high, verdict):
    bench = Artificial({ONE: 1.0, OTHER: 2.0}, 1)
    found = _verdict(everywhere([_ratio(high)]), bench)
    assert found.verdict is verdict
    assert found.runs < 2 * SMALL.runs_after(SMALL.rounds)
    assert [rounds for rounds, _ in bench.prepared] == list(range(1, len(bench.prepared) + 1))


def test_an_assumption_that_the_runs_contradict_decides_nothing():
    bench = Artificial({ONE: 1.0, OTHER: 2.0}, 1, flatness=1.2)
    assert _verdict(everywhere([_ratio(0.8)]), bench).verdict is ReproductionVerdict.UNDECIDED


def test_one_point_that_fails_is_enough():
    right, wrong = _ratio(0.8), _ratio(0.3)
    found = _verdict(everywhere([right, wrong]), Artificial({ONE: 1.0, OTHER: 2.0}, 1))
    assert found.verdict is ReproductionVerdict.NOT_REPRODUCED
    assert found.failing == 1


def test_one_false_alternative_after_the_other_is_refuted():
    """Where nothing seems to hold, all alternatives are pursued: one of them in each round would take too many."""
    bench = Artificial({ONE: 1.0, OTHER: 2.0}, 1, setting=Setting(first_runs=2048, rounds=3))
    false = AnyOf(tuple(_ratio(high) for high in (0.3, 0.29, 0.28, 0.27, 0.26)))
    assert _verdict(false, bench).verdict is ReproductionVerdict.NOT_REPRODUCED


def test_nothing_over_nothing_keeps_no_other_point_from_its_verdict():
    """Neither of two rare events has happened: that point tells nothing, and another one decides."""
    rare, rarer = Configuration("a", UNIFORM, 0.1, 100), Configuration("b", UNIFORM, 0.1, 100)
    silent = Within("rare", "P", Ratio((ProbabilityOfError(rarer),), (ProbabilityOfError(rare),)), high=1.0)
    loud = Within("often", "P", Ratio((ProbabilityOfError(OTHER),), (ProbabilityOfError(ONE),)), high=1.0)
    bench = Artificial({rare: 0.02, rarer: 0.01, ONE: 1.0, OTHER: 1.5}, 1)
    found = _verdict(everywhere([silent, loud]), bench)
    assert found.verdict is ReproductionVerdict.NOT_REPRODUCED
    assert "P, at most 1: 1.3" in found.effect.text


@pytest.mark.parametrize(
    ("low", "verdict"), [(0.9, ReproductionVerdict.REPRODUCED), (1.3, ReproductionVerdict.NOT_REPRODUCED)]
)
def test_differences_are_compared_as_ratios_of_sums(low, verdict):
    """``5 - 2`` against ``1.5 - 1`` is ``(5 + 1)/(2 + 1.5)``; here 1.08 with what is measured."""
    ratio = RatioOfSums((5.0, squared_error(ONE)), (squared_error(OTHER), 3.555))
    condition = everywhere([Within("here", "differences", ratio, low=low)])
    assert _verdict(condition, Artificial({ONE: 1.0, OTHER: 2.0}, 1)).verdict is verdict


@dataclass
class Doubtful(Artificial):
    """The kurtosis of the first runs exceeds what is assumed: by chance, or as it is."""

    rounds_of_doubt: int = 2

    def runs(self, configuration, rounds):
        flatness = {Target.DENSITY: 1.5 if rounds <= self.rounds_of_doubt else 3.0}
        return replace(super().runs(configuration, rounds), flatness=flatness)


def test_a_doubtful_assumption_is_looked_at_again():
    by_chance = Doubtful({ONE: 1.0, OTHER: 2.0}, 1)
    assert _verdict(everywhere([_ratio(0.9)]), by_chance).verdict is ReproductionVerdict.REPRODUCED
    assert max(rounds for rounds, _ in by_chance.prepared) > 2
    contradicted = Doubtful({ONE: 1.0, OTHER: 2.0}, 1, rounds_of_doubt=100)
    assert _verdict(everywhere([_ratio(0.9)]), contradicted).verdict is ReproductionVerdict.UNDECIDED


def test_the_kurtosis_is_that_of_single_errors():
    """That of averages of eight is off by more than one in a case of twenty, in as many runs as the first round has."""
    estimator = CONTENDERS[PPDS].make(IntegerUniverse(SMALL.users), 0.5, 100)
    stream = fixed_stream(SMALL, ZIPF, 3)
    error = simulate(estimator, stream, 1024, np.random.default_rng(4)).outputs - stream.density
    configuration = Configuration(PPDS, ZIPF, 0.5, 100)
    task = Task(SMALL, 3, configuration, 0, 0, 1024, True)
    runs = run(task)
    single = runs.outputs - stream.density
    assert runs.measured_flatness == pytest.approx((single**4).mean() / (single**2).mean() ** 2)
    assert runs.measured_flatness == pytest.approx((error**4).mean() / (error**2).mean() ** 2, rel=0.4)
    both = joined([runs, run(replace(task, number=1))])
    assert both.measured_flatness == pytest.approx(runs.measured_flatness, rel=0.4)


def test_distributions_are_told_apart_or_shown_to_be_near():
    far = DistanceOfDistributions(ONE, OTHER)
    condition = everywhere([Within("here", "distance", Ratio((far,)), high=0.1)])
    assert _verdict(condition, Artificial({ONE: 1.0, OTHER: 2.0}, 1)).verdict is ReproductionVerdict.NOT_REPRODUCED
    same = Artificial({ONE: 1.0, OTHER: 1.0}, 1)
    assert _verdict(condition, same).verdict is ReproductionVerdict.REPRODUCED


def test_the_share_of_a_sentence_does_not_depend_on_what_is_asked_for():
    sentences = [_sentence(everywhere([_ratio(0.8)]), name) for name in ("a", "b", "c")]
    names = [sentence.id for sentence in sentences]

    def judged(chosen):
        bench = Artificial({ONE: 1.0, OTHER: 2.0}, 1)
        return {one.sentence.id: one for one in judge(chosen, bench, ErrorBudget(3e-6), names)}

    assert judged(sentences)["b"] == judged(sentences[1:2])["b"]
    assert judged(sentences)["b"].error == pytest.approx(1e-6)


@pytest.fixture(scope="module")
def bench():
    return Bench(SMALL, seed=3)


def _dwork_formula(place):
    return CONTENDERS[DWORK].published(place.epsilon, place.size)


_ERRORS = places(SMALL, SMALL.error_sizes)
_PROBABILITIES = places(SMALL, (SMALL.probability_size,))


@pytest.mark.parametrize(
    ("true", "condition"),
    [
        (True, coincides(DWORK, _dwork_formula, "its formula", _ERRORS, Target.SAMPLED_DENSITY)),
        (False, coincides(OPTBERN, _dwork_formula, "Dwork's formula", _ERRORS, Target.SAMPLED_DENSITY)),
        (
            False,
            coincides(DWORK, lambda place: _dwork_formula(place) / 1.3, "a wrong constant", _ERRORS, Target.DENSITY),
        ),
        (True, everywhere(errors_compared(OPTBERN, (DWORK,), _ERRORS, high=0.5))),
        (False, everywhere(errors_compared(DWORK, (OPTBERN,), _ERRORS, high=0.5))),
        (False, everywhere(errors_compared(OPTBERN, (DWORK,), _ERRORS, high=0.1))),
        (True, everywhere(errors_compared(LAPLACE, (GAUSS,), _ERRORS, high=1.0))),
        (False, everywhere(errors_compared(GAUSS, (LAPLACE,), _ERRORS, high=1.0))),
        (True, everywhere(errors_compared(PPDS, (DWORK,), _ERRORS, high=0.5))),
        (True, everywhere(probabilities_compared(OPTBERN, (DWORK,), _PROBABILITIES))),
        (False, everywhere(probabilities_compared(DWORK, (OPTBERN,), _PROBABILITIES))),
        (True, bounds_not_tight((OPTBERN, DWORK), _PROBABILITIES, SMALL.alpha, capped=False)),
        (False, bounds_not_tight((OPTBERN, DWORK), _PROBABILITIES, SMALL.alpha, capped=True)),
    ],
)
def test_true_sentences_are_reproduced_and_false_ones_are_not(bench, true, condition):
    found = _verdict(condition, bench)
    assert found.verdict is (ReproductionVerdict.REPRODUCED if true else ReproductionVerdict.NOT_REPRODUCED), (
        found.effect
    )


def test_what_was_assumed_is_told_with_what_was_measured(bench):
    with_assumption = _verdict(everywhere(errors_compared(PPDS, (DWORK,), _ERRORS[:1], high=0.5)), bench)
    assert with_assumption.assumes.startswith("the kurtosis of the error of PPDS is at most 6; measured at most ")
    without = _verdict(everywhere(errors_compared(OPTBERN, (DWORK,), _ERRORS[:1], high=0.5)), bench)
    assert without.assumes == ""


def test_the_bound_is_the_smallest_value_of_the_printed_one():
    from pan_estimators import dwork_bound, tightest_beta

    planned = tightest_beta(dwork_bound(0.5), alpha=0.1, sample_size=20_000).beta
    found = tightest_bound("dwork", 0.5, 0.1, 20_000)
    assert found.low < found.estimate < found.high < found.low + 2e-6
    assert found.estimate == pytest.approx(planned, rel=1e-3)
    assert tightest_bound("dwork", 0.05, 0.1, 400).low > 1.9


def test_streams_are_compared_with_each_other():
    assert {place.stream for place in _ERRORS} == set(STREAMS) == {UNIFORM, ZIPF}
