"""The entropy of noisy frequencies by simulation, and its conditions along families of distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest

LAWS = {"even": np.full(4, 0.25), "uneven": np.array([0.5, 0.3, 0.15, 0.05])}


def entropies(law, records, holders, scale, runs, seed):
    """Entropies of simulated noisy frequencies, of which negative ones are set to 0, divided by n."""
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(records, law, size=runs).astype(float)
    if scale:
        counts += generator.laplace(0, scale, (holders, *counts.shape)).sum(axis=0)
    shares = np.clip(counts / records, 0, None)
    return -(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)


def main_terms(law, records, holders, scale):
    size, inverse = len(law), (1 / law).sum()
    noise = holders * scale**2 * inverse / records**2
    return -(size - 1) / (2 * records) - noise + (2 - 3 * size + inverse) / (6 * records**2)


def rest(law, records, holders, scale):
    noise, n = holders * scale**2, records
    parts = 3 / (law * n**2) + (1 + 12 * noise) / (law**2 * n**3) + 24 * noise**2 / (law**3 * n**4)
    return ((1 / 3 - np.log(law)) * parts).sum()


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("records", "holders", "scale"), [(400, 3, 4.0), (100, 1, 3.0), (1000, 20, 5.0)])
def test_the_bias_is_within_the_bound_of_its_terms(name, records, holders, scale):
    law, runs = LAWS[name], 200_000
    found = entropies(law, records, holders, scale, runs, 11)
    bias = found.mean() + (law * np.log(law)).sum()
    error = 5 * found.std() / math.sqrt(runs)
    assert abs(bias - main_terms(law, records, holders, scale)) <= rest(law, records, holders, scale) + error


def test_the_noise_term_is_seen_in_the_simulation():
    law, records, holders, scale, runs = LAWS["even"], 1000, 20, 5.0, 200_000
    found = entropies(law, records, holders, scale, runs, 12)
    bias = found.mean() + (law * np.log(law)).sum()
    error = 5 * found.std() / math.sqrt(runs)
    assert abs(bias - main_terms(law, records, holders, scale)) < 10 * error
    # Without noise the terms are far from it.
    assert abs(bias - main_terms(law, records, holders, 0.0)) > 10 * error


@pytest.mark.parametrize("value", np.concatenate([-np.geomspace(1e-3, 50, 40), np.geomspace(1e-3, 50, 40)]))
@pytest.mark.parametrize("chance", [0.5, 0.01])
def test_the_rest_of_a_symbol_is_within_the_fourth_power(value, chance):
    share = max(chance * (1 + value), 0.0)
    exact = -share * math.log(share) if share else 0.0
    terms = -chance * (1 + value) * math.log(chance) - chance * (value + value**2 / 2 - value**3 / 6)
    assert abs(exact - terms) <= chance * (1 / 3 - math.log(chance)) * value**4 + 1e-15


def test_a_noisy_count_is_negative_with_the_stated_probability():
    generator = np.random.default_rng(5)
    noisy = generator.binomial(1, 0.5, 400_000) + generator.laplace(0, 1, 400_000)
    assert (noisy < 0).mean() == pytest.approx(0.25 + math.exp(-1) / 4, abs=0.005)


def test_the_printed_strongest_condition_leaves_a_term_that_does_not_vanish():
    printed, fourth = [], []
    for logarithm in (5, 20, 80):
        least = math.exp(-logarithm)
        records = logarithm / least**2
        printed.append(1 / (least**2 * records))
        fourth.append(logarithm / (least**2 * records))
    assert printed[0] > printed[1] > printed[2]
    assert fourth == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("growth", [0.25, 0.5, 0.75])
def test_with_much_noise_the_first_condition_implies_the_others(growth):
    """Uniform distributions with noise of one count or more: b = n^growth, d values."""
    for records in (10**4, 10**6, 10**8):
        least, noise = 1 / math.log(records), records**growth
        first = noise / (least * records)
        assert 1 / (least * records) <= first
        if first < 1:
            assert max(first / (least * records), first**2 / (least * records)) <= first


def test_the_uniform_distribution_has_no_variance_of_the_logarithm():
    law = np.full(8, 1 / 8)
    entropy = -(law * np.log(law)).sum()
    assert (law * np.log(law) ** 2).sum() - entropy**2 == pytest.approx(0, abs=1e-12)
    assert math.exp(-2) > 1 / 8
