import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pan_estimators.calibration import calibrate_symmetric
from pan_estimators.cell_loss import worst_ratio
from pan_proofs.cell_enumeration import Cell, largest_joint_ratio, through_flip
from pan_proofs.claims.calibrated_optimal_split import EXAMPLES, objective, slope_at
from pan_proofs.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.joint_loss_proofs import noise_factor, total_factor
from pan_proofs.ledger import Verdict, derive_here
from pan_proofs.ledger.notation import m
from tests.claims.false_privacy_calibrated import FALSE

VERDICTS = {
    "calibrated.joint_privacy": Verdict.PROVED,
    "calibrated.insert_delete": Verdict.PROVED,
    "calibrated.announced_intrusions": Verdict.PROVED,
    "calibrated.continual_output": Verdict.PROVED,
    "calibrated.optimal_split": Verdict.PROVED,
}
_few = settings(max_examples=15, deadline=None)
_factors = st.fractions(Fraction(21, 20), 8, max_denominator=20)
_noise = sp.lambdify((total_factor, state_factor), noise_factor())
_error = sp.lambdify((state_factor, total_factor, m), objective)


def _pair(state):
    return 1 / (1 + state), state / (1 + state)


@pytest.mark.parametrize("identifier", VERDICTS)
def test_every_claim_has_its_verdict(identifier):
    claim = derive_here(identifier)
    assert claim.verdict is VERDICTS[identifier]
    done, inequalities = claim.controls
    assert done == inequalities


@pytest.mark.parametrize("name", FALSE)
def test_no_false_statement_is_proved(name):
    _, build = FALSE[name]
    assert build().verdict is not Verdict.PROVED


@_few
@given(_factors, _factors, st.booleans())
def test_the_noise_for_a_total_gives_exactly_that_total(state, rest, deletions):
    rate = _noise(state * rest, state)
    cell = Cell((_pair(state),), (), 1 / rate, rate)
    assert largest_joint_ratio(cell, deletions=deletions) == state * rest


@_few
@given(_factors, _factors, st.integers(1, 8), st.booleans())
def test_several_outputs_have_the_stated_loss(state, rate, outputs, deletions):
    assume(outputs < 6 or not deletions)
    found = worst_ratio([_pair(state)], up=1 / rate, down=1 / rate, releases=outputs, deletions=deletions)
    assert found == state * (1 + state * rate**outputs) / (1 + state)


@_few
@given(_factors, _factors)
def test_one_announced_intrusion_has_the_larger_of_two_ratios(state, rate):
    flip = 1 / (1 + state)
    cell = Cell((_pair(state), through_flip(_pair(state), flip)), (flip,), 1 / rate, rate)
    at = {state_factor: sp.Rational(str(state)), limit: sp.Rational(str(rate))}
    stated = max(ratio.value.subs(at) for ratio in maximal_ratios(Setting("symmetric", announced=1)))
    assert largest_joint_ratio(cell, announced=1) == Fraction(int(stated.p), int(stated.q))


@pytest.mark.parametrize(("total", "size", "low", "high"), EXAMPLES)
def test_the_estimator_finds_the_best_division(total, size, low, high):
    cells = calibrate_symmetric(float(total), size).pairs[0]
    budget = math.log(cells.p_upd / cells.p_init)
    assert float(low) - 1e-3 < budget < float(high) + 1e-3
    at = np.linspace(0.01, 0.99, 4000) * float(total)
    errors = _error(np.exp(at), math.exp(total), size)
    assert abs(at[errors.argmin()] - float(low)) < 1e-3
    assert slope_at(total, size, total / 2) is False


def test_the_error_of_a_division_is_the_simulated_one():
    source, size, ones, runs = np.random.default_rng(11), 40, 15, 200_000
    state, total = 1.5, 3.0
    p_init, p_upd = _pair(state)
    decay = 1 / _noise(total, state)
    noise = source.geometric(1 - decay, runs) - source.geometric(1 - decay, runs)
    counts = source.binomial(ones, p_upd, runs) + source.binomial(size - ones, p_init, runs) + noise
    squares = ((counts / size - p_init) / (p_upd - p_init) - ones / size) ** 2
    assert abs(squares.mean() - _error(state, total, size)) < 6 * squares.std() / math.sqrt(runs)
