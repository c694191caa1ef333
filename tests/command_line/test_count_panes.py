"""``panproof count --every``: panes, their promise, late ids, interruptions and bad input."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import threading

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from pan_estimators import DistinctUserCounter, load_counter
from pan_estimators.counting.rows import OutputFile
from pan_estimators.density.distinct.panes import PaneUse, PartReader
from pan_estimators.reading.options import Reading
from pan_estimators.reading.times import Every
from pan_estimators.states.private_files import locked
from tests.command_line.killing import Killing, saved_again

COUNT = ("count", "--promise-epsilon", 2, "--from", 1e3, "--to", 1e9)
"""A shipped preset, with an error of at most 4%, or 5% for 4 releases."""
BY_TIME = ("--every", "1h", "--time-column", "time", "-c", "user")
USERS = (3_000, 5_000, 0, 7_000)
"""Users of each hour; the first 1,000 of each hour are the same ones."""


def rows_of_hours():
    rows = []
    for hour, users in enumerate(USERS):
        for user in range(users):
            name = f"same {user}" if user < 1_000 else f"{hour} {user}"
            rows.append((f"2026-01-01T{10 + hour}:{user % 60:02}:00", name))
    rows += rows[:500]
    return sorted(rows)


def written(path, rows):
    path.write_text("time,user\n" + "".join(f"{when},{user}\n" for when, user in rows))
    return path


@pytest.fixture
def hours(tmp_path):
    return written(tmp_path / "hours.csv", rows_of_hours())


def outputs_of(text):
    return [(row["end"], float(row["count"])) for row in csv.DictReader(text.splitlines())]


def require_near(found, users):
    """The counts lie within about six standard errors."""
    for (_, count), known in zip(found, users, strict=True):
        assert abs(count - known) < 0.27 * known + 300


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_each_hour_has_a_fresh_counter_with_a_key_of_its_own(panproof, tmp_path, monkeypatch, hours, kind):
    keys, release = [], DistinctUserCounter.release

    def noticed(counter, **options):
        keys.append((counter.estimator.universe.key, counter._state.cells.tobytes()))
        return release(counter, **options)

    monkeypatch.setattr(DistinctUserCounter, "release", noticed)
    file = hours
    if kind == "parquet":
        rows = rows_of_hours()
        times = np.array([when for when, _ in rows], dtype="datetime64[us]")
        file = tmp_path / "hours.parquet"
        parquet.write_table(arrow.table({"time": times, "user": [user for _, user in rows]}), file)
    outcome = panproof(*COUNT, *BY_TIME, "--fresh-panes", file)
    assert outcome.code == 0, outcome.err
    found = outputs_of(outcome.out)
    assert [end for end, _ in found] == [f"2026-01-01T{hour}:00:00" for hour in (11, 12, 13, 14)]
    require_near(found, USERS)
    assert len({key for key, _ in keys}) == len({bits for _, bits in keys}) == 4
    # The promise and its price are told before the first output.
    assert "promise 2 for each pane" in outcome.err
    assert "k times 2" in outcome.err


def test_one_counter_counts_all_users_so_far_and_ends_with_its_promise(panproof, hours, tmp_path):
    state = tmp_path / "state"
    words = (*COUNT, *BY_TIME, "--releases", 3, hours, "--state", state)
    outcome = panproof(*words)
    assert outcome.code == 0, outcome.err
    found = outputs_of(outcome.out)
    require_near(found, (3_000, 7_000, 7_000))
    assert "promise 2 for all 3 releases together (distinct.releases)" in outcome.err
    assert re.search(r"standard error up to .*, \d+\.\d\d times that of one release", outcome.err)
    assert "the last one was made" in outcome.err
    counter, _ = load_counter(state)
    assert counter.erased
    assert [output.count for output in counter.outputs] == pytest.approx([count for _, count in found], abs=0.51)
    assert "covers no more" in panproof(*words).err
    assert panproof(*words).code == 2


def test_a_document_has_the_panes(panproof, hours):
    outcome = panproof(*COUNT, *BY_TIME, "--fresh-panes", "--json", hours)
    document = json.loads(outcome.out)
    assert [one["end"][11:13] for one in document["outputs"]] == ["11", "12", "13", "14"]
    assert document["panes"]["promise_for"] == "pane"
    assert document["panes"]["epsilon_of_promise"] == 2


def test_panes_of_a_number_of_ids_go_on_in_the_next_input(panproof, tmp_path):
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = (*COUNT, "--every", 4_000, "--fresh-panes", "--state", state, "--out", output)
    parts = [range(5_000), range(5_000, 9_000)]
    for number, part in enumerate(parts):
        (tmp_path / f"{number}.txt").write_text("".join(f"{user}\n" for user in part))
        assert panproof(*words, "--update-only", tmp_path / f"{number}.txt").code == 0
    assert [end for end, _ in outputs_of(output.read_text())] == ["4000", "8000"]
    last = panproof(*words[:-1], output, "--release-only")
    assert last.code == 0, last.err
    found = outputs_of(output.read_text())
    assert [end for end, _ in found] == ["4000", "8000", "9000"]
    require_near(found, (4_000, 4_000, 1_000))
    assert "no pane of" in panproof(*words, "--release-only").one_sentence()
    assert "begun with panes" in panproof("count", tmp_path / "0.txt", "--state", state).one_sentence()
    changed = (*COUNT, "--every", 5_000, "--fresh-panes", "--state", state, "--out", output)
    assert "other panes" in panproof(*changed, tmp_path / "0.txt").one_sentence()


def test_late_ids_are_refused_or_counted_in_the_present_pane(panproof, tmp_path):
    rows = rows_of_hours()
    late = rows[0]
    file = written(tmp_path / "late.csv", [*rows[:7_000], (late[0], "late"), *rows[7_000:]])
    words = (*COUNT, *BY_TIME, "--fresh-panes", file)
    told = panproof(*words)
    assert told.code == 2
    assert "row 7001 of" in told.err
    assert "sort the rows by time" in told.err
    counted = panproof(*words, "--late", "count")
    assert counted.code == 0
    assert "late id is counted in the present pane" in counted.err
    assert len(outputs_of(counted.out)) == 4
    within = sorted(rows, key=lambda row: (row[0][:13], row[1]))
    assert panproof(*words[:-1], written(file, within)).code == 0


@pytest.mark.parametrize("policy", ["skip", "count", "fail"])
def test_missing_ids_in_panes(panproof, tmp_path, policy):
    rows = rows_of_hours()
    file = written(tmp_path / "missing.csv", [*rows[:6_500], (rows[6_500][0], " "), *rows[6_500:]])
    outcome = panproof(*COUNT, *BY_TIME, "--fresh-panes", "--missing", policy, file)
    assert outcome.code == (2 if policy == "fail" else 0)
    assert ("in row 6501" in outcome.err) is (policy == "fail")
    assert ("1 missing id was left out" in outcome.err) is (policy == "skip")


@pytest.mark.parametrize("promise", [("--fresh-panes",), ("--releases", 4)])
def test_an_output_that_was_recorded_is_never_drawn_again(panproof, tmp_path, hours, monkeypatch, promise):
    """The power fails after the second output was recorded, before it is out. Then the same command goes on."""
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = (*COUNT, *BY_TIME, *promise, "--state", state, "--out", output, hours)
    write, written_rows = OutputFile.write, []

    def fails_at_the_second(sink, text):
        written_rows.append(text)
        if len(written_rows) == 2:
            raise SystemExit(99)  # The machine loses power here.
        write(sink, text)

    monkeypatch.setattr(OutputFile, "write", fails_at_the_second)
    assert panproof(*words).code == 99
    monkeypatch.setattr(OutputFile, "write", write)
    counter, _ = load_counter(state)
    recorded = counter.outputs[-1].count
    outcome = panproof(*words)
    assert outcome.code == 0, outcome.err
    found = outputs_of(output.read_text())
    assert [end[11:13] for end, _ in found] == ["11", "12", "13", "14"]
    assert found[1][1] == pytest.approx(recorded, abs=0.51)
    require_near(found, (3_000, 7_000, 7_000, 13_000) if promise[0] == "--releases" else USERS)


@pytest.mark.slow
def test_kills_lose_no_pane_and_repeat_none(panproof, tmp_path):
    users, pane, kills = 120_000, 20_000, 20
    file, state, output = tmp_path / "ids.txt", tmp_path / "state", tmp_path / "rows.csv"
    file.write_text("".join(f"{user}\n" for user in range(users)))
    words = [
        "count",
        "--promise-epsilon",
        2,
        "--from",
        1e4,
        "--to",
        1e9,
        "--every",
        pane,
        "--fresh-panes",
        "--checkpoint",
        2_000,
    ]
    words += ["--state", state, "--out", output, file]
    killed = 0
    with Killing(tmp_path / "told", ["count", *words[1:7], file]) as killing:
        for kill in range(kills):
            if not killing.killed(words, saved_again(state, 0.002 * kill)):
                break
            killed += 1
        assert killed > 3
        assert killed < kills or not killing.killed(words, lambda: False)
    found = outputs_of(output.read_text())
    assert [int(end) for end, _ in found] == list(range(pane, users + 1, pane))
    assert np.abs(np.array([count for _, count in found]) / pane - 1).max() < 0.12


def test_panes_by_the_clock_end_while_the_pipe_is_silent(tmp_path):
    """The clock shows 9:59:59 when the first ids come, and 10:00 when the next ones do."""
    pipe = tmp_path / "ids"
    os.mkfifo(pipe)
    second, passed = 10**6, threading.Event()
    moment = [int(np.datetime64("2026-01-01T09:59:59.9", "us").astype(np.int64))]

    def feed():
        with pipe.open("w") as stream:
            stream.write("a\nb\n")
            stream.flush()
            passed.wait(20)
            stream.write("c\n")

    writer = threading.Thread(target=feed)
    writer.start()
    panes = PaneUse(Every.parse("1h"), "1h", fresh=True)
    found = []
    for part in PartReader(str(pipe), panes, Reading(), clock=lambda: moment[0]).parts():
        found.append((part.pane, [one for ids in part.ids for one in ids.tolist()]))
        if part.rows == 2:
            moment[0] += second
        elif not part.rows:
            passed.set()
    writer.join()
    assert found[0][1] == ["a", "b"]
    silent = [one for one in found[1:] if not one[1]]
    assert silent, found
    assert found[-1][1] == ["c"]
    assert found[-1][0] == found[0][0] + 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--every", "1h"), "--releases R"),
        (("--every", "1h", "--releases", 2, "--fresh-panes"), "--releases R or --fresh-panes"),
        (("--every", "1 hour", "--fresh-panes"), "--every takes"),
        (("--every", "0", "--fresh-panes"), "--every takes"),
        (("--every", "1h", "--releases", "9"), "--releases"),
        (("--fresh-panes",), "give --every"),
        (("--late", "count"), "give --every"),
        (("--out", "x"), "give --every"),
        (("--time-column", "time"), "give --every"),
        (("--every", "10", "--fresh-panes", "--time-column", "time"), "panes of a time"),
        (("--every", "1h", "--fresh-panes", "--late", "count"), "give --time-column"),
        (("--every", "1h", "--fresh-panes"), "no clock"),
        (("--every", "1h", "--fresh-panes", "--time-column", "when"), "no column"),
        (("--every", "1h", "--fresh-panes", "--time-column", "user"), "is ISO 8601"),
        (("--every", "1h", "--fresh-panes", "--time-column", "time", "-c", "time"), "two different columns"),
        (("--every", "1h", "--fresh-panes", "--time-column", "time", "--no-header"), "--no-header"),
        (("--every", "1h", "--fresh-panes", "--time-column", "time", "--format", "text"), "no column of times"),
        (("--every", "10", "--fresh-panes", "--state", "s", "--key-file", "k"), "leave out --key-file"),
        (("--every", "10", "--fresh-panes", "--state", "s", "--without-place"), "--without-place"),
        (("--every", "10", "--fresh-panes", "--state", "s", "--json"), "leave out --state"),
        (("--releases", "2"), "give --state"),
        (("--every", "10", "--fresh-panes", "--state", "s", "--out", "s"), "file of its own"),
        (("--every", "10", "--fresh-panes", "--out", "ids.csv"), "file of its own"),
    ],
)
def test_bad_options_end_with_a_sentence(panproof, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path / "ids.csv", rows_of_hours()[:5])
    assert told in panproof(*COUNT, *words, file).one_sentence()


def test_a_state_that_another_process_uses_is_refused(panproof, tmp_path, hours):
    state = tmp_path / "state"
    words = (*COUNT, *BY_TIME, "--fresh-panes", "--state", state, hours)
    with locked(state, "the state file"):
        assert "in use" in panproof(*words).one_sentence()
    assert panproof(*words).code == 0


def test_a_full_disk_keeps_the_last_checkpoint_and_every_output(panproof, tmp_path, hours, monkeypatch):
    state, output = tmp_path / "state", tmp_path / "rows.csv"
    words = (*COUNT, *BY_TIME, "--fresh-panes", "--state", state, "--out", output, hours)
    replace, saves = os.replace, []

    def full_from_the_third_on(*arguments):
        saves.append(arguments)
        if len(saves) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*arguments)

    monkeypatch.setattr(os, "replace", full_from_the_third_on)
    told = panproof(*words)
    assert told.code == 2
    assert "No space left on device" in told.err.splitlines()[-1]
    assert [end[11:13] for end, _ in outputs_of(output.read_text())] == ["11"]
    monkeypatch.setattr(os, "replace", replace)
    assert panproof(*words).code == 0
    found = outputs_of(output.read_text())
    assert [end[11:13] for end, _ in found] == ["11", "12", "13", "14"]
    require_near(found, USERS)


def test_a_gap_of_many_panes_is_refused(panproof, tmp_path):
    file = written(tmp_path / "gap.csv", [("2026-01-01T00:00:00", "a"), ("2027-01-01T00:00:00", "b")])
    outcome = panproof(*COUNT, *BY_TIME, "--every", "1s", "--fresh-panes", file)
    assert outcome.code == 2
    assert "give longer panes" in outcome.err


def test_a_counter_in_a_file_is_released_several_times(panproof, tmp_path):
    state = tmp_path / "state"
    words = (*COUNT, "--releases", 2, "--state", state)
    for number in range(2):
        file = tmp_path / f"{number}.txt"
        file.write_text("".join(f"{user}\n" for user in range(number * 4_000, number * 4_000 + 8_000)))
        outcome = panproof(*words, file)
        assert outcome.code == 0, outcome.err
        assert f"release {number + 1} of 2" in outcome.out
    assert "promise covers no more" in panproof(*words, file).one_sentence()
    assert len(json.loads(panproof("count", "--show", "--state", state, "--json").out)["outputs"]) == 2
