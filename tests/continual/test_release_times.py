"""Entries are divided into steps, however the stream is cut."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.continual.entry_source import Entries
from pan_audits.continual.release_times import Division, count_steps
from pan_audits.sources.every import Every
from pan_promises.errors import InputError


@pytest.mark.parametrize(
    ("text", "entries", "seconds"),
    [("1", 1, 0), ("1000", 1000, 0), ("30s", 0, 30), ("15min", 0, 900), ("2d", 0, 172800)],
)
def test_a_distance_is_a_number_of_entries_or_a_time(text, entries, seconds):
    assert Every.parse(text) == Every(entries, seconds * 10**6)


@pytest.mark.parametrize("text", ["", "0", "0h", "-1", "1.5h", "h", "1 h", "1y", "1_0", "9" * 12, "٣"])
def test_anything_else_is_no_distance(text):
    with pytest.raises(InputError, match="--every takes"):
        Every.parse(text)


def reference(numbers, first, last):
    """The entries of each step from the first to the last one."""
    return [[place for place, number in enumerate(numbers) if number == step] for step in range(first, last + 1)]


def divided(division, parts):
    """The steps of a division, as lists of elements, with their labels."""
    steps, labels = [], []
    for part in [*(found for entries in parts for found in division.add(entries)), division.finish()]:
        assert part.ends.size == part.labels.size
        assert part.elements.size == part.signs.size == (part.ends[-1] if part.ends.size else 0)
        steps += [rest.tolist() for rest in np.split(part.elements, part.ends)[:-1]]
        labels += part.labels.tolist()
    return steps, labels


def cut(columns, places):
    bounds = [0, *sorted(places), len(columns[0])]
    for start, end in itertools.pairwise(bounds):
        times = None if columns[1] is None else np.array(columns[1][start:end], dtype=np.int64)
        elements = np.array(columns[0][start:end], dtype=np.int64)
        yield Entries(elements, np.ones(elements.size, dtype=np.int8), times)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 9), st.data())
def test_steps_of_a_time_hold_the_entries_of_that_time_and_no_time_is_left_out(gaps, width, data):
    seconds = np.cumsum(gaps).tolist()
    places = data.draw(st.lists(st.integers(0, len(gaps)), max_size=4))
    elements = list(range(len(gaps)))
    parts = cut((elements, [second * 10**6 for second in seconds]), places)
    steps, labels = divided(Division(Every.parse(f"{width}s")), parts)
    numbers = [second // width for second in seconds]
    assert steps == reference(numbers, numbers[0], numbers[-1])
    assert labels == [(number + 1) * width * 10**6 for number in range(numbers[0], numbers[-1] + 1)]


@given(st.integers(1, 40), st.integers(1, 9), st.data())
def test_steps_of_entries_have_so_many_entries_and_the_last_one_the_rest(count, size, data):
    places = data.draw(st.lists(st.integers(0, count), max_size=4))
    steps, labels = divided(Division(Every.parse(str(size))), cut((list(range(count)), None), places))
    assert steps == [list(range(start, min(start + size, count))) for start in range(0, count, size)]
    assert labels == [min(start + size, count) for start in range(0, count, size)]


def test_weeks_end_on_mondays():
    day = 86400 * 10**6
    times = np.array([0, 3 * day, 4 * day, 17 * day])
    part = Entries(times, np.ones(4, dtype=np.int8), times)
    steps, labels = divided(Division(Every.parse("1w")), [part])
    assert [len(step) for step in steps] == [2, 1, 1]
    assert [str(np.datetime64(label, "us").astype("datetime64[D]")) for label in labels] == [
        "1970-01-05",
        "1970-01-12",
        "1970-01-19",
    ]
    assert count_steps("the file", Every.parse("1w"), [{"time": [pa.array(times // 10**6)]}]) == 3


def test_releases_at_times_need_times():
    with pytest.raises(InputError, match="need a column of times"):
        list(Division(Every.parse("1h")).add(next(cut(([1, 2], None), []))))


def test_more_steps_than_the_stream_may_have_are_refused():
    times = np.array([0, 10**15])
    with pytest.raises(InputError, match="more than 1000 releases"):
        list(Division(Every.parse("1s"), 1000).add(Entries(times, np.ones(2, dtype=np.int8), times)))


FAR = (
    "time,element,action\n2016-12-31 22:00:00,1,insert\n{}2016-12-31 23:30:00,2,insert\n9999-12-31 23:00:00,3,insert\n"
)


@pytest.mark.parametrize("early", ["", "2016-12-31 23:00:00,4,insert\n" * 70_000], ids=["one batch", "several"])
def test_a_date_that_stands_for_none_is_told_before_anything_is_released(panproof, tmp_path, early):
    """It would make 70 million outputs, whose noise drowns the count."""
    (tmp_path / "far.csv").write_text(FAR.format(early))
    words = ("follow", "turnstile-recompute", "--rho", 1, "--every", "1h", tmp_path / "far.csv")
    line = panproof(*words).one_sentence()
    rows = 2 + early.count("\n")
    assert f"69,977,520 releases would lie between rows {rows} and {rows + 1} of" in line
    (tmp_path / "early.csv").write_text(
        "time,element\n0001-01-01 00:00:00,1\n2016-12-31 23:30:00,2\n2016-12-31 23:40:00,2\n"
    )
    assert "between rows 1 and 2 of" in panproof(*words[:-1], tmp_path / "early.csv").one_sentence()
    assert panproof("follow", "turnstile-recompute", "--rho", 1, "--every", "52w", tmp_path / "far.csv").code == 0


def test_a_pipe_with_such_a_date_ends_after_the_outputs_before(panproof, tmp_path, monkeypatch):
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = ("follow", "turnstile-recompute", "--rho", 1, "--every", "1h", "--steps", 10**8, "--state", state)
    words += ("--out", output)
    outcome = panproof(*words, "-", stdin=FAR.format("").encode())
    assert outcome.code == 2
    assert "69,977,520 releases would lie between two entries" in outcome.err
    assert len(output.read_text().splitlines()) == 2
    # The rows before it are known, and the corrected stream goes on.
    corrected = FAR.format("").replace("9999-12-31", "2017-01-01")
    assert panproof(*words, "-", stdin=corrected.encode()).code == 0
    assert len(output.read_text().splitlines()) == 1 + 26
