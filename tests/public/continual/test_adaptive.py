"""Algorithm 3 and the better of two mechanisms: the copies that they use, the distribution of the noise, and their
budgets.
"""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.turnstile import streams as audited
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.continual.adaptive import TurnstileAdaptive, TurnstileBestOfBoth
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_proofs.continual.dyadic_tree import decomposition
from tests.public.continual.counters import MEMBERS, Silent
from tests.public.continual.streams import Given, cut_streams, flippancies, followed, vectors, zeroed


def expected_outputs(stream, rho, copies, period=0):
    """The loop of the listing without noise, from the definitions."""
    plain, flips, outputs, copy = vectors(stream), flippancies(stream), [], 0
    for time in range(flips.shape[1]):
        while copy < copies - 1 and (flips[:, time] >= 2**copy).sum() >= (2**copy / rho) ** 0.5:
            copy += 1
        if period and copy == copies - 1:
            last = (time + 1) // period * period
            outputs.append(sum(vector[last - 1] for vector in plain) if last else 0)
        else:
            outputs.append(zeroed(stream, 2**copy)[:, time].sum())
    return outputs


@settings(max_examples=40)
@given(cut_streams(), st.sampled_from([0.3, 1.1, 5.0, 40.0]))
def test_without_noise_the_outputs_are_those_of_the_listing(stream, rho):
    steps = len(stream[2])
    copies = ceil(log2(steps)) + 1
    assert followed(TurnstileAdaptive(steps=steps, rho=rho), stream, Silent()) == expected_outputs(stream, rho, copies)
    both = TurnstileBestOfBoth(steps=steps, rho=rho)
    below = [2**place for place in range(copies - 1) if 2**place < rho ** (1 / 3) * steps ** (2 / 3) - 1e-9]
    period = TurnstileRecompute(steps=steps, rho=rho / (2 * (len(below) + 1))).period
    assert followed(both, stream, Silent()) == expected_outputs(stream, rho, len(below) + 1, period)


def test_the_budgets_add_up_to_rho():
    for steps in (1, 5, 8, 100):
        copies = TurnstileAdaptive(steps=steps, rho=0.7)
        assert copies.copies == ceil(log2(steps)) + 1
        technique = copies.technique
        assert copies.copies * copies.copy_budget + technique.epsilon**2 / 2 == pytest.approx(0.7)
        assert technique.cutoff == max(1, copies.copies - 1)
        for copy in range(copies.copies):
            alone = TurnstileGivenFlippancy(steps=steps, rho=copies.copy_budget, flippancy=2**copy)
            assert copies.node_noise(copy) == pytest.approx(alone.node_noise)


def test_the_copy_that_recomputes_has_the_noise_of_theorem_3_10():
    copies = TurnstileBestOfBoth(steps=4096, rho=0.5)
    assert 2 ** (copies.copies - 2) < 0.5 ** (1 / 3) * 4096 ** (2 / 3) <= 2 ** (copies.copies - 1)
    alone = TurnstileRecompute(steps=4096, rho=copies.copy_budget)
    assert (copies.period, copies.noise_of(copies.copies - 1)) == (alone.period, pytest.approx(alone.noise))
    assert copies.copies * copies.copy_budget + copies.technique.epsilon**2 / 2 == pytest.approx(0.5)


def shares_of_noise(counter, switch):
    """The covariance of the outputs from the switch on, in units of the variance of a node, without Laplace noise.

    Four elements come at once and leave at the switch: they reach the first bound.
    """
    steps = counter.steps
    ends = np.arange(1, steps + 1) * 4
    elements = np.tile(np.arange(4), steps)
    kinds = np.repeat(np.where(np.arange(steps) == 0, 1, np.where(np.arange(steps) == switch, -1, 0)), 4)

    def outputs(row):
        state = counter.create(Silent())
        found = counter.follow(state, elements, kinds, Given(row), ends)
        assert state.copy == 1
        return found

    number = 80
    zero = outputs(np.zeros(number))
    factor = np.array([outputs(row) - zero for row in np.eye(number)]).T[switch:]
    return (factor @ factor.T).tolist()


@pytest.mark.parametrize("switch", [3, 6])
def test_a_copy_that_begins_late_has_the_noise_of_one_that_ran_from_the_start(switch):
    """From the switch on, two outputs share the nodes that both of their decompositions have."""
    shared = [
        [len(set(decomposition(one)) & set(decomposition(other))) for other in range(switch + 1, 13)]
        for one in range(switch + 1, 13)
    ]
    assert shares_of_noise(TurnstileAdaptive(steps=12, rho=1.0), switch) == shared
    assert shares_of_noise(MEMBERS["fresh-nodes"](steps=12, rho=1.0), switch) != shared


@pytest.mark.parametrize("kind", [TurnstileAdaptive, TurnstileBestOfBoth])
def test_the_outputs_stay_within_the_stated_distance(kind):
    counter, randomness, wrong = kind(steps=256, rho=0.5), NumpyRandomness(4), 0
    elements, signs = np.repeat(np.arange(128), 2), np.tile([1, -1], 128)
    present = np.cumsum(signs)
    for _ in range(60):
        state = counter.create(randomness)
        error = np.abs(counter.follow(state, elements, signs, randomness) - present).max()
        slack = getattr(counter, "period", 0)
        wrong += error > counter.half_width(0.9) + slack
        assert counter.half_widths(state, 1, 0.9) <= counter.half_width(0.9)
    assert wrong / 60 <= 0.1


QUICK = Settings(runs=2_000, seed=5, workers=1, accuracy_runs=0, exact=False, hygiene=False)


@pytest.mark.slow
def test_an_audit_of_rho_refutes_copies_with_small_noise(monkeypatch):
    """The streams in which one element, or every element, comes, each against the stream without one."""
    monkeypatch.setattr(audited, "_NEIGHBOURS", 0)
    monkeypatch.setattr(audited, "_RANDOM", 0)
    mechanism = find_mechanism("small-noise-of-copies", parameters={"steps": 8, "rho": 0.5, "model": "toggle"})
    assert run_gate(mechanism, QUICK).verdict is Verdict.REFUTED
