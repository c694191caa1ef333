"""Whole audits of promises of a rho: the exact one is kept, a half of the noise is refuted, and bounds are near."""

from __future__ import annotations

import json
import math
from functools import cache

import pytest
from scipy.stats import binomtest

from pan_audits.audit.privacy_result import PrivacyResult
from pan_audits.audit.witness import Witness
from pan_audits.judging.verdict import Verdict
from pan_promises.errors import InputError
from tests.auditing.concentrated import Leak, Normal, Path, SparseVector, audited

QUICK = {"runs": 8000, "confirmation_runs": 8000}


@cache
def refuted():
    """The audit of half of the noise."""
    return audited(Normal(0.5, factor=0.5), 0.5, seed=1, **QUICK)


def test_the_exact_noise_is_kept_and_half_of_it_is_refuted():
    kept = audited(Normal(0.5), 0.5, seed=1, **QUICK)
    broken = refuted()
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert 0.7 * 0.5 < kept.bound < 0.5
    assert 0.7 * 2.0 < broken.bound < 2.0
    assert kept.witness is None
    assert f"rho is at least {kept.bound:.3g}, promised 0.5" in kept.describe()


def test_the_witness_tells_the_divergence_and_is_read_as_it_was_written():
    witness = refuted().witness
    assert "by the Kullback-Leibler divergence" in witness.describe()
    document = json.loads(json.dumps(witness.to_dict()))
    read = Witness.from_dict(document)
    assert read.describe() == witness.describe()
    assert read.evidence.score.bet == witness.evidence.score.bet
    assert document["concentrated"]["rho_at_least"] == witness.evidence.bound


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


def test_too_few_runs_are_inconclusive_with_the_reason():
    few = audited(Normal(5.0), 5.0, seed=1, runs=1000, confirmation_runs=1000)
    assert few.verdict is Verdict.INCONCLUSIVE
    assert "can show no rho above" in few.reason
    labels = tuple(f"{place}" for place in range(60))
    many = audited(
        Normal(0.5),
        0.5,
        seed=1,
        runs=3000,
        confirmation_runs=1000,
        labels=labels,
        pairs=tuple((0, place) for place in range(1, 60)),
    )
    assert many.verdict is Verdict.INCONCLUSIVE
    assert "fewer than 16 for each of 59 pairs" in many.reason


def test_the_pair_that_breaks_the_promise_is_found_among_others():
    """Only the input ``left`` gives another output."""
    labels = (*(f"{place}" for place in range(8)), "left")
    pairs = tuple((place, place + 1) for place in range(8))
    found = audited(
        Normal(0.5, factor=0.5), 0.5, seed=3, runs=16_000, confirmation_runs=4000, labels=labels, pairs=pairs
    )
    assert found.verdict is Verdict.REFUTED
    assert "left" in found.witness.describe()


@pytest.mark.more
def test_a_rare_event_refutes_a_promise_that_the_divergence_of_order_one_does_not():
    """One run in a hundred tells the bit. The Kullback-Leibler divergence of the other runs is 0.08."""
    found = audited(Leak(0.01), 0.4, seed=1, runs=200_000, confirmation_runs=100_000)
    assert found.verdict is Verdict.REFUTED
    assert not found.witness.evidence.by_score
    assert found.witness.evidence.order > 1.5
    assert "the Rényi divergence of order" in found.describe()


@pytest.mark.more
@pytest.mark.parametrize(("rho", "part"), [(0.05, 0.7), (0.5, 0.9), (2.0, 0.9)])
def test_the_bound_is_near_the_truth(rho, part):
    """With a hundred thousand fresh runs on each side and an error of 1e-6."""
    found = audited(Normal(rho), rho, seed=7, runs=200_000, confirmation_runs=100_000)
    assert part * rho <= found.bound <= rho


@pytest.mark.slow
def test_the_bound_is_near_the_truth_for_many_outputs_with_correlated_noise():
    """No single output tells much: the score must weigh all of them."""
    effort = {"seed": 1, "runs": 80_000, "confirmation_runs": 40_000}
    kept, broken = audited(Path(0.5), 0.5, **effort), audited(Path(0.5, factor=0.5), 0.5, **effort)
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert 0.85 * 0.5 < kept.bound < 0.5
    assert 0.85 * 2.0 < broken.bound < 2.0


@pytest.mark.more
@pytest.mark.parametrize("seed", range(6))
def test_half_of_the_noise_is_refuted_under_every_seed_and_the_exact_one_never(seed):
    rho = (0.1, 0.5, 1.0)[seed % 3]
    effort = {"seed": seed, "runs": 20_000, "confirmation_runs": 10_000}
    assert audited(Normal(rho, factor=0.5), rho, **effort).verdict is Verdict.REFUTED
    assert audited(Normal(rho), rho, **effort).verdict is Verdict.NOT_REFUTED


@pytest.mark.more
def test_sparse_vector_with_half_of_its_noise_is_refuted_against_its_exact_rho():
    rho = SparseVector(2.0).true_rho
    effort = {"seed": 3, "runs": 60_000, "confirmation_runs": 30_000}
    assert audited(SparseVector(4.0), rho, **effort).verdict is Verdict.REFUTED
    assert audited(SparseVector(2.0), rho, **effort).verdict is Verdict.NOT_REFUTED


def _above(mechanism, rho, seed, error):
    found: PrivacyResult = audited(mechanism, rho, seed=seed, runs=2000, confirmation_runs=500, error=error)
    return found.bound is not None and found.bound > rho


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [Normal(0.5), SparseVector(2.0)], ids=["normal", "sparse vector"])
@pytest.mark.parametrize(("error", "most"), [(1e-6, 0), (0.05, 0.05)])
def test_bounds_are_above_the_exact_rho_no_more_often_than_the_error(mechanism, error, most):
    """Five hundred audits of each kind, two thousand in all. At an error of 1e-6 no bound may be above the truth."""
    rho = mechanism.true_rho
    wrong = sum(_above(mechanism, rho, seed, error) for seed in range(500))
    if not most:
        assert wrong == 0
    assert binomtest(wrong, 500).proportion_ci(0.999).low <= error


def test_the_exact_rho_of_the_mechanisms_is_that_of_their_distributions():
    assert Normal(0.5, factor=0.5).true_rho == 2.0
    found = SparseVector(2.0)
    assert math.isclose(found.distribution(True).sum(), 1.0, abs_tol=1e-7)
    assert 0 < found.true_rho < 2.0**2 / 2  # a pure promise of epsilon has at most epsilon^2/2
