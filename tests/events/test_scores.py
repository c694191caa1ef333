"""Scores: bounded functions that are written down, and learned so that they bound rho."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.events import LIKELIHOOD_RATIO, Polynomial, Score, Table, learn_events, learn_score
from pan_audits.notions import notion_of
from pan_audits.statistics import MOST_HIGH, event_rho_bound, rho_of_event
from pan_audits.workers.limits import one_thread
from pan_promises.errors import InputError
from tests.auditing.concentrated import promised

RHO = notion_of(promised(0.5))
LINEAR = Polynomial("learned score", (((), -0.5), (("output",), 2.0)))
SCORE = Score("learned score", 0.5, 0.25, -1.0, 2.0, (LINEAR,))


def table(values, name="output"):
    return Table((name,), np.asarray(values, dtype=np.float64)[:, None])


def normal(seed, rho, runs):
    generator, shift = np.random.default_rng(seed), math.sqrt(2 * rho)
    return table(generator.normal(shift, 1, runs)), table(generator.normal(0, 1, runs))


def test_a_score_is_a_line_that_is_cut_to_its_limits():
    assert SCORE(table([0.0, 0.5, 100.0, -100.0])) == pytest.approx([0.0, 0.5, 2.0, -1.0])
    assert SCORE.features == {"output"}
    assert SCORE.describe() == (
        "0.5 times the learned score +0.25, cut to -1 .. 2, where the learned score is -0.5 +2 output"
    )


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_every_number_and_a_missing_column_have_a_value_within_the_limits(values):
    for one in (table(values), table(values, "other")):
        found = SCORE(one)
        assert ((found >= SCORE.low) & (found <= SCORE.high)).all()


def test_a_score_is_read_as_it_was_written():
    assert Score.from_dict(json.loads(json.dumps(SCORE.to_dict()))) == SCORE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"low": -MOST_HIGH - 1}, "low: must be a number from -30 to 30"),
        ({"high": -2.0}, "high: must be a number from -1 to 30"),
        ({"scale": "1"}, "scale: must be a finite number"),
        ({"derived": [{"kind": "unknown"}]}, "derived"),
    ],
)
def test_a_document_that_is_no_score_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        Score.from_dict(json.loads(json.dumps(SCORE.to_dict() | change)))


def test_a_learned_score_of_normal_noise_bounds_rho_on_fresh_runs():
    rho, runs = 0.5, 20_000
    learned = learn_score(*normal(1, rho, 8000), runs=runs, error=1e-6)
    bound = learned.lower_bound(*(learned.score(side) for side in normal(2, rho, runs)), error=1e-6)
    assert 0.8 * rho < bound < rho
    # The values of the same runs on the wrong sides show nothing.
    swapped = [learned.score(side) for side in normal(2, rho, runs)][::-1]
    assert learned.lower_bound(*swapped, error=1e-6) == 0.0


def test_an_exact_likelihood_ratio_is_the_score():
    rho, runs = 0.5, 4000
    sides = [
        table(math.sqrt(2 * rho) * side.column("output") - rho, LIKELIHOOD_RATIO) for side in normal(3, rho, 2 * runs)
    ]
    learned = learn_score(*(side.rows(0, runs) for side in sides), runs=runs, error=1e-3)
    assert learned.score.column == LIKELIHOOD_RATIO
    assert 0.7 * rho < learned.lower_bound(*(learned.score(s.rows(runs, 2 * runs)) for s in sides), error=1e-3) < rho


def test_too_few_runs_and_a_constant_column_give_no_score():
    assert learn_score(*normal(4, 0.5, 100), runs=100, error=0.1) is None
    flat = table(np.zeros(1000))
    assert learn_score(flat, flat, runs=1000, error=0.1) is None


def test_heavy_tails_give_a_score_within_the_limits():
    generator = np.random.default_rng(5)
    sides = [table(shift + generator.standard_cauchy(3000)) for shift in (3.0, 0.0)]
    learned = learn_score(*sides, runs=3000, error=1e-3)
    assert -MOST_HIGH <= learned.score.low < learned.score.high <= MOST_HIGH
    assert learned.worth > 0


def test_the_objective_orders_events_by_their_bounds():
    """A rare event that occurs on one side alone is worth more than a likely event of a small loss."""
    runs = 100_000
    objective = RHO.objective(runs, 5.0, 0.0)
    counts = [(1000.0, 0.0), (52_000.0, 48_000.0), (48_000.0, 52_000.0)]
    worth = objective(*(np.array(side) for side in zip(*counts, strict=True)), runs)
    assert worth[0] > worth[1] > 0 > worth[2]
    for (x, y), expected in zip(counts[:2], worth, strict=False):
        assert event_rho_bound(int(x), runs, int(y), runs, error=5e-7)[0] == pytest.approx(expected, rel=0.35)


def test_the_event_with_the_largest_rho_is_learned():
    generator, runs = np.random.default_rng(6), 8000
    rare = [np.where(generator.random(runs) < 0.01, 5.0 + place, generator.random(runs)) for place in (0, 1)]
    with one_thread():
        best, _ = learn_events(*map(table, rare), RHO.objective(runs, 5.0))
    p, q = (float(best.event(table(side)).mean()) for side in rare)
    assert (p > 0.005 and q < 1e-4) or (p > 0.98 and q < 0.995)
    assert rho_of_event(p, max(q, 1e-4))[0] > 0.2
