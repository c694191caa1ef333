"""Whole audits of promises of a rho: the exact one is kept, a half of the noise is refuted, and bounds are near."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest
from scipy.stats import binomtest

from pan_audits.audit.witness import Witness
from pan_audits.judging.verdict import Verdict
from pan_audits.statistics import rho_of_event
from pan_promises.errors import InputError
from tests.internals.audit.simulated import audited, bit, leak, normal

BIT = replace(bit(0.7, 0.2), loss=rho_of_event(0.7, 0.2)[0])
QUICK = {"runs": 8000, "confirmation_runs": 8000}


@cache
def refuted():
    """The audit of half of the noise."""
    return audited(normal(0.5, factor=0.5), 0.5, seed=1, **QUICK)


def test_the_exact_noise_is_kept_and_half_of_it_is_refuted_by_a_witness_that_can_be_read():
    kept, broken = audited(normal(0.5), 0.5, seed=1, **QUICK), refuted()
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert 0.7 * 0.5 < kept.bound < 0.5
    assert 0.7 * 2.0 < broken.bound < 2.0
    assert kept.witness is None
    document = json.loads(json.dumps(broken.witness.to_dict()))
    read = Witness.from_dict(document)
    assert "by the Kullback-Leibler divergence" in broken.witness.describe() == read.describe()
    assert read.evidence.score.bet == broken.witness.evidence.score.bet
    assert document["concentrated"]["rho_at_least"] == broken.witness.evidence.bound


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found.pop("concentrated"), "belongs to a promise of a rho alone"),
        (lambda found: found["concentrated"]["score"].update(fraction=1e6), "no factor is negative"),
        (lambda found: found["concentrated"].update(share_of_score=0), "share_of_score"),
        (lambda found: found["concentrated"].update(order=0.5), "order: must be a number from 1"),
    ],
)
def test_a_damaged_witness_is_refused(change, words):
    document = json.loads(json.dumps(refuted().witness.to_dict()))
    change(document)
    with pytest.raises(InputError, match=words):
        Witness.from_dict(document)


@pytest.mark.parametrize(
    ("rho", "runs", "inputs", "words"),
    [(5.0, 1000, 2, "can show no rho above"), (0.5, 3000, 60, "fewer than 16 for each of 59 pairs")],
)
def test_too_few_runs_are_inconclusive_with_the_reason(rho, runs, inputs, words):
    labels, pairs = tuple(map(str, range(inputs))), tuple((0, place) for place in range(1, inputs))
    found = audited(normal(rho), rho, seed=1, runs=runs, confirmation_runs=1000, labels=labels, pairs=pairs)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert words in found.reason


def test_the_pair_that_breaks_the_promise_is_found_among_others():
    """Only the input ``left`` gives another output."""
    labels, pairs = (*map(str, range(8)), "left"), tuple((place, place + 1) for place in range(8))
    effort = {"runs": 16_000, "confirmation_runs": 4000}
    found = audited(normal(0.5, factor=0.5), 0.5, seed=3, labels=labels, pairs=pairs, **effort)
    assert found.verdict is Verdict.REFUTED
    assert "left" in found.witness.describe()


@pytest.mark.more
def test_a_rare_event_refutes_a_promise_that_the_divergence_of_order_one_does_not():
    """One run in a hundred tells the bit. The Kullback-Leibler divergence of the other runs is 0.08."""
    found = audited(leak(0.01), 0.4, seed=1, runs=200_000, confirmation_runs=100_000)
    assert found.verdict is Verdict.REFUTED
    assert not found.witness.evidence.by_score
    assert found.witness.evidence.order > 1.5


@pytest.mark.more
@pytest.mark.parametrize(("rho", "part"), [(0.05, 0.7), (2.0, 0.9)])
def test_the_bound_is_near_the_truth(rho, part):
    """With a hundred thousand fresh runs on each side and an error of 1e-6."""
    found = audited(normal(rho), rho, seed=7, runs=200_000, confirmation_runs=100_000)
    assert found.verdict is Verdict.NOT_REFUTED
    assert part * rho <= found.bound <= rho


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [normal(0.5), BIT], ids=["normal", "bit"])
@pytest.mark.parametrize(("error", "most"), [(1e-6, 0), (0.05, 500)])
def test_bounds_are_above_the_exact_rho_no_more_often_than_the_error(mechanism, error, most):
    """Five hundred audits of each kind, two thousand in all. At an error of 1e-6 no bound may be above the truth."""
    effort = {"runs": 2000, "confirmation_runs": 500, "error": error}
    bounds = [audited(mechanism, mechanism.loss, seed=seed, **effort).bound for seed in range(500)]
    wrong = sum(bound is not None and bound > mechanism.loss for bound in bounds)
    assert wrong <= most
    assert binomtest(wrong, 500).proportion_ci(0.999).low <= error
