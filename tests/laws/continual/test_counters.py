"""The shipped counters: the joint covariance of the running count, and the phases of factored noise."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
from pan_proofs.continual.claims.calibrated_adaptive import Phases, cost, loss, run
from pan_proofs.continual.claims.factored import column, gap, squared, units
from pan_proofs.continual.claims.running_count import changed, levels, observation, summed_loss
from pan_proofs.continual.streams import changes
from pan_proofs.ledger.claim import ProofVerdict


@settings(max_examples=12)
@given(st.integers(1, 9), st.data())
def test_the_joint_covariance_gives_the_sum_over_the_nodes(steps, data):
    intrusion, event = data.draw(st.integers(0, steps)), data.draw(st.integers(1, steps))
    birth, release = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    loss = observation(steps, intrusion, birth, release).loss(changed(steps, **{f"e{event}": 1}))
    assert loss == sp.Rational(
        *summed_loss(steps, intrusion, event, Fraction(birth), Fraction(release)).as_integer_ratio()
    )


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 8, 21])
def test_the_largest_loss_is_exactly_the_promise(steps):
    variances = Fraction(levels(steps)), Fraction(levels(steps) - 1)
    losses = [
        summed_loss(steps, intrusion, event, *variances)
        for intrusion in range(steps + 1)
        for event in range(1, steps + 1)
    ]
    assert max(losses) == Fraction(1, 2)


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
    moved = gap(one, other)
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
