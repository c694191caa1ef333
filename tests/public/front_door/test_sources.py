"""Mechanisms that are given no randomness: the judge owns the sources from which they draw."""

import math
import re

import pytest
from scipy.stats import norm

import panproof
from tests.mechanisms import compiled_sources as compiled
from tests.mechanisms import own_sources as sources

COINS = [one for name, one in vars(sources).items() if name.startswith("coin")]
NOISES = [one for name, one in vars(sources).items() if name.startswith("noisy")]
LAPLACE = [*NOISES, sources.inverse, sources.inverse_of_numpy]


def test_every_source_of_a_coin_is_followed():
    found = {coin.__name__: panproof.check(coin, 0, 1, epsilon=2) for coin in COINS}
    assert len(found) > 10
    assert {name: str(one.verdict) for name, one in found.items()} == dict.fromkeys(found, "NOT_REFUTED")
    assert {name: one.loss for name, one in found.items()} == dict.fromkeys(found, pytest.approx(math.log(3)))


def test_every_source_of_laplace_noise_is_followed():
    found = {noise.__name__: panproof.check(noise, 0, 1, epsilon=1).loss for noise in LAPLACE}
    assert found == dict.fromkeys(found, pytest.approx(1))


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        (sources.one_sided, math.inf),
        (sources.dice, 0),
        # The outcomes 0, 1 and 2 have the probabilities 2/5, 2/5 and 1/5, or 1/5, 2/5 and 2/5.
        (sources.unequal_dice, math.log(2)),
        (sources.of_a_fixed_seed, math.inf),
        (sources.of_a_constant_generator, math.inf),
        (sources.of_a_local_scale, math.inf),
        (sources.of_no_scale, 0),
        (sources.imports_late, 1),
    ],
)
def test_a_uniform_number_is_followed_through_logarithms_and_whole_parts(mechanism, loss):
    assert panproof.check(mechanism, 0, 1, epsilon=3).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "mechanism",
    [sources.normal, sources.normal_by_hand, sources.normal_of_scipy, sources.normal_of_an_older_generator],
)
def test_every_source_of_normal_noise_is_followed(mechanism):
    result = panproof.check(mechanism, 0, 1, epsilon=0.5, delta=0.5)
    assert result.report.least_delta == pytest.approx(norm.cdf(0) - math.exp(0.5) * norm.cdf(-1))


NOT_FOLLOWED = {
    sources.needs_a_seed: "one random choice has 2.15e+09 outcomes",
    sources.beta: "own_sources.py:",
    sources.gamma: "draws by gamma, whose distribution cannot be followed",
    sources.copied: "copies a generator",
    sources.rounded_away: "there doubles round",
    sources.of_a_tiny_scale: "the noise is so small beside the numbers that its probabilities cannot be computed",
    sources.named: "outcomes, more than 20,000",
}


@pytest.mark.parametrize(("mechanism", "reason"), NOT_FOLLOWED.items())
def test_what_is_not_followed_is_told(mechanism, reason):
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert reason in repr(result)


@pytest.mark.parametrize(
    "mechanism", [sources.coin_of_a_seeded_generator, sources.normal_by_hand, sources.noisy_by_given_state]
)
def test_runs_repeat_under_a_seed(mechanism):
    one, other, another = (
        panproof.audit(mechanism, 0, 1, epsilon=0.3, runs=20_000, seed=seed).to_dict()["privacy"]["witness"]
        for seed in (5, 5, 6)
    )
    assert one == other != another


def test_a_report_names_the_level_of_randomness():
    followed, unfollowed = (
        panproof.check(each, 0, 1, epsilon=1).to_dict() for each in (sources.noisy, sources.needs_a_seed)
    )
    assert (followed["randomness"], unfollowed["randomness"]) == ("followed", None)
    audited = panproof.audit(sources.noisy, 0, 1, epsilon=0.5, runs=2_000, seed=1).to_dict()
    assert audited["randomness"] == "seeded"


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (compiled.coin, "code that numba has compiled draws random numbers.* coin \\(compiled_sources.py:7\\)"),
        (compiled.coin_inside, "code that numba has compiled draws random numbers.* coin \\(compiled_sources.py:7\\)"),
        (compiled.noisy_by_a_generator, "a compiled function draws from the generator that it is given"),
    ],
)
def test_compiled_draws_are_told_and_audited_by_runs(mechanism, reason):
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert re.search(reason, repr(result))
    one, other = (panproof.audit(mechanism, 0, 1, epsilon=0.3, runs=20_000, seed=5) for _ in range(2))
    assert str(one.verdict) == "REFUTED"
    assert one.to_dict()["privacy"]["witness"] == other.to_dict()["privacy"]["witness"]


def test_compiled_code_that_draws_nothing_is_followed():
    assert panproof.check(compiled.noisy_outside, 0, 1, epsilon=1).loss == 1


def test_a_true_promise_is_not_refuted_by_runs():
    for mechanism in (sources.coin_of_the_system, sources.noisy_kept, sources.needs_a_seed):
        assert str(panproof.audit(mechanism, 0, 1, epsilon=1.1, runs=20_000, seed=1).verdict) == "NOT_REFUTED"


def test_a_function_that_needs_more_than_data_and_a_randomness_is_refused():
    with pytest.raises(panproof.InputError, match="needs a value for its parameter 'scale'"):
        panproof.check(lambda data, rng, scale: data, 0, 1, epsilon=1)
    with pytest.raises(panproof.InputError, match=r"f\(data\) or f\(data, rng\)"):
        panproof.check(lambda: 0, 0, 1, epsilon=1)


def test_a_device_of_the_system_is_not_followed():
    result = panproof.check(sources.device_rarely_read_aloud, 0, 1, epsilon="log(3)")
    assert result.verdict is panproof.Verdict.INCONCLUSIVE
    assert "reads /dev/urandom, and these draws cannot be followed" in repr(result)
