"""The steps of the calibrated tree: parts of a budget, candidates of a choice, shrinkage of a pair, and cliques."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.budgets import (
    cost_of_counts,
    deviation_for,
    epsilon_for,
    noise_norm,
    parts_of_tables,
    rounded_down,
    scale_for,
)
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.junction_tree import JunctionMarginals, JunctionTree
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_fit import Noisy, fit_pair
from pan_estimators.tables.tree_structure import Candidates
from pan_promises.errors import InputError

CELLS = st.lists(st.integers(1, 500), min_size=1, max_size=8)
BUDGETS = st.fractions(Fraction(1, 10**9), 10**6)


@given(BUDGETS)
def test_no_cost_exceeds_its_part_and_one_double_less_noise_does(budget):
    deviation, scale = deviation_for(budget), scale_for(budget)
    assert cost_of_counts(deviation) <= budget < cost_of_counts(deviation * (1 - 1e-15))
    assert 2 / Fraction(scale) <= budget < 2 / Fraction(scale * (1 - 1e-15))
    epsilon, down = epsilon_for(budget), rounded_down(budget)
    assert Fraction(epsilon) ** 2 / 8 <= budget < Fraction(epsilon * (1 + 1e-15)) ** 2 / 8
    assert Fraction(down) <= budget < Fraction(math.nextafter(down, math.inf))


@given(CELLS, st.booleans(), st.data())
def test_the_parts_of_the_tables_make_their_noise_the_least(cells, gaussian, data):
    parts = parts_of_tables(cells, gaussian=gaussian)
    assert sum(parts) == 1
    others = data.draw(st.lists(st.integers(1, 1000), min_size=len(cells), max_size=len(cells)))

    def noise(shares):
        pays = deviation_for if gaussian else scale_for
        scales = [pays(share) for share in shares]
        return sum(noise_norm(scale, size, gaussian=gaussian) for scale, size in zip(scales, cells, strict=True))

    assert noise(parts) <= noise([Fraction(one, sum(others)) for one in others]) * (1 + 1e-9)


@pytest.mark.parametrize("gaussian", [True, False])
def test_the_expected_norm_of_the_noise_is_that_of_drawn_noise(gaussian):
    source = NumpyRandomness(1)
    draw = source.gaussian if gaussian else source.laplace
    drawn = draw(np.zeros(100_000), 3.0)
    assert np.abs(drawn).sum() == pytest.approx(noise_norm(3.0, 100_000, gaussian=gaussian), rel=0.02)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=7), st.integers(1, 3), st.integers(1, 400), st.data())
@settings(deadline=None)
def test_the_first_candidates_make_a_tree_and_the_others_keep_the_cliques_small(sizes, degree, cells, data):
    candidates, chosen = Candidates(tuple(sizes), degree, cells), []
    for _ in range(2 * len(sizes)):
        found = candidates(chosen)
        if not found:
            break
        chosen.append(data.draw(st.sampled_from(found)))
        reached = {0}
        for _ in sizes:
            reached |= {one for pair in chosen if reached & set(pair) for one in pair}
        assert len(chosen) < len(sizes) - 1 or reached == set(range(len(sizes)))
        if len(chosen) >= len(sizes):
            tree = JunctionTree.of(chosen, tuple(sizes))
            assert tree.cells <= cells
            assert max(map(len, tree.cliques.values())) <= degree + 1
    assert len(set(chosen)) == len(chosen) >= len(sizes) - 1
    if degree == 1:
        assert len(chosen) == len(sizes) - 1
    elif cells == 400 and len(sizes) == 3:
        assert len(chosen) == 3


def test_a_limit_of_cells_leaves_a_tree():
    schema = Schema(tuple(Attribute(name, tuple(range(8))) for name in "abcd"))
    codes = np.random.default_rng(1).integers(0, 8, (200, 4))
    released = CalibratedTree(schema, degree=2, cells=100).release(Table(schema, codes), NumpyRandomness(1))
    assert len(released.edges) == 3
    assert len(CalibratedTree(schema, degree=2).release(Table(schema, codes), NumpyRandomness(1)).edges) == 4
    with pytest.raises(InputError, match="degree"):
        CalibratedTree(schema, degree=4)
    with pytest.raises(InputError, match="cells"):
        CalibratedTree(schema, cells=0)


MARGIN = np.array([700.0, 200.0, 90.0, 9.0, 1.0])
INDEPENDENT = np.outer(MARGIN, MARGIN) / 1000


@pytest.mark.parametrize(("dependence", "of_raw", "of_none"), [(0.4, 1.15, 0.6), (0.1, 0.75, 1.1), (0.0, 0.3, None)])
def test_a_pair_shrinks_as_far_as_its_noise_and_its_dependence_say(dependence, of_raw, of_none):
    generator = np.random.default_rng(3)
    counts = dependence * np.diag(MARGIN) + (1 - dependence) * INDEPENDENT
    errors = []
    for _ in range(60):
        noisy = counts + generator.normal(0, 30, counts.shape)
        found = [fit_pair(Noisy(noisy, scale, scale**2), MARGIN, MARGIN) for scale in (30.0, 0.0)]
        errors.append([np.abs(one - counts).sum() for one in found])
    shrunk, raw = np.mean(errors, axis=0)
    assert shrunk < of_raw * raw
    assert not dependence or shrunk < of_none * np.abs(INDEPENDENT - counts).sum()
    assert fit_pair(Noisy(counts, 0.0, 0.0), MARGIN, MARGIN) == pytest.approx(counts, abs=1e-6)


def test_a_pair_with_an_attribute_of_one_value_is_its_margin():
    alone = fit_pair(Noisy(np.array([[3.0, 0.0]]), 1.0, 1.0), np.array([3.0]), np.array([3.0, 0.0]))
    assert alone.tolist() == [[3.0, 0.0]]


def test_a_clique_describes_dependences_that_no_tree_does():
    generator = np.random.default_rng(5)
    hidden = generator.integers(0, 3, 3000)
    columns = [np.where(generator.random(3000) < 0.7, hidden, generator.integers(0, 3, 3000)) for _ in range(4)]
    schema = Schema(tuple(Attribute(name, (0, 1, 2)) for name in "abcd"))
    table, errors = Table(schema, np.array(columns).T), []
    for degree in (1, 2, 3):
        mechanism = CalibratedTree(schema, rho=1e6, degree=degree)
        released = mechanism.release(table, NumpyRandomness(2))
        model = mechanism.post_process(released)
        joints = JunctionMarginals.of_network(model).pairs()
        distances = {pair: np.abs(joints[pair] - table.counts(pair) / 3000).sum() / 2 for pair in joints}
        assert max(distances[pair] for pair in released.edges) < 2e-3
        told = mechanism.report(released, model, 3000)["edges"]
        assert [tuple(one["attributes"]) for one in told] == [("abcd"[a], "abcd"[b]) for a, b in released.edges]
        assert all(0.1 < one["dependence"] < 0.6 and one["scale"] > 0 for one in told)
        errors.append(sum(distances[pair] for pair in combinations(range(4), 2)))
    assert errors[1] < 0.75 * errors[0]
    assert errors[2] < 0.75 * errors[1]
