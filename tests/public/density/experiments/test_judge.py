"""The judge is judged: on artificial runs whose truth is known, and on sentences that were made false."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from experiments.density.contenders import (
    CONTENDERS,
    DWORK,
    GAUSS,
    LAPLACE,
    OPTBERN,
    PPDS,
    QLAP,
    UNIFORM,
    Configuration,
    Setting,
)
from experiments.density.figures import state_budgets
from experiments.density.figures.comparisons import (
    bounds_not_tight,
    coincides,
    compared,
    places,
    probability,
    squared_error,
)
from experiments.toolkit.conditions import AnyOf, Within, everywhere
from experiments.toolkit.quantities import (
    MeanSquaredError,
    ProbabilityOfError,
    Ratio,
    groups,
    mean_square_bounds,
)
from experiments.toolkit.reproduction import FIGURES, experiment
from experiments.toolkit.runs import GROUP, Bench, Runs
from experiments.toolkit.sentence import ReproductionVerdict, Sentence, judge
from pan_audits.statistics import ErrorBudget
from pan_estimators import Target
from tests.public.density.experiments.small import SMALL

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
    return Sentence(name, "nowhere", "something", "something", lambda bench: [condition])


def _verdict(condition, bench, error=1e-6):
    sentence = _sentence(condition)
    (found,) = judge([sentence], bench, ErrorBudget(error), [sentence.id])
    return found


def _ratio(high):
    return Within(
        "here",
        "ratio",
        Ratio((MeanSquaredError(ONE, Target.DENSITY),), (MeanSquaredError(OTHER, Target.DENSITY),)),
        high=high,
    )


@pytest.mark.parametrize(
    ("quantity", "truth"),
    [(MeanSquaredError(ONE, Target.DENSITY), 2.0), (ProbabilityOfError(ONE), float(np.exp(-0.5)))],
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
        (True, compared("MSE", squared_error(OPTBERN), squared_error(DWORK), _ERRORS, high=0.5)),
        (False, compared("MSE", squared_error(DWORK), squared_error(OPTBERN), _ERRORS, high=0.5)),
        (False, compared("MSE", squared_error(OPTBERN), squared_error(DWORK), _ERRORS, high=0.1)),
        (True, compared("MSE", squared_error(LAPLACE), squared_error(GAUSS), _ERRORS, high=1.0)),
        (False, compared("MSE", squared_error(GAUSS), squared_error(LAPLACE), _ERRORS, high=1.0)),
        (True, compared("MSE", squared_error(PPDS), squared_error(DWORK), _ERRORS, high=0.5)),
        (True, compared("P", probability(OPTBERN), probability(DWORK), _PROBABILITIES, high=1.0)),
        (False, compared("P", probability(DWORK), probability(OPTBERN), _PROBABILITIES, high=1.0)),
        (True, bounds_not_tight((OPTBERN, DWORK), _PROBABILITIES, SMALL.alpha, capped=False)),
        (False, bounds_not_tight((OPTBERN, DWORK), _PROBABILITIES, SMALL.alpha, capped=True)),
    ],
)
def test_true_sentences_are_reproduced_and_false_ones_are_not(bench, true, condition):
    found = _verdict(everywhere(condition), bench)
    assert found.verdict is (ReproductionVerdict.REPRODUCED if true else ReproductionVerdict.NOT_REPRODUCED), (
        found.effect
    )


def _coverage(draw, flatness, *, size, group, error, repetitions):
    generator = np.random.default_rng(5)
    missed = np.zeros(2)
    for _ in range(repetitions):
        low, high = mean_square_bounds(
            groups(draw(generator, size), group), group=group, flatness=flatness, error=error
        )
        missed += (low > 1, high < 1)
    return missed / repetitions


def _rare(share):
    """Values of mean 1 and flatness 1/share that are mostly 0: the distribution for which the lower deviations are
    worst.
    """
    return lambda generator, size: (generator.random(size) < share) / share


@pytest.mark.parametrize(
    ("draw", "flatness"),
    [
        (lambda generator, size: generator.standard_normal(size) ** 2, 3.0),
        (lambda generator, size: generator.laplace(size=size) ** 2 / 2, 6.0),
        (lambda generator, size: generator.pareto(2.5, size) * 1.5, 6.0),
        (_rare(0.02), 50.0),
        (_rare(0.5), 2.0),
    ],
    ids=["Gaussian", "Laplace", "Pareto", "rare", "coin"],
)
@pytest.mark.parametrize("group", [1, 8])
def test_each_bound_fails_as_seldom_as_stated(draw, flatness, group):
    missed = _coverage(draw, flatness, size=400, group=group, error=0.05, repetitions=400)
    # Five standard deviations above the stated error.
    assert (missed <= 0.05 + 5 * np.sqrt(0.05 * 0.95 / 400)).all()


def test_a_flatness_that_is_too_small_is_found_out():
    """The coverage comes from the assumption: with half of it, the bounds fail more often than stated."""
    missed = _coverage(_rare(0.02), 3.0, size=400, group=1, error=0.05, repetitions=300)
    assert missed.max() > 0.1


def test_too_few_values_bound_nothing_from_above():
    assert mean_square_bounds(np.ones(1), group=1, flatness=3.0, error=1e-9)[1] == np.inf
    assert mean_square_bounds(np.zeros(50), group=1, flatness=3.0, error=0.1) == (0.0, np.inf)


def _computed(identifier):
    (sentence,) = (one for name in FIGURES for one in experiment(name).sentences if one.id == identifier)
    (found,) = judge([sentence], Bench(SMALL, 1), ErrorBudget(), [])
    assert found.runs == 0
    return found.verdict


COMPUTED = (
    *("figure-1.half-an-order", "thesis-4.1.order-below-roth-for-some-beta", "figure-2.dwork-is-private"),
    *("figure-2.dwork-wastes-budget", "figure-2.dwork-ratios", "figure-2.optbern-uses-all", "thesis-4.5.same-order"),
    *("figure-3.actual-below-allocated", "thesis-4.6.tight-outside", "thesis-4.6.uses-all", "thesis-4.6.interval"),
    *("thesis-4.7.private", "thesis-4.7.between", "thesis-4.8.optbern-is-best"),
)


@pytest.mark.parametrize(
    ("identifier", "true"),
    [(one, True) for one in COMPUTED] + [("thesis-4.1.order-below-roth", False), ("thesis-4.6.interval-is-all", False)],
)
def test_computed_sentences_have_their_verdicts(identifier, true):
    expected = ReproductionVerdict.REPRODUCED if true else ReproductionVerdict.NOT_REPRODUCED
    assert _computed(identifier) is expected


_half, _e = sp.Rational(1, 2), state_budgets.epsilon_symbol


@pytest.mark.parametrize(
    ("identifier", "label", "pair"),
    [
        ("figure-2.dwork-is-private", DWORK, (_half, _half + _e / 2)),
        ("figure-2.dwork-wastes-budget", DWORK, state_budgets.PAIRS[OPTBERN]),
        ("figure-2.dwork-ratios", DWORK, (_half, _half + _e / 8)),
        ("figure-2.optbern-uses-all", OPTBERN, state_budgets.PAIRS[QLAP]),
        ("thesis-4.7.between", QLAP, (_half, _half + _e / 8)),
    ],
)
def test_with_other_bits_they_are_not_reproduced(identifier, label, pair, monkeypatch):
    monkeypatch.setattr(state_budgets, "PAIRS", state_budgets.PAIRS | {label: pair})
    assert _computed(identifier) is not ReproductionVerdict.REPRODUCED
