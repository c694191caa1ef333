"""Functions that are given no randomness, as packages have them."""

import copy
import math
import os
import random
import secrets
import uuid
from random import random as uniform

import numpy as np
from numpy.random import default_rng, laplace
from scipy import stats

SEEDED = np.random.default_rng(42)
UNSEEDED = default_rng()
OLDER = np.random.RandomState(7)
OF_PYTHON = random.Random(3)
SYSTEM = random.SystemRandom()


def flipped(bit, keep):
    return bit if keep else 1 - bit


def coin(bit):
    return flipped(bit, random.random() < 0.75)


def coin_by_name(bit):
    return flipped(bit, uniform() < 0.75)


def coin_of_numpy(bit):
    return flipped(bit, np.random.rand() < 0.75)


def coin_of_bits(bit):
    return flipped(bit, random.getrandbits(2) > 0)


def coin_of_the_system(bit):
    return flipped(bit, secrets.randbelow(4) > 0)


def coin_of_bytes(bit):
    return flipped(bit, os.urandom(1)[0] >= 64)


def device_rarely_read_aloud(bit):
    with open("/dev/urandom", "rb") as device:
        rare = device.read(3) == b"abc"
    return bit + 10 if rare else coin_of_a_choice(bit)


def coin_of_a_choice(bit):
    return random.choice([bit, bit, bit, 1 - bit])


def coin_of_choices(bit):
    return random.choices([bit, 1 - bit], weights=[3, 1])[0]


def coin_of_a_system_generator(bit):
    return flipped(bit, SYSTEM.randint(1, 4) > 1)


def coin_of_a_seeded_generator(bit):
    return flipped(bit, SEEDED.integers(4) > 0)


def coin_of_python(bit):
    return flipped(bit, OF_PYTHON.randrange(4) > 0)


def coin_of_a_sample(bit):
    return random.sample([bit, bit, bit, 1 - bit], 1)[0]


def noisy(value):
    return value + np.random.laplace(0, 1.0)


def noisy_by_name(value):
    return value + laplace()


def noisy_fresh(value):
    return value + np.random.default_rng().laplace()


def noisy_kept(value):
    return value + UNSEEDED.laplace()


def noisy_older(value):
    return value + OLDER.laplace()


def noisy_by_seed(value, seed=None):
    return value + np.random.default_rng(seed).laplace()


def noisy_by_state(value, random_state=None):
    return value + np.random.RandomState(random_state).laplace()


def noisy_by_given_state(value, random_state):
    return value + random_state.laplace()


def noisy_with_a_parameter(value, scale=1.0):
    return value + np.random.laplace(0, scale)


def inverse(value):
    draw = random.random() - 0.5
    return value - math.copysign(1.0, draw) * math.log(1 - 2 * abs(draw))


def inverse_of_numpy(value):
    draw = np.random.uniform(-0.5, 0.5)
    return value - np.sign(draw) * np.log(1 - 2 * np.abs(draw))


def noisy_by_exponentials(value):
    return value + random.expovariate(1.0) + math.log(random.random())


def noisy_by_discrete_noise(value):
    first, second = (math.floor(-math.log(random.random())) for _ in range(2))
    return value + first - second


def noisy_vector(value):
    draws = np.random.uniform(-0.5, 0.5, 40)
    return np.array([value] + [0] * 39) - np.sign(draws) * np.log(1 - 2 * np.abs(draws))


def noisy_of_scipy(value, random_state=None):
    return value + stats.laplace.rvs(random_state=random_state)


def noisy_of_discrete_scipy(value):
    return value + stats.dlaplace.rvs(1.0)


def noisy_of_exponential_scipy(value):
    return stats.expon(value).rvs() - np.random.standard_exponential()


def coin_of_scipy(bit):
    return flipped(bit, stats.bernoulli.rvs(0.75))


def one_sided(value):
    """The count of a package whose geometric noise has one side only."""
    return value + math.ceil(math.log(1.0 - random.random()) / math.log(1.0 - (1 - math.exp(-1.0))) - 1)


def dice(value):
    return (value + int(6 * random.random())) % 6


def unequal_dice(value):
    return (value + int(2.5 * random.random())) % 3


def of_a_fixed_seed(value):
    return value + np.random.default_rng(5).laplace()


def needs_a_seed(value, seed):
    return value + np.random.default_rng(seed).laplace()


def normal(value):
    return value + random.gauss(0, 1)


def normal_of_scipy(value):
    return stats.norm.rvs(value, 1)


def normal_of_an_older_generator(value):
    return value + OLDER.standard_normal()


def beta(value):
    return value + random.betavariate(2, 3)


def gamma(value):
    return value + np.random.gamma(2.0)


def normal_by_hand(value):
    return value + math.sqrt(-2 * math.log(random.random())) * math.cos(2 * math.pi * random.random())


def named(value):
    return str(uuid.uuid4()) if value else value


def coin_of_a_spawned_generator(bit):
    return flipped(bit, np.random.default_rng().spawn(1)[0].random() < 0.75)


class Half(random.Random):
    """It is not random."""

    def random(self):
        return 0.5


def of_a_constant_generator(bit):
    return Half().choices([bit, 1 - bit])[0]


def copied(bit):
    return flipped(bit, copy.copy(OF_PYTHON).random() < 0.75)


def noisy_if_it_is_a_generator(value, generator=None):
    given = isinstance(generator, np.random.Generator)
    return value + (generator if given else np.random.default_rng(0)).laplace()


def rounded_away(bit):
    return flipped(bit, (random.random() + 1e17) - 1e17 < 0.5)


def of_a_local_scale(value):
    return np.random.laplace(value, 1.0 - value)


def of_no_scale(value):
    return np.random.laplace(1.0, 0.0) + np.random.normal(0.0, 0.0) + np.random.exponential(0.0)


def imports_late(value):
    from tests.mechanisms import reads_the_clock_at_its_import

    return value + reads_the_clock_at_its_import.ONE * np.random.laplace()


def of_a_tiny_scale(value):
    return np.random.laplace(value, 1e-100)
