"""Experiments at a small size: files, pages, seeds, and what does not depend on what."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.density.contenders import Configuration
from experiments.toolkit import reproduction
from experiments.toolkit.effects import Effect
from experiments.toolkit.experiment import COLUMNS, MEASURED
from experiments.toolkit.registry import FIGURES, OTHERS, all_measured, experiment, resolve
from experiments.toolkit.reproduction import reproduce
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.runs import PLOTTED, Bench, Task, run
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, how_certain, worst_first
from experiments.toolkit.tables import Format
from pan_estimators import InputError, MissingExtraError, Target
from pan_proofs.density.sources import EXPERIMENTS
from tests.density.experiments.small import SMALL

QUICK = replace(SMALL, rounds=4)
_NAMES = ("figure-4", "figure-6")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return folder, reproduce(Request(names=_NAMES, folder=folder, setting=QUICK))


def _rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("claim", EXPERIMENTS)
def test_every_experiment_of_the_ledger_can_be_made_anew(claim):
    (name,) = resolve(claim)
    assert claim in experiment(name).claims
    assert experiment(name).sentences


def test_an_experiment_that_is_missing_would_be_noticed():
    with pytest.raises(InputError, match=r"unknown experiment 'density.figure_8'; did you mean density.figure_"):
        resolve("density.figure_8")


def test_all_figures_are_there_and_each_says_something():
    assert {"turnstile", "real-streams", *(f"thesis-3.{number}" for number in range(4, 10))} <= set(OTHERS)
    assert resolve("all") == (*FIGURES, *OTHERS)
    assert {name.rsplit("-", 1)[0] for name in FIGURES} == {"figure", "thesis"}
    assert len(FIGURES) == 7 + 11
    sentences = [sentence for name in FIGURES for sentence in experiment(name).sentences]
    assert len({sentence.id for sentence in sentences}) == len(sentences)
    for name in FIGURES:
        for sentence in experiment(name).sentences:
            assert sentence.id.startswith(f"{name}.")
            assert sentence.states.endswith(".")
            assert len(sentence.states) <= 115
            # They are shown sorted by verdict, and must not refer to one another.
            assert not sentence.states.startswith(("The same ", "There", "Here", "They "))
            assert sentence.meaning
            assert not sentence.meaning.endswith(".")
            assert sentence.source.startswith(("paper, ", "thesis, "))
    assert set(all_measured()) == {sentence.id for sentence in sentences if sentence.measured}


def test_the_data_have_every_point_with_its_band(made):
    folder, _ = made
    rows = _rows(folder / "figure-6.csv")
    assert tuple(rows[0]) == COLUMNS
    measured = [row for row in rows if row["kind"] == MEASURED]
    assert len(measured) == 5 * 2 * 2 * len(QUICK.epsilons)
    for row in measured:
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
        assert row["repetitions"] == str(QUICK.error_repetitions)
    exact = {(row["panel"], row["series"], row["x"]): float(row["value"]) for row in rows if row["kind"] == "exact"}
    inside = [
        float(row["low"]) <= exact[key] <= float(row["high"])
        for row in measured
        if (key := (row["panel"], row["series"], row["x"])) in exact
    ]
    assert len(inside) == 4 * 2 * 2 * len(QUICK.epsilons)
    assert sum(inside) >= len(inside) - 3


def test_verdicts_stand_beside_the_figure_in_a_table_and_on_the_page(made):
    folder, found = made
    stored = json.loads((folder / "figure-6.json").read_text())
    assert stored["claims"] == ["density.figure_6"]
    by_id = {one["id"]: one["verdict"] for one in stored["sentences"]}
    assert by_id["figure-6.optbern-outperforms"] == "REPRODUCED"
    table = {row["id"]: row for row in _rows(folder / "verdicts.csv")}
    assert {judgement.sentence.id for judgement in found.judgements} == set(table)
    assert all(table[identifier]["verdict"] == verdict for identifier, verdict in by_id.items())
    page = (folder / "index.html").read_text()
    assert (
        page.index(f"{found.count(ReproductionVerdict.REPRODUCED)} REPRODUCED")
        < page.index("figure-6.")
        < page.index("<img")
    )
    assert found.page == folder / "index.html"
    assert page.count("data:image/png;base64,") == len(_NAMES)
    assert 'src="http' not in page
    assert page.count(how_certain(found.judgements, found.error)) == 1
    assert f"{found.count(ReproductionVerdict.REPRODUCED)} REPRODUCED" in page
    assert all((folder / f"{name}.{kind}").stat().st_size > 5000 for name in _NAMES for kind in ("png", "svg"))
    assert not found.decided
    assert found.to_dict()["counts"]["UNDECIDED"] == found.count(ReproductionVerdict.UNDECIDED) > 0


@pytest.mark.more
def test_neither_the_jobs_nor_the_selection_change_anything(made, tmp_path):
    folder, found = made
    alone = reproduce(Request(names=("figure-6",), folder=tmp_path, setting=QUICK, jobs=2))
    for file in ("figure-6.csv", "figure-6.json", "figure-6.svg"):
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes(), file
    assert set(alone.judgements) <= set(found.judgements)


@pytest.mark.more
def test_another_seed_gives_other_runs(made, tmp_path):
    folder, _ = made
    reproduce(Request(names=("figure-4",), folder=tmp_path, setting=QUICK, seed=7))
    assert (tmp_path / "figure-4.csv").read_bytes() != (folder / "figure-4.csv").read_bytes()


def test_what_is_plotted_decides_nothing():
    configuration = Configuration("OptBern", "uniform", 0.25, 100)
    tasks = [Task(QUICK, 1, configuration, number, 0, 64, True) for number in (PLOTTED, 0, 1)]
    outputs = [run(task).outputs for task in tasks]
    assert all(kept is not None for kept in outputs)
    assert len({tuple(kept) for kept in outputs}) == 3


@pytest.mark.more
def test_a_round_in_parts_is_the_same_for_every_number_of_processes(monkeypatch):
    configuration = Configuration("OptBern", "uniform", 0.25, 100)
    monkeypatch.setattr("experiments.toolkit.runs._PART", 128)
    found = []
    for jobs in (1, 2):
        bench = Bench(QUICK, seed=1, jobs=jobs)
        bench.prepare([configuration], 2, "")
        found.append(bench.runs(configuration, 2))
    assert found[0].count == 512
    assert (found[0].squares[Target.DENSITY] == found[1].squares[Target.DENSITY]).all()


def test_real_streams_are_in_the_same_table_and_on_the_page(tmp_path, monkeypatch):
    figure = experiment("figure-3").sentences[0]

    def make(request):
        page, table = request.folder / "real-streams.html", request.folder / "real-streams-losses.csv"
        judgements = tuple(
            Judgement(replace(figure, id=f"real-streams.{name}"), verdict, Effect("all", "the worst"), 1, 0, 1, 0, 0.0)
            for name, verdict in (("a", ReproductionVerdict.REPRODUCED), ("b", ReproductionVerdict.NOT_REPRODUCED))
        )
        return Reproduction(
            title="Streams & co",
            judgements=judgements,
            files=(page, table),
            seed=request.seed,
            error=request.error,
            budgets=("x",),
        )

    monkeypatch.setattr("experiments.density.real_streams.experiment.real_streams", make)
    request = Request(names=("real-streams", "figure-3"), folder=tmp_path, setting=QUICK, seed=5)
    found = reproduce(request)
    assert [one.sentence.id for one in found.judgements][:2] == ["real-streams.a", "real-streams.b"]
    assert {row["id"]: row["verdict"] for row in _rows(tmp_path / "verdicts.csv")}["real-streams.b"] == "NOT_REPRODUCED"
    assert found.budgets == ("x", "budgets 0.25 to 0.5, which the sources do not print")
    page = (tmp_path / "index.html").read_text()
    assert '<h2 id="real-streams">Streams &amp; co</h2>' in page
    assert 'href="real-streams.html"' in page
    assert page.count("the worst") == 1
    assert page.index("real-streams.b") < page.index("real-streams.a")
    assert found.files[:2] == (tmp_path / "index.html", tmp_path / "verdicts.csv")
    assert tmp_path / "real-streams-losses.csv" in found.files
    alone = reproduce(replace(request, names=("real-streams",)))
    assert alone.page == tmp_path / "real-streams.html"


def test_what_fails_is_read_first():
    sentence = experiment("figure-3").sentences[0]
    made = [Judgement(sentence, verdict, Effect("", ""), 1, 0, 1, 0, 0.0) for verdict in ReproductionVerdict]
    assert [one.verdict for one in worst_first(made)] == ["NOT_REPRODUCED", "UNDECIDED", "REPRODUCED"]


def test_parquet_has_the_same_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    reproduce(Request(names=("figure-3",), folder=tmp_path, setting=QUICK, file_format=Format.PARQUET))
    table = parquet.read_table(tmp_path / "figure-3.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert table.column("low").null_count == table.num_rows == 2 * len(QUICK.epsilons)


def test_a_missing_library_is_named_before_anything_is_run(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    monkeypatch.setattr(reproduction, "judge", None)
    with pytest.raises(MissingExtraError, match=r"panproof\[figures\]"):
        reproduce(Request(names=("figure-3",), folder=tmp_path))


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to "):
        reproduce(Request(names=("figure-3",), folder=tmp_path / "file"))


def test_a_folder_that_is_there_but_cannot_be_written_is_told_before_anything_is_run(tmp_path, monkeypatch):
    folder = Path("/proc") if os.geteuid() == 0 else tmp_path  # no mode keeps the superuser out
    if folder is tmp_path:
        folder.chmod(0o500)
    monkeypatch.setattr(reproduction, "_figures", None)
    with pytest.raises(InputError, match=f"cannot write to {folder}: "):
        reproduce(Request(names=("figure-4", "figure-6"), folder=folder))


def test_nothing_is_left_of_the_file_that_tries_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "_figures", lambda *_: (_ for _ in ()).throw(RuntimeError("runs")))
    with pytest.raises(RuntimeError, match="runs"):
        reproduce(Request(names=("figure-3",), folder=tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file_format", list(Format))
@pytest.mark.parametrize("kind", ["data", "json"])
def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path, file_format, kind):
    name = f"figure-3.{file_format if kind == 'data' else kind}"
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=f"cannot write .*{name}"):
        reproduce(Request(names=("figure-3",), folder=tmp_path, file_format=file_format))


@pytest.mark.parametrize("wrong", [{"users": 1}, {"alpha": 0.0}, {"error_sizes": (10**6,)}, {"first_runs": 12}])
def test_a_setting_is_checked(wrong):
    with pytest.raises(InputError):
        replace(SMALL, **wrong)


@pytest.mark.slow
def test_everything_at_the_published_sizes(tmp_path):
    found = reproduce(Request(names=resolve("all"), folder=tmp_path, jobs=2))
    assert found.decided
    wrong = {one.sentence.id for one in found.judgements if one.verdict is ReproductionVerdict.NOT_REPRODUCED}
    assert {"figure-4.zipf-density", "thesis-4.1.order-below-roth", "figure-6.ppds-robust"} <= wrong
