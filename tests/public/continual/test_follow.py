"""The command that follows a count: its inputs, its outputs, its page and its refusals."""

from __future__ import annotations

import io
import json
import os
import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from jsonschema import Draft202012Validator
from pyarrow import ipc, parquet
from rich.console import Console

from tests.command import schema_of

ROWS = """time,element,action
2026-01-01T08:10,a,insert
2026-01-01T08:20,b,insert
2026-01-01T10:05,a,delete
2026-01-01T10:06,a,delete
2026-01-01T11:30,c,insert
"""
HOURLY = ("turnstile-recompute", "--rho", 1e6, "--every", "1h", "--seed", 1)


def estimates(out):
    header, *lines = out.splitlines()
    assert header == "end,estimate,low,high"
    return [(line.split(",")[0], round(float(line.split(",")[1]))) for line in lines]


COUNTS = [2, 2, 1, 2]
HOURS = [f"2026-01-01T{9 + hour:02d}:00:00" for hour in range(4)]
EACH = ("turnstile-recompute", "--rho", 1e6, "--period", 1, "--seed", 1)
RECORDS = [dict(zip(("time", "element", "action"), row.split(","), strict=True)) for row in ROWS.splitlines()[1:]]


def written(folder, kind="csv"):
    """The rows in a file of a format."""
    path = folder / f"rows.{kind}"
    table = pa.Table.from_pylist(RECORDS)
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, RECORDS)) + "\n\n")
    elif kind == "parquet":
        parquet.write_table(table, path)
    elif kind in ("feather", "arrows"):
        with (ipc.new_file if kind == "feather" else ipc.new_stream)(path, table.schema) as writer:
            writer.write_table(table.slice(0, 2))
            writer.write_table(table.slice(2))
    else:
        path.write_text(ROWS if kind == "csv" else ROWS.replace(",", "\t"))
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "feather", "arrows"])
def test_the_count_of_each_hour_is_put_out_and_hours_without_entries_too(panproof, tmp_path, kind):
    outcome = panproof("follow", *HOURLY, written(tmp_path, kind))
    assert estimates(outcome.out) == list(zip(HOURS, COUNTS, strict=True))
    assert "promise rho 1e+06 (zCDP), item-level, every output, output alone" in outcome.err
    assert "nothing is private" in outcome.err


@pytest.mark.parametrize(("kind", "form"), [("tsv", "tsv"), ("jsonl", "jsonl"), ("arrows", "arrow")])
def test_each_format_of_a_pipe_has_the_same_counts(panproof, tmp_path, kind, form):
    """With a step less than there are, the outputs before it are put out."""
    content = written(tmp_path, kind).read_bytes()
    for steps, code in ((4, 0), (3, 2)):
        outcome = panproof("follow", *HOURLY, "--steps", steps, "--format", form, "-", stdin=content)
        assert (outcome.code, "more than 3 releases" in outcome.err) == (code, bool(code)), outcome.err
        assert [count for _, count in estimates(outcome.out)] == COUNTS[:steps]


def test_the_count_after_each_entry_and_after_each_two(panproof, tmp_path):
    rows = written(tmp_path)
    each = panproof("follow", "calibrated-turnstile", "--flippancy", 2, "--rho", 1e6, "--seed", 1, rows)
    assert estimates(each.out) == [("1", 1), ("2", 2), ("3", 1), ("4", 1), ("5", 2)]
    two = panproof("follow", "presence", "--rho", 1e6, "--every", 2, "--seed", 1, rows)
    assert estimates(two.out) == [("2", 2), ("4", 1), ("5", 2)]


def test_the_document_follows_its_schema(panproof, tmp_path):
    rows = written(tmp_path)
    found = json.loads(panproof("follow", *HOURLY, rows, "--json").out)
    Draft202012Validator(schema_of("follow")).validate(found)
    assert found["private"] is False
    columns = ("end", "estimate", "low", "high")
    printed = [line.split(",") for line in panproof("follow", *HOURLY, rows).out.splitlines()[1:]]
    assert [[str(one["end"]), *(float(one[name]) for name in columns[1:])] for one in found["releases"]] == [
        [end, *map(float, numbers)] for end, *numbers in printed
    ]
    # No outputs, and events below zero.
    words = ("follow", "pan-private-running-count", "--rho", 1e6, "--seed", 1, "--steps", 2, "--json")
    for content, expected in (("", []), ("a,-\na,-\n", [-1, -2])):
        rows.write_text("element,action\n" + content)
        found = json.loads(panproof(*words, rows).out)
        Draft202012Validator(schema_of("follow")).validate(found)
        assert [round(release["estimate"]) for release in found["releases"]] == expected


