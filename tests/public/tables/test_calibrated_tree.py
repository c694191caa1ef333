"""The calibrated tree: its exact loss, broken twins, its steps, and the consistency of its marginals."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pan_audits.judging.verdict import Verdict
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.budgets import (
    cost_of_counts,
    deviation_for,
    epsilon_for,
    noise_norm,
    parts_of_tables,
    rounded_down,
    scale_for,
    shares_of,
)
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.junction_tree import JunctionTree
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_fit import Noisy, fit_pair, fit_singles, with_margins
from pan_estimators.tables.tree_structure import Candidates
from pan_promises.notion import converted_epsilon
from tests.public.tables.broken import TWO, NoiseForAnAddedRow, PairsForOneTable, TreeWithoutNoise, checked

COUNTS = st.floats(-50, 50, allow_nan=False)


@pytest.mark.parametrize(
    ("rows", "parameters", "loss", "broken", "larger"),
    [
        # The one edge is no choice, so that its share is not used.
        (2, {"schema": TWO}, 0.9, NoiseForAnAddedRow, 1.8),
        # Half of the standard deviation costs four times as much.
        (2, {"schema": TWO, "rho": 0.5}, 0.45, NoiseForAnAddedRow, 1.8),
        # Of one row all scores are equal. The counts of two edges cost 0.45 each.
        (1, {}, 0.9, PairsForOneTable, 1.35),
        # The edges cost 0.225, and four times as much with half of the standard deviation.
        (1, {"rho": 0.5}, 0.45, PairsForOneTable, 0.45 + 3 * 0.225),
    ],
)
def test_the_exact_loss_is_the_budget_of_the_counts_and_a_wrong_scale_is_refuted(
    rows, parameters, loss, broken, larger
):
    kept, refuted = (checked(name, rows, **parameters) for name in ("calibrated-tree", broken))
    assert (kept.verdict, kept.loss.nats) == (Verdict.NOT_REFUTED, pytest.approx(loss, rel=1e-9))
    assert (refuted.verdict, refuted.loss.nats) == (Verdict.REFUTED, pytest.approx(larger, rel=1e-9))
    if "rho" in parameters and "schema" in parameters:
        # The deviations are rounded upwards.
        assert Fraction(kept.to_dict()["loss"]["rho"]) <= Fraction(9, 20)


@pytest.mark.more
def test_with_three_attributes_the_choices_of_two_rows_cost_at_most_their_share():
    kept, broken = (checked(name, 2, rho=0.5) for name in ("calibrated-tree", TreeWithoutNoise))
    assert (kept.verdict, kept.loss.upper) == (Verdict.NOT_REFUTED, True)
    assert 0.45 < kept.loss.nats < 0.5
    assert "rho at most 0.45" in kept.loss.describe()
    words = re.search(r"the choices, which cost at most ([\d.]+), .*, which cost ([\d.]+)\.", kept.witness.describe())
    assert sum(map(float, words.groups())) == pytest.approx(kept.loss.nats, rel=1e-3)
    assert broken.loss.unbounded


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("budget", [0.1, 1 / 3])
def test_the_budget_is_spent_and_no_more(degree, budget):
    schema = Schema(tuple(Attribute(str(place), tuple(range(2 + place))) for place in range(5)))
    pure, concentrated = (
        CalibratedTree(schema, budget, degree=degree),
        CalibratedTree(schema, rho=budget, degree=degree),
    )
    pairs = pure.most_pairs
    assert pairs == (4 if degree == 1 else 6)
    cells = range(4, 4 + pairs)

    def exact(mechanism, of_choice, of_scale):
        one = mechanism.budget
        counts = sum(of_scale(Fraction(scale)) for scale in (*one.singles, *one.pairs(cells)))
        return pairs * of_choice(Fraction(one.choice)) + counts

    spent = exact(pure, lambda epsilon: epsilon, lambda scale: 2 / scale)
    assert Fraction(budget) * (1 - Fraction(1, 10**14)) < spent <= Fraction(budget)
    spent = exact(concentrated, lambda epsilon: epsilon**2 / 8, lambda deviation: 1 / deviation**2)
    assert Fraction(budget) * (1 - Fraction(1, 10**14)) < spent <= Fraction(budget)
    assert sum(pure.budget.parts) == Fraction(budget)
    assert shares_of(0.05, 0.55) == (Fraction(1, 20), Fraction(11, 20), Fraction(2, 5))


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=COUNTS), st.data())
@settings(deadline=None, max_examples=60)
def test_the_counts_with_given_margins_are_the_nearest_ones(noisy, data):
    possible = data.draw(arrays(np.float64, noisy.shape, elements=st.floats(0.01, 20)))
    first, second = possible.sum(axis=1), possible.sum(axis=0)
    found = with_margins(noisy, first, second)
    assert (found >= 0).all()
    assert found.sum(axis=0) == pytest.approx(second, rel=1e-6)
    assert found.sum(axis=1) == pytest.approx(first, rel=1e-4, abs=1e-3)
    # The angle at the nearest point of a convex set is not acute.
    towards = ((noisy - found) * (possible - found)).sum()
    assert towards <= 1e-2 * (1 + np.abs(noisy - found).sum())
    assert fit_pair(Noisy(noisy, 1.0, 1.0), first, second).sum() == pytest.approx(possible.sum())


def test_the_closed_form_is_weighted_least_squares_under_all_constraints():
    generator = np.random.default_rng(4)
    sizes, edges, rows = (2, 3, 4), ((0, 1), (1, 2)), 10
    singles = [generator.normal(3, 2, size) for size in sizes]
    pairs = {edge: generator.normal(1, 2, (sizes[edge[0]], sizes[edge[1]])) for edge in edges}
    variances = {(0, 1): 5.0, (1, 2): 3.0}
    found = fit_singles(
        [Noisy(one, 1.0, 2.0) for one in singles],
        {edge: Noisy(one, 1.0, variances[edge]) for edge, one in pairs.items()},
        rows,
    )
    # Unknown: the counts of the edges, since the margins follow from them. The middle margins agree.
    blocks = {edge: np.arange(sizes[edge[0]] * sizes[edge[1]]).reshape(sizes[edge[0]], -1) for edge in edges}
    blocks[1, 2] = blocks[1, 2] + 6
    unknown = 6 + 12
    lines, targets = [], []

    def observe(places, value, variance):
        line = np.zeros(unknown)
        line[places] = 1
        lines.append(line / math.sqrt(variance))
        targets.append(value / math.sqrt(variance))

    margins = [list(blocks[0, 1]), list(blocks[0, 1].T), list(blocks[1, 2].T)]
    for own, values in zip(margins, singles, strict=True):
        for places, value in zip(own, values, strict=True):
            observe(places, value, 2.0)
    for edge, noisy in pairs.items():
        for place, value in zip(blocks[edge].ravel(), noisy.ravel(), strict=True):
            observe([place], value, variances[edge])
    fixed = np.zeros((4, unknown))
    for line, (left, right) in enumerate(zip(blocks[0, 1].T, blocks[1, 2], strict=True)):
        fixed[line, left], fixed[line, right] = 1, -1
    fixed[3, blocks[0, 1].ravel()] = 1
    a, b = np.array(lines), np.array(targets)
    normal = np.block([[a.T @ a, fixed.T], [fixed, np.zeros((4, 4))]])
    solved = np.linalg.lstsq(normal, np.concatenate([a.T @ b, [0, 0, 0, rows]]), rcond=None)[0]
    for own, one in zip(margins, found, strict=True):
        assert one.unbiased == pytest.approx([solved[places].sum() for places in own], abs=1e-9)


def test_a_tree_finds_a_strong_chain_and_its_model_has_the_counts():
    generator = np.random.default_rng(0)
    columns = [generator.integers(0, 3, 4000)]
    for _ in range(4):
        columns.append(np.where(generator.random(4000) < 0.8, columns[-1], generator.integers(0, 3, 4000)))
    schema = Schema(tuple(Attribute(str(place), (0, 1, 2)) for place in range(5)))
    table = Table(schema, np.array(columns).T)
    mechanism = CalibratedTree(schema, epsilon=100.0, delta=1e-6)
    assert converted_epsilon(mechanism.promise.rho, 1e-6) == pytest.approx(100, rel=1e-9)
    released = mechanism.release(table, NumpyRandomness(2))
    assert sorted(released.edges) == list(pairwise(range(5)))
    drawn = mechanism.post_process(released).sample(4000, NumpyRandomness(3))
    for edge in released.edges:
        assert np.abs(drawn.counts(edge) - table.counts(edge)).sum() / 8000 < 0.05


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
