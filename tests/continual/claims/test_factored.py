"""The counters with factored noise: false statements, their claims, and the model of phases on other numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
from pan_proofs.continual.adaptive_accounting import Phases, loss, run
from pan_proofs.continual.factored_steps import column, cost, squared, units
from pan_proofs.continual.flippancy import changes
from pan_proofs.continual.streams import differences
from pan_proofs.ledger.claim import ProofVerdict
from tests.continual.claims.false_factored import FALSE


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_about_factored_noise_is_not_proved(name):
    claim = FALSE[name][1]()
    assert claim.obligations
    assert claim.verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize(
    "counter",
    [
        Presence(steps=4, rho=1.0),
        CalibratedTurnstile(steps=4, rho=1.0, flippancy=1),
        CalibratedAdaptive(steps=4, rho=1.0),
    ],
)
def test_the_promise_of_the_counter_is_proved(counter, entries):
    assert entries[counter.promise.claim].verdict is ProofVerdict.PROVED


bits = st.lists(st.integers(0, 1), min_size=6, max_size=6).map(tuple)


@given(bits, bits)
def test_costs_bound_the_squared_distance(one, other):
    gaps = [0, *(a - b for a, b in zip(one, other, strict=True))]
    paid = sum(cost(gaps[place], gaps[place + 1]) for place in range(6))
    moved = [a - b for a, b in zip(differences(one), differences(other), strict=True)]
    assert squared(moved) <= paid * column(6)
    assert paid <= 2 * units(one, other)
    bound = max(changes(one), changes(other), 1)
    assert squared(moved) <= (4 * bound - 2) * column(6)


@given(bits, bits, st.sets(st.integers(1, 6), max_size=3), st.sampled_from([1, 2]), st.sampled_from([2, 3, 5]))
def test_a_pair_loses_at_most_what_it_paid(one, other, ends, wide, growth):
    phases = Phases.of(wide, 3, first=Fraction(1, 4), recomputing=Fraction(1, 10), growth=growth)
    runs = [run(vector, tuple(sorted(ends)), phases) for vector in (one, other)]
    lost = loss(*runs)
    assert lost <= runs[0].paid + runs[1].paid + phases.recomputing
    if phases.feasible:
        assert lost <= 1
