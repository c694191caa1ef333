"""What a judged process tells about its conduct is read with distrust, joined, and written down."""

from __future__ import annotations

import pytest

from pan_audits.audit.journals.stored import from_plain, to_plain
from pan_audits.judging.reading import Field
from pan_audits.subject.isolation.conduct import Conduct, OneWay, Unran, dependent_places
from pan_audits.subject.isolation.data import DataError

TOLD = {
    "changed": {"a place": "12"},
    "acts": [["fixed seeds", "a seed\x1b[31m"]],
    "unran": [["/a/counter.py", "update", [3, 4, 5, 9], True], ["/a/counter.py", "merge", [12], False]],
    "one way": [["/a/counter.py", "update", 7, 8], ["/a/counter.py", "update", 12, 0]],
    "unreadable": ["a place"],
    "lines": 20,
    "calls": 7,
}


def test_what_is_told_is_read_and_made_harmless():
    conduct = Conduct.read(TOLD)
    assert conduct.of_kind("fixed seeds") == ("a seed?[31m",)
    assert conduct.describe_lines() == (
        "5 of 20 lines of the judged code, in the 7 calls that were followed: counter.py 3-5, 9 (update); "
        "counter.py 12 (merge, which no run called). The verdict says nothing about them"
    )
    assert conduct.describe_branches() == (
        "counter.py 7 always goes on to 8 (update); counter.py 12 always goes on to the end (update). "
        "The verdict says nothing about the other way"
    )


@pytest.mark.parametrize("key", ["changed", "acts", "unran", "one way", "unreadable", "lines", "calls"])
def test_what_is_told_in_another_form_is_refused(key):
    with pytest.raises(DataError):
        Conduct.read({**TOLD, key: object()})
    with pytest.raises(DataError):
        Conduct.read({name: value for name, value in TOLD.items() if name != key})


def test_a_line_that_ran_anywhere_did_run():
    one = Conduct.read(TOLD)
    other = Conduct(unran=(Unran("/a/counter.py", "update", (4, 5, 6), True),), lines=20, calls=3)
    joined = one.and_also(other)
    assert joined.unran == (Unran("/a/counter.py", "update", (4, 5), True),)
    assert joined.calls == 10
    assert one.and_also(Conduct()).describe_lines() == ""


@pytest.mark.parametrize(
    ("there", "stays"),
    [
        (Conduct(one_way=(OneWay("/a/counter.py", "update", 7, 8),)), True),
        (Conduct(one_way=(OneWay("/a/counter.py", "update", 7, 9),)), False),
        (Conduct(), False),
        (Conduct(unran=(Unran("/a/counter.py", "update", (7,), True),)), True),
    ],
)
def test_a_branch_that_went_both_ways_in_two_surveys_is_not_named(there, stays):
    joined = Conduct.read(TOLD).and_also(there)
    assert (OneWay("/a/counter.py", "update", 7, 8) in joined.one_way) is stays


def test_a_conduct_survives_a_journal():
    conduct = Conduct.read(TOLD)
    assert from_plain(Conduct, Field.of(to_plain(conduct))) == conduct


def test_a_place_depends_on_the_stream_if_it_differs_or_changes_on_some_streams_only():
    changed = {"cache": "1", "last": "2", "rare": "3"}
    told = [{"cache": "1", "last": "2"}, {"cache": "1", "last": "5"}]
    assert dependent_places(changed, told) == ("last", "rare")
