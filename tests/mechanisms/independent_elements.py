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


def plain_number_for_an_element(data, rng):
    """The places of a plain number and of an element depend on the data."""
    noise = list(rng.random(len(data)) < 0.25)
    return [noise[0], 0, *noise[1:]] if data[3] else [0, noise[0], *noise[1:]]


def places_instead_of_noise(data, rng):
    """Which of two vectors is noise depends on the data; the other one counts from 0."""
    noise, places = rng.integers(0, 10, len(data)), np.arange(len(data))
    return (noise, places) if data[3] else (places, noise)


def sum_of_truth_values(data, rng):
    """Python adds truth values to 2, where numpy gives true."""
    bits = rng.random(len(data)) < 0.5
    one, other = (bits[0] & bits[1] & bits[2]).tolist(), (bits[3] & bits[4] & bits[5]).tolist()
    return [one + other if data[3] else one | other, *bits[6:].tolist()]


def whole_numbers_of_any_length(data, rng):
    """Python's integers do not wrap."""
    bits = rng.integers(0, 2, len(data))
    one, other = (2**40 * bits[0] * bits[1] * bits[2]).item(), (2**40 * bits[3] * bits[4] * bits[5]).item()
    return [one * other if data[3] else 0 * one, *bits[6:].tolist()]


def objects(data, rng):
    """The same by numpy's arrays of objects."""
    bits = (rng.random(len(data)) < 0.5).astype(object)
    return bits + np.array(data)


def errors_of_numpy(data, rng):
    """It releases the data where no division by 0 occurs, which is rare."""
    weights = rng.choice([0, 1], size=len(data), p=[0.3, 0.7])
    flips = rng.random(len(data)) < 0.25
    try:
        with np.errstate(divide="raise", invalid="raise"):
            return np.array(data) / weights
    except FloatingPointError:
        return np.array(data) ^ flips


def function_with_a_memory(data, rng):
    """A function for numpy that counts the flips before an element."""
    run = 0

    def guard(flip, inverted, bit):
        nonlocal run
        run = run + 1 if flip else 0
        return bit if run > 18 else (inverted if flip else bit)

    bits = np.array(data)
    return np.frompyfunc(guard, 3, 1)(rng.random(len(bits)) < 0.25, 1 - bits, bits)


def looks_for_the_interface_of_arrays(data, rng):
    """It adds no noise if it is given numpy's own array, and a rare choice is made."""
    uniform = rng.random(len(data))
    open_array = not hasattr(uniform, "__array_interface__")
    if not open_array and uniform[0] > 0.99:
        return np.array(data)
    return np.array(data) ^ (uniform < 0.25)


def looks_for_an_attribute(data, rng):
    """The same by an attribute that numpy does not have."""
    flips = rng.random(len(data)) < 0.25
    return np.array(data) ^ flips if hasattr(flips, "identity") else np.array(data)


def looks_at_the_documentation(data, rng):
    """The same by the text of the class."""
    flips = rng.random(len(data)) < 0.25
    return np.array(data) ^ flips if "table" in (flips.__doc__ or "") else np.array(data)


def each_uniform_number(data, rng):
    """A loop over an array of uniform numbers, without branches."""
    return [bit ^ (uniform < 0.25) for bit, uniform in zip(np.array(data), rng.random(len(data)), strict=True)]


def beside_a_coin(data, rng):
    """A single choice that is released beside the vector."""
    return bool(rng.random() < 0.5), randomised_response(data, rng)


def clipped(data, rng):
    """Differences that are limited, and turned back."""
    shifted = np.array(data) - (rng.random(len(data)) < 0.25) * 2
    return np.clip(shifted, np.zeros(len(data)), None).astype(int, copy=False).T.flatten().clip(0, 1)


def computed_probability(data, rng):
    """A probability that is a double of numpy, at the left of the comparison."""
    return np.array(data) ^ (np.exp(1) / (1 + np.exp(1)) < rng.random(len(data)))


def infinities(data, rng):
    """Elements without a finite value."""
    return np.where(np.array(data) ^ (rng.random(len(data)) < 0.25), np.inf, -np.inf)
