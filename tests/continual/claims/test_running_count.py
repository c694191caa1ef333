"""The claim about the running count: its verdict, false statements, and the joint covariance against the sum."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.continual.running_counts import changed, levels, observation, summed_loss
from pan_proofs.ledger.claim import ProofVerdict
from tests.continual.claims.false_running_count import FALSE


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_about_the_running_count_is_not_proved(name):
    claim = FALSE[name][1]()
    assert claim.obligations
    assert claim.verdict is ProofVerdict.UNDECIDED


def test_the_running_count_is_proved(entries):
    assert entries["continual.running_count"].claim.verdict is ProofVerdict.PROVED


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
