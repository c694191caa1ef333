"""Adaptive marginals: junction trees beside brute force, the descent, the exact budget, and models."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals, AdaptiveTranscript
from pan_estimators.tables.budgets import NoisyCounts, Rounds, Spending
from pan_estimators.tables.junction_tree import JunctionMarginals, JunctionTree
from pan_estimators.tables.mirror_descent import Measurement, fitted
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError
from tests.public.tables.broken import NoiseOfOneCount

SIZES = (2, 3, 2, 4, 3)
PAIRS = list(combinations(range(5), 2))


def summed(whole, places):
    return whole.sum(axis=tuple(place for place in range(whole.ndim) if place not in places))


def distribution(tree, potentials):
    whole = np.zeros(tree.sizes)
    for place, clique in tree.cliques.items():
        whole = whole + potentials[place].reshape([tree.sizes[one] if one in clique else 1 for one in range(5)])
    whole = np.exp(whole - whole.max())
    return whole / whole.sum()


@given(st.lists(st.sampled_from(PAIRS), max_size=8), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_the_marginals_of_a_junction_tree_are_those_of_the_product_of_its_factors(edges, seed):
    random, tree = np.random.default_rng(seed), JunctionTree.of(edges, SIZES)
    assert all(tree.holder(edge) is not None for edge in edges)
    assert tree.cells == sum(np.prod([SIZES[one] for one in clique]) for clique in tree.cliques.values())
    potentials = {place: random.normal(0, 3, [SIZES[one] for one in clique]) for place, clique in tree.cliques.items()}
    found, whole = JunctionMarginals.of(tree, potentials), distribution(tree, potentials)
    for place, clique in tree.cliques.items():
        assert found.cliques[place] == pytest.approx(summed(whole, clique), abs=1e-12)
    joints = found.pairs()
    assert list(joints) == PAIRS
    for pair, joint in joints.items():
        assert joint == pytest.approx(summed(whole, pair), abs=1e-12)


def test_the_descent_finds_exact_marginals_and_the_mean_of_repeated_counts():
    random = np.random.default_rng(2)
    whole = random.dirichlet(np.ones(144)).reshape(SIZES)
    edges = [(0, 1), (1, 2), (0, 2), (2, 3)]
    measured = [Measurement(edge, 900 * summed(whole, edge), 2.0) for edge in edges]
    model, factors = fitted(JunctionTree.of(edges, SIZES), measured, 900, 2000)
    for one in measured:
        assert 900 * model.marginal(one.places) == pytest.approx(one.counts, abs=0.1)
    # A start at the solution stays there, also in a tree with one more edge.
    again, _ = fitted(JunctionTree.of([*edges, (3, 4)], SIZES), measured, 900, 1, factors)
    assert again.marginal((0, 1)) == pytest.approx(model.marginal((0, 1)), abs=1e-4)
    # The nearest counts of at least 0.
    nearest, _ = fitted(JunctionTree.of([], (2, 3)), [Measurement((1,), np.array([-5.0, 4.0, 11.0]), 1.0)], 10, 500)
    assert 10 * nearest.marginal((1,)) == pytest.approx([0, 1.5, 8.5], abs=0.05)
    twice = [Measurement((0,), np.array([700.0, 200.0]), 1.0), Measurement((0,), np.array([400.0, 500.0]), 2.0)]
    model, _ = fitted(JunctionTree.of([], SIZES), twice, 900, 500)
    assert 900 * model.marginal((0,)) == pytest.approx([640, 260], abs=0.1)


@given(st.floats(1e-6, 1e4), st.integers(2, 50), st.lists(st.booleans(), max_size=60))
@settings(deadline=None)
def test_the_rounds_spend_the_budget_and_no_more(rho, attributes, taught):
    spending = Spending(Fraction(rho))
    rounds = Rounds.of(spending.left, attributes, Fraction(1, 10))
    for some in taught:
        if spending.left <= spending.rho / 10**9:
            break
        one = rounds.next(spending.left)
        spending.spend(one.rho)
        assert one.rho >= spending.rho / (17 * attributes) - spending.rho / 10**9
        rounds = rounds.grown(1.0, 0.0 if some else 2.0)
    assert spending.spent <= Fraction(rho)
    with pytest.raises(InputError, match="the budget is spent"):
        spending.spend(spending.left * 2 + 1)


def chain(rows=3000, width=5):
    random = np.random.default_rng(0)
    columns = [random.integers(0, 3, rows)]
    for _ in range(width - 1):
        columns.append(np.where(random.random(rows) < 0.8, columns[-1], random.integers(0, 3, rows)))
    # The first and the last attribute depend on one another by more than the chain says.
    columns[-1] = np.where(random.random(rows) < 0.5, columns[0], columns[-1])
    schema = Schema(tuple(Attribute(f"x{place}", (0, 1, 2)) for place in range(width)))
    return Table(schema, np.array(columns).T)


def cost(observation):
    return sum(
        (Fraction(one.epsilon) ** 2 / 8 + 1 / Fraction(one.deviation) ** 2 for one in observation.measured), Fraction(0)
    )


def test_the_transcript_costs_the_promised_rho_and_its_model_fits_all_pairs():
    table = chain()
    mechanism = AdaptiveMarginals(table.schema, rho=0.5)
    observation = mechanism.release(table, NumpyRandomness(1))
    assert Fraction(0.5) * (1 - Fraction(1, 10**8)) < cost(observation) <= Fraction(0.5)
    assert [one.places for one in observation.measured[:5]] == [(place,) for place in range(5)]
    # The model is computed from the transcript alone, also after it went through a file.
    text = json.dumps([vars(one) for one in observation.measured])
    read = [NoisyCounts(tuple(one.pop("places")), **one) for one in json.loads(text)]
    model = mechanism.post_process(AdaptiveTranscript(table.rows, tuple(read)))
    drawn = model.sample(60_000, NumpyRandomness(3))
    shares = [(drawn.counts(pair) / drawn.rows, table.counts(pair) / table.rows) for pair in PAIRS]
    assert max(np.abs(one - other).sum() / 2 for one, other in shares) < 0.05


def test_cliques_stay_within_their_limit():
    table = chain()
    small, large = (
        AdaptiveMarginals(table.schema, rho=50.0, cells=cells).release(table, NumpyRandomness(1))
        for cells in (40, 10_000)
    )
    cells = []
    for observation in (small, large):
        edges = {one.places for one in observation.measured if len(one.places) == 2}
        cells.append(JunctionTree.of(edges, table.schema.sizes).cells)
    assert cells[0] <= 40 < cells[1]


class Kept(NumpyRandomness):
    """A source that keeps the noise and the choices that are asked of it."""

    def __init__(self, seed):
        super().__init__(seed)
        self.noise, self.choices = [], []

    def gaussian(self, location, scale, *rest):
        drawn = super().gaussian(location, scale, *rest)
        self.noise.append((np.asarray(drawn) - location, scale))
        return drawn

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        self.choices.append((len(scores), epsilon, sensitivity))
        return super().exponential_mechanism(scores, epsilon, sensitivity)


def stated_and_drawn(mechanism):
    """The mean square of the noise divided by what the transcript states, and the choices with their statements."""
    table, squares, choices = chain(200, 3), [], []
    for seed in range(5):
        source = Kept(seed)
        observation = mechanism(table.schema, rho=0.5).release(table, source)
        for (noise, _), one in zip(source.noise, observation.measured, strict=True):
            squares += ((noise / one.deviation) ** 2).tolist()
        epsilons = [one.epsilon for one in observation.measured if len(one.places) == 2]
        choices += list(zip(source.choices, epsilons, strict=True))
    return np.mean(squares), len(squares), choices


def test_the_noise_and_the_choices_are_those_that_the_transcript_states():
    mean, count, choices = stated_and_drawn(AdaptiveMarginals)
    assert mean == pytest.approx(1, abs=5 * np.sqrt(2 / count))
    assert all(epsilon == stated and sensitivity == 2 for (_, epsilon, sensitivity), stated in choices)
    broken, _, _ = stated_and_drawn(NoiseOfOneCount)
    assert broken < 0.5
