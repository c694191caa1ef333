"""What a judged process tells about its conduct is read with distrust, joined, and written down."""

from __future__ import annotations

import pytest

from pan_audits.isolation.conduct import Conduct, Unran, dependent_places
from pan_audits.isolation.data import DataError
from pan_audits.journals.stored import from_plain, to_plain
from pan_audits.judging.reading import Field

TOLD = {
    "changed": {"a place": "12"},
    "acts": [["reads", "the clock\x1b[31m", 3]],
    "unran": [["/a/counter.py", "update", [3, 4, 5, 9], True], ["/a/counter.py", "merge", [12], False]],
    "lines": 20,
    "calls": 7,
}


def test_what_is_told_is_read_and_made_harmless():
    conduct = Conduct.read(TOLD)
    assert conduct.of_kind("reads") == ("the clock?[31m",)
    assert conduct.describe_lines() == (
        "5 of 20 lines of the judged code, in the 7 calls that were followed: counter.py 3-5, 9 (update); "
        "counter.py 12 (merge, which no run called). The verdict says nothing about them"
    )


@pytest.mark.parametrize("key", ["changed", "acts", "unran", "lines", "calls"])
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


def test_a_conduct_survives_a_journal():
    conduct = Conduct.read(TOLD)
    assert from_plain(Conduct, Field.of(to_plain(conduct))) == conduct


def test_a_place_depends_on_the_stream_if_it_differs_or_changes_on_some_streams_only():
    changed = {"cache": "1", "last": "2", "rare": "3"}
    told = [{"cache": "1", "last": "2"}, {"cache": "1", "last": "5"}]
    assert dependent_places(changed, told) == ("last", "rare")
