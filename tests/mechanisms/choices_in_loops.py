"""Mechanisms on vectors of 20 bits that draw their random choices one after the other."""

from __future__ import annotations

INVERTED = 0


def one_bit():
    yield [0] * 20, [1] + [0] * 19


def two_bits():
    yield [0] * 20, [1, 1] + [0] * 18


def conditional_expression(data, rng):
    """Each bit is kept with probability 3/4."""
    return [bit if rng.random() < 0.75 else 1 - bit for bit in data]


def appended(data, rng):
    out = []
    for bit in data:
        if rng.random() < 0.75:
            out.append(bit)
        else:
            out.append(1 - bit)
    return out


def exclusive_or_of_numbers(data, rng):
    """The same with a truth value in place of a number."""
    return [bit ^ (rng.random() < 0.25) for bit in data]


def counted_in_a_name(data, rng):
    """The output has the number of inverted bits after each bit."""
    out, inverted = [], 0
    for bit in data:
        if rng.random() < 0.25 + bit / 2:
            inverted += 1
        out.append(inverted)
    return out


def truthful_or_uniform_of_numbers(data, rng):
    out = []
    for bit in data:
        coin = rng.random() < 0.5
        out.append(bit if rng.random() < 0.5 else 1 * coin)
    return out


def inverted_in_place(data, rng):
    for place in range(len(data)):
        if not rng.random() < 0.75:
            data[place] = 1 - data[place]
    return data


def assigned(data, rng):
    out = {}
    for place, bit in enumerate(data):
        answer = bit
        if rng.random() < 0.25:
            answer = 1 - bit
        out[place] = answer
    return out


def _kept(bit, rng):
    if rng.random() < 0.75:
        return bit
    return 1 - bit


def of_a_helper(data, rng):
    return tuple(_kept(bit, rng) for bit in data)


def of_integers(data, rng):
    return [(bit + (rng.integers(4) == 0)) % 2 for bit in data]


def of_choice(data, rng):
    return [abs(bit - rng.choice([0, 1], p=[0.75, 0.25])) for bit in data]


def of_bernoulli(data, rng):
    return [1 - bit if rng.bernoulli(0.25, 1)[0] else bit for bit in data]


def two_conditions(data, rng):
    """An answer is true with probability 1/2, false with 1/4, and missing with 1/4."""
    out = []
    for bit in data:
        number = rng.integers(4)
        if number < 2:
            answer = "yes" if bit else "no"
        elif number == 2:
            answer = "no" if bit else "yes"
        else:
            answer = "nothing"
        out.append(answer)
    return out


def all_together(data, rng):
    """It leaks only if all coins are tails: the elements depend on each other."""
    coins = [rng.random() < 0.5 for _ in data]
    return [bit if all(coins) else 0 for bit in data]


def leaks_by_an_exception(data, rng):
    out = []
    for bit in data:
        kept = rng.random() < 0.75
        try:
            out.append(bit if kept else 1 // (bit - bit))
        except ZeroDivisionError:
            out.append(7)
    return out


def calls_in_a_branch(data, rng):
    """A function in one branch remembers that it was called."""
    out, seen = [], []

    def noted(bit):
        seen.append(bit)
        return 1 - bit

    for bit in data:
        out.append(bit if rng.random() < 0.75 else noted(bit))
    return [*out, len(seen)]


def counted_in_a_global(data, rng):
    """The number of inverted bits is kept outside."""
    global INVERTED
    INVERTED = 0
    out = []
    for _ in data:
        if rng.random() < 0.75:
            INVERTED += 1
        out.append(INVERTED)
    return out


def asks_for_identities(data, rng):
    """It leaks if twenty truth values are Python's own object, which an open one is not."""
    kept = [(rng.random() < 0.75) is True for _ in data]
    return [bit if is_kept else 0 for bit, is_kept in zip(data, kept, strict=True)]


def asks_for_none(data, rng):
    out = []
    for bit in data:
        kept = None if rng.random() < 0.75 else bit
        out.append(0 if kept is None else 1 - bit)
    return out


class Bit:
    """A number whose addition has an effect."""

    added = 0

    def __init__(self, value):
        self.value = value

    def __rsub__(self, other):
        Bit.added += 1
        return other - self.value


def objects_with_effects(data, rng):
    bits = [Bit(each) for each in data]
    Bit.added = 0
    out = [0 if rng.random() < 0.75 else 1 - bit for bit in bits]
    return [*out, Bit.added]
