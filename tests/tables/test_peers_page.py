"""The numbers of the page of synthesizers: the error of a model is exact, and a better model has a smaller one."""

from __future__ import annotations

import numpy as np
import pytest

from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from tests.benchmarks.tables import error, pairs_of


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    codes = [generator.integers(0, 3, 3000)]
    for _ in range(3):
        codes.append(np.where(generator.random(3000) < 0.7, codes[-1], generator.integers(0, 3, 3000)))
    return Table(Schema(tuple(Attribute(name, (0, 1, 2)) for name in "abcd")), np.array(codes).T)


def test_the_joint_distributions_are_those_of_many_sampled_rows(table):
    mechanism = CalibratedTree(table.schema, epsilon=1.0)
    model = mechanism.post_process(mechanism.release(table, NumpyRandomness(1)))
    drawn = model.sample(200_000, NumpyRandomness(2))
    for pair, joint in pairs_of(model).items():
        assert joint.sum() == pytest.approx(1)
        assert np.abs(joint - drawn.counts(pair) / drawn.rows).max() < 0.005


def test_less_noise_makes_a_smaller_error(table):
    errors = []
    for epsilon in (0.1, 1.0, 100.0):
        mechanism = CalibratedTree(table.schema, epsilon=epsilon)
        runs = [mechanism.post_process(mechanism.release(table, NumpyRandomness(run))) for run in range(10)]
        errors.append(np.mean([error(model, table) for model in runs]))
    assert errors[0] > 2 * errors[1] > 2 * errors[2]
