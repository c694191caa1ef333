"""The score of one column: many steps where the log-odds change, few where they do not, none without a difference."""

from __future__ import annotations

import json

import numpy as np

from pan_audits.events.table import Table
from pan_audits.events.trees import TreeScore, step_tree
from pan_audits.judging.reading import Field


def score_of(left, right):
    return TreeScore("learned score", ("output",), (step_tree(left, right),))


def scores(score, values):
    return score(Table(("output",), np.asarray(values, dtype=np.float64)[:, None]))


def test_parity_of_four_hundred_numbers_is_learned():
    generator = np.random.default_rng(1)
    left, right = (2.0 * generator.integers(0, 200, 20_000) + (generator.random(20_000) < p) for p in (0.7, 0.3))
    found = scores(score_of(left, right), np.arange(400))
    wrong = (found > 0) != (np.arange(400) % 2 == 1)
    assert wrong.mean() < 0.02


def test_a_rare_narrow_interval_is_learned():
    generator = np.random.default_rng(2)
    left, right = (generator.laplace(size=32_768) for _ in range(2))
    left[::400] = 0.7 + 0.001 * generator.normal(size=left[::400].size)
    assert scores(score_of(left, right), [0.7])[0] > 1
    assert np.abs(scores(score_of(left, right), [-3.0, 0.0, 3.0])).max() < 0.3


def test_the_score_of_a_number_that_is_often_is_its_log_odds():
    left, right = np.repeat([0.0, 1.0, 2.0], [100, 600, 300]), np.repeat([0.0, 1.0, 2.0], [600, 100, 300])
    found = scores(score_of(left, right), [0, 1, 2])
    assert np.allclose(found, np.log([100.5 / 600.5, 600.5 / 100.5, 1.0]))


def test_equal_streams_have_no_score():
    for seed in range(20):
        generator = np.random.default_rng(seed)
        assert step_tree(generator.normal(size=5000), generator.normal(size=5000)) is None
    assert step_tree(np.ones(50), np.ones(50)) is None
    assert step_tree(np.full(50, np.nan), np.full(50, np.nan)) is None


def test_a_missing_number_has_a_score_of_its_own():
    generator = np.random.default_rng(3)
    left, right = (np.where(generator.random(3000) < p, np.nan, generator.normal(size=3000)) for p in (0.1, 0.3))
    score = score_of(left, right)
    counts = [np.isnan(side).sum() + 0.5 for side in (left, right)]
    assert np.isclose(scores(score, [np.nan])[0], np.log(counts[0] / counts[1]))
    assert (scores(score, [-1.0, 0.0, 1.0]) > 0).all()


def test_the_largest_tree_reads_back_from_its_document():
    generator = np.random.default_rng(4)
    left = np.repeat(np.arange(0.0, 1000.0, 2), 60)
    right = left + 1
    score = score_of(generator.permutation(left), generator.permutation(right))
    assert len(score.trees[0]) > 1000
    again = TreeScore.from_field(Field(json.loads(json.dumps(score.to_dict()))))
    assert again == score
    assert np.array_equal(scores(again, left), score._total(left[:, None]))
