"""Fitted parameters of models of diffprivlib, with a fresh seed for every run. A row is two features and a label."""

from __future__ import annotations

import warnings

import numpy as np
from diffprivlib import models

from packages.of_diffprivlib import seed

warnings.filterwarnings("ignore")


def numbers(*arrays):
    """The entries of arrays as one list."""
    return [float(one) for array in arrays for one in np.ravel(array)]


def parted(data):
    """The features and the labels."""
    table = np.array(data, dtype=float)
    return table[:, :-1], table[:, -1].astype(int)


def naive_bayes(data, rng):
    features, labels = parted(data)
    model = models.GaussianNB(epsilon=1.0, bounds=(0, 1), random_state=seed(rng)).fit(features, labels)
    return numbers(len(model.classes_), model.class_count_[0], model.theta_[0], model.var_[0])


def naive_bayes_of_classes(data, rng):
    features, labels = parted(data)
    model = models.GaussianNB(epsilon=1.0, bounds=(0, 1), random_state=seed(rng))
    model.partial_fit(features, labels, classes=[0, 1])
    return numbers(model.class_count_, model.theta_, model.var_)


def logistic(data, rng):
    features, labels = parted(data)
    model = models.LogisticRegression(epsilon=1.0, data_norm=1.0, random_state=seed(rng)).fit(features, labels)
    return numbers(model.coef_, model.intercept_)


def linear(data, rng):
    features, labels = parted(data)
    model = models.LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1), random_state=seed(rng))
    model.fit(features, labels.astype(float))
    return numbers(model.coef_, model.intercept_)


def linear_without_intercept(data, rng):
    table = np.array(data, dtype=float)
    bounds = {"bounds_X": (0, 1), "bounds_y": (0, 1)}
    model = models.LinearRegression(epsilon=1.0, fit_intercept=False, random_state=seed(rng), **bounds)
    return float(model.fit(table[:, :1], table[:, 1]).coef_[0])


def scaler(data, rng):
    features, _ = parted(data)
    model = models.StandardScaler(epsilon=1.0, bounds=(0, 1), random_state=seed(rng)).fit(features)
    return numbers(model.mean_, model.var_)


def _clusters(data, rng):
    features, _ = parted(data)
    return models.KMeans(2, epsilon=1.0, bounds=(0, 1), random_state=seed(rng)).fit(features)


def clusters(data, rng):
    return numbers(_clusters(data, rng).cluster_centers_)


def inertia(data, rng):
    """Whether the sum of the squared distances that the model holds is that of eight rows of zeros."""
    model = _clusters(data, rng)
    nearest = (model.cluster_centers_**2).sum(axis=1).min()
    return int(abs(model.inertia_ - 8 * nearest) < 1e-9)


def forest(data, rng):
    features, labels = parted(data)
    model = models.RandomForestClassifier(
        1, epsilon=1.0, bounds=(0, 1), classes=[0, 1], max_depth=1, random_state=seed(rng)
    ).fit(features, labels)
    return [int(one) for one in model.predict(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))]


def only_label():
    """One row of 8 has the only label 1, or none has."""
    yield [[0, 0, 0]] * 7 + [[1, 1, 1]], [[0, 0, 0]] * 8


def replaced():
    """One row of 8 has other values; each label occurs in both tables."""
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 3 + [[1, 1, 1]] * 5
    yield [[0, 0, 0]] * 4 + [[1, 1, 1]] * 4, [[0, 0, 0]] * 4 + [[1, 1, 1]] * 3 + [[0, 0, 1]]


def one_row():
    """One row, or a second one at the other end. The number of rows is not public."""
    yield [[1, 1, 1]], [[1, 1, 1], [0, 0, 0]]


def added():
    """One row more than 2. The number of rows is not public."""
    yield [[0, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 1, 1], [1, 1, 1]]
    yield [[0, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 1, 1], [0, 0, 1]]


def zeros_and_a_one():
    """One of eight rows of zeros has the feature 1."""
    yield [[0, 0]] * 8, [[0, 0]] * 7 + [[1, 0]]
