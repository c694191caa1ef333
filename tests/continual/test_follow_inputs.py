"""``panproof follow`` on the formats that people have, with bad entries, and with the page."""

import io
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from rich.console import Console

from tests.continual.test_follow import HOURLY, ROWS, estimates
from tests.turns import every

COUNTS = [2, 2, 1, 2]
EACH = ("turnstile-recompute", "--rho", 1e6, "--period", 1, "--seed", 1)
RECORDS = [dict(zip(("time", "element", "action"), row.split(","), strict=True)) for row in ROWS.splitlines()[1:]]


def written(folder, kind):
    """The rows in a file of a format."""
    path = folder / f"rows.{kind}"
    table = pa.Table.from_pylist(RECORDS)
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, RECORDS)) + "\n\n")
    elif kind == "tsv":
        path.write_text(ROWS.replace(",", "\t"))
    elif kind == "parquet":
        parquet.write_table(table, path)
    elif kind == "feather":
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    elif kind == "arrows":
        with ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table.slice(0, 2))
            writer.write_table(table.slice(2))
    else:
        path.write_text(ROWS)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "feather", "arrows"])
def test_each_format_of_a_file_has_the_same_counts(panproof, tmp_path, kind):
    outcome = panproof("follow", *HOURLY, written(tmp_path, kind))
    assert outcome.code == 0, outcome.err
    assert [count for _, count in estimates(outcome.out)] == COUNTS


@pytest.mark.parametrize(
    ("kind", "form"), every(2, [("csv", "auto"), ("tsv", "tsv"), ("jsonl", "jsonl"), ("arrows", "arrow")])
)
def test_each_format_of_a_pipe_has_the_same_counts(tmp_path, kind, form):
    words = ["follow", *map(str, HOURLY), "--steps", "4", "--format", form, "-"]
    with written(tmp_path, kind).open("rb") as stream:
        run = subprocess.run(
            [sys.executable, "-m", "pan_audits", *words], stdin=stream, capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, run.stderr
    assert [count for _, count in estimates(run.stdout)] == COUNTS


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("jsonl", '{"element": 1}\n[1]\n', "line 2 of .* is no JSON object"),
        ("jsonl", '{"element": 1}\n{"element": [1]}\n', "line 2 of .* has a list as 'element'"),
        ("jsonl", '{"element": 1}\n{"element": true}\n', "line 2 of .* has true or false as 'element'"),
        ("jsonl", '{"element": 1}\n{"other": 1}\n', "row 2 of .* has no element"),
        ("jsonl", '{"element": "\\ud800"}\n', "half a letter"),
        ("jsonl", '{"element": 1}\nnot\n', "line 2 of .* is no JSON"),
        ("jsonl", "", "is empty"),
        ("jsonl", "{}\n", "without names"),
        ("arrow", "no arrow", "not an Arrow file"),
        ("parquet", "no parquet", "not a Parquet file"),
        ("csv", "element,action\na,+\na\n", "cannot be read as CSV"),
        ("csv", "element,action\n,+\n", "row 1 of .* has no element: choose with --missing"),
        ("csv", "element,action\na,\n", "row 1 of .* has no action"),
        ("csv", "element,action\na,1e99\n", "row 1 of .* has the action '1e99'"),
        ("csv", "time,element\n9999999999999,a\n", "row 1 of .* has the time '9999999999999'"),
        (
            "csv",
            "time,element\n2026-01-01,a\n5,a\n",
            "row 2 of .* has the time '5', and the rows before have no time zone",
        ),
        ("csv", "time,element\n2026-01-02,a\n2026-01-01,a\n", "row 2 of .* lies before"),
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


def test_more_steps_than_allowed_put_out_the_allowed_ones(panproof, tmp_path):
    outcome = panproof("follow", *HOURLY, "--steps", 3, written(tmp_path, "csv"))
    assert outcome.code == 2
    assert [count for _, count in estimates(outcome.out)] == COUNTS[:3]
    assert "more than 3 releases" in outcome.err


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


def test_parts_of_an_element_never_run_together(panproof, tmp_path):
    """Five pairs with the letters that separate and escape the parts."""
    pairs = [("a\x1f", "b"), ("a", "\x1fb"), ("a\x1b|", "b"), ("a\x1b", "|b"), ("a", "b")]
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in pairs))
    outcome = panproof("follow", *EACH, "--element", "x,y", tmp_path / "rows.csv")
    assert [count for _, count in estimates(outcome.out)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "give the budget of all outputs"),
        (("--rho", 1, "--epsilon", 1), "give --rho, or --epsilon with --delta, not both"),
        (("--rho", 1, "--delta", 0.1), "give --rho, or --epsilon with --delta, not both"),
        (("--delta", 0.1), "--delta needs --epsilon"),
        (("--epsilon", 1), "--epsilon needs --delta"),
        (("--rho", 0), "--rho must be positive"),
        (("--rho", -1), "--rho must be positive"),
        (("--rho", "nan"), "--rho must be positive"),
        (("--epsilon", 1, "--delta", 0), "--delta must lie strictly between 0 and 1"),
        (("--rho", 1, "--flippancy", 0), "--flippancy must be a whole number from 1"),
        (("--rho", 1, "--steps", 0), "--steps must be a whole number from 1"),
        (("--rho", 1, "--checkpoint", 5), "--checkpoint is for a run that is kept in a file: give --state"),
        (("--rho", 1, "--open-end"), "--open-end is for a run that is kept"),
        (("--rho", 1, "--input", "rest"), "--input is for a run that is kept"),
        (("--rho", 1, "--checkpoint", "5m", "--state", "s"), "--checkpoint takes"),
        (("--rho", 1, "--json", "--state", "s"), "leave out --state and --output"),
        (("--rho", 1, "--html", "page.html", "--state", "s"), "with --state give --output too"),
        (("--rho", 1, "--html", "no/page.html"), "there is no folder"),
        (("--rho", 1, "--state", "no/s"), "No such file"),
        (("--rho", 1, "--out", "no/o"), "No such file"),
        (("--rho", 1, "--set", "rho=3"), "give --rho"),
        (("--rho", 1, "--set", "depth=3"), "has no parameter 'depth'"),
        (("--rho", 1, "--format", "xml"), "unknown value 'xml' of --format"),
    ],
)
def test_bad_options_are_one_sentence(panproof, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "csv")
    assert sentence in panproof("follow", "turnstile-recompute", *words, path).one_sentence()
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_an_epsilon_with_a_delta_is_converted_and_the_conversion_is_shown(panproof, tmp_path):
    path = written(tmp_path, "csv")
    words = ("turnstile-recompute", "--epsilon", 1, "--delta", 1e-6, "--every", "1h", "--seed", 1, path)
    outcome = panproof("follow", *words)
    assert "epsilon 1 at delta 1e-06 is kept by rho 0.0174689" in outcome.err
    assert "promise rho 0.0174689 (zCDP)" in outcome.err
    found = json.loads(panproof("follow", *words, "--json").out)
    assert found["conversion"].startswith("epsilon 1 at delta")
    assert found["promise"]["rho"] == pytest.approx(0.0174689, rel=1e-5)


