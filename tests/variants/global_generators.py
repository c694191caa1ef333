"""Plain objects that draw from the global generators, and two that keep an id in their state."""

import random

import numpy as np


class DrawsFromTheGlobalGenerators:
    def __init__(self):
        self.bits = [random.random() < 0.5, False]

    def add(self, one):
        self.bits = [random.random() < 0.5, False]
        np.random.random()

    def result(self):
        return random.randrange(4)


class KeepsInTheGlobalGenerator(DrawsFromTheGlobalGenerators):
    def add(self, one):
        random.seed(str(one))


class KeepsInTheGeneratorOfNumpy(DrawsFromTheGlobalGenerators):
    def add(self, one):
        np.random.seed(hash(one) % 2**32)
