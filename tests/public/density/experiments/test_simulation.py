"""Simulated outputs against runs of the estimators themselves, and against wrong simulators, which are caught."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter, defaultdict
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, ks_2samp, kstest, truncnorm

from experiments.density.contenders import CONTENDERS, OPTBERN, PPDS
from experiments.density.exact_moments import error_moments
from experiments.density.simulation import (
    FixedStream,
    Outputs,
    counts,
    final_samples,
    simulate,
    truncated_gaussian,
)
from pan_audits.choices.enumerating import outcomes
from pan_estimators import (
    BernoulliCells,
    IntegerUniverse,
    NumpyRandomness,
    Target,
    create_estimator,
    pan_private_distinct_sampling,
    uniform_stream,
    zipf_stream,
)
from pan_estimators.common.registry import with_budget
from tests.turns import every

REAL, SIMULATED = 1500, 15_000
LEVEL = 1e-6
"""There are about 300 comparisons: if all distributions are equal, all of them pass with probability 0.9997."""

SAMPLED = [
    "dwork",
    "lecture",
    "bernoulli-family",
    "optimal-bernoulli",
    "quantized-laplace",
    "laplace",
    "calibrated-bernoulli",
    "calibrated-continual-output",
    "truncated-gaussian",
]


@lru_cache
def stream(kind, universe):
    if kind == "uniform":
        ids = uniform_stream(universe=universe, length=universe, seed=1)
    elif kind == "zipf":
        ids = zipf_stream(universe=universe, length=universe, seed=1)
    else:
        # A few users again and again, and one of them more than all others.
        few = np.arange(0, universe, 7)
        ids = np.concatenate([np.tile(few, 3), np.full(universe, few[1]), few])
    return FixedStream.of(ids, universe)


STREAMS = ["uniform", "zipf", "repeated users"]
LARGE = 1.5
"""A budget for which the sampling of users is a good part of the error."""
LARGEST = {"bernoulli-family": 0.5}
"""The family is defined up to a budget."""


def make(name, universe, sample_size, epsilon):
    sizes = {"universe": universe, "sample_size": sample_size}
    if name == "truncated-gaussian":
        return truncated_gaussian(**sizes, epsilon=epsilon)
    return create_estimator(name, **with_budget(name, epsilon, sizes))


def real_runs(estimator, on, runs):
    """Outputs of the estimator's own code, and the states that it ends with."""
    present = np.zeros(on.universe, dtype=np.bool_)
    present[on.ids] = True
    outputs, densities, states = np.empty(runs), np.empty(runs), []
    for run in range(runs):
        randomness = NumpyRandomness((2, run))
        state = estimator.update(estimator.create(randomness), on.ids, randomness)
        users = estimator.sampled_users(state)
        # The release may erase the state.
        outputs[run] = estimator.release(copy.deepcopy(state), randomness)
        densities[run] = present[users].mean() if users.size else np.nan
        states.append(state)
    return Outputs(outputs, densities), states


def homogeneity(first, second):
    """p-value of a chi-squared test that two lists of observations have one distribution; what is rare is put
    together.
    """
    values, codes = np.unique(np.array([*first, *second]), axis=0, return_inverse=True)
    codes = codes.ravel()
    table = np.array([np.bincount(part, minlength=len(values)) for part in np.split(codes, [len(first)])])
    common = table.sum(axis=0) * len(first) / codes.size >= 10
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table).pvalue)


def same_outputs(first, second):
    """The least p-value of the comparisons of d(S_M), of the outputs, and of their differences.

    Without a user who qualifies d(S_M) is not a number, which is a value like any other here.
    """
    densities = [np.nan_to_num(each.sampled_densities, nan=-1.0).round(9) for each in (first, second)]
    errors = [each.outputs - density for each, density in zip((first, second), densities, strict=True)]
    return min(
        homogeneity(*densities),
        ks_2samp(*densities, method="asymp").pvalue,
        ks_2samp(first.outputs, second.outputs, method="asymp").pvalue,
        ks_2samp(*errors, method="asymp").pvalue,
    )