def test_each_output_has_the_interval_of_its_phase(panproof, tmp_path):
    """The page, the document and the last line show them too."""
    path = tmp_path / "rows.csv"
    path.write_text("element,action\n" + "".join(f"{row % 12},{'+-'[row // 12 % 2]}\n" for row in range(600)))
    words = ("follow", "calibrated-adaptive", "--rho", 500, "--period", 1, "--seed", 3, path)
    outcome = panproof(*words, "--html", tmp_path / "page.html")
    found = json.loads(panproof(*words, "--json").out)
    widths = [one["high"] - one["estimate"] for one in found["releases"]]
    assert 5 * widths[0] < widths[-1] <= found["half_width"] + 0.1
    assert f"{found['steps']} outputs are within {found['half_width']:.4g} of the counts without" in outcome.err
    told = re.search(r"those of this run within ([0-9.]+),", outcome.err)
    assert float(told[1]) == pytest.approx(max(widths), abs=0.02)
    last = f"{found['releases'][-1]['high']:g}"
    assert f">{last}</td>" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("jsonl", '{"element": 1}\n[1]\n', "line 2 of .* is no JSON object"),
        ("jsonl", '{"element": 1}\n{"element": [1]}\n', "line 2 of .* has a list as 'element'"),
        ("jsonl", '{"element": 1}\n{"element": true}\n', "line 2 of .* has true or false as 'element'"),
        ("jsonl", '{"element": "\\ud800"}\n', "half a letter"),
        ("jsonl", '{"element": 1}\nnot\n', "line 2 of .* is no JSON"),
        ("jsonl", "", "is empty"),
        ("arrow", "no arrow", "not an Arrow file"),
        ("parquet", "no parquet", "not a Parquet file"),
        ("csv", "element,action\na,+\na\n", "cannot be read as CSV"),
        ("csv", "element,action\n,+\n", "row 1 of .* has no element: choose with --missing"),
        ("csv", "element,action\na,1e99\n", "row 1 of .* has the action '1e99'"),
    ],
)
def test_a_bad_file_is_one_sentence(panproof, tmp_path, kind, content, sentence):
    path = tmp_path / f"rows.{kind}"
    path.write_text(content)
    outcome = panproof("follow", *EACH, "--steps", 5, path)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert re.search(sentence, outcome.err), outcome.err


@pytest.mark.parametrize(
    ("model", "rows", "good", "fault"),
    [
        ("strict", "a,+\nb,-\nc,+\n", 1, "the strict model has no deletion of an absent element, and row 2"),
        ("toggle", "a,+\na,-\nb,+\nb,+\n", 3, "the toggle model has no insertion of a present element, and row 4"),
        ("toggle", "a,+\na,-\na,-\n", 2, "the toggle model has no deletion of an absent element, and row 3"),
        ("general", "a,+\na,+\na,go\n", 2, "row 3 of"),
    ],
)
def test_the_outputs_before_a_bad_entry_are_put_out(panproof, tmp_path, model, rows, good, fault):
    (tmp_path / "rows.csv").write_text("element,action\n" + rows)
    outcome = panproof("follow", *EACH, "--model", model, tmp_path / "rows.csv")
    assert outcome.code == 2
    assert fault in outcome.err
    assert [end for end, _ in estimates(outcome.out)] == [str(number) for number in range(1, good + 1)]


@pytest.mark.parametrize(
    ("more", "counts", "told"),
    [
        (("--missing", "skip"), [1, 1, 1, 2], "2 entries without an element were no-ops"),
        (("--missing", "skip", "--missing-text", "NA"), [1, 1, 1, 1], "3 entries"),
        (("--missing", "count"), [1, 2, 2, 3], ""),
    ],
)
def test_entries_without_an_element_are_no_ops_or_one_element(panproof, tmp_path, more, counts, told):
    (tmp_path / "rows.csv").write_text("element,other\na,1\n,2\n  ,3\nNA,4\n")
    outcome = panproof("follow", *EACH, *more, tmp_path / "rows.csv")
    assert [count for _, count in estimates(outcome.out)] == counts
    assert told in outcome.err