def test_a_file_that_changes_after_its_steps_were_counted_is_refused(panproof, tmp_path, monkeypatch):
    from pan_audits.continual import follow_run

    path = written(tmp_path, "csv")
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
    words = (*HOURLY, *files, "--html", tmp_path / "page.html", written(tmp_path, "csv"))
    for _ in range(1 + kept):
        assert panproof("follow", *words).code == 0
        page = (tmp_path / "page.html").read_text()
        body = page[page.index("<main>") : page.index("</main>") + 7]
        ElementTree.fromstring(body.replace("&nbsp;", " "))
        assert body.index("rho 1e+06 (zCDP)") < body.index("<svg") < body.index("<table")
        assert page.count('<th scope="row">2026-01-01T') == 4
        assert "Nothing is private" in page
        assert "//" not in page.replace("http://www.w3.org/", "")


def test_the_page_of_many_outputs_has_the_first_and_the_last_ones(panproof, tmp_path):
    (tmp_path / "rows.csv").write_text("element\n" + "".join(f"{row % 50}\n" for row in range(3000)))
    words = (*EACH, "--html", tmp_path / "page.html", "--out", tmp_path / "out.csv", tmp_path / "rows.csv")
    assert panproof("follow", *words).code == 0
    page = (tmp_path / "page.html").read_text()
    assert "The first and the last 200 of 3,000 outputs." in page
    assert page.count('<th scope="row">') == 400
    assert (tmp_path / "out.csv").read_text().count("\n") == 3001
    assert len(page) < 300_000


def test_a_line_shows_the_progress_on_a_terminal_and_nothing_in_a_pipe(panproof, tmp_path, monkeypatch):
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    path = written(tmp_path, "csv")
    monkeypatch.setattr("pan_audits.reports.text.console", lambda *, stderr: screen)
    assert panproof("follow", *HOURLY, path, "--out", tmp_path / "out.csv").code == 0
    assert "5 entries, 4 outputs, the last one" in screen.file.getvalue()
    monkeypatch.undo()
    assert "entries" not in panproof("follow", *HOURLY, path, "--out", tmp_path / "second.csv").err
