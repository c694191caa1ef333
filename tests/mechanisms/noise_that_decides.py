"""Mechanisms whose noise is compared: the sparse vector technique, report noisy max.

The mechanisms 1 to 6 of the sparse vector technique are the algorithms of Lyu, Su and Li, Understanding the sparse
vector technique for differential privacy, 2017. Their budget is 1, the threshold 0, and the cutoff 1."""

from __future__ import annotations

import numpy as np


def sparse_vector_1(queries, rng, cutoff=1):
    threshold, answers = rng.laplace(scale=2.0), []
    for query in queries:
        above = query + rng.laplace(scale=4.0 * cutoff) >= threshold
        answers.append(above)
        if sum(answers) >= cutoff:
            break
    return answers


def sparse_vector_2(queries, rng, cutoff=1):
    """The threshold is drawn again after each answer above it."""
    threshold, answers = rng.laplace(scale=2.0 * cutoff), []
    for query in queries:
        above = query + rng.laplace(scale=4.0 * cutoff) >= threshold
        answers.append(above)
        if above:
            threshold = rng.laplace(scale=2.0 * cutoff)
        if sum(answers) >= cutoff:
            break
    return answers


def sparse_vector_3(queries, rng):
    """It releases the noisy answer itself."""
    threshold, answers = rng.laplace(scale=2.0), []
    for query in queries:
        noisy = query + rng.laplace(scale=2.0)
        if noisy >= threshold:
            return [*answers, noisy]
        answers.append(None)
    return answers


def sparse_vector_4(queries, rng, cutoff=1):
    threshold, answers = rng.laplace(scale=4.0), []
    for query in queries:
        above = query + rng.laplace(scale=4 / 3) >= threshold
        answers.append(above)
        if sum(answers) >= cutoff:
            break
    return answers


def sparse_vector_5(queries, rng):
    """Its queries have no noise, and no cutoff."""
    threshold = rng.laplace(scale=2.0)
    return [query >= threshold for query in queries]


def sparse_vector_6(queries, rng):
    """It has no cutoff."""
    threshold = rng.laplace(scale=2.0)
    return [query + rng.laplace(scale=2.0) >= threshold for query in queries]


def numerical_sparse_vector(queries, rng):
    """An answer above the threshold is released with noise of its own."""
    threshold, answers = rng.laplace(scale=3.0), []
    for query in queries:
        if query + rng.laplace(scale=6.0) >= threshold:
            return [*answers, query + rng.laplace(scale=3.0)]
        answers.append(0)
    return answers


def report_noisy_max(queries, rng, scale=2.0):
    """The place of the largest noisy answer."""
    return int(np.argmax([query + rng.laplace(scale=scale) for query in queries]))