@pytest.mark.parametrize(("name", "kind"), every(4, itertools.product(SAMPLED, STREAMS)))
def test_fixed_samples_are_simulated_as_they_run(name, kind):
    for universe, sample_size, epsilon in ((300, 150, LARGE), (12, 12, 0.3)):
        estimator = make(name, universe, sample_size, min(epsilon, LARGEST.get(name, LARGE)))
        on = stream(kind, universe)
        real, _ = real_runs(estimator, on, REAL // 2)
        assert same_outputs(real, simulate(estimator, on, SIMULATED, np.random.default_rng(3))) > LEVEL


def with_replacement(estimator, on, runs, generator):
    appeared = generator.binomial(estimator.sample_size, on.density, runs)
    return appeared, appeared


def one_sample_for_all_runs(estimator, on, runs, generator):
    m = estimator.sample_size
    appeared = np.full(runs, generator.hypergeometric(on.distinct, on.universe - on.distinct, m))
    return appeared, appeared


def one_count_for_all_runs(estimator, on, runs, generator):
    """d(S_M) is right, the bits are not those of its users."""
    m = estimator.sample_size
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, m, runs)
    return appeared, np.full(runs, round(m * on.density))


def updates_instead_of_users(estimator, on, runs, generator):
    m = estimator.sample_size
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, m, runs)
    return appeared, np.minimum(m, appeared * on.length // on.distinct)


def right(estimator, on, runs, generator):
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, estimator.sample_size, runs)
    return appeared, appeared


