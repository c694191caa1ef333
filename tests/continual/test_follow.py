"""The command that follows a count."""

import json
import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from tests.command import schema_of

ROWS = """time,element,action
2026-01-01T08:10,a,insert
2026-01-01T08:20,b,insert
2026-01-01T10:05,a,delete
2026-01-01T10:06,a,delete
2026-01-01T11:30,c,insert
"""
HOURLY = ("turnstile-recompute", "--rho", 1e6, "--every", "1h", "--seed", 1)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


def estimates(out):
    header, *lines = out.splitlines()
    assert header == "end,estimate,low,high"
    return [(line.split(",")[0], round(float(line.split(",")[1]))) for line in lines]


def test_the_count_of_each_hour_is_put_out_and_hours_without_entries_too(panproof, rows):
    outcome = panproof("follow", *HOURLY, rows)
    expected = [2, 2, 1, 2]
    assert estimates(outcome.out) == [
        (f"2026-01-01T{9 + hour:02d}:00:00", count) for hour, count in enumerate(expected)
    ]
    assert "promise rho 1e+06 (zCDP), item-level, every output, output alone" in outcome.err
    assert "nothing is private" in outcome.err


def test_the_count_after_each_entry_and_after_each_two(panproof, rows):
    each = panproof("follow", "calibrated-turnstile", "--flippancy", 2, "--rho", 1e6, "--seed", 1, rows)
    assert estimates(each.out) == [("1", 1), ("2", 2), ("3", 1), ("4", 1), ("5", 2)]
    two = panproof("follow", "presence", "--rho", 1e6, "--every", 2, "--seed", 1, rows)
    assert estimates(two.out) == [("2", 2), ("4", 1), ("5", 2)]


def test_the_document_follows_its_schema(panproof, rows):
    found = json.loads(panproof("follow", *HOURLY, rows, "--json").out)
    Draft202012Validator(schema_of("follow")).validate(found)
    assert [round(release["estimate"]) for release in found["releases"]] == [2, 2, 1, 2]
    assert found["private"] is False
    printed = [line.split(",") for line in panproof("follow", *HOURLY, rows).out.splitlines()[1:]]
    columns = ("end", "estimate", "low", "high")
    assert [[str(one["end"]), *(float(one[name]) for name in columns[1:])] for one in found["releases"]] == [
        [end, *map(float, numbers)] for end, *numbers in printed
    ]


def test_a_document_without_outputs_and_one_of_events_below_zero_follow_the_schema(panproof, tmp_path):
    path = tmp_path / "rows.csv"
    for rows, expected in (("", []), ("a,-\na,-\n", [-1, -2])):
        path.write_text("element,action\n" + rows)
        found = json.loads(
            panproof("follow", "pan-private-running-count", "--rho", 1e6, "--seed", 1, "--steps", 2, path, "--json").out
        )
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


def test_other_columns_and_parquet_are_read(panproof, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"customer": [1, 1, 2], "item": ["x", "y", "x"], "quantity": [3, 1, -2]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    outcome = panproof(
        *("follow", "turnstile-recompute", "--rho", 1e6, "--period", 1, "--seed", 1),
        *("--element", "customer,item", "--action", "quantity", tmp_path / "rows.parquet"),
    )
    assert estimates(outcome.out) == [("1", 1), ("2", 2), ("3", 2)]


def test_a_pipe_is_followed_as_it_comes():
    words = ["follow", "presence", "--rho", "1e6", "--seed", "1", "--steps", "3", "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "pan_audits", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("element,action\na,in\n")
        process.stdin.flush()
        assert process.stdout.readline() == "end,estimate,low,high\n"
        assert process.stdout.readline().startswith("1,")
        process.stdin.write("a,out\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("2,")
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("presence", "--rho", 0, "ROWS"), "--rho"),
        (("presense", "--rho", 1, "ROWS"), "did you mean presence"),
        (("dwork", "--rho", 1, "ROWS"), "unknown counter"),
        (("calibrated-turnstile", "--rho", 1, "ROWS"), "needs a bound on the flippancy"),
        (("presence", "--rho", 1, "--flippancy", 2, "ROWS"), "takes no --flippancy"),
        (("turnstile-recompute", "--rho", 1, "-"), "a pipe needs"),
        (("turnstile-recompute", "--rho", 1, "--every", "1y", "ROWS"), "--every takes"),
        (("turnstile-recompute", "--rho", 1, "--model", "strict", "ROWS"), "no deletion of an absent element"),
        (("turnstile-recompute", "--rho", 1, "--model", "strikt", "ROWS"), "did you mean"),
        (("turnstile-recompute", "--rho", 1, "--steps", 2, "ROWS"), "more than 2 releases"),
        (("turnstile-recompute", "--rho", 1, "--element", "user", "ROWS"), "no column 'user'"),
        (("turnstile-recompute", "--rho", 1, "nowhere.csv"), "there is no file"),
    ],
)
def test_a_bad_request_is_one_sentence(panproof, rows, words, sentence):
    outcome = panproof("follow", *(rows if word == "ROWS" else word for word in words))
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_bad_row_is_named(panproof, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("element,action\na,in\nb,jump\n")
    outcome = panproof("follow", "turnstile-recompute", "--rho", 1, "--period", 1, path)
    assert outcome.code == 2
    assert "row 2 of" in outcome.err
    assert "has the action 'jump'" in outcome.err
