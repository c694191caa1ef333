"""Synthesizers as other people write them: three correct ones, and others with one error each."""

from __future__ import annotations

import numpy as np

DOMAINS = {"a": [0, 1], "b": ["x", "y"]}


class Margins:
    """Noisy counts of each column alone: one replaced row changes each of two columns by 2."""

    scale = 2.0 * len(DOMAINS)

    def __init__(self, epsilon=1.0, seed=None):
        self.epsilon = epsilon
        self.rng = np.random.default_rng(seed)

    def domain(self, df, name):
        return DOMAINS[name]

    def noise(self, size):
        return self.rng.laplace(0, self.scale / self.epsilon, size)

    def fit(self, df):
        self.values, self.weights = {}, {}
        for name in DOMAINS:
            self.values[name] = self.domain(df, name)
            counts = np.array([(df[name] == value).sum() for value in self.values[name]], dtype=float)
            noisy = np.clip(counts + self.noise(len(counts)), 1e-9, None)
            self.weights[name] = noisy / noisy.sum()

    def sample(self, n):
        drawn = {name: self.rng.choice(len(self.values[name]), n, p=self.weights[name]) for name in DOMAINS}
        return [
            [self.values[name][place] for name, place in zip(DOMAINS, row, strict=True)]
            for row in zip(*drawn.values(), strict=True)
        ]


class Joint:
    """Noisy counts of both columns together, in an object that draws from numpy's global generator."""

    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon

    def fit(self, data):
        self.cells = [(a, b) for a in DOMAINS["a"] for b in DOMAINS["b"]]
        rows = list(zip(data["a"], data["b"], strict=True))
        counts = np.array([rows.count(cell) for cell in self.cells], dtype=float)
        noisy = np.clip(counts + np.random.laplace(0, 2 / self.epsilon, len(counts)), 1e-9, None)
        self.weights = noisy / noisy.sum()
        return self

    def generate(self, count):
        return np.array([self.cells[place] for place in np.random.choice(4, count, p=self.weights)], dtype=object)


class Uniform:
    """It ignores the table."""

    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def fit(self, data, epsilon):
        self.epsilon = epsilon

    def sample(self, n):
        return {name: [values[place] for place in self.rng.integers(2, size=n)] for name, values in DOMAINS.items()}


class TooLittleNoise(Margins):
    """The noise has a thirtieth of the scale."""

    scale = Margins.scale / 30


class DomainOfTheData(Margins):
    """Only values that occur in the table get a count."""

    def domain(self, df, name):
        return [value for value in DOMAINS[name] if (df[name] == value).any()]


class NoiseOnOneSide(Margins):
    """Empty cells get no noise."""

    def fit(self, df):
        super().fit(df)
        for name in DOMAINS:
            counts = np.array([(df[name] == value).sum() for value in DOMAINS[name]], dtype=float)
            self.weights[name] = np.where(counts > 0, self.weights[name], 0.0)
            self.weights[name] = self.weights[name] / self.weights[name].sum()


class RowsOfTheData(Margins):
    """The sample consists of rows of the table."""

    def fit(self, df):
        super().fit(df)
        self.rows = list(zip(*(df[name] for name in DOMAINS), strict=True))

    def sample(self, n):
        return [self.rows[place] for place in self.rng.choice(len(self.rows), n)]


class NumberOfRows(Margins):
    """It returns one row for each row of the table whose first value is 1."""

    def fit(self, df):
        super().fit(df)
        self.ones = int((df["a"] == 1).sum())

    def sample(self, n):
        return super().sample(self.ones)


class DecidesByTheData(Margins):
    """It learns from the table if one column is constant there, and gives uniform rows otherwise."""

    def fit(self, df):
        super().fit(df)
        if df["a"].nunique() > 1:
            self.weights = {name: np.array([0.5, 0.5]) for name in DOMAINS}
        else:
            self.weights = {name: np.array([1.0, 0.0]) for name in DOMAINS}


class FixedSeed(Margins):
    """Its generator has a constant seed, so that all runs have the same noise."""

    def __init__(self, epsilon=1.0):
        super().__init__(epsilon)
        self.rng = np.random.default_rng(0)


class FixedSeedOfTheSample(Margins):
    """The rows are drawn with a constant seed. The noise of the counts is new in each run."""

    def sample(self, n):
        self.rng = np.random.default_rng(seed=5)
        return super().sample(n)
