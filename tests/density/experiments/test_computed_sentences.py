"""Sentences that are computed: right as they stand, and wrong when what they are about is changed."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from experiments.density.contenders import DWORK, OPTBERN, QLAP
from experiments.density.figures import curves, laplace_pair, sample_sizes, state_budgets
from experiments.toolkit.registry import FIGURES, experiment
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import ReproductionVerdict, judge
from pan_audits.statistics import ErrorBudget
from tests.density.experiments.small import SMALL

SENTENCES = {one.id: one for name in FIGURES for one in experiment(name).sentences if not one.measured}


def _verdict(identifier, setting=SMALL):
    (found,) = judge([SENTENCES[identifier]], Bench(setting, 1), ErrorBudget(), [])
    assert found.runs == 0
    assert found.error == 0.0
    return found.verdict


@pytest.mark.parametrize(
    "identifier",
    [
        "figure-1.half-an-order",
        "thesis-4.1.order-below-roth-for-some-beta",
        "figure-2.dwork-is-private",
        "figure-2.dwork-wastes-budget",
        "figure-2.dwork-ratios",
        "figure-2.optbern-uses-all",
        "figure-3.actual-below-allocated",
        "thesis-4.5.same-order",
        "thesis-4.6.tight-outside",
        "thesis-4.6.uses-all",
        "thesis-4.6.interval",
        "thesis-4.7.private",
        "thesis-4.7.between",
        "thesis-4.8.optbern-is-best",
    ],
)
def test_what_is_true(identifier):
    assert _verdict(identifier) is ReproductionVerdict.REPRODUCED


@pytest.mark.parametrize("identifier", ["thesis-4.1.order-below-roth", "thesis-4.6.interval-is-all"])
def test_what_is_false(identifier):
    assert _verdict(identifier) is ReproductionVerdict.NOT_REPRODUCED


def _pairs(label, before, after):
    return state_budgets.PAIRS | {label: (before, after)}


_e = state_budgets.epsilon_symbol


@pytest.mark.parametrize(
    ("identifier", "pairs"),
    [
        ("figure-2.dwork-is-private", _pairs(DWORK, sp.Rational(1, 2), sp.Rational(1, 2) + _e / 2)),
        ("figure-2.dwork-wastes-budget", _pairs(DWORK, *state_budgets.PAIRS[OPTBERN])),
        ("figure-2.dwork-ratios", _pairs(DWORK, sp.Rational(1, 2), sp.Rational(1, 2) + _e / 8)),
        ("figure-2.optbern-uses-all", _pairs(OPTBERN, *state_budgets.PAIRS[QLAP])),
        ("thesis-4.7.between", _pairs(QLAP, sp.Rational(1, 2), sp.Rational(1, 2) + _e / 8)),
    ],
)
def test_with_other_bits_they_are_false(identifier, pairs, monkeypatch):
    monkeypatch.setattr(state_budgets, "PAIRS", pairs)
    assert _verdict(identifier) is not ReproductionVerdict.REPRODUCED


def test_at_the_limit_balls_do_not_tell(monkeypatch):
    """That OptBern's bits waste budget is false, but only by a limit that no ball excludes."""
    monkeypatch.setattr(state_budgets, "PAIRS", _pairs(DWORK, *state_budgets.PAIRS[OPTBERN]))
    assert _verdict("figure-2.dwork-wastes-budget") is ReproductionVerdict.UNDECIDED


def test_sizes_that_are_not_certified_decide_nothing(monkeypatch):
    known = sample_sizes.proposed_size
    monkeypatch.setattr(sample_sizes, "proposed_size", lambda *given: (known(*given)[0], False))
    assert _verdict("figure-1.half-an-order") is ReproductionVerdict.UNDECIDED


def test_it_takes_the_least_beta_for_an_order_below_roth(monkeypatch):
    monkeypatch.setattr(sample_sizes, "_BETAS", (0.1, 0.05))
    assert _verdict("thesis-4.1.order-below-roth-for-some-beta") is ReproductionVerdict.NOT_REPRODUCED
    monkeypatch.setattr(sample_sizes, "_BETAS", (0.01,))
    assert _verdict("thesis-4.1.order-below-roth") is ReproductionVerdict.REPRODUCED


def test_swapped_sizes_are_not_half_an_order_apart(monkeypatch):
    known = sample_sizes.proposed_size
    swapped = {DWORK: OPTBERN, OPTBERN: DWORK}
    monkeypatch.setattr(sample_sizes, "proposed_size", lambda label, *rest: known(swapped[label], *rest))
    assert _verdict("figure-1.half-an-order") is ReproductionVerdict.NOT_REPRODUCED


def test_the_expected_densities_are_rounded_as_printed(monkeypatch):
    """At a tenth of the size the uniform density is the same, and the Zipf density is another."""
    assert curves._rounds_to(SMALL, "uniform", Fraction(63, 100)).true is True
    assert curves._rounds_to(SMALL, "uniform", Fraction(64, 100)).true is False
    value = curves._rounds_to(SMALL, "Zipf", Fraction(25, 100)).value
    assert curves._rounds_to(SMALL, "Zipf", Fraction(round(value, 2)).limit_denominator(100)).true is True
    monkeypatch.setattr(curves, "_expected", lambda *given: (Fraction(244, 1000), Fraction(246, 1000), 0.245))
    assert curves._rounds_to(SMALL, "Zipf", Fraction(25, 100)).true is None


def test_the_ratio_of_the_laplace_densities():
    assert laplace_pair.log_ratio(Fraction(0)) == -laplace_pair.BUDGET
    assert laplace_pair.log_ratio(Fraction(1, 2)) == 0
    assert laplace_pair.log_ratio(Fraction(2)) == laplace_pair.BUDGET == Fraction(1, 10)
