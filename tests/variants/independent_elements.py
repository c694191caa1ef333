"""Mechanisms on vectors of 20 bits, whose outputs have 2**20 values and more, with independent elements."""

from __future__ import annotations

import numpy as np

LENGTH = 20


def randomised_response(data, rng):
    """Each bit is inverted with probability 1/4."""
    bits = np.array(data)
    return np.where(rng.random(len(bits)) < 0.25, 1 - bits, bits)


def inverted_by_exclusive_or(data, rng):
    """The same by bits of the randomness interface, as a list of Python's numbers."""
    return (np.array(data) ^ rng.bernoulli(0.25, len(data))).tolist()


def inverted_by_choice(data, rng):
    """The same by numbers of choice, as truth values."""
    return np.logical_xor(data, rng.choice([0, 1], size=len(data), p=[0.75, 0.25]))


def inverted_by_binomial(data, rng):
    """The same by binomial numbers of one trial, in an array of two dimensions."""
    return np.array(data).reshape(4, -1) ^ rng.binomial(1, 0.25, (4, len(data) // 4))


def rappor(data, rng):
    """One-time RAPPOR: a permanent randomised response, and one of it for the report."""
    bits = np.array(data)
    uniform = rng.random(len(bits))
    permanent = np.where(uniform < 0.25, 1, np.where(uniform < 0.5, 0, bits))
    return (rng.random(len(bits)) < np.where(permanent == 1, 0.75, 0.5)).astype(np.uint8)


def kept_or_uniform(data, rng):
    """Each of 4 values is kept with probability 1/2, and replaced by a uniform one otherwise."""
    return np.where(rng.random(len(data)) < 0.5, data, rng.integers(0, 4, len(data)))


def own_probabilities(data, rng):
    """The bit at place k is inverted with probability (k + 1)/50."""
    return np.array(data) ^ (rng.random(len(data)) < np.arange(1, len(data) + 1) / 50)


def beside_a_count(data, rng):
    """Randomised response and a count with Laplace noise of scale 2."""
    return randomised_response(data, rng), sum(data) + rng.laplace(scale=2)


def neighbours_shown(data, rng):
    """Each element of a second vector depends on two elements of the first, in five groups."""
    response = randomised_response(data, rng).reshape(-1, 4)
    return {"response": response, "both": response[:, 0] & response[:, 1]}


def ones_kept(data, rng):
    """A one is never inverted: an element 0 shows that the bit is 0."""
    return np.array(data) | (rng.random(len(data)) < 0.25)


def one_bit_for_all(data, rng):
    """One random bit inverts every bit, so that the differences of the bits are shown."""
    return np.array(data) ^ rng.bernoulli(0.25, len(data))[:1]


def identity_of_a_truth_value(data, rng):
    """It asks whether an element is numpy's object for true, which an open element is not."""
    flips = np.array([True] * len(data)) & (rng.random(len(data)) < 0.25)
    return [1 - bit if flip is np.True_ else bit for bit, flip in zip(data, flips, strict=True)]


def counted(data, rng):
    """The number of ones after randomised response depends on all bits."""
    return int(randomised_response(data, rng).sum())


def written_in_place(data, rng):
    """A mask of random choices as an index."""
    bits = np.array(data)
    flips = rng.random(len(bits)) < 0.25
    bits[flips] = 1 - bits[flips]
    return bits


def bit_by_bit(data, rng):
    """A loop of Python, whose branches depend on the choices."""
    return [1 - bit if rng.random() < 0.25 else bit for bit in data]


def of_several_forms(data, rng):
    """A single choice decides whether the answer is a vector."""
    return None if rng.random() < 0.5 else randomised_response(data, rng)


def type_of_the_noise(data, rng):
    """It adds no noise if it is given anything but numpy's own array."""
    flips = rng.random(len(data)) < 0.25
    return np.array(data) ^ flips if isinstance(flips, np.ndarray) else np.array(data)


def with_ones(*places, length=LENGTH):
    """A vector of zeros with some ones."""
    return [int(place in places) for place in range(length)]


def one_bit():
    """Neighbours that differ in one bit."""
    yield with_ones(), with_ones(3)


def two_bits():
    """Neighbours that differ in two bits."""
    yield with_ones(), with_ones(3, 7)
