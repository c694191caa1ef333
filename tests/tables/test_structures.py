"""The scores, beside independent computations and the largest change over all small tables."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from pan_estimators.tables.scores import SCORES, MutualInformation


def tables(shape, rows):
    cells = list(np.ndindex(*shape))
    for chosen in combinations_with_replacement(range(len(cells)), rows):
        yield np.bincount(chosen, minlength=len(cells)).reshape(shape)


def information(counts):
    joint = counts / counts.sum()
    both = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float((joint[joint > 0] * np.log(joint[joint > 0] / both[joint > 0])).sum())


def independence(counts):
    joint = counts / counts.sum()
    return float(np.abs(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum() / 2)


def dependence(counts):
    # Every way to give each column to one of the two values, whose places then share a half each as well as they can.
    joint = counts / counts.sum()
    least = min(
        sum(
            max(0.0, 0.5 - sum(joint[value, place] for place, owner in enumerate(way) if owner == value))
            for value in (0, 1)
        )
        for way in product((0, 1), repeat=joint.shape[1])
    )
    return -least


@pytest.mark.parametrize(
    ("name", "formula", "shape"),
    [
        ("mutual-information", information, (2, 3)),
        ("mutual-information", information, (3, 3)),
        ("R", independence, (3, 2)),
        ("F", dependence, (2, 4)),
    ],
)
def test_a_score_is_its_formula(name, formula, shape):
    for counts in tables(shape, 4):
        assert float(SCORES[name].value(counts)) == pytest.approx(formula(counts), abs=1e-12)


@pytest.mark.parametrize("rows", [2, 5])
@pytest.mark.parametrize(
    ("name", "shape", "attained"),
    [
        ("mutual-information", (2, 3), True),
        ("mutual-information", (3, 3), False),
        ("R", (2, 2), False),
        ("F", (2, 2), True),
        ("F", (2, 4), True),
    ],
)
def test_no_row_changes_a_score_by_more_than_its_sensitivity(name, shape, attained, rows):
    score = SCORES[name]
    known = {counts.tobytes(): float(score.value(counts)) for counts in tables(shape, rows)}
    largest = 0.0
    for counts in tables(shape, rows):
        for source, target in product(np.ndindex(*shape), repeat=2):
            if counts[source]:
                moved = counts.copy()
                moved[source] -= 1
                moved[target] += 1
                largest = max(largest, abs(known[moved.tobytes()] - known[counts.tobytes()]))
    bound = float(score.sensitivity(rows, *shape))
    assert largest <= bound + 1e-12
    if attained:
        assert largest == pytest.approx(bound, abs=1e-12)


def test_large_tables_have_the_same_values_as_doubles(monkeypatch):
    counts = np.array([[5, 1, 3], [2, 4, 1]])
    exact = [float(MutualInformation().value(counts))]
    exact += [float(MutualInformation().sensitivity(16, *shape)) for shape in ((2, 3), (3, 3))]
    monkeypatch.setattr("pan_estimators.tables.scores.EXACT_ROWS", 1)
    rounded = [MutualInformation().value(counts)]
    rounded += [MutualInformation().sensitivity(16, *shape) for shape in ((2, 3), (3, 3))]
    assert rounded == pytest.approx(exact, rel=1e-13)