NAME = "turnstile-recompute"


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("presense", ("--rho", 1), "did you mean presence"),
        ("dwork", ("--rho", 1), "unknown counter"),
        ("calibrated-turnstile", ("--rho", 1), "needs a bound on the flippancy"),
        ("presence", ("--rho", 1, "--flippancy", 2), "takes no --flippancy"),
        (NAME, ("--rho", 1, "--model", "strikt"), "did you mean"),
        (NAME, (), "give the budget of all outputs"),
        (NAME, ("--rho", 1, "--epsilon", 1), "give --rho, or --epsilon with --delta, not both"),
        (NAME, ("--delta", 0.1), "--delta needs --epsilon"),
        (NAME, ("--rho", "nan"), "--rho must be positive"),
        (NAME, ("--epsilon", 1, "--delta", 0), "--delta must lie strictly between 0 and 1"),
        (NAME, ("--rho", 1, "--checkpoint", 5), "--checkpoint is for a run that is kept in a file: give --state"),
        (NAME, ("--rho", 1, "--open-end"), "--open-end is for a run that is kept"),
        (NAME, ("--rho", 1, "--checkpoint", "5m", "--state", "s"), "--checkpoint takes"),
        (NAME, ("--rho", 1, "--json", "--state", "s"), "leave out --state and --out"),
        (NAME, ("--rho", 1, "--html", "page.html", "--state", "s"), "with --state give --out too"),
        (NAME, ("--rho", 1, "--html", "no/page.html"), "there is no folder"),
        (NAME, ("--rho", 1, "--state", "no/s"), "No such file"),
        (NAME, ("--rho", 1, "--set", "rho=3"), "give --rho"),
        (NAME, ("--rho", 1, "--set", "depth=3"), "has no parameter 'depth'"),
    ],
)
def test_bad_options_are_one_sentence(panproof, tmp_path, monkeypatch, name, words, sentence):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path)
    assert sentence in panproof("follow", name, *words, path).one_sentence()
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_a_stream_that_is_not_there_and_a_pipe_without_steps_are_refused(panproof):
    for path, sentence in (("nowhere.csv", "there is no file"), ("-", "a pipe needs")):
        assert sentence in panproof("follow", NAME, "--rho", 1, path).one_sentence()


def test_an_epsilon_with_a_delta_is_converted_and_the_conversion_is_shown(panproof, tmp_path):
    path = written(tmp_path)
    words = ("turnstile-recompute", "--epsilon", 1, "--delta", 1e-6, "--every", "1h", "--seed", 1, path)
    outcome = panproof("follow", *words)
    assert "epsilon 1 at delta 1e-06 is kept by rho 0.0174689" in outcome.err
    assert "promise rho 0.0174689 (zCDP)" in outcome.err
    found = json.loads(panproof("follow", *words, "--json").out)
    assert found["conversion"].startswith("epsilon 1 at delta")
    assert found["promise"]["rho"] == pytest.approx(0.0174689, rel=1e-5)


def test_a_file_that_changes_after_its_steps_were_counted_is_refused(panproof, tmp_path, monkeypatch):
    from pan_estimators.continual import following as follow_run

    path = written(tmp_path)
    real = follow_run.count_steps

    def counted(name, every, batches):
        found = real(name, every, batches)
        with path.open("a") as more:
            more.write("2026-01-01T11:40,d,insert\n")
        return found

    monkeypatch.setattr(follow_run, "count_steps", counted)
    assert "changed after its steps were counted" in panproof("follow", *HOURLY, path).one_sentence()
    assert panproof("follow", *HOURLY, "--steps", 9, path).code == 0


@pytest.mark.parametrize("kept", [True, False])
def test_the_page_shows_the_promise_the_drawing_and_the_outputs(panproof, tmp_path, kept):
    files = ("--state", tmp_path / "s", "--out", tmp_path / "out.csv") if kept else ()
    words = (*HOURLY, *files, "--html", tmp_path / "page.html", written(tmp_path))
    for _ in range(1 + kept):
        assert panproof("follow", *words).code == 0
        page = (tmp_path / "page.html").read_text()
        body = page[page.index("<main>") : page.index("</main>") + 7]
        ElementTree.fromstring(body.replace("&nbsp;", " "))
        assert body.index("rho 1e+06 (zCDP)") < body.index("<svg") < body.index("<table")
        assert page.count('<th scope="row">2026-01-01T') == 4
        assert "Nothing is private" in page
        assert "//" not in page.replace("http://www.w3.org/", "")


def test_a_line_shows_the_progress_on_a_terminal_and_nothing_in_a_pipe(panproof, tmp_path, monkeypatch):
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    path = written(tmp_path)
    monkeypatch.setattr("pan_audits.reports.text.console", lambda *, stderr: screen)
    assert panproof("follow", *HOURLY, path, "--out", tmp_path / "out.csv").code == 0
    assert "5 entries, 4 outputs, the last one" in screen.file.getvalue()
    monkeypatch.undo()
    assert "entries" not in panproof("follow", *HOURLY, path, "--out", tmp_path / "second.csv").err
