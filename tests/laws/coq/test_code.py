"""The shipped estimators have the distributions of the Coq semantics: fraction by fraction, on all small streams.

The code runs for every outcome of its random choices. So a theorem about the semantics is one about this code.
"""

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import coq_tables as tables
import numpy as np
import pytest

from pan_audits.choices.enumerating import outcomes
from pan_estimators import BernoulliCells, create_estimator
from pan_estimators.common.registry import with_budget
from pan_estimators.density.cell_loss import noise_limits, worst_ratio
from pan_promises.exact_epsilon import parse_epsilon

TABLES = json.loads(tables.TABLES.read_text())
ESTIMATORS = {
    ("1/4", "3/4", False): {
        "optimal-bernoulli": "log(3)",
        "announced-intrusions": "log(3)",
        "calibrated-bernoulli": "1",
        "calibrated-continual-output": "1",
        "calibrated-announced-intrusions": "1",
    },
    ("1/2", "3/4", False): {"dwork": "1", "lecture": "1"},
    ("9/16", "15/16", False): {"bernoulli-family": "log(5/3)"},
    ("1/4", "3/4", True): {"optimal-bernoulli-insert-delete": "log(3)", "calibrated-insert-delete": "1"},
    ("1/2", "3/4", True): {"dwork-insert-delete": "1"},
}
LEVELS = {(0, 0, 1, 1): [(2, 2)], (0, 0, 1, 2, 3): [(1, 2), (2, 1)]}
CASES = [
    pytest.param(case, name, epsilon, id=f"{name}-{case.m}-{case.length}")
    for case in tables.CASES
    for name, epsilon in (
        {"distinct-counter": "2"} if case.shared else ESTIMATORS[str(case.p0), str(case.p1), case.deletions]
    ).items()
]


class Enumerated:
    """The estimator's bits, with every outcome of its code and its probability; a user may have no bit."""

    def __init__(self, case, name, epsilon):
        more = {"centre": 0.75} if name == "bernoulli-family" else {}
        if case.shared:
            more = {"levels": LEVELS[case.shared], "p_init": float(case.p0), "p_upd": float(case.p1)}
        else:
            more["sample_size"] = case.m
        more["universe"] = len(case.hash)
        self.estimator = create_estimator(name, **with_budget(name, parse_epsilon(epsilon), more))
        if name.startswith("calibrated"):  # its own probabilities are no simple fractions
            pairs = (BernoulliCells(float(case.p0), float(case.p1)), *self.estimator.calibration.pairs[1:])
            self.estimator = replace(self.estimator, calibration=replace(self.estimator.calibration, pairs=pairs))
        self.deletions = case.deletions
        self.states, self.steps = {}, {}
        if case.shared:
            cells = self.estimator.geometry.cells_of(np.arange(len(case.hash))).tolist()  # of the users who have one
            assert case.hash == (*cells, *[case.m] * (len(case.hash) - len(cells)))
        sampled = list(range(case.m))
        born = {}
        for probability, state, _ in outcomes(self.estimator.create):
            if case.shared or list(self.estimator.sampled_users(state)) == sampled:
                born[self.named(state)] = born.get(self.named(state), 0) + fraction(probability)
        self.born = {cells: probability / sum(born.values()) for cells, probability in born.items()}

    def named(self, state):
        cells = tuple(bool(bit) for bit in state.cells)
        self.states[cells] = state
        return cells

    def step(self, cells, entry):
        if (cells, entry) not in self.steps:
            deletes = {"deletions": entry.startswith("-")} if self.deletions else {}
            found = {}
            for probability, state, _ in outcomes(partial(self.updated, cells, abs(int(entry)), deletes)):
                found[self.named(state)] = found.get(self.named(state), 0) + fraction(probability)
            self.steps[cells, entry] = found
        return self.steps[cells, entry]

    def updated(self, cells, user, deletes, randomness):
        return self.estimator.update(self.estimator.copy_state(self.states[cells]), [user], randomness, **deletes)

    def after(self, distribution, stream):
        for entry in stream:
            moved = {}
            for cells, probability in distribution.items():
                for next_cells, weight in self.step(cells, entry).items():
                    moved[next_cells] = moved.get(next_cells, 0) + probability * weight
            distribution = moved
        return distribution


def fraction(probability):
    return Fraction(int(probability.p), int(probability.q))


@pytest.mark.parametrize(("case", "name", "epsilon"), CASES)
def test_the_code_has_the_distribution_of_the_semantics(case, name, epsilon):
    code = Enumerated(case, name, epsilon)
    table = TABLES[case.name]
    assert len(table) == sum(1 for _ in case.rows())
    last = {}
    for before, after in case.rows():
        seen, row = code.after(code.born, before), []
        for cells in product((False, True), repeat=case.m):
            if (cells, after) not in last:
                last[cells, after] = code.after({cells: Fraction(1)}, after) if cells in code.states else {}
            for ones in range(case.m + 1):
                ends = (weight for end, weight in last[cells, after].items() if sum(end) == ones)
                row.append(seen.get(cells, 0) * sum(ends))
        expected = [Fraction(number) for number in table[f"{' '.join(before)} | {' '.join(after)}"].split()]
        assert row == expected, (before, after)


@pytest.mark.parametrize(("name", "numbers"), tables.CLOSED)
def test_the_closed_forms_of_the_code_have_the_values_that_coq_computes(name, numbers):
    expected = [Fraction(number) for number in TABLES["closed forms"][tables.named(name, numbers)].split()]
    if name == "rates":
        assert list(noise_limits(*numbers)) == expected
    else:
        p_init, p_upd, least, up, down = numbers
        assert [worst_ratio([(p_init, p_upd)], up=up, down=down, deletions=least == p_init)] == expected
