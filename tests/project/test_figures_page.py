"""The page of the figures of the benchmarks keeps the rows of tests that did not run."""

from pathlib import Path

from tests.benchmarks.figures_page import Row, merged, rows_of, written

OLD = [
    Row("test_a", "test_one[2]", "| speed | 1 | < 2 | "),
    Row("test_a", "test_one[2]", "|     memory | 3 | none | oracle"),
    Row("test_a", "test_two", "| size | 4 | none | "),
    Row("test_b", "test_three", "| size | 5 | none | "),
]
NEW = [Row("test_a", "test_one[2]", "| speed | 1.5 | < 2 | ")]


def test_a_page_has_the_rows_that_were_written():
    assert rows_of(written(OLD)) == OLD


def test_rows_of_a_test_that_ran_again_are_replaced_and_others_stay():
    assert merged(OLD, NEW, ()) == [OLD[2], NEW[0], OLD[3]]


def test_rows_of_tests_that_a_whole_module_no_longer_has_go():
    assert merged(OLD, NEW, {"test_a"}) == [NEW[0], OLD[3]]
    assert merged([], NEW, {"test_a"}) == NEW


def test_rows_of_earlier_pages_without_tests_are_kept_until_their_module_runs():
    rows = ["| speed | 1 | < 2 |  |", "| `x` | 2 | no | yes |"]
    page = "\n".join(["## test_a.py", "", "| | measured | limit | oracle |", "|---|---:|---|---|", *rows])
    rows = rows_of(page)
    assert rows == [Row("test_a", "", "| speed | 1 | < 2 | "), Row("test_a", "", "| `x` | 2 | no | yes")]
    assert merged(rows, NEW, ()) == [*rows, *NEW]
    assert merged(rows, NEW, {"test_a"}) == NEW


def test_the_page_of_the_repo_is_one_that_is_written():
    page = (Path(__file__).parents[1] / "benchmarks" / "FIGURES.md").read_text()
    rows = rows_of(page)
    assert {"test_counters", "test_speed"} <= {row.module for row in rows}
    assert rows_of(written(rows)) == rows