@pytest.mark.parametrize(
    "wrong", [right, with_replacement, one_sample_for_all_runs, one_count_for_all_runs, updates_instead_of_users]
)
def test_wrong_fixed_samples_are_caught(wrong):
    """The same comparison at the same level; it passes what is right."""
    estimator, on = make("optimal-bernoulli", 300, 150, 2 * LARGE), stream("uniform", 300)
    real, _ = real_runs(estimator, on, REAL // 2)
    generator = np.random.default_rng(4)
    appeared, counted = wrong(estimator, on, SIMULATED, generator)
    cells = estimator.cells
    assert isinstance(cells, BernoulliCells)
    locations = estimator.estimate(counts(cells, counted, estimator.sample_size, generator))
    outputs = NumpyRandomness(generator).laplace_at(locations, estimator.noise_scale)
    drawn = Outputs(outputs, appeared / estimator.sample_size)
    assert (same_outputs(real, drawn) > LEVEL) == (wrong is right)


LISTING = "the listing"
MISREADINGS = {
    "evicts when a member is drawn again": {"outsiders_only": False},
    "evicts only when a user was added": {"added_only": True},
    "evicts only when a qualifying user was drawn": {"qualifying_only": True},
    "evicts until there is room": {"once": False},
    "a redrawn member can only leave": {"members_only_leave": True},
    "independent levels instead of a linear hash": {"independent": True},
    "forgets that users appear again": {"first_appearances": True},
}

NEARLY_ALIKE = ("evicts when a member is drawn again", "evicts until there is room")
"""Readings that differ only until a sample that stays full has room: exact distributions tell them apart, a few runs do
not.
"""


def trailing_zeros(number, bits):
    return bits if number == 0 else (number & -number).bit_length() - 1


def follow(
    universe,
    ids,
    sample_size,
    p_init,
    p_upd,
    source,
    *,
    outsiders_only=True,
    added_only=False,
    qualifying_only=False,
    once=True,
    members_only_leave=False,
    independent=False,
    first_appearances=False,
):
    """One run: level, members, users that qualify, and those of them that appear."""
    bits = (universe - 1).bit_length()
    if independent:
        levels = [trailing_zeros(source.getrandbits(bits) if bits else 0, bits) for _ in range(universe)]
    else:
        odd = 2 * source.randrange(max(1, 2**bits // 2)) + 1
        increment = source.randrange(2**bits)
        levels = [trailing_zeros((odd * user + increment) % 2**bits, bits) for user in range(universe)]
    level, members = 0, set()
    stream = list(dict.fromkeys(ids)) if first_appearances else ids
    for probability, users in ((p_init, range(universe)), (p_upd, stream)):
        for user in users:
            if levels[user] < level and qualifying_only:
                continue
            member, inside = user in members, levels[user] >= level and source.random() < probability
            if inside and not (member and members_only_leave and source.random() < 0.5):
                members.add(user)
            else:
                members.discard(user)
            attempt = (inside and not member) if added_only else (not member or not outsiders_only)
            while attempt and len(members) >= sample_size:
                members = {other for other in members if levels[other] > level}
                level += 1
                if once:
                    break
    qualifying = [user for user in range(universe) if levels[user] >= level]
    return level, len(members), len(qualifying), len(set(qualifying) & set(ids))


def follow_many(universe, ids, sample_size, cells, runs, source, **reading):
    """Such runs, shape ``(4, runs)``."""
    ids = [int(user) for user in ids]
    found = [follow(universe, ids, sample_size, cells.p_init, cells.p_upd, source, **reading) for _ in range(runs)]
    return np.array(found).T


EXACT_RUNS = 40_000
EXACT_LEVEL = 1e-5
"""There are about 80 comparisons: if all distributions are as computed, all of them pass with probability 0.999."""

TINY = [
    pytest.param(4, 2, [0, 1, 0, 3, 3, 2, 0], id="4 users"),
    pytest.param(5, 2, [4, 4, 0, 2, 4], id="5 users, no power of two"),
    pytest.param(2, 1, [0, 1, 0], id="no user may be left"),
]


def exact_distribution(estimator, ids, summary):
    """The distribution of ``summary(state)`` after the stream: every random choice of the estimator's own code."""

    def key(state):
        return tuple((name, tuple(array.tolist())) for name, array in sorted(estimator.state_to_arrays(state).items()))

    def collapsed(found):
        chances, states = defaultdict(float), {}
        for chance, state in found:
            chances[key(state)] += float(chance)
            states[key(state)] = state
        return [(chances[place], state) for place, state in states.items()]

    def copied(state):
        return estimator.state_from_arrays({n: a.copy() for n, a in estimator.state_to_arrays(state).items()})

    now = collapsed((chance, state) for chance, state, _ in outcomes(estimator.create))
    for user in ids:
        now = collapsed(
            (chance * float(step), after)
            for chance, state in now
            for step, after, _ in outcomes(lambda source, s=state, u=user: estimator.update(copied(s), u, source))
        )
    distribution = defaultdict(float)
    for chance, state in now:
        distribution[summary(state)] += chance
    assert sum(distribution.values()) == pytest.approx(1)
    return dict(distribution)


def multinomial(distribution, drawn):
    """p-value of a chi-squared test of draws against a distribution; what is rare is put together."""
    runs, seen = len(drawn), Counter(drawn)
    if set(seen) - set(distribution):
        return 0.0
    common = [value for value, chance in distribution.items() if chance * runs >= 20]
    expected = [distribution[value] * runs for value in common]
    observed = [seen[value] for value in common]
    if runs - sum(expected) >= 20:
        expected.append(runs - sum(expected))
        observed.append(runs - sum(observed))
    if len(expected) < 2:
        return 1.0
    return float(chisquare(observed, np.array(expected) * sum(observed) / sum(expected)).pvalue)


def columns(found):
    return list(zip(*found.tolist(), strict=True))


@lru_cache
def distinct_sampling_distribution(estimator, ids):
    present = set(ids)

    def summary(state):
        users = set(estimator.sampled_users(state).tolist())
        return state.level, int(state.members.size), len(users), len(users & present)

    return exact_distribution(estimator, ids, summary)


@pytest.mark.more
@pytest.mark.parametrize(("universe", "sample_size", "ids"), TINY)
def test_distinct_sampling_ends_as_its_code_does(universe, sample_size, ids):
    estimator = pan_private_distinct_sampling(universe=universe, epsilon=0.7, sample_size=sample_size)
    distribution = distinct_sampling_distribution(estimator, tuple(ids))
    stream = FixedStream.of(np.array(ids, dtype=np.int64), universe)
    drawn = final_samples(estimator, stream, EXACT_RUNS, np.random.default_rng(1))
    assert multinomial(distribution, columns(drawn)) > EXACT_LEVEL


@pytest.mark.parametrize("reading", [LISTING, *MISREADINGS])
def test_misreadings_of_the_listing_are_told_from_its_distribution(reading):
    """With a fraction of the runs; the listing itself, written anew, is not."""
    worst = 1.0
    for universe, sample_size, ids in ((4, 2, [0, 1, 0, 3, 3, 2, 0]), (5, 2, [4, 4, 0, 2, 4])):
        estimator = pan_private_distinct_sampling(universe=universe, epsilon=0.7, sample_size=sample_size)
        distribution = distinct_sampling_distribution(estimator, tuple(ids))
        options = MISREADINGS.get(reading, {})
        drawn = follow_many(universe, ids, sample_size, estimator.cells, EXACT_RUNS // 4, random.Random(2), **options)
        worst = min(worst, multinomial(distribution, columns(drawn)))
    assert (worst > EXACT_LEVEL) == (reading == LISTING)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0])
def test_truncated_gaussian_cells_have_the_moments_and_the_loss_that_are_stated(epsilon):
    cells = truncated_gaussian(universe=9, epsilon=epsilon, sample_size=5).cells
    deviation = np.sqrt(1 / (2 * epsilon))
    before = truncnorm(0, 1 / deviation, 0, deviation)
    after = truncnorm(-1 / deviation, 0, 1, deviation)
    assert cells.initial_mean == pytest.approx(before.mean(), rel=1e-9)
    assert cells.updated_mean == pytest.approx(after.mean(), rel=1e-9)
    assert cells.variance == pytest.approx(before.var(), rel=1e-7)
    assert cells.variance == pytest.approx(after.var(), rel=1e-7)
    losses = after.logpdf(np.linspace(0, 1, 101)) - before.logpdf(np.linspace(0, 1, 101))
    assert (losses.min(), losses.max()) == (pytest.approx(-epsilon), pytest.approx(epsilon))
    for draw, distribution in ((cells.draw_initial, before), (cells.draw_updated, after)):
        assert kstest(draw(NumpyRandomness(5), EXACT_RUNS), distribution.cdf).pvalue > EXACT_LEVEL


MOMENTS_OF = FixedStream.of(np.arange(70) % 60, 200)
FIXED = [label for label in CONTENDERS if label != PPDS]


@pytest.mark.parametrize("label", FIXED)
def test_both_moments_agree_with_runs(label):
    estimator = CONTENDERS[label].make(IntegerUniverse(200), 0.4, 20)
    found = error_moments(estimator, MOMENTS_OF, Target.DENSITY)
    assert found is not None
    runs = simulate(estimator, MOMENTS_OF, 60_000, np.random.default_rng(11))
    error = runs.outputs - MOMENTS_OF.density
    square = float((error**2).mean())
    assert square == pytest.approx(found.second, rel=0.05)
    assert float((error**4).mean()) / square**2 == pytest.approx(found.flatness, rel=0.12)


@pytest.mark.more
def test_distinct_sampling_that_is_never_full_is_the_optimal_estimator():
    estimators = [CONTENDERS[label].make(IntegerUniverse(200), 0.4, 200) for label in (OPTBERN, PPDS)]
    one, other = (error_moments(estimator, MOMENTS_OF, Target.DENSITY) for estimator in estimators)
    assert one == other
    assert one is not None
    runs = simulate(estimators[1], MOMENTS_OF, 20_000, np.random.default_rng(12))
    assert float(((runs.outputs - MOMENTS_OF.density) ** 2).mean()) == pytest.approx(one.second, rel=0.06)
