"""Measurements of OpenDP, which draw their randomness from the system."""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")

INTEGER = dp.atom_domain(T=int), dp.absolute_distance(T=int)
REAL = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
COUNTS = dp.vector_domain(dp.atom_domain(T=int), size=4), dp.l1_distance(T=int)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)

integer_noise = dp.m.make_laplace(*INTEGER, scale=1.0)
real_noise = dp.m.make_laplace(*REAL, scale=1.0)
gaussian_noise = dp.m.make_gaussian(*REAL, scale=2.0)
coin = dp.m.make_randomized_response_bool(prob=0.75)
category = dp.m.make_randomized_response(categories=["a", "b", "c"], prob=0.6)
winner = dp.m.make_noisy_max(*SCORES, dp.max_divergence(), scale=2.0)
tree = COUNTS >> dp.t.then_b_ary_tree(leaf_count=4, branching_factor=2) >> dp.m.then_laplace(scale=3.0)
consistent_tree = tree >> dp.t.make_consistent_b_ary_tree(branching_factor=2)
EUCLIDEAN = dp.vector_domain(dp.atom_domain(T=int), size=4), dp.l2_distance(T=int)
gaussian_tree = EUCLIDEAN >> dp.t.then_b_ary_tree(leaf_count=4, branching_factor=2) >> dp.m.then_gaussian(scale=3.0)
consistent_gaussian_tree = gaussian_tree >> dp.t.make_consistent_b_ary_tree(branching_factor=2)


def laplace(data, rng):
    return integer_noise(data)


def laplace_of_reals(data, rng):
    return real_noise(float(data))


def gaussian(data, rng):
    return gaussian_noise(float(data))


def response(data, rng):
    return coin(bool(data))


def response_of_categories(data, rng):
    return category("ab"[data])


def noisy_max(data, rng):
    return winner(data)


def b_ary_tree(data, rng):
    return tree(data)


def consistent_b_ary_tree(data, rng):
    return consistent_tree(data)


def gaussian_b_ary_tree(data, rng):
    return gaussian_tree(data)


def consistent_gaussian_b_ary_tree(data, rng):
    return consistent_gaussian_tree(data)


def prefix_sums(data, rng):
    """A continual count: the sums of the consistent leaves from the first one on."""
    return np.cumsum(consistent_tree(data))


def numbers():
    yield 0, 1


def scores():
    yield [1, 0, 0], [0, 1, 1]


def counts():
    yield [1, 2, 3, 4], [1, 2, 3, 5]
